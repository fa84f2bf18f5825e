import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { D1UsageLedger } from "../../src/platform/d1/usage-ledger.ts";
import { Clock } from "../support/clock.ts";
import { newTeam, type Person, services, type Team } from "../support/team.ts";
import { send } from "./raw.ts";

const ask = async (team: Team, who: Person, method: string, body: unknown = "") => {
  const answer = await send({ token: who.token, method, path: `/v1/teams/${team.id}/intelligence`, body });
  return { status: answer.status, body: await answer.json<Record<string, any>>() };
};
const none = { calls: 0, input_tokens: 0, output_tokens: 0, reserved_tokens: 0, cost_usd: 0 };
const initial = { provider: "deployment", extraction_prompt: null, update_prompt: null, daily_tokens: null };
const own = { provider: "rules", extraction_prompt: "Take down what is said about bicycles.", update_prompt: null, daily_tokens: 5_000 };

afterEach(() => void vi.restoreAllMocks());

describe("who understands a team's texts", () => {
  test("an admin sets it and reads it back, the audit has it without its words, and other teams keep theirs", async () => {
    const [team, other] = [await newTeam(), await newTeam()];
    const admin = await team.join("admin");
    expect(await ask(team, admin, "GET")).toEqual({ status: 200, body: { ...initial, usage: { today: none, last_30_days: none, by_day: [] } } });
    expect(await ask(team, admin, "PUT", own)).toEqual({ status: 200, body: own });
    expect((await ask(team, team.owner, "GET")).body).toMatchObject(own);
    expect((await ask(other, other.owner, "GET")).body).toMatchObject(initial);
    expect(await services.intelligenceSettings.settings.setting(team.ref)).toEqual({ provider: "rules", extractionPrompt: own.extraction_prompt, updatePrompt: null, dailyTokens: 5_000 });
    const { results } = await env.SHARD_0.prepare("SELECT * FROM audit WHERE team_id = ? AND action = 'intelligence-policy'").bind(team.id).all();
    expect(results).toMatchObject([{ user_id: admin.id, count: 0 }]);
    expect(JSON.stringify(results)).not.toContain("bicycles");
    // What is left out is not set.
    expect(await ask(team, admin, "PUT", { provider: "deployment" })).toEqual({ status: 200, body: initial });
  });

  test.each(["member", "viewer"] as const)("a %s neither sees nor sets it", async (role) => {
    const team = await newTeam();
    const who = await team.join(role);
    await ask(team, team.owner, "PUT", own);
    for (const method of ["GET", "PUT"]) {
      const { status, body } = await ask(team, who, method, method === "PUT" ? { provider: "deployment" } : "");
      expect([status, body["error"].code]).toEqual([403, "PERMISSION_DENIED"]);
      expect(JSON.stringify(body)).not.toContain("bicycles");
    }
    expect((await ask(team, team.owner, "GET")).body).toMatchObject(own);
  });

  test("nobody of another team, whatever they are there", async () => {
    const [team, other] = [await newTeam(), await newTeam()];
    for (const method of ["GET", "PUT"]) expect((await ask(team, other.owner, method, method === "PUT" ? own : "")).status).toBeGreaterThanOrEqual(403);
    expect((await ask(team, team.owner, "GET")).body).toMatchObject(initial);
  });

  test.each([
    [{ provider: "anthropic" }, /provider/],
    [{}, /provider/],
    [{ provider: "rules", base_url: "https://evil.example" }, /base_url/],
    [{ provider: "rules", extraction_prompt: "x".repeat(8_001) }, /extraction_prompt/],
    [{ provider: "rules", update_prompt: "  " }, /update_prompt/],
    [{ provider: "rules", daily_tokens: -1 }, /daily_tokens/],
    [{ provider: "rules", daily_tokens: 1.5 }, /daily_tokens/],
  ])("%j is refused in words", async (body, why) => {
    const team = await newTeam();
    expect(await ask(team, team.owner, "PUT", body)).toMatchObject({ status: 400, body: { error: { code: "VALIDATION_ERROR", message: expect.stringMatching(why) as string } } });
  });

  test("shows what calls took today and in 30 days, by day and model, in dollars", async () => {
    Clock.atNoon();
    const team = await newTeam();
    const ledger = new D1UsageLedger(() => env.SHARD_0);
    const dayAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
    for (const [days, model] of [[0, "a:x"], [0, "b:y"], [29, "a:x"], [31, "a:x"]] as const) {
      await ledger.reserve(team.ref, { day: dayAgo(days), model, tokens: 50, limit: 1_000 });
      await ledger.settle(team.ref, { day: dayAgo(days), model, reserved: 40, inputTokens: 20, outputTokens: 10, costMicros: 1_500 });
    }
    const one = { calls: 1, input_tokens: 20, output_tokens: 10, reserved_tokens: 10, cost_usd: 0.0015 };
    expect((await ask(team, team.owner, "GET")).body["usage"]).toEqual({
      today: { calls: 2, input_tokens: 40, output_tokens: 20, reserved_tokens: 20, cost_usd: 0.003 },
      last_30_days: { calls: 3, input_tokens: 60, output_tokens: 30, reserved_tokens: 30, cost_usd: 0.0045 },
      by_day: [{ day: dayAgo(0), model: "a:x", ...one }, { day: dayAgo(0), model: "b:y", ...one }, { day: dayAgo(29), model: "a:x", ...one }],
    });
  });
});
