import type { PreventionStats, PreventionSummary } from "../domain/metrics/prevention-stats.ts";

const iso = (ms: number): string => new Date(ms).toISOString();

const shownSummary = (summary: PreventionSummary) => ({
  calls: summary.calls,
  calls_prevented: summary.callsPrevented,
  baseline_tokens: summary.baselineTokens,
  actual_tokens: summary.actualTokens,
  tokens_prevented: summary.tokensPrevented,
  average_prevention_percent: summary.averagePercent,
  cost_saved: summary.costSaved,
  cache: { l1: summary.l1, l2: summary.l2 },
});

/** What calls prevented, as tools and REST say it. */
export const shownPrevention = ({ of, by, from, to, pricePer1k, operations, series, ...sum }: PreventionStats) => ({
  of,
  by,
  from: iso(from),
  to: iso(to),
  currency: "USD",
  price_per_1k_tokens: pricePer1k,
  ...shownSummary(sum),
  top_operations: operations.map(({ operation, ...one }) => ({ operation, ...shownSummary(one) })),
  series: series.map(({ start, ...one }) => ({ start: iso(start), ...shownSummary(one) })),
});
