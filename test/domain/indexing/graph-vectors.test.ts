import { beforeEach, describe, expect, test } from "vitest";
import { archiveOne } from "../../../src/domain/memories/forget.ts";
import { revise } from "../../../src/domain/memories/revise.ts";
import { vectorOf, busy, down, Jobs, rows, Unannounced, ScriptedEmbedder } from "../../support/indexing.ts";
import { commits, day, hour, minute, newTeam, now, services, type Person, type Team } from "../../support/team.ts";

const shared = { visibility: "shared" } as const;
let team: Team;
let ada: Person;
let jobs: Jobs;

beforeEach(async () => {
  team = await newTeam();
  ada = Unannounced.of(team.owner);
  jobs = new Jobs(team, now, { withGraph: true });
});

/** Of entities and relationships the index holds just these texts, with whoever may find them ("" for the team). */
function expectHeld(texts: [text: string, owner: string][], space = jobs.embedder.space): void {
  const held = [...jobs.index.of(team, space).values()].filter(({ kind }) => kind !== "memory");
  const bySpelling = (a: [string, string], b: [string, string]): number => (a.join() < b.join() ? -1 : 1);
  const shown = held.map(({ values, visibility, ownerId }): [string, string] => [[...values].join(), visibility === "private" ? ownerId : ""]);
  expect(shown.sort(bySpelling)).toEqual(texts.map(([text, owner]): [string, string] => [[...vectorOf(text)].join(), owner]).sort(bySpelling));
}

const namesOf = (...texts: string[]): [string, string][] => texts.map((text) => [text, ""]);
const items = () => rows<{ hash: string | null }>("SELECT hash FROM vector_items WHERE team_id = ? AND kind <> 'memory'", team.id);
/** The texts of the page that the embedder got, without the memories. */
const embeddedOf = (all: Jobs): string[] => all.embedder.texts.filter((text) => !text.includes("\n") && !text.endsWith("."));

describe("vectors of entities and relationships", () => {
  test("appear after a write, follow a new version, and go with the last memory that says so", async () => {
    const one = await ada.keep("one", "Maria owns Redis.", shared);
    const two = await ada.keep("two", "Redis is in use.", shared);
    expect(await jobs.run(team)).toEqual({ state: "done" });
    expectHeld(namesOf("Maria", "Redis", "Maria owns Redis"));

    await revise(ada.at(now + 1), { target: { id: one.id }, changes: { content: "Sarah owns Redis." } });
    await jobs.run(team);
    expectHeld(namesOf("Sarah", "Redis", "Sarah owns Redis"));

    await commits.erase(ada.principal, ada.at(now), [two]);
    await jobs.run(team);
    expectHeld(namesOf("Sarah", "Redis", "Sarah owns Redis"));
    const [present] = await ada.at(now).memories.lookupMany(ada.principal, { ids: [one.id], named: [] });
    await commits.erase(ada.principal, ada.at(now), [present ?? one]);
    await jobs.run(team);
    expectHeld([]);
    expect(await items()).toEqual([]);
    expect(await rows("SELECT 1 FROM vector_cache WHERE team_id = ?", team.id)).toEqual([]);
  });

  test.each([
    ["archived", (id: string) => ada.at(now).memories.lookupMany(ada.principal, { ids: [id], named: [] }).then(([memory]) => archiveOne(ada.at(now + minute), memory as NonNullable<typeof memory>))],
    ["secret", (id: string) => revise(ada.at(now + minute), { target: { id }, changes: { sensitivity: "secret" } })],
  ])("go with a memory that becomes %s", async (_, change: (id: string) => Promise<unknown>) => {
    const memory = await ada.keep("one", "Maria owns Redis.", shared);
    await jobs.run(team);
    await change(memory.id);
    await jobs.run(team);
    expectHeld([]);
  });

  test("go with a memory that expired and was purged", async () => {
    const memory = await ada.keep("one", "Maria owns Redis.", { ...shared, expiresAt: now + hour });
    await jobs.run(team);
    await services.maintenance.index.purge({ teamId: team.id, organizationId: team.organizationId, shard: "SHARD_0" }, now, [{ teamId: team.id, id: memory.id, version: 1, visibility: "private" }]);
    await jobs.run(team);
    expectHeld([]);
  });

  test("what only a private memory says is its owner's alone [S6]", async () => {
    await ada.keep("mine", "Globex acquired Redis.", {});
    await ada.keep("ours", "Redis is in use.", shared);
    await jobs.run(team);
    expectHeld([...namesOf("Redis"), ...["Globex", "Redis", "Globex acquired Redis"].map((text): [string, string] => [text, ada.id])]);
    const memory = (await ada.recall({ key: "mine" }))[0]?.memory;
    await revise(ada.at(now + 1), { target: { id: memory?.id ?? "" }, changes: { visibility: "shared" } });
    await jobs.run(team);
    expectHeld(namesOf("Globex", "Redis", "Globex acquired Redis"));
  });

  test("erased means gone from the cache in the same moment, and a secret never came there [S14]", async () => {
    const memory = await ada.keep("one", "Maria owns Redis.", shared);
    await ada.keep("two", "Redis is in use.", shared);
    await ada.keep("three", "Sarah owns Valkey.", { ...shared, sensitivity: "secret" });
    await jobs.run(team);
    expect(jobs.embedder.texts.some((text) => text.includes("Valkey"))).toBe(false);
    await commits.erase(ada.principal, ada.at(now), [memory]);
    const cached = await rows("SELECT 1 FROM vector_cache WHERE team_id = ?", team.id);
    expect(cached, "the other memory and its one name").toHaveLength(2);
    expect((await items()).filter(({ hash }) => hash === null)).toHaveLength(2);
  });

  test("what time a statement had from a memory that was erased is not in its vector any more", async () => {
    await ada.keep("one", "Kubernetes uses Redis since 2023.", shared);
    const newer = await ada.keep("two", "Kubernetes uses Redis since 2024.", shared, now + 1);
    await jobs.run(team);
    expectHeld(namesOf("Kubernetes", "Redis", "Kubernetes uses Redis since 2024"));
    await commits.erase(ada.principal, ada.at(now), [newer]);
    await jobs.run(team);
    expectHeld(namesOf("Kubernetes", "Redis", "Kubernetes uses Redis since 2023"));
  });

  test("what nothing is near to in meaning has none", async () => {
    await ada.keep("one", "Ticket OPS-1234 was closed on 2024-05-01.", shared);
    await jobs.run(team);
    expect(embeddedOf(jobs)).not.toEqual(expect.arrayContaining([expect.stringMatching(/^OPS-1234$|^2024-05-01$/)]));
  });
});

describe("what they cost", () => {
  test("a new version that says the same again, another memory that does, a second delivery: nothing is embedded nor sent", async () => {
    const one = await ada.keep("one", "Maria owns Redis.", shared);
    await jobs.run(team);
    const [embedded, upserts] = [embeddedOf(jobs).length, jobs.index.upserts];
    expect([embedded, upserts]).toEqual([3, 2]);
    await revise(ada.at(now + 1), { target: { id: one.id }, changes: { content: "Maria owns Redis!" } });
    await ada.keep("two", "As said, Maria owns Redis.", shared);
    await jobs.run(team);
    await jobs.run(team);
    expect(embeddedOf(jobs).filter((text) => text !== "Maria owns Redis!")).toHaveLength(embedded);
    expect(jobs.index.upserts, "of the memories").toBe(upserts + 1);
    expectHeld(namesOf("Maria", "Redis", "Maria owns Redis"));
  });

  test("a page is one call of the index, and as few of the embedder as its batches allow", async () => {
    for (let i = 0; i < 12; i += 1) await ada.keep(`k${i}`, `Service${i}Gateway is done.`, shared);
    await jobs.run(team);
    expect(jobs.index.upserts).toBe(2);
    expect(jobs.embedder.asked).toHaveLength(4);
  });
});

describe("a broken part", () => {
  test("embedder or index away: made good by the sweep, nothing embedded twice", async () => {
    await ada.keep("one", "Maria owns Redis.", shared);
    jobs.embedder.script.push(undefined, busy());
    expect((await jobs.run(team)).state).toBe("waiting");
    expectHeld([]);
    jobs.index.broken = down;
    await jobs.sweep(2);
    jobs.index.broken = undefined;
    await jobs.sweep(6);
    expectHeld(namesOf("Maria", "Redis", "Maria owns Redis"));
    expect(embeddedOf(jobs)).toHaveLength(3 + 3);
  });

  test("a lost message is made good by the sweep, and then the team is left alone", async () => {
    await ada.keep("one", "Maria owns Redis.", shared);
    await jobs.sweep();
    expectHeld(namesOf("Maria", "Redis", "Maria owns Redis"));
    const before = await rows("SELECT * FROM index_progress WHERE team_id = ?", team.id);
    await jobs.sweep();
    expect(await rows("SELECT * FROM index_progress WHERE team_id = ?", team.id)).toEqual(before);
  });

  test("a name that the provider refuses goes without; the others do not", async () => {
    await ada.keep("one", "Maria owns Redis.", shared);
    jobs.embedder.poison.add("Maria");
    await jobs.run(team);
    expectHeld(namesOf("Redis"));
  });

  test("a run that outlived its lease leaves no older vector, and none of what is gone", async () => {
    const one = await ada.keep("one", "Kubernetes uses Redis since 2024.", shared);
    const late = new Jobs(team, now, { index: jobs.index, embedder: jobs.embedder, withGraph: true });
    // The first call of the index takes the memories, the second what the graph says.
    jobs.index.script.push(undefined, async () => {
      await revise(ada.at(now + 1), { target: { id: one.id }, changes: { content: "Kubernetes uses Valkey since 2023." } });
      late.now = now + hour;
      expect(await late.run(team)).toEqual({ state: "done" });
    });
    await jobs.run(team);
    jobs.now = late.now;
    await jobs.sweep(5);
    expectHeld(namesOf("Kubernetes", "Valkey", "Kubernetes uses Valkey since 2023"));
  });
});

describe("a change of the model", () => {
  test("the new space serves when names and statements have their vectors, too; then the old ones go, with all that led to them", async () => {
    await ada.keep("one", "Maria owns Redis.", shared);
    await jobs.run(team);
    const old = jobs.embedder;
    const changed = new Jobs(team, now + day, { embedder: new ScriptedEmbedder("test:b:4"), earlier: [old], index: jobs.index, withGraph: true });
    const serving = async () => (await rows<{ space: string }>("SELECT space FROM serving_spaces WHERE team_id = ?", team.id))[0]?.space;
    changed.embedder.script.push(undefined, busy());
    await ada.keep("two", "Sarah owns Valkey.", shared, now + day);
    await changed.run(team);
    expect(await serving(), "the memories are done, the names are not").toBe(old.space);
    const all = namesOf("Maria", "Redis", "Maria owns Redis", "Sarah", "Valkey", "Sarah owns Valkey");
    expectHeld(all, old.space);

    await changed.sweep(1);
    expect(await serving()).toBe("test:b:4");
    expectHeld(all, "test:b:4");
    await changed.sweep(12);
    expectHeld([], old.space);
    expectHeld(all, "test:b:4");
    expect(await rows("SELECT 1 FROM index_progress WHERE team_id = ? AND space = ?", team.id, old.space)).toEqual([]);
    expect(await rows("SELECT 1 FROM vector_cache WHERE team_id = ? AND space = ?", team.id, old.space)).toEqual([]);
  });
});
