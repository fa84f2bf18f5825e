import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { estimateTokens } from "../../src/domain/text/token-count.ts";
import { rpc } from "../support/mcp.ts";
import { indexed, newTeam, type Person, services, type Team } from "../support/team.ts";

let team: Team;
let ada: Person;
beforeEach(async () => {
  team = await newTeam();
  ada = team.owner;
});

const statsOf = async (who: Person, args: Record<string, unknown> = {}) => (await who.call("omn_get_stats", args)).structured;
const long = (about: string): string => `${about} is kept in PostgreSQL. ${`It was moved there in spring, and nobody regrets ${about} since. `.repeat(60)}`;

describe("what calls prevent [A15]", () => {
  test("is measured by the whole text of what the answer was drawn from", async () => {
    const content = long("The ledger");
    await ada.call("omn_store_memory", { key: "ledger", content, compress: false });
    await indexed(ada.principal);
    const { body } = await rpc(ada.token, "tools/call", { name: "omn_retrieve_memory", arguments: { query: "where is the ledger kept" } });
    const answer = body.result.content[0].text as string;
    const stats = await statsOf(ada);
    const [baseline, actual] = [estimateTokens(content), estimateTokens(answer)];
    expect(actual).toBeLessThan(baseline);
    expect(stats).toMatchObject({ calls: 1, calls_prevented: 1, baseline_tokens: baseline, actual_tokens: actual, tokens_prevented: baseline - actual, price_per_1k_tokens: 0.015 });
    expect(stats["average_prevention_percent"]).toBeCloseTo((100 * (baseline - actual)) / baseline, 0);
    expect(stats["cost_saved"]).toBeCloseTo(((baseline - actual) / 1_000) * 0.015, 5);
    expect(stats["top_operations"]).toMatchObject([{ operation: "omn_retrieve_memory", calls: 1 }]);
    expect(stats["memories"]).toMatchObject({ total: 1 });
  });

  test("is nothing where the answer is no shorter, and no call counts that read no memories", async () => {
    await ada.call("omn_store_memory", { key: "short", content: "Tuesdays." });
    await ada.call("omn_health_check");
    await ada.call("omn_retrieve_memory", { key: "short" });
    expect(await statsOf(ada)).toMatchObject({ calls: 1, calls_prevented: 0, tokens_prevented: 0, average_prevention_percent: 0, cost_saved: 0 });
  });

  test("counts memories once that a briefing is made of, and what a prompt recalls", async () => {
    const content = long("The cache");
    await ada.call("write_memory", { key: "current.task", value: content, scope: "project" });
    await ada.call("smart_resume");
    await rpc(ada.token, "prompts/get", { name: "find-similar", arguments: { description: "the cache", context_key: "current.task" } });
    const { top_operations: operations } = await statsOf(ada);
    expect(Object.fromEntries(operations.map((one: Record<string, any>) => [one["operation"], one["calls"]]))).toEqual({ smart_resume: 1, prompts: 1 });
    expect(operations.find((one: Record<string, any>) => one["operation"] === "smart_resume").baseline_tokens).toBe(estimateTokens(content));
  });

  test("tells which answers came from which cache", async () => {
    await ada.call("omn_store_memory", { key: "ledger", content: "The ledger is kept in PostgreSQL." });
    await indexed(ada.principal);
    for (let i = 0; i < 3; i += 1) await ada.call("omn_retrieve_memory", { query: "where is the ledger kept" });
    expect((await statsOf(ada))["cache"]).toMatchObject({ l1: { hits: 2, misses: 1, rate: 0.667 }, l2: { hits: 0, misses: 1, rate: 0 } });
  });

  test("is rolled up by hour and by day, one's own and the team's, which takes an admin", async () => {
    const grace = await team.join("member", ["memory:read", "memory:write"]);
    await ada.keep("ledger", long("The ledger"), { visibility: "shared" });
    await ada.call("omn_retrieve_memory", { key: "ledger", decompress: false });
    await grace.call("omn_retrieve_memory", { key: "ledger", decompress: false });
    const hourly = await statsOf(grace, { by: "hour" });
    expect(hourly).toMatchObject({ of: "own", by: "hour", calls: 1 });
    expect(hourly["series"]).toHaveLength(1);
    expect(hourly["series"][0].start).toMatch(/:00:00\.000Z$/);
    expect((await statsOf(grace))["series"][0].start).toMatch(/T00:00:00\.000Z$/);
    expect(await grace.call("omn_get_stats", { of: "team" })).toMatchObject({ isError: true, error: { code: "PERMISSION_DENIED" } });
    // A member may make a key with memory:admin, and is no admin by that.
    const member = await team.join("member");
    expect(await member.call("omn_get_stats", { of: "team" })).toMatchObject({ isError: true, error: { code: "PERMISSION_DENIED" } });
    await statsOf(ada);
    expect(await statsOf(ada, { of: "team" })).toMatchObject({ of: "team", calls: 2 });
    const stranger = (await newTeam()).owner;
    expect(await statsOf(stranger, { of: "team" })).toMatchObject({ calls: 0, series: [] });
  });

  test("what is old is dropped: hours after two weeks, days after 400 days, totals never", async () => {
    await ada.keep("ledger", long("The ledger"));
    await ada.call("omn_retrieve_memory", { key: "ledger", decompress: false });
    await statsOf(ada);
    const rows = async () => (await env.SHARD_0.prepare("SELECT DISTINCT period FROM prevention WHERE team_id = ? ORDER BY period").bind(ada.principal.teamId).all<{ period: string }>()).results.map(({ period }) => period);
    expect(await rows()).toEqual(["day", "hour", "total"]);
    await services.maintenance.store.dropPreventionBefore("SHARD_0", { hour: Date.now() + 1, day: 0 });
    expect(await rows()).toEqual(["day", "total"]);
  });
});
