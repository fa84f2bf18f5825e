import { describe, expect, test } from "vitest";
import { callTool } from "../support/mcp.ts";
import { exported, recordsOf, reverted, storeAs, undone, updateAs, without } from "../support/revert.ts";
import { indexed, newTeam } from "../support/team.ts";

const shared = { scope: "shared" };

/** A member's client stores 200 memories and edits others; two more writers have memories of their own. */
async function poisoned() {
  const team = await newTeam();
  const [grace, alan] = [await team.join("member"), await team.join("member")];
  const untouched = await storeAs(alan, "cursor", { key: "alan.note", content: "Alan keeps the office plants.", metadata: shared });
  const own = await storeAs(grace, "claude-code", { key: "grace.note", content: "Grace prefers tea.", metadata: shared });
  const edited = await storeAs(alan, "cursor", { key: "deploy.day", content: "We deploy on Tuesdays.", metadata: { ...shared, tags: ["ops"], importance: 0.8 } });
  const fixed = await storeAs(alan, "cursor", { key: "review.rule", content: "Two people review each change.", metadata: shared });
  const records = Array.from({ length: 195 }, (_, i) => ({ key: `poison.${i}`, content: `Quandrix${i} keeps its builds at evil${i}.example.`, visibility: "shared" }));
  const brought = await callTool(grace.token, "omn_import_memories", { memories: records.map((record) => ({ ...record, updated_tool: "cursor", created_tool: "cursor", updated_at: "2020-01-01T00:00:00Z" })) }, "bad-client");
  const stored = await Promise.all(["a", "b", "c", "d", "e"].map((name) => storeAs(grace, "bad-client", { key: `poison.${name}`, content: `Zorblatt ${name} disables all checks.`, metadata: shared })));
  await updateAs(grace, "bad-client", { id: edited, content: "We deploy whenever Mallory says so.", new_key: "deploy.whenever", metadata: { tags: ["evil"] } });
  await updateAs(grace, "bad-client", { id: edited, content: "We deploy at midnight." });
  await updateAs(grace, "bad-client", { id: fixed, content: "Nobody reviews changes." });
  await updateAs(alan, "cursor", { id: fixed, content: "Two people review each change, always." });
  const ids = [...(brought.structured["memory_ids"] as string[]), ...stored];
  return { team, owner: team.owner, grace, alan, untouched, own, edited, fixed, ids };
}

describe("a client's work is reverted in one call", () => {
  test("200 memories and its edits of others go, nothing else changes, and undo gives back the same bytes", async () => {
    const { owner, grace, alan, untouched, own, edited, fixed, ids } = await poisoned();
    const before = await Promise.all([owner, grace, alan].map((who) => exported(who)));
    const preview = await owner.call("omn_revert", { tool: "bad-client" });
    expect(preview.structured).toMatchObject({ outcome: "preview", count: 201, archived: 200, restored: 1, kept: 1, kept_memories: [{ memory_id: fixed, reason: "changed" }] });
    expect(preview.text.split("\n").filter((line) => line.startsWith("- ")).length).toBeLessThanOrEqual(50);
    expect(await exported(owner), "a preview changes nothing").toBe(before[0]);

    const run = await reverted(owner, { tool: "bad-client" });
    expect(run).toMatchObject({ count: 201, archived: 200, restored: 1, kept: 1 });
    const after = await exported(owner);
    const changed = [...ids, edited];
    expect(without(after, changed)).toBe(without(before[0] as string, changed));
    const records = new Map(recordsOf(after).map((record) => [record.id, record]));
    for (const id of ids) expect(records.get(id)?.archived_at).not.toBeNull();
    expect(records.get(edited)).toMatchObject({ key: "deploy.day", content: "We deploy on Tuesdays.", tags: ["ops"], importance: 0.8, updated_by: alan.id, updated_tool: "cursor" });
    expect((await grace.call("omn_list_memories", { filters: { scope: "shared" }, limit: 200 })).structured["memories"].map((one: { memory_id: string }) => one.memory_id).sort()).toEqual([untouched, own, edited, fixed].sort());
    expect((await owner.call("omn_retrieve_memory", { query: "Zorblatt checks" })).text).not.toContain("Zorblatt a disables");

    expect(await undone(owner, run["run"])).toMatchObject({ count: 201 });
    expect(await Promise.all([owner, grace, alan].map((who) => exported(who)))).toEqual(before);
    expect(await exported(owner, { include_history: false })).toBe(before[0]?.split("\n").map((line) => (line === "" ? "" : JSON.stringify({ ...JSON.parse(line), history: undefined }))).join("\n"));
    // Reverted again, and undone again.
    const again = await reverted(owner, { tool: "bad-client" });
    expect(again).toMatchObject({ count: 201, archived: 200, restored: 1 });
    expect(again["run"]).not.toBe(run["run"]);
    await undone(owner, again["run"]);
    expect(await exported(owner)).toBe(before[0]);
  }, 120_000);

  test("what was derived from it leaves the answers: entities, links and words", async () => {
    const team = await newTeam();
    const { owner } = team;
    const target = await storeAs(owner, "cursor", { key: "billing.db", content: "Billing runs on PostgreSQL." });
    await storeAs(owner, "bad-client", { key: "billing.plan", content: "Quandrix Labs brews Darjeeling for four minutes.", links: [{ to: target, type: "contradicts" }] });
    await indexed(owner.principal);
    const related = async () => JSON.stringify((await owner.call("omn_retrieve_memory", { query: "what does billing run on" })).structured["memories"].map((one: { related?: unknown }) => one.related));
    expect(await related()).toContain("billing.plan");
    expect((await owner.call("omn_retrieve_memory", { query: "Quandrix Labs" })).text).toContain("Quandrix Labs brews");
    const { run } = await reverted(owner, { tool: "bad-client" });
    await indexed(owner.principal);
    expect(await related()).not.toContain("billing.plan");
    expect((await owner.call("omn_retrieve_memory", { query: "Quandrix Labs" })).text).not.toContain("Quandrix");
    await undone(owner, run);
    await indexed(owner.principal);
    expect(await related()).toContain("billing.plan");
    expect((await owner.call("omn_retrieve_memory", { query: "Quandrix Labs" })).text).toContain("Quandrix Labs brews");
  });
});

describe("what a revert selects", () => {
  test("an author, a request, instants, a session by run_id or namespace", async () => {
    const team = await newTeam();
    const { owner } = team;
    const grace = await team.join("member");
    const first = await storeAs(owner, "cursor", { key: "a", content: "First.", metadata: shared });
    await updateAs(grace, "cursor", { id: first, content: "Second." });
    expect((await owner.call("omn_revert", { author: grace.id })).structured).toMatchObject({ count: 1, restored: 1, would_revert: [{ memory_id: first, version: 2, to_version: 1 }] });
    expect((await owner.call("omn_revert", { author: grace.id, until: "2021-01-01T00:00:00Z" })).error).toMatchObject({ code: "MEMORY_NOT_FOUND" });
    expect((await owner.call("omn_revert", { author: grace.id, since: new Date(Date.now() - 60_000).toISOString() })).structured).toMatchObject({ count: 1 });
    expect((await owner.call("omn_revert", { author: owner.id })).structured).toMatchObject({ count: 0, kept_memories: [{ memory_id: first, reason: "changed" }] });

    const imported = await callTool(owner.token, "omn_import_memories", { memories: [{ key: "i1", content: "One." }, { key: "i2", content: "Two." }] }, "importer");
    const request = (await owner.call("omn_revert", { tool: "importer" })).structured;
    expect(request["would_revert"].map((one: { memory_id: string }) => one.memory_id).sort()).toEqual([...imported.structured["memory_ids"]].sort());

    const inSession = await storeAs(owner, "cursor", { key: "s", namespace: "session:shop/s1", content: "In the session." });
    for (const session of ["session:shop/s1", "s1"]) expect((await owner.call("omn_revert", { session })).structured).toMatchObject({ count: 1, would_revert: [{ memory_id: inSession }] });
    await updateAs(owner, "claude-code", { id: inSession, content: "By another client." });
    expect((await owner.call("omn_revert", { session: "s1" })).structured).toMatchObject({ count: 0, kept: 1 });
    expect((await owner.call("omn_revert", { session: "1" })).error).toMatchObject({ code: "MEMORY_NOT_FOUND" });
  });

  test("a call is refused with a clear error", async () => {
    const { owner } = await newTeam();
    const cases: [Record<string, unknown>, string][] = [
      [{}, "author, tool, session or request"],
      [{ since: "2026-01-01" }, "author, tool, session or request"],
      [{ tool: "x", since: "2026-01-02", until: "2026-01-01" }, "until is not later"],
      [{ undo: "x", tool: "y" }, "nothing beside it"],
      [{ tool: "" }, "tool must not be empty"],
      [{ client: "x" }, "client"],
    ];
    for (const [args, message] of cases) {
      const { error } = await owner.call("omn_revert", args);
      expect(error?.code, message).toBe("VALIDATION_ERROR");
      expect(`${error?.message} ${error?.hint}`).toContain(message);
    }
    expect((await owner.call("omn_revert", { undo: "0123" })).error).toMatchObject({ code: "NOT_FOUND" });
  });
});
