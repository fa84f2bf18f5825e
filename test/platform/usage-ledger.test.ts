import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { dailyBudget } from "../../src/domain/intelligence/model-usage.ts";
import { D1UsageLedger } from "../../src/platform/d1/usage-ledger.ts";
import { day, newTeam, now } from "../support/team.ts";

const ledger = new D1UsageLedger(() => env.SHARD_0);
const prices = { input: 1, output: 5 };

test("a day has no more tokens than its limit, over all models, whoever comes at once", async () => {
  const { ref } = await newTeam();
  const call = { day: "2026-11-20", tokens: 300, limit: 1_000 };
  const taken = await Promise.all(Array.from({ length: 10 }, (_, i) => ledger.reserve(ref, { ...call, model: `m${i % 2}` })));
  expect(taken.filter(Boolean)).toHaveLength(3);
  expect(await ledger.reserve(ref, { ...call, tokens: 100, model: "m3" })).toBe(true);
  expect(await ledger.reserve(ref, { ...call, tokens: 1, model: "m3" })).toBe(false);
  expect(await ledger.reserve(ref, { ...call, day: "2026-11-21", model: "m0" })).toBe(true);
  expect(await ledger.reserve((await newTeam()).ref, { ...call, model: "m0" })).toBe(true);
});

test("what a call took stands in the place of what was set aside, on the day on which it began", async () => {
  const { ref } = await newTeam();
  let instant = now + 12 * 3_600_000 - 1;
  const budget = dailyBudget(ledger, ref, { model: "m", limit: 1_000, prices, now: () => instant });
  const [first, second] = [await budget.reserve({ inputTokens: 400, outputTokens: 100 }), await budget.reserve({ inputTokens: 400, outputTokens: 100 })];
  expect(await budget.reserve({ inputTokens: 1, outputTokens: 0 })).toBeUndefined();
  instant += 2;
  await first?.settle({ inputTokens: 30, outputTokens: 20 });
  await second?.settle(undefined);
  await (await budget.reserve({ inputTokens: 9, outputTokens: 0 }))?.settle({ inputTokens: 0, outputTokens: 0 });
  expect(await ledger.usage(ref, "2026-11-01")).toEqual([
    { day: "2026-11-21", model: "m", calls: 1, inputTokens: 0, outputTokens: 0, reservedTokens: 0, costMicros: 0 },
    { day: "2026-11-20", model: "m", calls: 2, inputTokens: 430, outputTokens: 120, reservedTokens: 0, costMicros: 30 + 5 * 20 + 400 + 5 * 100 },
  ]);
  expect(await ledger.usage(ref, new Date(now + day).toISOString().slice(0, 10))).toHaveLength(1);
});
