import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { forget } from "../../../src/domain/memories/forget.ts";
import { newState, type Memory } from "../../../src/domain/memories/memory.ts";
import { remember } from "../../../src/domain/memories/remember.ts";
import { firstVersion, followingVersion } from "../../../src/domain/memories/versions.ts";
import { revise } from "../../../src/domain/memories/revise.ts";
import { decodeFound } from "../../../src/platform/team-index/recall.ts";
import type { TeamIndex } from "../../../src/platform/team-index/team-index.ts";
import { TeamIndexWriter } from "../../../src/platform/team-index/writer.ts";
import { commits, minute, newTeam, now, services, sisterOf, type Person, type Team } from "../../support/team.ts";
import { breakCommits, takeStruck } from "../../properties/broken.ts";

let team: Team;
let ada: Person;
let heal: () => void = () => undefined;

beforeEach(async () => {
  team = await newTeam();
  ada = team.owner;
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});

afterEach(() => {
  heal();
  vi.restoreAllMocks();
});

/** What becomes of the next batch that writes memories. */
function nextCommit(instead: (commit: () => Promise<unknown>) => Promise<unknown>): void {
  let isFirst = true;
  heal = breakCommits((commit) => {
    if (!isFirst) return commit();
    isFirst = false;
    return instead(commit);
  });
}

const lost = (): never => {
  throw new Error("D1_ERROR: Network connection lost.");
};
const rows = async <T>(sql: string): Promise<T[]> => (await env.SHARD_0.prepare(sql).bind(team.id).all<T>()).results;
const versions = () => rows<{ version: number; content: string }>("SELECT version, state ->> '$.content' AS content FROM versions WHERE team_id = ? ORDER BY memory_id, version");

/** Ids of what the team's object itself finds, without anything that the session adds. */
async function foundByObject(words: string[]): Promise<string[]> {
  const request = { text: words.join(" "), terms: words.map((word) => ({ word, term: word })), mode: "text", without: [], filter: {}, limit: 5 } as const;
  return [...decodeFound(await team.index.recall(ada.principal, now, request)).rows.keys()];
}

async function erase(id: string, at = now): Promise<void> {
  const preview = await forget(ada.at(at), { ids: [id], mode: "erase" });
  if (preview.outcome === "preview") await forget(ada.at(at), { ids: [id], mode: "erase", confirm: preview.confirm });
}

/** The object dies as by a deployment: what is in its memory is gone, what it stored stays. */
async function abortable(): Promise<() => void> {
  const state = await runInDurableObject(team.index, (_, found) => found);
  return () => {
    try {
      state.abort("the object dies for the test");
    } catch {
      // Whoever aborts from outside is not part of the object, and hears of it all the same.
    }
  };
}

const uncertain = { code: "PROVIDER_ERROR", message: expect.stringContaining("not certain") };

describe("a write goes through the team's object [A1] [S14]", () => {
  test("a memory under a new key costs one call of the object and one batch of D1", async () => {
    await ada.search("the object has started", { mode: "hybrid" });
    // The first search has the graph read behind its answer.
    const graph = () => runInDurableObject(team.index, (_, { storage }) => storage.sql.exec("SELECT value FROM meta WHERE name = 'graph'").toArray());
    await expect.poll(graph).toEqual([{ value: "complete" }]);
    const asked = vi.spyOn(env.TEAM_INDEX, "getByName");
    const prepared = vi.spyOn(env.SHARD_0, "prepare");
    const batches = vi.spyOn(env.SHARD_0, "batch");
    await ada.keep("k", "a heron by the river");
    expect(asked.mock.calls).toEqual([[`team:${team.id}`]]);
    expect(batches).toHaveBeenCalledTimes(1);
    expect(prepared).toHaveBeenCalledTimes(batches.mock.calls[0]?.[0].length ?? 0);
    expect(prepared).toHaveBeenCalledTimes(6);
    expect(await ada.search("heron")).toEqual(["a heron by the river"]);
  });

  test("the object holds a new memory and a changed one just as D1 has them", async () => {
    const { id } = await ada.keep("k", "a heron");
    await ada.keep("k", "a stork", {}, now + minute);
    await ada.call("omn_import_memories", { memories: [{ key: "i", content: "an ibis" }] });
    const held = async () => (JSON.parse(await team.index.find(ada.principal, now + minute, { key: "k", filter: {} })) as Memory[])
      .concat(JSON.parse(await team.index.find(ada.principal, Date.now(), { key: "i", filter: {} })) as Memory[]);
    const written = await held();
    expect(written).toMatchObject([{ id, content: "a stork", alias: 1, seq: 2 }, { content: "an ibis", alias: 3, seq: 3 }]);
    await team.index.rebuild(team.ref);
    expect(await held()).toEqual(written);
  });

  test("a key that the object holds is told without a batch, and the memory becomes its next version", async () => {
    await ada.keep("k", "a heron");
    heal = breakCommits((commit) => commit());
    takeStruck();
    const { memory, outcome } = await ada.remember("a stork", { key: "k" }, now + minute);
    expect([outcome, memory.version, takeStruck()]).toEqual(["updated", 2, 1]);
  });

  test("a key that D1 has given away while the object believes otherwise is free again within a second", async () => {
    const { id } = await ada.keep("k", "a heron");
    await commits.erase(ada.principal, ada.at(now), (await services.memories.lookupMany(ada.principal, { ids: [id], named: [] })));
    expect((await ada.remember("a stork", { key: "k" }, now + minute)).outcome).toBe("created");
    expect(await ada.search("heron stork", {}, now + minute)).toEqual(["a stork"]);
  });

  test("keys of other people's private memories, other namespaces and archived memories are free", async () => {
    const grace = await team.join();
    await grace.keep("k", "a heron of Grace");
    await ada.keep("k", "a heron of the lake", { namespace: "project:lake" });
    await ada.keep("k", "a heron of the team", { visibility: "shared" });
    const { memory } = await ada.remember("a heron of Ada", { key: "k" });
    await forget(ada.at(now), { ids: [memory.id], mode: "archive", confirm: (await forget(ada.at(now), { ids: [memory.id], mode: "archive" }) as { confirm: string }).confirm });
    expect((await ada.remember("another heron of Ada", { key: "k" })).outcome).toBe("created");
  });
});

describe("D1 fails at a write [U6] [D5]", () => {
  test.each(["create", "update", "erase"] as const)("%s: an answer that is lost after the commit is found again, and nothing is written twice", async (kind) => {
    const { id } = await ada.keep("k", "a heron");
    nextCommit(async (commit) => {
      await commit();
      lost();
    });
    if (kind === "create") await ada.remember("a stork without a key");
    if (kind === "update") await revise(ada.at(now + minute), { target: { id }, changes: { content: "a stork" } });
    if (kind === "erase") await erase(id);
    expect((await versions()).map(({ version, content }) => `${version} ${content}`).sort()).toEqual({
      create: ["1 a heron", "1 a stork without a key"], update: ["1 a heron", "2 a stork"], erase: [],
    }[kind]);
    expect((await ada.search("heron stork", {}, now + minute)).sort()).toEqual({ create: ["a heron", "a stork without a key"], update: ["a stork"], erase: [] }[kind]);
    expect(await team.index.verify(team.ref)).toEqual({ rebuilt: false });
  });

  test("a batch that fails once is sent again", async () => {
    nextCommit(async () => lost());
    await ada.keep("k", "a heron");
    expect(await versions()).toEqual([{ version: 1, content: "a heron" }]);
    expect(await ada.search("heron")).toEqual(["a heron"]);
  });

  test("a D1 that stays away refuses the write, and nothing is stored", async () => {
    heal = breakCommits(async () => lost());
    await expect(ada.keep("k", "a heron")).rejects.toMatchObject(uncertain);
    heal();
    expect(await ada.search("heron")).toEqual([]);
    expect((await ada.remember("a heron", { key: "k" })).outcome).toBe("created");
  });

  test("a batch that is late leaves the writer uncertain; the object finds it in D1 before it answers anybody", async () => {
    const gate = Promise.withResolvers<void>();
    nextCommit(async (commit) => {
      await gate.promise;
      return commit();
    });
    await expect(ada.keep("k", "a heron")).rejects.toMatchObject(uncertain);
    expect(await ada.search("heron")).toEqual([]);
    gate.resolve();
    await expect.poll(versions).toHaveLength(1);
    expect(await foundByObject(["heron"])).toHaveLength(1);
    expect(await ada.search("heron")).toEqual(["a heron"]);
  }, 30_000);

  test("a memory that is being erased is hidden while D1 is late, also after the object died, and is gone then", async () => {
    const { id } = await ada.keep("k", "a heron", { visibility: "shared" });
    const gate = Promise.withResolvers<void>();
    nextCommit(async (commit) => {
      await gate.promise;
      return commit();
    });
    const erasing = erase(id);
    const erased = erasing.catch((error: unknown) => error);
    const hits = async () => (await foundByObject(["heron"])).length;
    await expect.poll(hits).toBe(0);
    expect(await erased).toMatchObject(uncertain);
    (await abortable())();
    await expect.poll(() => hits().catch(() => -1)).toBe(0);
    gate.resolve();
    await expect.poll(versions).toEqual([]);
    expect(await hits()).toBe(0);
    expect(await ada.search("heron")).toEqual([]);
  }, 30_000);

  test("an erasure that D1 refused leaves the memory as it was", async () => {
    const { id } = await ada.keep("k", "a heron", { visibility: "shared" });
    const [memory] = (await services.memories.lookupMany(ada.principal, { ids: [id], named: [] })) as [Memory];
    await revise(ada.at(now + minute), { target: { id }, changes: { content: "a stork" } });
    await expect(services.writer.erase(ada.principal, ada.at(now + minute), [memory])).rejects.toThrow();
    expect(await ada.search("stork", {}, now + minute)).toEqual(["a stork"]);
  });
});

test("a repeated write of several memories passes over no change that is on its way, though later ones have changed its memories [S15] [D5]", async () => {
  const ctx = ada.at(now);
  const [heron, crane] = ["a heron", "a crane"].map((content) => ({ memory: firstVersion(ctx, newState({ content, ownerId: ada.id })), action: "create" as const }));
  const { tool, requestId, address } = ctx;
  const request = { principal: ada.principal, write: { now, tool, requestId, address }, writes: JSON.stringify([heron, crane]), once: undefined, alike: undefined, isRepeated: false };
  expect(await team.index.commit(request)).toMatchObject({ kind: "done" });
  const gate = Promise.withResolvers<void>();
  let storing: Promise<unknown> = Promise.resolve();
  const meanwhile = async (): Promise<void> => {
    const committed = Promise.withResolvers<void>();
    nextCommit(async (commit) => {
      const done = await commit();
      committed.resolve();
      await gate.promise;
      return done;
    });
    storing = ada.remember("a stork", { visibility: "shared" });
    await committed.promise;
    const later = ada.at(now + minute);
    await commits.commit(ada.principal, later, [{ memory: followingVersion(later, (crane as { memory: Memory }).memory, { content: "a crow" }), action: "update" }]);
  };
  const { prepare } = env.SHARD_0;
  env.SHARD_0.prepare = (sql) => {
    const statement = prepare(sql);
    if (!sql.startsWith("SELECT v.memory_id AS id, v.at")) return statement;
    return { bind: (...values: unknown[]) => ({ all: () => meanwhile().then(() => statement.bind(...values).all()) }) } as unknown as D1PreparedStatement;
  };
  try {
    expect(await team.index.commit({ ...request, isRepeated: true })).toMatchObject({ kind: "done" });
  } finally {
    env.SHARD_0.prepare = prepare;
  }
  gate.resolve();
  await storing;
  expect([(await foundByObject(["stork"])).length, (await foundByObject(["crow"])).length, (await foundByObject(["heron"])).length, (await foundByObject(["crane"])).length]).toEqual([1, 1, 1, 0]);
});

describe("the object dies at a write [U6] [S15]", () => {
  test.each(["create", "update", "hide", "erase"] as const)("%s: between D1's commit and its own place: acknowledged once, and held", async (kind) => {
    const grace = await team.join();
    const { id } = await ada.keep("k", "a heron", { visibility: "shared" });
    const die = await abortable();
    nextCommit(async (commit) => {
      const done = await commit();
      die();
      return done;
    });
    if (kind === "create") await ada.remember("a stork", { visibility: "shared" });
    if (kind === "update") await revise(ada.at(now + minute), { target: { id }, changes: { content: "a stork" } });
    if (kind === "hide") await revise(ada.at(now + minute), { target: { id }, changes: { visibility: "private" } });
    if (kind === "erase") await erase(id);
    expect((await grace.search("heron stork", {}, now + minute)).sort()).toEqual({ create: ["a heron", "a stork"], update: ["a stork"], hide: [], erase: [] }[kind]);
    expect((await rows("SELECT id FROM memories WHERE team_id = ?")).length).toBe({ create: 2, update: 1, hide: 1, erase: 0 }[kind]);
    expect((await rows("SELECT 1 FROM versions WHERE team_id = ?")).length).toBe({ create: 2, update: 2, hide: 2, erase: 0 }[kind]);
    expect(await team.index.verify(team.ref)).toEqual({ rebuilt: false });
  });

  test("it compares itself with D1 before the first answer after a start", async () => {
    await ada.keep("k", "a heron");
    await evictDurableObject(team.index);
    await ada.commitOnly("a stork");
    const hits = await foundByObject(["stork"]);
    expect(hits).toHaveLength(1);
  });

  test("dropped again and again under writers: what was acknowledged is found", async () => {
    const state = { isWriting: true, tried: 0 };
    const kept = new Set<string>();
    const write = async (writer: number): Promise<void> => {
      for (let n = 0; n < 20; n += 1) {
        const content = `lantern${writer}x${n} is lit`;
        const done = await ada.remember(content, { key: `${writer}.${n}` }).then(() => true, (error: { code?: string }) => {
          expect(error.code).toBe("PROVIDER_ERROR");
          return false;
        });
        state.tried += 1;
        if (done) kept.add(content);
      }
    };
    const drop = async (): Promise<void> => {
      // By what was written, and not by the clock: a slow machine would have it dropped within every write.
      for (let next = 10; state.isWriting; ) {
        await scheduler.wait(5);
        if (state.tried < next) continue;
        next = state.tried + 10;
        await runInDurableObject(team.index, async (_, found) => {
          await found.storage.deleteAll();
          found.abort("dropped for the test");
        }).catch(() => undefined);
      }
    };
    const dropping = drop();
    await Promise.all([0, 1, 2, 3].map(write));
    state.isWriting = false;
    await dropping;
    expect(kept.size).toBeGreaterThan(40);
    const found = new Set(await ada.search("lit"));
    for (const content of kept) expect(found, content).toContain(content);
    expect(await team.index.verify(team.ref)).toEqual({ rebuilt: false });
  }, 60_000);
});

describe("two objects write one team, as during a deployment [S14] [S15]", () => {
  /** Writes through another object with the same tables. */
  const elsewhere = (): TeamIndexWriter =>
    new TeamIndexWriter({ getByName: (name: string) => env.TEAM_INDEX.getByName(`${name}.elsewhere`) } as unknown as DurableObjectNamespace<TeamIndex>, () => undefined);

  test("an object that sees a gap in the sequence catches up before it answers", async () => {
    await ada.keep("k", "a heron");
    const ctx = ada.at(now);
    await elsewhere().commit(ada.principal, ctx, [{ memory: firstVersion(ctx, newState({ content: "a stork", ownerId: ada.id })), action: "create" }]);
    await ada.keep("l", "a crane");
    const hits = await foundByObject(["heron", "stork", "crane"]);
    expect(hits).toHaveLength(3);
  });

  test("an object whom D1 tells of a version that it does not hold has it at the next try", async () => {
    const first = await ada.keep("k", "a heron");
    await commits.commit(ada.principal, ada.at(now + minute), [{ memory: followingVersion(ada.at(now + minute), first, { content: "a stork" }), action: "update" }]);
    heal = breakCommits((commit) => commit());
    takeStruck();
    const outcome = await revise(ada.at(now + 2 * minute), { target: { id: first.id }, changes: { importance: 0.9 } });
    expect(outcome).toMatchObject({ outcome: "updated", memory: { version: 3, content: "a stork", importance: 0.9 } });
    expect(takeStruck()).toBeLessThanOrEqual(2);
  });

  test("writers of one key lose no version", async () => {
    const outcomes = await Promise.all(Array.from({ length: 12 }, (_, n) =>
      remember({ ...ada.at(now), ...(n % 2 === 0 ? { writer: elsewhere() } : {}) }, { key: "board", content: `said by ${n}` })));
    expect(outcomes.map(({ memory }) => memory.version).sort((a, b) => a - b)).toEqual(outcomes.map((_, n) => n + 1));
    expect((await versions()).map(({ content }) => content).sort()).toEqual(outcomes.map((_, n) => `said by ${n}`).sort());
    expect(await ada.search("said", {}, now + minute)).toHaveLength(1);
  });
});

describe("the organization's object cannot be told [S15] [A13]", () => {
  test("the write is acknowledged, others see nothing of what was withdrawn, and the sweep tells it", async () => {
    const sister = await sisterOf(team);
    const { id } = await ada.keep("menu", "gazpacho", { visibility: "public" });
    expect(await sister.owner.search("gazpacho")).toEqual(["gazpacho"]);
    const real = env.TEAM_INDEX.getByName.bind(env.TEAM_INDEX);
    vi.spyOn(env.TEAM_INDEX, "getByName").mockImplementation((name) => (name.startsWith("org:") ? ({ apply: async () => lost() } as never) : real(name)));
    await revise(ada.at(now + minute), { target: { id }, changes: { visibility: "shared" } });
    vi.restoreAllMocks();
    expect(await sister.owner.search("gazpacho", {}, now + minute)).toEqual([]);
    await services.maintenance.index.follow({ teamId: team.id, organizationId: team.organizationId, shard: "SHARD_0" }, 2);
    expect((await team.organizationIndex.stats(team.ref)).documents).toBe(0);
  });
});
