import { beforeEach, describe, expect, test } from "vitest";
import { forget } from "../../../src/domain/memories/forget.ts";
import { revise } from "../../../src/domain/memories/revise.ts";
import { day, hour, newTeam, now, type Person, type Team } from "../../support/team.ts";

let team: Team;
let ada: Person;

beforeEach(async () => {
  team = await newTeam();
  ada = team.owner;
});

const later = now + 10 * day;

async function remove(id: string, mode: "archive" | "erase", at: number): Promise<void> {
  const preview = await forget(ada.at(at), { ids: [id], mode });
  if (preview.outcome === "preview") await forget(ada.at(at), { ids: [id], mode, confirm: preview.confirm });
}

describe("what was believed on a date [U13] [S15]", () => {
  test("superseded versions are found only as of their time", async () => {
    await ada.keep("office", "we meet in Lisbon");
    await ada.keep("office", "we meet in Porto", {}, now + day);
    await ada.keep("office", "we meet in Faro", {}, now + 2 * day);

    expect(await ada.search("Lisbon Porto Faro", {}, later)).toEqual(["we meet in Faro"]);
    const asOf = (at: number) => ada.search("Lisbon Porto Faro", { asOf: at }, later);
    expect(await asOf(now - 1)).toEqual([]);
    expect(await asOf(now)).toEqual(["we meet in Lisbon"]);
    expect(await asOf(now + day - 1)).toEqual(["we meet in Lisbon"]);
    expect(await asOf(now + day)).toEqual(["we meet in Porto"]);
    expect(await asOf(later)).toEqual(["we meet in Faro"]);
  });

  test("are ranked among all that was believed then, as the same question is now", async () => {
    await ada.keep("redis", "Redis listens on the host cache-1");
    await ada.keep("blog", "The blog is hosted by a host abroad, on a host of its own");
    for (let n = 0; n < 12; n += 1) await ada.keep(`ship.${n}`, `ship number ${n} is in the harbour`);
    await ada.keep("redis", "Redis listens on the host cache-2", {}, now + day);
    const ask = async (asOf?: number) => (await ada.recall({ query: "redis host", ...(asOf ? { asOf } : {}), limit: 3 }, later))[0]?.memory.content;
    expect(await ask()).toBe("Redis listens on the host cache-2");
    expect(await ask(now + hour)).toBe("Redis listens on the host cache-1");
  });

  test("in the mode of vectors, which have no past, words answer", async () => {
    await ada.keep("office", "we meet in Lisbon");
    await ada.keep("office", "we meet in Porto", {}, now + day);
    expect(await ada.search("Lisbon", { mode: "vector", asOf: now + hour }, later)).toEqual(["we meet in Lisbon"]);
  });

  test("an archived memory is found only as of the time before, and again after it is restored", async () => {
    const { id } = await ada.keep("office", "we meet in Lisbon");
    await remove(id, "archive", now + day);
    await revise(ada.at(now + 3 * day), { target: { id }, changes: { archivedAt: null } });
    const asOf = (at: number) => ada.search("Lisbon", { asOf: at }, later);
    expect(await ada.search("Lisbon", {}, later)).toEqual(["we meet in Lisbon"]);
    expect(await asOf(now + hour)).toEqual(["we meet in Lisbon"]);
    expect(await asOf(now + 2 * day)).toEqual([]);
    expect(await asOf(now + 4 * day)).toEqual(["we meet in Lisbon"]);
    await remove(id, "archive", now + 5 * day);
    expect(await ada.search("Lisbon", {}, later)).toEqual([]);
    expect(await asOf(now + 4 * day)).toEqual(["we meet in Lisbon"]);
  });

  test("an expired memory, as of before its expiry, is not found: what is expired is never returned", async () => {
    await ada.keep("office", "we meet in Lisbon", { expiresAt: now + day });
    expect(await ada.search("Lisbon", { asOf: now + hour }, now + 2 * hour)).toEqual(["we meet in Lisbon"]);
    expect(await ada.search("Lisbon", { asOf: now + hour }, now + day)).toEqual([]);
  });

  test("erasing removes the present and every past version [S14]", async () => {
    const { id } = await ada.keep("office", "we meet in Lisbon");
    await ada.keep("office", "we meet in Porto", {}, now + day);
    await ada.keep("cafe", "the cafe in Lisbon");
    await remove(id, "erase", now + 2 * day);

    for (const asked of [{}, { asOf: now + hour }, { asOf: now + day }]) {
      expect(await ada.search("Lisbon Porto meet", asked, later)).toEqual(["the cafe in Lisbon"]);
    }
    expect(await team.index.verify(team.ref)).toEqual({ rebuilt: false });
  });

  test("filters ask for what the version said then", async () => {
    await ada.keep("office", "we meet in Lisbon", { tags: ["draft"], importance: 0.2 });
    await ada.keep("office", "we meet in Porto", { tags: ["final"], importance: 0.9 }, now + day);
    const ask = (filter: object, asOf?: number) => ada.search("meet", { filter, ...(asOf ? { asOf } : {}) }, later);
    expect(await ask({ tags: ["draft"] })).toEqual([]);
    expect(await ask({ tags: ["draft"] }, now + hour)).toEqual(["we meet in Lisbon"]);
    expect(await ask({ minImportance: 0.5 }, now + hour)).toEqual([]);
    expect(await ask({ minImportance: 0.5 }, now + day)).toEqual(["we meet in Porto"]);
  });

  test("a version from the time when a memory was private stays its owner's [S6]", async () => {
    const grace = await team.join();
    const { id } = await ada.keep("salary", "ninety thousand", { visibility: "private" });
    await revise(ada.at(now + day), { target: { id }, changes: { content: "salaries are confidential", visibility: "shared" } });
    const asOf = { asOf: now + hour };
    expect(await grace.search("salaries", {}, later)).toEqual(["salaries are confidential"]);
    expect(await grace.search("ninety thousand", asOf, later)).toEqual([]);
    expect(await ada.search("ninety thousand", asOf, later)).toEqual(["ninety thousand"]);
  });
});
