import { beforeEach, describe, expect, test } from "vitest";
import { exportMemories } from "../../../src/domain/memories/export.ts";
import { forget } from "../../../src/domain/memories/forget.ts";
import { day, minute, newTeam, now, type Person, type Team } from "../../support/team.ts";

let team: Team;
let ada: Person;

beforeEach(async () => {
  team = await newTeam();
  ada = team.owner;
});

/** Version numbers and contents, oldest first. */
async function chain(who: Person, key: string, at = now + day): Promise<[number, string][]> {
  const { data } = await exportMemories(who.at(at), { format: "json", limit: 1_000, includeHistory: true });
  const memories = JSON.parse(data).memories as { key: string; version: number; content: string; history?: { version: number; state: { content: string } }[] }[];
  const memory = memories.find((entry) => entry.key === key);
  return memory ? [...(memory.history ?? []).map(({ version, state }): [number, string] => [version, state.content]), [memory.version, memory.content]] : [];
}

async function erase(id: string): Promise<void> {
  const preview = await forget(ada.at(now), { ids: [id], mode: "erase" });
  if (preview.outcome === "preview") await forget(ada.at(now), { ids: [id], mode: "erase", confirm: preview.confirm });
}

describe("the same key again is a new version [A1] [S14]", () => {
  test("of the same memory, with the old ones kept", async () => {
    const first = await ada.remember("one", { key: "k" });
    const second = await ada.remember("two", { key: "k" }, now + minute);
    expect([first.outcome, second.outcome]).toEqual(["created", "updated"]);
    expect(second.memory).toMatchObject({ id: first.memory.id, alias: first.memory.alias, version: 2, createdAt: now, updatedAt: now + minute });
    expect(await chain(ada, "k")).toEqual([[1, "one"], [2, "two"]]);
    expect((await ada.recall({ key: "k" })).map(({ memory }) => memory.content)).toEqual(["two"]);
  });

  test("what the call does not mention stays, content and expiry are the new ones", async () => {
    await ada.keep("k", "one", { tags: ["a"], importance: 0.9, metadata: { by: "hand" }, type: "insight", summary: "s", expiresAt: now + day });
    const { memory } = await ada.remember("two", { key: "k" });
    expect(memory).toMatchObject({ tags: ["a"], importance: 0.9, metadata: { by: "hand" }, type: "insight", summary: "s", expiresAt: null });
    expect((await ada.remember("two", { key: "k", tags: [], importance: 0 })).memory).toMatchObject({ tags: [], importance: 0, type: "insight" });
  });

  test("nothing new is `unchanged`: no version, whatever the order of keys inside metadata", async () => {
    await ada.keep("k", "one", { metadata: { a: 1, b: { c: 2, d: 3 } } });
    const again = await ada.remember("one", { key: "k", metadata: { b: { d: 3, c: 2 }, a: 1 } }, now + minute);
    expect(again).toMatchObject({ outcome: "unchanged", memory: { version: 1, updatedAt: now } });
    expect(await chain(ada, "k")).toEqual([[1, "one"]]);
  });

  test("another namespace, or the team's beside one's own, is another memory", async () => {
    const grace = await team.join();
    const places = [[ada, {}], [ada, { namespace: "project:x" }], [ada, { visibility: "shared" }], [grace, {}]] as const;
    for (const [n, [who, fields]] of places.entries()) {
      expect((await who.remember("text", { key: "k", ...fields }, now - n)).outcome).toBe("created");
    }
    expect((await grace.remember("newer", { key: "k", visibility: "shared" })).outcome).toBe("updated");
    expect((await ada.recall({ key: "k" })).map(({ memory }) => [memory.visibility, memory.namespace, memory.content])).toEqual([
      ["private", "global", "text"], ["private", "project:x", "text"], ["shared", "global", "newer"],
    ]);
  });

  test("two versions never share an instant, even when the clock stands still or runs backwards", async () => {
    for (const [n, at] of [now, now, now - minute].entries()) await ada.keep("k", `v${n}`, {}, at);
    const [found] = await ada.recall({ key: "k" }, now + day);
    expect(found?.memory).toMatchObject({ content: "v2", version: 3, updatedAt: now + 2 });
    expect(await ada.search("v1", { asOf: now + 1 }, now + day)).toEqual(["v1"]);
  });

  test("only its owner or an admin changes who sees it: a store by another member is refused [A13] [S6]", async () => {
    const grace = await team.join("member");
    await ada.keep("k", "for the team", { visibility: "shared" });
    await expect(grace.remember("for the team", { key: "k", visibility: "public" })).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
    await ada.keep("p", "for everybody", { visibility: "public" });
    await expect(grace.remember("less", { key: "p", visibility: "shared" })).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
    const imported = await grace.call("omn_import_memories", { memories: [{ key: "k", content: "leak", visibility: "public" }] });
    expect(imported.error?.code).toBe("PERMISSION_DENIED");
    expect((await ada.recall({ key: "k" }))[0]?.memory).toMatchObject({ visibility: "shared", version: 1 });
    expect((await ada.remember("for the team", { key: "k", visibility: "public" })).memory.visibility).toBe("public");
  });
});

describe("an idempotency key [A1] [S14]", () => {
  test("a repeated call answers as the first time did, and stores nothing", async () => {
    const call = { key: "k", content: "one", idempotency_key: "i1" };
    const first = (await ada.call("omn_store_memory", call)).structured;
    const again = (await ada.call("omn_store_memory", call)).structured;
    expect(first).toMatchObject({ outcome: "created", version: 1 });
    expect(again).toEqual({ ...first, replayed: true });
    expect(await chain(ada, "k", Date.now())).toEqual([[1, "one"]]);
  });

  test("also after others have changed the memory: their change stays", async () => {
    const { memory } = await ada.remember("one", { key: "k", idempotencyKey: "i1" });
    await ada.keep("k", "two", {}, now + minute);
    const again = await ada.remember("one", { key: "k", idempotencyKey: "i1" }, now + day);
    expect(again).toMatchObject({ outcome: "created", replayed: true, memory: { id: memory.id, version: 1, content: "one", updatedAt: now } });
    expect(await chain(ada, "k")).toEqual([[1, "one"], [2, "two"]]);
  });

  test("also when the first call had found nothing to change", async () => {
    await ada.keep("k", "one");
    expect((await ada.remember("one", { key: "k", idempotencyKey: "i1" })).outcome).toBe("unchanged");
    await ada.keep("k", "two", {}, now + minute);
    expect(await ada.remember("one", { key: "k", idempotencyKey: "i1" }, now + day)).toMatchObject({ outcome: "unchanged", replayed: true });
    expect(await chain(ada, "k")).toEqual([[1, "one"], [2, "two"]]);
    await expect(ada.remember("other", { key: "k", idempotencyKey: "i1" })).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
  });

  test("used for another call, it is refused with a way to mend it, and nothing is written", async () => {
    const call = { key: "k", content: "one", idempotency_key: "i1" };
    await ada.call("omn_store_memory", call);
    for (const other of [{ content: "two" }, { key: "l" }, { metadata: { tags: ["x"] } }, { namespace: "project:x" }]) {
      const refused = await ada.call("omn_store_memory", { ...call, ...other });
      expect(refused.error, JSON.stringify(other)).toMatchObject({ code: "VALIDATION_ERROR", hint: expect.stringContaining("new idempotency_key") });
    }
    expect(await ada.listed(Date.now())).toEqual(["one"]);
  });

  test("works without a key, where nothing else would tell two calls apart", async () => {
    const first = await ada.remember("a thought", { idempotencyKey: "i1" });
    const again = await ada.remember("a thought", { idempotencyKey: "i1" });
    expect(again).toMatchObject({ replayed: true, memory: { id: first.memory.id } });
    await ada.remember("a thought");
    expect(await ada.listed()).toEqual(["a thought", "a thought"]);
  });

  test("is each person's own", async () => {
    const grace = await team.join();
    await ada.remember("hers", { idempotencyKey: "i1" });
    expect(await grace.remember("mine", { idempotencyKey: "i1" })).toMatchObject({ outcome: "created", replayed: false });
  });

  test("ten at once make one memory", async () => {
    const calls = Array.from({ length: 10 }, () => ada.remember("one", { key: "k", idempotencyKey: "i1" }));
    const outcomes = await Promise.all(calls);
    expect(new Set(outcomes.map(({ memory }) => memory.id)).size).toBe(1);
    expect(outcomes.map(({ outcome }) => outcome).filter((outcome) => outcome !== "unchanged")).toEqual(Array(outcomes.length).fill("created"));
    const keyless = await Promise.all(Array.from({ length: 10 }, () => ada.remember("keyless", { idempotencyKey: "i2" })));
    expect(new Set(keyless.map(({ memory }) => memory.id)).size).toBe(1);
    expect(keyless.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(await chain(ada, "k")).toEqual([[1, "one"]]);
    expect(await ada.listed()).toHaveLength(2);
  });

  test("does not outlive an erasure: nothing of the memory stays behind it", async () => {
    const { memory } = await ada.remember("one", { key: "k", idempotencyKey: "i1" });
    await erase(memory.id);
    expect(await ada.remember("one", { key: "k", idempotencyKey: "i1" })).toMatchObject({ outcome: "created", replayed: false });
  });
});
