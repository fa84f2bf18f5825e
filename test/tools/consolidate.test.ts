import { env } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { revise } from "../../src/domain/memories/revise.ts";
import { exported, recordsOf, reverted, storeAs, undone } from "../support/revert.ts";
import { callTool } from "../support/mcp.ts";
import { newTeam, type Person } from "../support/team.ts";

const day = 86_400_000;
/** An import: a store would settle what it can by itself. Each note a day after the one before. */
async function noted(who: Person, notes: readonly (string | Record<string, unknown>)[], visibility = "private"): Promise<string[]> {
  const memories = notes.map((note, i) => ({ visibility, occurred_at: new Date(Date.UTC(2026, 0, 5) + i * day).toISOString(), ...(typeof note === "string" ? { content: note } : note) }));
  const { structured, text } = await who.call("omn_import_memories", { memories });
  expect(structured["memory_ids"], text).toHaveLength(notes.length);
  return structured["memory_ids"] as string[];
}
const pairsIn = (answer: Record<string, any>, list: string): string[][] => (answer[list] as Record<string, any>[]).map((one) => [one["decision"], one["gone"].memory_id, one["kept"].memory_id]);

async function run(who: Person, args: Record<string, unknown> = {}): Promise<Record<string, any>> {
  const preview = await who.call("omn_consolidate", args);
  expect(preview.structured, preview.text).toMatchObject({ outcome: "preview", confirm: expect.any(String) });
  const done = await who.call("omn_consolidate", { ...args, confirm: preview.structured["confirm"] });
  expect(done.structured, done.text).toMatchObject({ outcome: "consolidated", run: preview.structured["confirm"] });
  return done.structured;
}

const old = "The staging database runs on PostgreSQL 15 in Frankfurt.";
const fresh = "The staging database now runs on PostgreSQL 16 in Frankfurt.";

describe("consolidation [C3]", () => {
  test("previews without a change, settles what is certain, and an undo gives back the same bytes", async () => {
    const { owner } = await newTeam();
    const [stale, current, short, long, other] = await noted(owner, [
      old, fresh,
      { content: "The importer validates the CSV files of the bank.", tags: ["bank"], citations: [{ path: "importer.ts" }] },
      { content: "The importer validates the CSV files of the bank against a schema and rejects more than 10,000 rows.", tags: ["csv"] },
      "The production database runs on PostgreSQL 14 in Frankfurt.",
    ]) as [string, string, string, string, string];
    const before = await exported(owner, { include_history: true });

    const preview = await owner.call("omn_consolidate", {});
    expect(pairsIn(preview.structured, "would_settle").sort()).toEqual([["merge", short, long], ["supersede", stale, current]].sort());
    expect(preview.text).toMatch(/supersede \(0\.\d+\): .*\n {2}- .*PostgreSQL 15.*\n {2}\+ .*PostgreSQL 16/);
    expect(await exported(owner, { include_history: true })).toBe(before);

    const done = await run(owner);
    expect(done).toMatchObject({ count: 3 });
    const of = async (id: string) => (await owner.call("omn_retrieve_memory", { id })).structured["memories"][0];
    expect(await of(stale)).toMatchObject({ superseded_by: current, valid_to: "2026-01-06T00:00:00.000Z" });
    expect(await of(short), "its id leads to what it was merged into").toMatchObject({ memory_id: long, related: [{ id: short, why: "merged into this" }] });
    expect(await of(long)).toMatchObject({ metadata: { tags: ["csv", "bank"] } });
    expect(recordsOf(await exported(owner)).find(({ id }) => id === long)).toMatchObject({ citations: [{ path: "importer.ts" }] });
    expect(await of(other)).not.toHaveProperty("superseded_by");

    // A repeated confirmation answers the same run, and does nothing more.
    expect((await owner.call("omn_consolidate", { confirm: done["run"] })).structured).toMatchObject({ outcome: "consolidated", run: done["run"], count: 3 });
    expect(await undone(owner, done["run"])).toMatchObject({ count: 3 });
    expect(await exported(owner, { include_history: true })).toBe(before);
    const { results } = await env.SHARD_0.prepare("SELECT action, count FROM audit WHERE team_id = ? AND action IN ('consolidate', 'undo') ORDER BY id").bind(owner.principal.teamId).all();
    expect(results).toEqual([{ action: "consolidate", count: 3 }, { action: "undo", count: 3 }]);
  });

  test("of memories that are named, Mnemosyne's tool answers what the document decides: Merge, Supersede or KeepBoth [C1]", async () => {
    const team = await newTeam();
    const { owner } = team;
    const [stale, current, short, long, other] = await noted(owner, [
      old, fresh, "The importer validates the CSV files of the bank.",
      "The importer validates the CSV files of the bank against a schema and rejects more than 10,000 rows.", "The lamp in the hall is made of brass.",
    ]) as [string, string, string, string, string];
    const before = await exported(owner, { include_history: true });
    const ask = async (memory_ids: string[], more: Record<string, unknown> = {}) => (await owner.call("mnemosyne_consolidate", { memory_ids, ...more })).structured;

    expect(await ask([stale, other])).toMatchObject({ outcome: "preview", count: 0, decisions: [{ decision: "KeepBoth" }] });
    // Others are like one of them, and were not named.
    expect((await ask([stale, short]))["decisions"]).toEqual([{ decision: "KeepBoth" }]);
    const preview = await ask([stale, current, short, long]);
    expect(preview["decisions"].map(({ decision }: { decision: object }) => decision)).toEqual(expect.arrayContaining([
      { Supersede: { kept: current, superseded: stale } },
      { Merge: { into: long, content: "The importer validates the CSV files of the bank against a schema and rejects more than 10,000 rows." } },
    ]));
    expect(await exported(owner, { include_history: true })).toBe(before);
    const done = await ask([stale, current, short, long], { confirm: preview["confirm"] });
    expect(done).toMatchObject({ outcome: "consolidated", run: preview["confirm"], count: 3 });
    expect(await undone(owner, done["run"])).toMatchObject({ count: 3 });
    expect(await exported(owner, { include_history: true })).toBe(before);

    const colleague = await team.join("member");
    expect((await colleague.call("mnemosyne_consolidate", { memory_ids: [stale, current] })).error?.code).toBe("MEMORY_NOT_FOUND");
  });

  test("where there is nothing to do it says so, and no more", async () => {
    const { owner } = await newTeam();
    expect((await owner.call("omn_consolidate", {})).text).toBe("Nothing to settle: this looked at 0 memories, and none says what another one says or replaces it.");
    await noted(owner, [old]);
    expect((await owner.call("omn_consolidate", {})).text).toBe("Nothing to settle: this looked at 1 memory, and none says what another one says or replaces it.");
    await noted(owner, ["We use Jest for unit tests in the web app.", "We use Vitest for unit tests in the web app."]);
    const { text } = await owner.call("omn_consolidate", {});
    expect(text.split("\n").slice(0, 2)).toEqual(["Nothing is certain enough to be settled: this looked at 3 memories.", "1 pair stays as it is, for a person to look at (- would give way, + would stay):"]);
    expect(text).not.toMatch(/confirm|:$/);
  });

  test("of two that say the same the plainer one stays, whichever is newer, and the other is kept as it was", async () => {
    const { owner } = await newTeam();
    const [clean, loud] = await noted(owner, ["The staging database is restored every Monday.", "Note: the staging database is restored every Monday!"]) as [string, string];
    const { structured } = await owner.call("omn_consolidate", {});
    expect(pairsIn(structured, "would_settle")).toEqual([["merge", loud, clean]]);
    await run(owner);
    const { structured: kept } = await owner.call("omn_retrieve_memory", { id: clean });
    expect(kept["memories"][0]).toMatchObject({ content: "The staging database is restored every Monday." });
    expect(await exported(owner)).toContain("Note: the staging database");
  });

  test("what one of the two said is said of both; what was derived gives way to it", async () => {
    const { owner } = await newTeam();
    const [, long] = await noted(owner, [
      { content: "The importer validates the CSV files of the bank.", tags: ["bank"], importance: 0.9 },
      "The importer validates the CSV files of the bank against a schema and rejects more than 10,000 rows.",
    ]) as [string, string];
    await run(owner);
    const { structured } = await owner.call("omn_retrieve_memory", { id: long });
    expect(structured["memories"][0].metadata).toEqual({ tags: ["bank"], importance: 0.9 });
  });

  test("the memory that stays takes in all that a store would take in: kind, end, run, summary and validity [C3]", async () => {
    const { owner } = await newTeam();
    const [short, long] = await noted(owner, [
      { content: "The importer validates the CSV files of the bank.", type: "procedural", run_id: "run-7", summary: "CSV checks of the bank.", valid_from: "2026-01-05T00:00:00.000Z", confidence: 0.4, expires_at: "2099-01-01T00:00:00.000Z" },
      { content: "The importer validates the CSV files of the bank against a schema and rejects more than 10,000 rows.", confidence: 0.6 },
    ]) as [string, string];
    const { structured } = await owner.call("omn_consolidate", {});
    expect(pairsIn(structured, "would_settle")).toEqual([["merge", short, long]]);
    await run(owner);
    expect(recordsOf(await exported(owner)).find(({ id }) => id === long)).toMatchObject({
      type: "procedural", run_id: "run-7", summary: "CSV checks of the bank.", valid_from: "2026-01-05T00:00:00.000Z", confidence: 0.6, expires_at: null,
    });
  });

  test.each([
    ["tags", { tags: Array.from({ length: 30 }, (_, i) => `a${i}`) }, { tags: Array.from({ length: 30 }, (_, i) => `b${i}`) }],
    ["metadata", { metadata: Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`a${i}`, "x".repeat(900)])) }, { metadata: Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`b${i}`, "x".repeat(900)])) }],
  ])("two whose %s do not fit into one memory are left to a person, and nothing is lost [C3]", async (_name, first, second) => {
    const { owner } = await newTeam();
    const [short, long] = await noted(owner, [
      { content: "The importer validates the CSV files of the bank.", ...first },
      { content: "The importer validates the CSV files of the bank against a schema and rejects more than 10,000 rows.", ...second },
    ]) as [string, string];
    const { structured } = await owner.call("omn_consolidate", {});
    expect(structured).toMatchObject({ count: 0, proposals: [{ proposed_because: "both together say more than one memory may hold" }] });
    expect(pairsIn(structured, "proposals")).toEqual([["merge", short, long]]);
  });

  test("a token holds for just the versions that were previewed", async () => {
    const { owner } = await newTeam();
    const [stale] = await noted(owner, [old, fresh]) as [string];
    const { structured } = await owner.call("omn_consolidate", {});
    await owner.call("omn_update_memory", { id: stale, metadata: { importance: 0.9 } });
    const again = await owner.call("omn_consolidate", { confirm: structured["confirm"] });
    expect(again.structured["outcome"]).toBe("preview");
    expect(again.text).toMatch(/^That confirm does not belong to this preview.*before a change\. Nothing changed yet/);
    expect(again.structured["confirm"]).not.toBe(structured["confirm"]);
  });

  test("nobody's private memories, secrets or other teams have a part in another's run", async () => {
    const team = await newTeam();
    const { owner } = team;
    const grace = await team.join("member");
    const stranger = (await newTeam()).owner;
    await noted(grace, [old]);
    await noted(stranger, [old, fresh], "public");
    await noted(owner, [fresh, { content: "The vault password rotation is every 30 days, as always.", sensitivity: "secret" }, { content: "The vault password rotation is every 90 days, as always.", sensitivity: "secret" }]);
    const before = [await exported(grace, { include_secrets: false }), await exported(stranger)];
    const preview = await owner.call("omn_consolidate", {});
    expect(preview.structured).toMatchObject({ outcome: "preview", count: 0, would_settle: [], proposals: [] });
    expect(preview.structured).not.toHaveProperty("confirm");
    // Somebody else's token is of no use.
    const { structured } = await stranger.call("omn_consolidate", {});
    expect((await owner.call("omn_consolidate", { confirm: structured["confirm"] })).structured["outcome"]).toBe("preview");
    expect([await exported(grace, { include_secrets: false }), await exported(stranger)]).toEqual(before);
  });

  test("under a review a member proposes what others see, and an admin settles it", async () => {
    const team = await newTeam();
    const grace = await team.join("member");
    await noted(team.owner, [old, fresh], "shared");
    await env.SHARD_0.prepare("INSERT INTO team_policies (team_id, review_required) VALUES (?, 1)").bind(team.id).run();
    const preview = await grace.call("omn_consolidate", {});
    expect(preview.structured).toMatchObject({ count: 0, proposals: [{ decision: "supersede", proposed_because: expect.stringContaining("admin") }] });
    expect(await run(team.owner)).toMatchObject({ count: 1 });
  });

  test("what is not certain is proposed and stays", async () => {
    const { owner } = await newTeam();
    await noted(owner, ["The nightly reports are stored in S3.", "The nightly reports are stored in Loki.", { key: "shop.api.limit", content: "The request limit is 100 per minute here." }, { key: "shop.web.limit", content: "The request limit is 250 per minute here." }]);
    const preview = await owner.call("omn_consolidate", {});
    expect(preview.structured).toMatchObject({ count: 0, would_settle: [] });
    expect(pairsIn(preview.structured, "proposals")).toHaveLength(2);
  });

  test("goes on from a cursor", async () => {
    const { owner } = await newTeam();
    await noted(owner, [old, fresh, "The gym of the office opens at 6 on weekdays."]);
    const counts: number[] = [];
    for (let cursor: string | undefined; ; ) {
      const { structured } = await owner.call("omn_consolidate", { limit: 1, ...(cursor === undefined ? {} : { cursor }) });
      counts.push(structured["count"] as number);
      cursor = structured["cursor"] as string | undefined;
      if (cursor === undefined) break;
    }
    expect(counts.toSorted(), "each pair is met on one page").toEqual([0, 0, 1]);
  });

  test("two runs at once, and a change in between, lose nothing", async () => {
    const { owner } = await newTeam();
    const [stale] = await noted(owner, [old, fresh]) as [string];
    const { structured } = await owner.call("omn_consolidate", {});
    const confirm = { confirm: structured["confirm"] };
    const [a, b, edit] = await Promise.all([owner.call("omn_consolidate", confirm), owner.call("omn_consolidate", confirm), revise(owner.at(Date.now()), { target: { id: stale }, changes: { tags: ["kept"] } })]);
    for (const { isError, text } of [a, b]) expect(isError, text).toBe(false);
    expect(edit.outcome).toBe("updated");
    const { structured: found } = await owner.call("omn_retrieve_memory", { id: stale });
    expect(found["memories"][0].metadata.tags).toEqual(["kept"]);
  });
});

describe("what replaced a memory", () => {
  test("a store that says so marks the memory, recall puts the new one first and names it, and the past is as it was", async () => {
    const { owner } = await newTeam();
    const [stale] = await noted(owner, [{ key: "staging.database", content: old }]) as [string];
    const stored = await owner.call("omn_store_memory", { key: "staging.database.current", content: fresh });
    expect(stored.structured, stored.text).toMatchObject({ similar: [{ memory_id: stale, relation: "supersedes" }] });
    const current = stored.structured["memory_id"];
    const { structured } = await owner.call("omn_retrieve_memory", { query: "Which PostgreSQL 15 does the staging database run on?", limit: 5 });
    expect(structured["memories"].map(({ memory_id }: { memory_id: string }) => memory_id)).toEqual([current, stale]);
    expect(structured["memories"][1]).toMatchObject({ superseded_by: current });
    const byKey = await owner.call("omn_retrieve_memory", { key: "staging.database" });
    expect(byKey.structured["memories"][0]).toMatchObject({ superseded_by: current, related: [{ id: current, why: "replaced by" }] });
    const then = await owner.call("omn_retrieve_memory", { query: "staging database PostgreSQL", valid_at: "2026-01-10T00:00:00Z" });
    expect(then.structured["memories"].map(({ memory_id }: { memory_id: string }) => memory_id)).toContain(stale);

    // The call is taken back whole.
    const request = /request: "([^"]+)"/.exec(stored.text)?.[1];
    const preview = await owner.call("omn_revert", { request });
    expect((await owner.call("omn_revert", { request, confirm: preview.structured["confirm"] })).structured).toMatchObject({ outcome: "reverted", count: 2 });
    const after = await owner.call("omn_retrieve_memory", { id: stale });
    expect(after.structured["memories"][0]).not.toHaveProperty("superseded_by");
    expect(after.structured["memories"][0]).not.toHaveProperty("valid_to");
  });

  test("a contradiction is named and tied, and both stand; a colleague's memory is only named", async () => {
    const team = await newTeam();
    const grace = await team.join("member");
    const [mine] = await noted(team.owner, ["The upload limit of the portal is 25 MB."]) as [string];
    const [hers] = await noted(grace, ["The retry count of the portal importer is 3."], "shared") as [string];
    const stored = await team.owner.call("omn_store_memory", { key: "portal.upload-limit", content: "The upload limit of the portal is 50 MB." });
    expect(stored.structured).toMatchObject({ similar: [{ memory_id: mine, relation: "contradicts" }] });
    const other = await team.owner.call("omn_store_memory", { key: "portal.importer.retry", content: "The retry count of the portal importer is now 5.", metadata: { scope: "shared" } });
    expect(other.structured).toMatchObject({ similar: [{ memory_id: hers, relation: "may supersede" }] });
    for (const id of [mine, hers]) expect((await team.owner.call("omn_retrieve_memory", { id })).structured["memories"][0]).not.toHaveProperty("superseded_by");
  });

  test("a revert of one client's writes leaves the memory that has taken in what another client said, and takes back the merges of that client [S14]", async () => {
    for (const by of ["other", "rogue"]) {
      const { owner } = await newTeam();
      const gone = await storeAs(owner, "claude", { content: "The importer validates the CSV files of the bank." });
      const kept = await storeAs(owner, "rogue", { content: "The importer validates the CSV files of the bank. It runs at night." });
      const alone = await storeAs(owner, "rogue", { content: "Printer 7 stands in the cellar." });
      const { structured } = await callTool(owner.token, "omn_consolidate", {}, by);
      expect((await callTool(owner.token, "omn_consolidate", { confirm: structured["confirm"] }, by)).structured).toMatchObject({ outcome: "consolidated", count: 2 });
      expect(await reverted(owner, { tool: "rogue" })).toMatchObject(by === "rogue" ? { count: 3 } : { count: 1, kept_memories: [{ memory_id: kept, reason: "changed" }] });
      const isPresent = async (id: string) => recordsOf(await exported(owner)).find((record) => record.id === id)?.archived_at === null;
      expect(await Promise.all([gone, kept, alone].map(isPresent))).toEqual([by === "rogue", by !== "rogue", false]);
    }
  });

  test("a memory whose successor is gone stands for itself again", async () => {
    const { owner } = await newTeam();
    const [stale, current] = await noted(owner, [old, fresh]) as [string, string];
    await run(owner);
    await owner.call("omn_forget_memory", { ids: [current], mode: "archive", confirm: (await owner.call("omn_forget_memory", { ids: [current], mode: "archive" })).structured["confirm"] });
    const found = await owner.call("omn_retrieve_memory", { id: stale });
    expect(found.structured["memories"][0]).not.toHaveProperty("superseded_by");
  });
});
