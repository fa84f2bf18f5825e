import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { forget } from "../../../src/domain/memories/forget.ts";
import { revise } from "../../../src/domain/memories/revise.ts";
import { runsOf } from "../../../src/platform/team-index/applying.ts";
import { decodeFound } from "../../../src/platform/team-index/recall.ts";
import { minute, newTeam, now, type Person, type Team } from "../../support/team.ts";

let team: Team;
let ada: Person;
/** The last event before what a test does. */
let heard: number;

beforeEach(async () => {
  team = await newTeam();
  ada = team.owner;
  await ada.keep("first", "an owl");
  await team.settle();
  heard = (await team.index.events(ada.principal, { after: undefined, waitMs: 0 })).last;
});

afterEach(() => void vi.restoreAllMocks());

const query = (words: string[]) => ({ text: words.join(" "), terms: words.map((word) => ({ word, term: word })), mode: "text", without: [], filter: {}, limit: 5 }) as const;
/** What the tables of the object hold, without a call of the object. */
const tabled = (): Promise<number> => runInDurableObject(team.index, (_, { storage }) => storage.sql.exec<{ n: number }>("SELECT count(*) AS n FROM docs").one().n);

/** No write gets from the object's memory into its tables by itself. */
function holdTimers(): void {
  vi.spyOn(scheduler, "wait").mockImplementation(() => new Promise(() => undefined));
}

describe("what was acknowledged a moment ago [S14] [S15] [A1]", () => {
  beforeEach(() => holdTimers());

  test.each<[string, () => Promise<unknown>, unknown]>([
    ["recall", async () => decodeFound(await team.index.recall(ada.principal, now, query(["heron"]))).rows.size, 1],
    ["find", async () => JSON.parse(await team.index.find(ada.principal, now, { key: "k", filter: {} })).length, 1],
    ["events", async () => (await team.index.events(ada.principal, { after: heard, waitMs: 0 })).events.map(({ kind }) => kind), ["stored"]],
    ["stats", () => team.index.stats(team.ref), expect.objectContaining({ documents: 2, appliedSeq: 2 })],
    ["catchUp", () => team.index.catchUp(team.ref, 2), 2],
    ["verify", () => team.index.verify(team.ref), { rebuilt: false }],
    ["lookUpAt", async () => (await team.index.lookUpAt(team.ref, { viewer: { userId: ada.id, teamId: team.id }, at: now, key: "k", filter: {}, limit: 5 })).length, 1],
    ["rebuild", async () => { await team.index.rebuild(team.ref); return tabled(); }, 2],
    ["forget", async () => { await team.index.forget(team.ref); return tabled(); }, 0],
  ])("is there for %s", async (_name, ask, expected) => {
    await ada.keep("k", "a heron by the river");
    expect(await tabled()).toBe(1);
    expect(await ask()).toEqual(expected);
  });

  test("has another generation, for whoever may find it", async () => {
    const { generation } = await team.index.state(ada.principal);
    await ada.keep("k", "a heron");
    expect((await team.index.state(ada.principal)).generation).not.toBe(generation);
  });

  test("is not found any more once it is erased, hidden, secret or archived", async () => {
    const grace = await team.join();
    const kept = await Promise.all(["erase", "hide", "secret", "archive"].map((key) => ada.keep(key, `a heron to ${key}`, { visibility: "shared" })));
    expect(await tabled()).toBe(1);
    const [erased, hidden, secret, archived] = kept.map(({ id }) => id) as [string, string, string, string];
    for (const [ids, mode] of [[[erased], "erase"], [[archived], "archive"]] as const) {
      const preview = await forget(ada.at(now), { ids: [...ids], mode });
      await forget(ada.at(now), { ids: [...ids], mode, confirm: (preview as { confirm: string }).confirm });
    }
    await revise(ada.at(now + minute), { target: { id: hidden }, changes: { visibility: "private" } });
    await revise(ada.at(now + minute), { target: { id: secret }, changes: { sensitivity: "secret" } });
    // What takes something from readers is in the tables before the answer.
    expect(await tabled()).toBeGreaterThan(1);
    expect(await grace.search("heron", {}, now + 2 * minute)).toEqual([]);
  });

  test("versions of one memory, one right after the other, are all there and in order", async () => {
    for (const [n, bird] of ["heron", "stork", "crane"].entries()) await ada.keep("bird", `a ${bird}`, {}, now + n * minute);
    const later = now + 3 * minute;
    expect(await ada.search("heron stork crane", {}, later)).toEqual(["a crane"]);
    expect(await ada.search("heron", { asOf: now }, later)).toEqual(["a heron"]);
    expect(await ada.search("stork", { asOf: now + minute }, later)).toEqual(["a stork"]);
    expect(await team.index.verify(team.ref)).toEqual({ rebuilt: false });
  });

  test("holds its key against another that comes right after it", async () => {
    const first = await ada.keep("k", "a heron");
    const { outcome, memory } = await ada.remember("a stork", { key: "k" }, now + minute);
    expect([outcome, memory.id, memory.version]).toEqual(["updated", first.id, 2]);
  });

  test("is there although the object died after the answer", async () => {
    await ada.keep("k", "a heron");
    expect(await tabled()).toBe(1);
    const state = await runInDurableObject(team.index, (_, found) => found);
    try {
      state.abort("the object dies for the test");
    } catch {
      // Whoever aborts from outside is not part of the object.
    }
    // Several at once: while the first compares the object with D1, the others wait.
    for (const found of await Promise.all([1, 2, 3, 4].map(() => ada.search("heron owl")))) expect(found.sort()).toEqual(["a heron", "an owl"]);
    expect(await team.index.verify(team.ref)).toEqual({ rebuilt: false });
  });

  test("is there although the object was evicted after the answer", async () => {
    await ada.keep("k", "a heron");
    await evictDurableObject(team.index);
    expect((await ada.search("heron owl")).sort()).toEqual(["a heron", "an owl"]);
  });

  test("is read from D1 when it cannot be applied", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    await ada.keep("k", "a heron");
    await ada.keep("l", "a stork");
    // The first attempt fails; reading it from D1 is another.
    await runInDurableObject(team.index, (_, { storage }) => {
      const apply = vi.spyOn(storage, "transactionSync");
      apply.mockImplementationOnce(() => {
        throw new Error("the disk is away");
      });
    });
    expect((await ada.search("heron stork owl")).sort()).toEqual(["a heron", "a stork", "an owl"]);
    expect(await team.index.verify(team.ref)).toEqual({ rebuilt: false });
  });
});

describe("what was acknowledged [S15]", () => {
  test("comes into the tables by itself, many in one transaction", async () => {
    const { generation } = await team.index.state(ada.principal);
    await Promise.all(Array.from({ length: 5 }, (_, n) => ada.remember(`heron ${n}`)));
    await expect.poll(tabled).toBe(6);
    expect((await team.index.state(ada.principal)).generation).not.toBe(generation);
  });

  test("numbers that follow each other are one run", () => {
    const change = (first: number, last = first) => ({ documents: [], first, last });
    expect(runsOf([change(7), change(3, 4), change(5), change(9, 10)])).toEqual([{ first: 3, last: 5 }, { first: 7, last: 7 }, { first: 9, last: 10 }]);
  });
});
