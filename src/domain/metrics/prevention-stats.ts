import * as z from "zod";
import type { Context } from "../context.ts";
import { requireScope } from "../tenancy/principal.ts";
import { requireAction } from "../tenancy/roles.ts";
import { withRate } from "../recall/cache/recall-cache.ts";
import { rounded } from "../rounded.ts";
import { added, noPrevention, type Prevention } from "./prevention.ts";
import { type Period, periods, type PreventionRow, type PreventionStore } from "./prevention-store.ts";

const dayMs = 86_400_000;
/** Hours are kept for two weeks, days for a year and more (`sweep`). */
export const retentionMs = { hour: 14 * dayMs, day: 400 * dayMs } as const;
const mostOperations = 10;

export interface PreventionPort {
  store: PreventionStore;
  /** Dollars for a thousand tokens of input. */
  pricePer1k: number;
}

export const statsInput = z.strictObject({
  days: z.coerce.number().int().min(1).max(400).default(30),
  by: z.enum(periods).default("day"),
  /** `team`: everybody's, which takes memory:admin. */
  of: z.enum(["own", "team"]).default("own"),
});

/** Sums and ratios of a number of calls. */
export interface PreventionSummary {
  calls: number;
  callsPrevented: number;
  baselineTokens: number;
  actualTokens: number;
  tokensPrevented: number;
  averagePercent: number;
  costSaved: number;
  l1: { hits: number; misses: number; rate: number };
  /** Of the questions that L1 did not answer. */
  l2: { hits: number; misses: number; rate: number };
}

export interface PreventionStats extends PreventionSummary {
  of: "own" | "team";
  by: Period;
  from: number;
  to: number;
  pricePer1k: number;
  /** Those that prevented most first. */
  operations: (PreventionSummary & { operation: string })[];
  /** Periods with calls, oldest first. */
  series: (PreventionSummary & { start: number })[];
}

/** In a small team they are another person's day. */
export const teamFigures = "read what the team's calls prevented";

/** What the caller's calls prevented, or those of their team. */
export async function preventionStats(ctx: Pick<Context, "principal" | "now"> & { prevention: PreventionPort }, { days, by, of }: z.output<typeof statsInput>): Promise<PreventionStats> {
  const { principal, now, prevention } = ctx;
  if (of === "team") requireAction(principal, teamFigures);
  else requireScope(principal, "memory:read");
  const from = Math.max(now - days * dayMs, now - retentionMs[by]);
  const rows = await prevention.store.read(principal, { of, period: by, since: from });
  const summary = (chosen: readonly PreventionRow[]): PreventionSummary => summaryOf(chosen.reduce<Prevention>(added, noPrevention), prevention.pricePer1k);
  return {
    of,
    by,
    from,
    to: now,
    pricePer1k: prevention.pricePer1k,
    ...summary(rows),
    operations: [...Map.groupBy(rows, ({ operation }) => operation)]
      .map(([operation, ofIt]) => ({ operation, ...summary(ofIt) }))
      .sort((a, b) => b.tokensPrevented - a.tokensPrevented || b.calls - a.calls)
      .slice(0, mostOperations),
    series: [...Map.groupBy(rows, ({ start }) => start)].map(([start, inIt]) => ({ start, ...summary(inIt) })),
  };
}

export function summaryOf(sum: Prevention, pricePer1k: number): PreventionSummary {
  return {
    calls: sum.calls,
    callsPrevented: sum.preventedCalls,
    baselineTokens: sum.baselineTokens,
    actualTokens: sum.actualTokens,
    tokensPrevented: sum.preventedTokens,
    averagePercent: sum.baselineCalls === 0 ? 0 : rounded(sum.percentSum / sum.baselineCalls, 1),
    costSaved: rounded((sum.preventedTokens / 1_000) * pricePer1k, 6),
    l1: withRate({ hits: sum.l1Hits, misses: sum.l2Hits + sum.cacheMisses }),
    l2: withRate({ hits: sum.l2Hits, misses: sum.cacheMisses }),
  };
}
