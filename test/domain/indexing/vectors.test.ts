import { beforeEach, describe, expect, test } from "vitest";
import { embeddingText } from "../../../src/domain/indexing/embedding-text.ts";
import { revise } from "../../../src/domain/memories/revise.ts";
import { EmbeddingFailure } from "../../../src/domain/embedding/embedder.ts";
import { commits, day, hour, minute, newTeam, now, services, type Person, type Team } from "../../support/team.ts";
import { importMemories } from "../../../src/domain/memories/import.ts";
import { portableMemory } from "../../../src/domain/memories/portable.ts";
import { D1VectorStore } from "../../../src/platform/d1/vector-store.ts";
import { D1ProgressStore } from "../../../src/platform/d1/progress-store.ts";
import { busy, down, Jobs, rows, ScriptedEmbedder, shardOf, vectorOf } from "../../support/indexing.ts";

let team: Team;
let ada: Person;
let jobs: Jobs;

beforeEach(async () => {
  team = await newTeam();
  ada = team.owner;
  jobs = new Jobs(team, now);
});

/** Every live normal memory has one vector, of its newest version; nothing else has one, neither in the index nor in the cache. */
async function expectExact(space = jobs.embedder.space): Promise<void> {
  const memories = (await services.memories.list(ada.principal, jobs.now, {}, { below: undefined, limit: 10_000 })).items.filter(({ sensitivity }) => sensitivity === "normal");
  const held = jobs.index.of(team, space);
  expect(new Set(held.keys())).toEqual(new Set(memories.map(({ id }) => id)));
  for (const memory of memories) {
    const entry = held.get(memory.id);
    expect(entry).toMatchObject({ version: memory.version, visibility: memory.visibility, ownerId: memory.ownerId });
    expect(entry?.values).toEqual(vectorOf(embeddingText(memory)));
  }
  const cached = await rows<{ hash: string }>("SELECT hash FROM vector_cache WHERE team_id = ? AND space = ?", team.id, space);
  expect(cached).toHaveLength(new Set(memories.map(embeddingText)).size);
}

const setAside = () => rows<{ memory_id: string; attempts: number; next_attempt_at: number; code: string }>("SELECT * FROM index_failures WHERE team_id = ?", team.id);

describe("a memory's vector follows it", () => {
  test("it is written, changed, archived, erased, and at last has none", async () => {
    const one = await ada.keep("one", "a heron by the lake", { tags: ["birds"], visibility: "shared" });
    await ada.keep("two", "a stork on the roof");
    expect(await jobs.run(team)).toEqual({ state: "done" });
    await expectExact();

    await revise(ada.at(now + 1), { target: { id: one.id }, expectedVersion: 1, changes: { content: "a heron by the river" } });
    await jobs.run(team);
    await expectExact();

    await revise(ada.at(now + 2), { target: { id: one.id }, expectedVersion: 2, changes: { sensitivity: "secret" } });
    await jobs.run(team);
    await expectExact();
    expect(jobs.index.of(team, jobs.embedder.space).size).toBe(1);
  });

  test("what stays the same is not embedded again: equal texts, a new visibility, a second delivery", async () => {
    const one = await ada.keep("one", "a heron", { key: null });
    await ada.remember("a heron");
    await jobs.run(team);
    expect(jobs.embedder.texts).toHaveLength(2);
    await revise(ada.at(now + 1), { target: { id: one.id }, expectedVersion: 1, changes: { visibility: "shared" } });
    await jobs.run(team);
    await jobs.run(team);
    expect(jobs.embedder.texts).toHaveLength(2);
    await expectExact();
  });

  test("a large import takes a few calls of the database for each page, none for each memory", async () => {
    const records = Array.from({ length: 1_000 }, (_, n) => portableMemory.parse({ key: `k.${n}`, content: `heron ${n}` }));
    await importMemories(ada.at(now), { records, onConflict: "update" });
    let calls = 0;
    const counted = <T extends object>(store: T): T =>
      new Proxy(store, { get: (target, name) => { calls += 1; return (Reflect.get(target, name) as (...args: unknown[]) => unknown).bind(target); } });
    const counting = new Jobs(team, now, { embedder: new ScriptedEmbedder("test:a:4", 100), index: jobs.index, within: { vectors: counted(new D1VectorStore(shardOf)), progress: counted(new D1ProgressStore(shardOf)) } });
    await counting.run(team);
    expect(calls).toBeLessThan(25);
    expect(counting.embedder.asked).toHaveLength(10);
    await expectExact();
  });

  test("a secret never reaches the embedder, nor does what has expired [E3]", async () => {
    await ada.keep("one", "the password is swordfish", { sensitivity: "secret" });
    await ada.keep("two", "brief as a mayfly", { expiresAt: now + hour });
    jobs.now = now + 2 * hour;
    await jobs.run(team);
    expect(jobs.embedder.texts).toEqual([]);
    expect(jobs.index.held.size).toBe(0);
  });

  test("erased means gone from the cache in the same moment, unless another memory has the same text", async () => {
    const [one, twin] = [(await ada.remember("a heron")).memory, (await ada.remember("a heron")).memory];
    const other = (await ada.remember("a stork")).memory;
    await jobs.run(team);
    const cached = () => rows("SELECT hash FROM vector_cache WHERE team_id = ?", team.id);
    expect(await cached()).toHaveLength(2);

    await commits.erase(ada.principal, ada.at(now), [one]);
    expect(await cached()).toHaveLength(2);
    await commits.erase(ada.principal, ada.at(now), [twin]);
    expect(await cached()).toHaveLength(1);
    await services.maintenance.index.purge({ teamId: team.id, organizationId: team.organizationId, shard: "SHARD_0" }, now, [{ teamId: team.id, id: other.id, version: 1, visibility: "private" }]);
    expect(await cached()).toHaveLength(0);
    expect(await rows("SELECT hash FROM vector_items WHERE team_id = ? AND hash IS NOT NULL", team.id)).toEqual([]);

    await jobs.run(team);
    expect(jobs.index.held.size).toBe(0);
    expect(await rows("SELECT 1 FROM vector_items WHERE team_id = ?", team.id)).toEqual([]);
  });
});

describe("counts [E3]", () => {
  const counts = async (who: Person) => (await who.call("omn_memory_stats")).structured["vectors"];
  const nothing = { space: null, indexed: 0, waiting: 0, failed: 0, missing: 0, compared_at: null, serving: null };

  test("tell what waits, what has a vector and what was set aside", async () => {
    for (const text of ["a heron", "a stork", "poison"]) await ada.remember(text);
    await ada.remember("swordfish", { sensitivity: "secret" });
    expect(await counts(ada)).toEqual({ ...nothing, waiting: 3 });
    jobs.embedder.poison.add("poison");
    await jobs.run(team);
    await ada.remember("a crane");
    expect(await counts(ada)).toEqual({ space: "test:a:4", indexed: 2, waiting: 1, failed: 1, missing: 0, compared_at: null, serving: "test:a:4" });

    const changed = new Jobs(team, now + day, { embedder: new ScriptedEmbedder("test:b:4"), earlier: [jobs.embedder], index: jobs.index });
    changed.embedder.broken = busy();
    await changed.run(team);
    expect(await counts(ada)).toEqual({ ...nothing, waiting: 4 });
    changed.embedder.broken = undefined;
    changed.embedder.script.push(undefined, busy());
    await changed.sweep(1);
    expect(await counts(ada)).toEqual({ space: "test:b:4", indexed: 4, waiting: 0, failed: 0, missing: 0, compared_at: null, serving: "test:b:4" });
  });

  test("do not move by what a colleague keeps private [S6]", async () => {
    const grace = await team.join();
    await ada.remember("a private heron");
    expect(await counts(grace)).toEqual(nothing);
    jobs.embedder.poison.add("another");
    await ada.remember("another private heron");
    await jobs.run(team);
    expect(await counts(grace)).toEqual(nothing);
    expect(await counts(ada)).toMatchObject({ indexed: 1, failed: 1 });
  });
});

describe("a broken part", () => {
  test("busy embedder: nothing is lost, and it is left alone as long as it asked", async () => {
    await ada.keep("one", "a heron");
    jobs.embedder.script.push(busy(5 * minute));
    expect(await jobs.run(team)).toEqual({ state: "waiting", until: now + 5 * minute });
    await jobs.sweep(4);
    expect(jobs.embedder.asked).toHaveLength(1);
    await jobs.sweep(2);
    await expectExact();
  });

  test("wrong dimension: the model is at fault, not the texts; none is set aside, and all is well once it is mended", async () => {
    for (let i = 0; i < 20; i += 1) await ada.keep(`k${i}`, `heron ${i}`);
    jobs.embedder.wrongDimension = true;
    expect((await jobs.run(team)).state).toBe("waiting");
    expect(jobs.embedder.asked.length).toBeLessThan(4);
    expect(await setAside()).toEqual([]);
    expect(jobs.index.held.size).toBe(0);
    jobs.embedder.wrongDimension = false;
    await jobs.sweep();
    await expectExact();
  });

  test("poison text: only it is set aside, tried again ever later, and taken when the provider takes it", async () => {
    for (let i = 0; i < 20; i += 1) await ada.keep(`k${i}`, i === 13 ? "poison" : `heron ${i}`);
    jobs.embedder.poison.add("poison");
    expect(await jobs.run(team)).toEqual({ state: "done" });
    expect(jobs.index.held.size).toBe(19);
    expect(await setAside()).toMatchObject([{ attempts: 1, next_attempt_at: now + minute, code: "refused" }]);
    await jobs.sweep(10);
    expect(await setAside()).toMatchObject([{ attempts: 4 }]);
    expect(jobs.embedder.asked.length, "backing off: 1, 2, 4 minutes").toBeLessThan(25);

    jobs.embedder.poison.clear();
    await jobs.sweep(60);
    expect(await setAside()).toEqual([]);
    await expectExact();
  });

  test("a poison memory that is mended, or erased, is no longer set aside", async () => {
    const one = await ada.keep("one", "poison");
    const two = await ada.keep("two", "poison too");
    jobs.embedder.poison.add("poison");
    await jobs.run(team);
    expect(await setAside()).toHaveLength(2);
    await commits.erase(ada.principal, ada.at(now), [two]);
    expect(await setAside()).toHaveLength(1);
    await revise(ada.at(now + 1), { target: { id: one.id }, expectedVersion: 1, changes: { content: "remedy" } });
    await jobs.run(team);
    expect(await setAside()).toEqual([]);
    await expectExact();
  });

  test("a provider too slow for a whole batch gets smaller ones", async () => {
    for (let i = 0; i < 16; i += 1) await ada.keep(`k${i}`, `heron ${i}`);
    const embed = jobs.embedder.embed.bind(jobs.embedder);
    jobs.embedder.embed = async (texts) => {
      const vectors = await embed(texts);
      if (texts.length > 3) throw new EmbeddingFailure("timeout", { retryable: true });
      return vectors;
    };
    await jobs.run(team);
    await jobs.sweep(30);
    await expectExact();
  });

  test("an index that is away is given everything when it is back, and nothing is embedded twice", async () => {
    for (let i = 0; i < 5; i += 1) await ada.keep(`k${i}`, `heron ${i}`);
    jobs.index.broken = down;
    expect((await jobs.run(team)).state).toBe("waiting");
    await jobs.sweep(3);
    jobs.index.broken = undefined;
    await jobs.sweep(6);
    expect(jobs.embedder.texts).toHaveLength(5);
    await expectExact();
  });

  test("a lost message is made good by the sweep", async () => {
    await ada.keep("one", "a heron");
    await jobs.sweep();
    await expectExact();
  });

  test("a run that died holds its place for three minutes at most", async () => {
    await ada.keep("one", "a heron");
    const progress = new D1ProgressStore(shardOf);
    const killed = (): Promise<never> => Promise.reject(new Error("killed"));
    Object.assign(progress, { advance: killed, release: killed, fail: killed });
    await new Jobs(team, now, { within: { progress } }).run(team);
    expect((await jobs.run(team)).state).toBe("waiting");
    await jobs.sweep(4);
    await expectExact();
  });
});

describe("two runs at once", () => {
  test("do the work once", async () => {
    for (let i = 0; i < 30; i += 1) await ada.keep(`k${i}`, `heron ${i}`);
    const outcomes = await Promise.all([jobs.run(team), jobs.run(team), jobs.run(team)]);
    expect(outcomes.map(({ state }) => state).sort()).toEqual(["done", "waiting", "waiting"]);
    expect(jobs.embedder.texts).toHaveLength(30);
    await expectExact();
  });

  test("one that outlived its lease leaves no older vector, and none of what was erased", async () => {
    const one = await ada.keep("one", "a heron");
    const two = await ada.keep("two", "a stork");
    const late = new Jobs(team, now, { index: jobs.index, embedder: jobs.embedder });
    // While the first run's vectors are on their way, its lease ends and the world goes on.
    jobs.index.script.push(async () => {
      await revise(ada.at(now + 1), { target: { id: one.id }, expectedVersion: 1, changes: { content: "a crane" } });
      await commits.erase(ada.principal, ada.at(now), [two]);
      late.now = now + hour;
      expect(await late.run(team)).toEqual({ state: "done" });
    });
    await jobs.run(team);
    expect(jobs.index.held.size, "the late vectors have arrived").toBe(2);
    jobs.now = late.now;
    await jobs.sweep(5);
    await expectExact();
  });
});

describe("a change of the model", () => {
  const serving = async () => (await rows<{ space: string }>("SELECT space FROM serving_spaces WHERE team_id = ?", team.id))[0]?.space;

  test("the old vectors serve and are kept current until the new ones are complete; then they go", async () => {
    for (let i = 0; i < 12; i += 1) await ada.keep(`k${i}`, `heron ${i}`);
    await jobs.run(team);
    const old = jobs.embedder;
    const changed = new Jobs(team, now + day, { embedder: new ScriptedEmbedder("test:b:4"), earlier: [old], index: jobs.index });
    changed.embedder.broken = busy();
    await ada.keep("new", "written under the old model", {}, now + day);
    await changed.run(team);
    expect(await serving()).toBe(old.space);
    jobs.now = changed.now;
    await expectExact(old.space);

    changed.embedder.broken = undefined;
    await changed.sweep(1);
    expect(await serving()).toBe("test:b:4");
    jobs.now = changed.now;
    await expectExact("test:b:4");
    expect(jobs.index.of(team, old.space).size, "for queries that are under way").toBe(13);
    await changed.sweep(12);
    expect(jobs.index.of(team, old.space).size).toBe(0);
    expect(await rows("SELECT 1 FROM vector_cache WHERE team_id = ? AND space = ?", team.id, old.space)).toEqual([]);
    expect(await rows("SELECT 1 FROM index_progress WHERE team_id = ? AND space = ?", team.id, old.space)).toEqual([]);
    await expectExact("test:b:4");
  });

  test("taken back half way, the vectors of the other model go", async () => {
    for (let i = 0; i < 12; i += 1) await ada.keep(`k${i}`, `heron ${i}`);
    await jobs.run(team);
    const changed = new Jobs(team, now + day, { embedder: new ScriptedEmbedder("test:b:4", 4), earlier: [jobs.embedder], index: jobs.index });
    changed.embedder.script.push(undefined, busy());
    await changed.run(team);
    expect(jobs.index.of(team, "test:b:4").size).toBe(4);
    jobs.now = changed.now;
    await jobs.sweep(1);
    expect(jobs.index.of(team, "test:b:4").size).toBe(0);
    expect(await serving()).toBe(jobs.embedder.space);
    await expectExact();
  });

  test("without the old provider nobody can ask in the old space: the new one serves at once", async () => {
    await ada.keep("one", "a heron");
    await jobs.run(team);
    const changed = new Jobs(team, now + day, { embedder: new ScriptedEmbedder("test:b:4"), index: jobs.index });
    changed.embedder.broken = busy();
    await changed.run(team);
    expect(await serving()).toBe("test:b:4");
  });
});
