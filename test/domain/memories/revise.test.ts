import { beforeEach, describe, expect, test } from "vitest";
import { archiveOne } from "../../../src/domain/memories/forget.ts";
import type { Memory } from "../../../src/domain/memories/memory.ts";
import { revise, type ReviseInput } from "../../../src/domain/memories/revise.ts";
import { day, minute, newTeam, now, type Person, type Team } from "../../support/team.ts";

let team: Team;
let ada: Person;

beforeEach(async () => {
  team = await newTeam();
  ada = team.owner;
});

const change = (who: Person, target: ReviseInput["target"], changes: ReviseInput["changes"], expectedVersion?: number, at = now + minute) =>
  revise(who.at(at), { target, changes, ...(expectedVersion === undefined ? {} : { expectedVersion }) });

describe("an update [A1] [B2] [S14]", () => {
  test("changes what it mentions and leaves the rest", async () => {
    const before = await ada.keep("k", "one", { tags: ["a"], importance: 0.9, metadata: { x: 1 }, occurredAt: now });
    const outcome = await change(ada, { key: "k" }, { content: "two" });
    expect(outcome).toMatchObject({ outcome: "updated", memory: { ...before, content: "two", version: 2, updatedAt: now + minute, seq: before.seq + 1 } });
  });

  test("that changes nothing makes no version", async () => {
    await ada.keep("k", "one", { tags: ["a"] });
    expect(await change(ada, { key: "k" }, { content: "one", tags: ["a"] })).toMatchObject({ outcome: "unchanged", memory: { version: 1 } });
  });

  test("based on an old version returns both sides, and writes nothing", async () => {
    await ada.keep("k", "one");
    await change(ada, { key: "k" }, { content: "theirs" });
    const answer = await ada.call("omn_update_memory", { key: "k", content: "mine", expected_version: 1 });
    expect(answer).toMatchObject({ isError: true, structured: { outcome: "conflict", current: { content: "theirs", version: 2 }, attempted: { content: "mine" } } });
    expect(answer.text).toMatch(/CONFLICT[^]*theirs[^]*mine/);
    expect(answer.text).toContain("expected_version 2");
    expect((await ada.recall({ key: "k" }))[0]?.memory).toMatchObject({ content: "theirs", version: 2 });
    expect((await ada.call("omn_update_memory", { key: "k", content: "merged", expected_version: 2 })).structured).toMatchObject({ outcome: "updated", version: 3 });
  });

  test("of a version that does not exist yet is a conflict, too", async () => {
    await ada.keep("k", "one");
    expect(await change(ada, { key: "k" }, { content: "x" }, 7)).toMatchObject({ outcome: "conflict", current: { version: 1 } });
  });

  test("by id, by alias and by key means the same memory; all of it follows a new key", async () => {
    const { id, alias } = await ada.keep("k", "one");
    await change(ada, { id: alias }, { key: "renamed" });
    await change(ada, { key: "renamed" }, { tags: ["found"] }, undefined, now + 2 * minute);
    await change(ada, { id }, { content: "two" }, undefined, now + 3 * minute);
    expect(await ada.recall({ key: "k" })).toEqual([]);
    expect((await ada.recall({ filter: { tags: ["found"] } })).map(({ memory }) => memory)).toMatchObject([{ id, alias, key: "renamed", content: "two", version: 4 }]);
    expect((await ada.remember("another", { key: "k" })).outcome).toBe("created");
  });

  test("by a key that lives in several places names the candidates and guesses nothing", async () => {
    const own = await ada.keep("k", "mine");
    const shared = await ada.keep("k", "ours", { visibility: "shared" });
    const answer = await ada.call("omn_update_memory", { key: "k", content: "x" });
    expect(answer.error?.code).toBe("CONFLICT");
    expect(answer.text).toContain(own.id);
    expect(answer.text).toContain(shared.id);
    expect((await ada.recall({ key: "k" })).map(({ memory }) => memory.content)).toEqual(["mine", "ours"]);
  });

  test("to a key that another memory has there is refused by name", async () => {
    await ada.keep("taken", "one");
    const { id } = await ada.keep("k", "two");
    await expect(change(ada, { id }, { key: "taken" })).rejects.toMatchObject({ code: "CONFLICT", message: expect.stringContaining("taken") });
    expect(await change(ada, { id }, { key: "taken", namespace: "project:x" })).toMatchObject({ outcome: "updated" });
  });

  test("without any change, with an expiry in the past or of something unknown says what is wrong", async () => {
    const { id } = await ada.keep("k", "one");
    await expect(change(ada, { id }, {})).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
    await expect(change(ada, { id }, { expiresAt: now })).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
    for (const target of [{ key: "unknown" }, { id: 4_711 }, { id: crypto.randomUUID() }]) {
      await expect(change(ada, target, { content: "x" })).rejects.toMatchObject({ code: "MEMORY_NOT_FOUND" });
    }
  });
});

describe("who may change what [A13] [S6] [U4]", () => {
  test("members revise together what the team shares; others' private memories do not exist for them", async () => {
    const grace = await team.join();
    const { id } = await ada.keep("k", "one", { visibility: "shared" });
    expect(await change(grace, { id }, { content: "two" })).toMatchObject({ outcome: "updated", memory: { ownerId: ada.id, updatedBy: grace.id } });
    const diary = await ada.keep("diary", "private");
    await expect(change(grace, { id: diary.id }, { content: "x" })).rejects.toMatchObject({ code: "MEMORY_NOT_FOUND" });
    await expect(change(grace, { id: diary.alias }, { content: "x" })).rejects.toMatchObject({ code: "MEMORY_NOT_FOUND" });
  });

  test("only the owner, or an admin, changes who sees it", async () => {
    const grace = await team.join();
    const { id } = await grace.keep("k", "one", { visibility: "shared" });
    const other = await team.join();
    for (const visibility of ["private", "public"] as const) {
      await expect(change(other, { id }, { visibility })).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
    }
    expect(await change(ada, { id }, { visibility: "public" })).toMatchObject({ outcome: "updated", memory: { ownerId: grace.id } });
    expect(await change(grace, { id }, { visibility: "private" }, undefined, now + 2 * minute)).toMatchObject({ outcome: "updated" });
    expect(await ada.recall({ key: "k" }, now + day)).toEqual([]);
  });

  test("viewers and read-only keys write by no verb", async () => {
    await ada.keep("k", "one", { visibility: "shared" });
    for (const reader of [await team.join("viewer"), await team.join("member", ["memory:read"])]) {
      const calls: [string, Record<string, unknown>][] = [
        ["omn_store_memory", { key: "k", content: "x" }], ["omn_update_memory", { key: "k", content: "x" }], ["omn_forget_memory", { key: "k" }],
        ["omn_import_memories", { memories: [{ content: "x" }] }], ["write_memory", { key: "k", value: 1 }], ["delete_memory", { key: "k" }],
      ];
      for (const [tool, args] of calls) expect((await reader.call(tool, args)).error?.code, tool).toBe("PERMISSION_DENIED");
      expect(await reader.listed(Date.now())).toEqual(["one"]);
    }
    expect(await ada.recall({ key: "k" })).toMatchObject([{ memory: { version: 1 } }]);
  });
});

describe("archived memories [U4] [S14]", () => {
  test("refuse changes until they are restored, and then go on where they were", async () => {
    const memory = await ada.keep("k", "one");
    await archiveOne(ada.at(now), memory);
    await expect(change(ada, { id: memory.id }, { content: "x" })).rejects.toMatchObject({ message: expect.stringContaining("archived") });
    expect((await ada.call("omn_update_memory", { id: memory.id, archived: false })).structured).toMatchObject({ outcome: "updated", version: 3 });
    expect(await ada.search("one", {}, Date.now())).toEqual(["one"]);
    expect(await ada.recall({ key: "k" }, Date.now())).toMatchObject([{ memory: { id: memory.id, archivedAt: null } }]);
  });

  test("named by their key are told of with their id, by which they come back; others' private ones are not", async () => {
    const [mine, shared] = [await ada.keep("k", "one", { namespace: "project:x" }), await ada.keep("k", "two", { visibility: "shared" })];
    for (const memory of [mine, shared]) await archiveOne(ada.at(now), memory);
    const { error, text } = await ada.call("omn_update_memory", { key: "k", archived: false });
    expect(error).toMatchObject({ code: "MEMORY_NOT_FOUND", message: expect.stringContaining("archived"), hint: expect.stringContaining("id") });
    for (const { id } of [mine, shared]) expect(text).toContain(id);
    const grace = await team.join();
    const told = (await grace.call("omn_update_memory", { key: "k", archived: false })).text;
    expect(told).toContain(shared.id);
    expect(told).not.toContain(mine.id);
    expect((await ada.call("omn_update_memory", { id: mine.id, archived: false })).structured).toMatchObject({ outcome: "updated", key: "k" });
    expect((await ada.call("omn_update_memory", { key: "never.used", archived: false })).text).not.toContain("archived");
  });

  test("show their id in the text of a list, and are listed by a pattern of keys as well", async () => {
    const today = new Date(now).toISOString().slice(0, 10);
    const { id, alias } = await ada.keep("tmp.a", "one");
    await archiveOne(ada.at(now), await ada.keep("other", "two"));
    await ada.keep("tmp.b", "three");
    expect((await ada.call("omn_list_memories")).text).not.toContain("id ");
    await archiveOne(ada.at(now), (await ada.recall({ id }))[0]?.memory as Memory);
    expect((await ada.call("omn_list_memories", { archived: true })).text).toContain(`tmp.a (${today}, id ${alias}): one`);
    expect((await ada.call("omn_list_memories", { archived: true, key: "tmp.*" })).text).toBe(`- tmp.a (${today}, id ${alias}): one`);
  });

  test("give their key away, and are not restored over the new holder", async () => {
    const memory = await ada.keep("k", "one");
    await archiveOne(ada.at(now), memory);
    expect((await ada.remember("two", { key: "k" })).outcome).toBe("created");
    await expect(change(ada, { id: memory.id }, { archivedAt: null })).rejects.toMatchObject({ code: "CONFLICT" });
    expect(await change(ada, { id: memory.id }, { archivedAt: null, key: "k.old" })).toMatchObject({ outcome: "updated" });
    expect((await ada.listed(now + day)).sort()).toEqual(["one", "two"]);
  });
});
