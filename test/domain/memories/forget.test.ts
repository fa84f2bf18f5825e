import { env } from "cloudflare:workers";
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { beforeEach, describe, expect, test } from "vitest";
import { forget, type ForgetInput } from "../../../src/domain/memories/forget.ts";
import { importMemories } from "../../../src/domain/memories/import.ts";
import type { PortableMemory } from "../../../src/domain/memories/portable.ts";
import { longestParameter } from "../../support/longest-parameter.ts";
import { day, minute, newTeam, now, segmentsOf, type Person, type Team } from "../../support/team.ts";

let team: Team;
let ada: Person;

beforeEach(async () => {
  team = await newTeam();
  ada = team.owner;
});

const later = now + day;

async function preview(who: Person, what: Omit<ForgetInput, "confirm">): Promise<{ contents: string[]; confirm: string }> {
  const outcome = await forget(who.at(later), what);
  if (outcome.outcome !== "preview") throw new Error("it was forgotten without a preview");
  return { contents: outcome.memories.map(({ content }) => content).sort(), confirm: outcome.confirm };
}

async function really(who: Person, what: Omit<ForgetInput, "confirm">) {
  const { confirm } = await preview(who, what);
  return forget(who.at(later), { ...what, confirm });
}

describe("forgetting previews, then does it [U4] [A1] [S14]", () => {
  test.each([
    ["a key", { key: "plan.a" }, ["alpha"]],
    ["a pattern", { key: "plan.*" }, ["alpha", "beta"]],
    ["a tag", { filter: { tags: ["t"] } }, ["beta", "gamma"]],
    ["a pattern and a tag", { key: "plan.*", filter: { tags: ["t"] } }, ["beta"]],
    ["a namespace", { filter: { namespaces: ["project:*"] } }, ["gamma"]],
    ["importance", { filter: { minImportance: 0.8 } }, ["gamma"]],
  ])("by %s: exactly what was shown goes", async (_name, selection, expected) => {
    await ada.keep("plan.a", "alpha");
    await ada.keep("plan.b", "beta", { tags: ["t"] });
    await ada.keep("other", "gamma", { tags: ["t"], namespace: "project:x", importance: 0.9 });
    const what = { ...selection, mode: "erase" as const };
    expect((await preview(ada, what)).contents).toEqual(expected);
    expect(await ada.listed(later)).toHaveLength(3);
    await really(ada, what);
    expect((await ada.listed(later)).sort()).toEqual(["alpha", "beta", "gamma"].filter((content) => !expected.includes(content)));
  });

  test("a token is bound to the versions it showed: after a change there is a new preview, and nothing goes", async () => {
    await ada.keep("k", "one");
    const first = await ada.call("omn_forget_memory", { key: "k", mode: "erase" });
    await ada.keep("k", "two", {}, Date.now());
    const second = await ada.call("omn_forget_memory", { key: "k", mode: "erase", confirm: first.structured["confirm"] });
    expect(second.structured).toMatchObject({ outcome: "preview", would_forget: [{ preview: "two", version: 2 }] });
    expect(second.text).toMatch(/does not belong to this preview.*before a change\. Nothing forgotten yet/);
    expect(second.structured["confirm"]).not.toBe(first.structured["confirm"]);
    expect((await ada.call("omn_forget_memory", { key: "k", mode: "erase", confirm: second.structured["confirm"] })).structured).toMatchObject({ outcome: "erased", count: 1 });
  });

  test("a token that was never given is not said to be late: nothing has changed", async () => {
    await ada.keep("k", "one");
    const { structured } = await ada.call("omn_forget_memory", { key: "k" });
    const [mistyped, all] = [await ada.call("omn_forget_memory", { key: "k", confirm: "0123456789abcdef" }), await ada.call("memory_delete_all", { user_id: ada.id, confirm: "0123456789abcdef" })];
    for (const { text } of [mistyped, all]) expect(text).not.toMatch(/has changed|have changed/);
    expect(mistyped.text).toContain("That confirm does not belong to this preview: it is mistyped, or");
    expect(mistyped.structured).toMatchObject({ outcome: "preview", confirm: structured["confirm"] });
    expect((await ada.call("omn_forget_memory", { key: "k", confirm: structured["confirm"] })).structured).toMatchObject({ outcome: "archived" });
  });

  test("also after another memory joined the selection", async () => {
    await ada.keep("plan.a", "alpha");
    const { confirm } = await preview(ada, { key: "plan.*", mode: "erase" });
    await ada.keep("plan.b", "beta");
    expect(await forget(ada.at(later), { key: "plan.*", mode: "erase", confirm })).toMatchObject({ outcome: "preview", changed: true });
    expect(await ada.listed(later)).toHaveLength(2);
  });

  test("a token is for one mode and one person, and no guess", async () => {
    const grace = await team.join();
    const { id } = await grace.keep("k", "one", { visibility: "shared" });
    const archive = await preview(ada, { ids: [id], mode: "archive" });
    expect(await forget(ada.at(later), { ids: [id], mode: "erase", confirm: archive.confirm })).toMatchObject({ outcome: "preview" });
    expect(await forget(grace.at(later), { ids: [id], mode: "archive", confirm: archive.confirm })).toMatchObject({ outcome: "preview" });
    expect(await forget(ada.at(later), { ids: [id], mode: "archive", confirm: "yes" })).toMatchObject({ outcome: "preview" });
    expect(await ada.listed(later)).toEqual(["one"]);
  });

  test("memories of one key are told apart by what differs: namespace, who sees them, or both", async () => {
    await ada.keep("deploy", "same words", { namespace: "project:shop" });
    await ada.keep("deploy", "same words", { namespace: "project:bank" });
    const places = async () => {
      const { structured, text } = await ada.call("omn_forget_memory", { key: "deploy" });
      const shown = structured["would_forget"] as { scope?: string; namespace?: string }[];
      return { lines: text.match(/^- .*$/gm)?.sort(), shown: shown.map(({ scope, namespace }) => [scope, namespace]).sort() };
    };
    expect(await places()).toEqual({
      lines: ["- deploy (project:bank): same words", "- deploy (project:shop): same words"],
      shown: [[undefined, "project:bank"], [undefined, "project:shop"]],
    });
    await ada.keep("deploy", "same words", { namespace: "project:shop", visibility: "shared" });
    expect((await places()).lines).toEqual(["- deploy (private, project:bank): same words", "- deploy (private, project:shop): same words", "- deploy (shared, project:shop): same words"]);
  });

  test("where nothing differs, only the key is shown", async () => {
    await ada.keep("plan.a", "alpha", { namespace: "project:shop" });
    await ada.keep("plan.b", "beta", { namespace: "project:shop" });
    const { text } = await ada.call("omn_forget_memory", { key: "plan.*" });
    for (const line of ["- plan.a: alpha", "- plan.b: beta"]) expect(text.split("\n")).toContain(line);
  });

  test("a memory named twice, by id and alias, counts once", async () => {
    const { id, alias } = await ada.keep("k", "one");
    for (const mode of ["archive", "erase"] as const) {
      const first = await ada.call("omn_forget_memory", { ids: [id, alias, id], mode });
      expect(first.structured).toMatchObject({ outcome: "preview", count: 1 });
      expect((await ada.call("omn_forget_memory", { ids: [id, alias, id], mode, confirm: first.structured["confirm"] })).structured).toMatchObject({ count: 1 });
    }
  });

  test("ids beside a key or filters are refused: they would take along what these leave out", async () => {
    const { memory } = await ada.remember("alpha", { key: "plan.a" });
    for (const beside of [{ key: "plan.b" }, { filter: { tags: ["old"] } }]) await expect(forget(ada.at(later), { ids: [memory.id], mode: "archive", ...beside })).rejects.toMatchObject({ code: "VALIDATION_ERROR", hint: "Give the ids alone, or leave them out." });
    expect((await preview(ada, { ids: [memory.id], mode: "archive", filter: {} })).contents).toEqual(["alpha"]);
  });

  test("nothing selected, nothing found and an unknown id each say so", async () => {
    await expect(forget(ada.at(now), { mode: "erase" })).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
    await expect(forget(ada.at(now), { key: "x*", mode: "erase" })).rejects.toMatchObject({ code: "MEMORY_NOT_FOUND" });
    await expect(forget(ada.at(now), { ids: [crypto.randomUUID()], mode: "erase" })).rejects.toMatchObject({ code: "MEMORY_NOT_FOUND" });
  });
});

describe("erased means gone [S14] [S6]", () => {
  test("from D1 with all versions, from the index, and from the segments of its full text", async () => {
    const { id } = await ada.keep("k", "the zyzzyva passphrase", { tags: ["t"], visibility: "public", idempotencyKey: "i" });
    await ada.keep("k", "the zyzzyva password", { visibility: "public" }, now + minute);
    await ada.keep("other", "stays");
    expect(await really(ada, { ids: [id], mode: "erase" })).toEqual({ outcome: "erased", ids: [id] });

    const tables = ["memories", "versions", "memory_tags", "idempotency", "outbox", "audit"];
    for (const table of tables) {
      const { results } = await env.SHARD_0.prepare(`SELECT * FROM ${table} WHERE team_id = ?`).bind(team.id).all();
      expect(JSON.stringify(results), table).not.toContain("zyzzyva");
    }
    for (const index of [team.index, team.organizationIndex]) {
      const documents = await runInDurableObject(index, (_, state) => state.storage.sql.exec("SELECT * FROM docs").toArray());
      expect(JSON.stringify(documents)).not.toContain("zyzzyva");
      // What runs half a minute after an erasure.
      expect(await runDurableObjectAlarm(index)).toBe(true);
      expect(await segmentsOf(index)).not.toContain("zyzzyva");
    }
    expect(await ada.recall({ id }, later)).toEqual([]);
    expect(await ada.search("zyzzyva", {}, later)).toEqual([]);
    expect(await ada.search("zyzzyva", { asOf: now }, later)).toEqual([]);
    expect((await ada.call("omn_export_memories")).text).not.toContain("zyzzyva");
    expect((await ada.call("omn_update_memory", { id, archived: false })).error?.code).toBe("MEMORY_NOT_FOUND");
  });

  test("only by its owner, or an admin with memory:admin; everybody else may archive", async () => {
    const grace = await team.join();
    const { id } = await grace.keep("k", "one", { visibility: "shared" });
    const other = await team.join("member");
    const weakAdmin = await team.join("admin", ["memory:read", "memory:write"]);
    for (const who of [other, weakAdmin]) {
      const refused = await who.call("omn_forget_memory", { id, mode: "erase" });
      expect(refused.error).toMatchObject({ code: "PERMISSION_DENIED", hint: expect.stringContaining("archive") });
    }
    expect(await really(other, { ids: [id], mode: "archive" })).toMatchObject({ outcome: "archived" });
    expect(await really(await team.join("admin"), { ids: [id], mode: "erase" })).toMatchObject({ outcome: "erased" });
    expect(await grace.recall({ id }, later)).toEqual([]);
  });

  test("a selection that holds one memory the caller may not erase is refused whole", async () => {
    const grace = await team.join();
    await ada.keep("plan.a", "hers", { visibility: "shared" });
    await grace.keep("plan.b", "mine", { visibility: "shared" });
    await expect(forget(grace.at(later), { key: "plan.*", mode: "erase" })).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
    expect(await grace.listed(later)).toHaveLength(2);
  });

  test("patterns and filters never select what the caller may not see", async () => {
    const grace = await team.join();
    await ada.keep("diary.a", "private");
    await grace.keep("diary.b", "mine");
    expect((await preview(grace, { key: "diary.*", mode: "erase" })).contents).toEqual(["mine"]);
    expect((await preview(grace, { key: "*", mode: "archive" })).contents).toEqual(["mine"]);
  });
});

describe("archiving [U4] [S14]", () => {
  test("hides from every read, keeps the history, and shows in the list of archived ones", async () => {
    const { id } = await ada.keep("k", "one", { tags: ["t"] });
    await really(ada, { ids: [id], mode: "archive" });
    const reads = [ada.recall({ id }, later), ada.recall({ key: "k" }, later), ada.recall({ key: "*" }, later), ada.recall({ query: "one" }, later), ada.recall({ filter: { tags: ["t"] } }, later)];
    expect(await Promise.all(reads)).toEqual([[], [], [], [], []]);
    expect((await ada.call("omn_list_memories", { archived: true })).structured["memories"]).toMatchObject([{ memory_id: id, version: 2 }]);
    expect((await ada.call("omn_list_memories")).structured["memories"]).toEqual([]);
    expect((await ada.call("omn_memory_stats")).structured).toMatchObject({ total: 0, archived: 1 });
  });

  test("takes as many as a preview shows, however long they are, in transactions that D1 takes", async () => {
    const long = Array.from({ length: 80 }, (_, i) => ({ content: `${i} ${"湖".repeat(9_900)}`, tags: ["t"] }) as PortableMemory);
    await importMemories(ada.at(now), { records: long, onConflict: "update" });
    const longest = await longestParameter(async () => {
      expect(await really(ada, { filter: { tags: ["t"] }, mode: "archive" })).toMatchObject({ outcome: "archived", ids: expect.objectContaining({ length: 80 }) });
    });
    expect(longest).toBeGreaterThan(100_000);
    expect(longest).toBeLessThan(2_000_000);
    expect(await ada.listed(later)).toEqual([]);
  });

  test("goes on in calls of 500, each with a preview of its own, which say how many are left [A1]", async () => {
    const many = Array.from({ length: 503 }, (_, i) => ({ content: `note ${i}`, key: `many.${i}`, tags: ["t"] }) as PortableMemory);
    await importMemories(ada.at(now), { records: many, onConflict: "update" });
    await ada.keep("other", "stays");
    const byFilter = await forget(ada.at(later), { filter: { tags: ["t"] }, mode: "archive" });
    expect(byFilter).toMatchObject({ outcome: "preview", more: { left: 3 }, memories: { length: 500 } });
    expect(await forget(ada.at(later), { key: "many.*", mode: "archive" })).toMatchObject({ outcome: "preview", more: { left: undefined }, memories: { length: 500 } });

    const args = { filters: { tags: ["t"] } };
    const preview = await ada.call("omn_forget_memory", args);
    expect(preview.structured).toMatchObject({ outcome: "preview", count: 500, more: { left: 3 } });
    expect(preview.text).toContain("Left for the same call, again without confirm: 3.");
    const done = await ada.call("omn_forget_memory", { ...args, confirm: preview.structured["confirm"] });
    expect(done.structured).toMatchObject({ outcome: "archived", count: 500, more: { left: 3 } });
    expect(done.text).toContain("Left for the same call, again without confirm: 3.");
    const last = await ada.call("omn_forget_memory", args);
    expect(last.structured).toMatchObject({ outcome: "preview", count: 3 });
    expect(last.structured).not.toHaveProperty("more");
    await ada.call("omn_forget_memory", { ...args, confirm: last.structured["confirm"] });
    expect(await ada.listed(later)).toEqual(["stays"]);
  });

  test("delete all of the memory-server document goes on so, too [D1]", async () => {
    await importMemories(ada.at(now), { records: Array.from({ length: 501 }, (_, i) => ({ content: `note ${i}`, run_id: "r" }) as PortableMemory), onConflict: "update" });
    const deleteAll = async (confirm?: unknown) => (await ada.call("memory_delete_all", { run_id: "r", ...(confirm === undefined ? {} : { confirm }) })).structured["data"];
    const first = await deleteAll();
    expect(first).toMatchObject({ count: 500, more: { left: 1 } });
    expect(await deleteAll(first.confirm)).toMatchObject({ success_count: 500, more: { left: 1 } });
    const last = await deleteAll();
    expect(last).toMatchObject({ count: 1 });
    expect(await deleteAll(last.confirm)).toMatchObject({ success_count: 1 });
    expect(await ada.listed(later)).toEqual([]);
  });

  test("twice is no second version", async () => {
    const { id } = await ada.keep("k", "one");
    await really(ada, { ids: [id], mode: "archive" });
    expect(await really(ada, { ids: [id], mode: "archive" })).toEqual({ outcome: "archived", ids: [id] });
    expect((await ada.call("omn_list_memories", { archived: true })).structured["memories"]).toMatchObject([{ version: 2 }]);
  });
});
