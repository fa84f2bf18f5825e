import * as z from "zod";
import { joined, named, say } from "../../../domain/frame.ts";
import { stats } from "../../../domain/memories/list.ts";
import { preventionStats, statsInput } from "../../../domain/metrics/prevention-stats.ts";
import { defineTool, readOnly } from "../../define-tool.ts";
import { shownPrevention } from "../../render-prevention.ts";

/** OmniMemory document 5.2, and its prevention metrics. */
export const getStats = defineTool({
  name: "omn_get_stats",
  title: "Statistics",
  description: "What memory saved: calls, tokens and cost prevented, cache hit rates, by operation and over time.",
  scope: "memory:read",
  annotations: readOnly,
  input: statsInput.extend({
    days: z.number().int().min(1).max(400).default(30),
    of: statsInput.shape.of.describe("team takes memory:admin"),
  }),
  output: z.looseObject({
    calls: z.number(), calls_prevented: z.number().meta({ listed: null }), tokens_prevented: z.number(), average_prevention_percent: z.number().meta({ listed: null }), cost_saved: z.number().meta({ listed: null }),
    cache: z.looseObject({}).meta({ listed: null }), top_operations: z.array(z.looseObject({})).meta({ listed: null }), series: z.array(z.looseObject({})).meta({ listed: null }), memories: z.looseObject({}).meta({ listed: null }),
  }),
  async handler(ctx, input) {
    const [prevention, memories] = await Promise.all([preventionStats(ctx, input), stats(ctx)]);
    const { calls, tokensPrevented, baselineTokens, averagePercent, costSaved, l1, l2, operations } = prevention;
    const percent = (rate: number): string => `${Math.round(100 * rate)}%`;
    const most = operations.slice(0, 3).map(({ operation, tokensPrevented: tokens }) => say`${named(operation)} ${tokens}`);
    return {
      structured: {
        ...shownPrevention(prevention),
        memories: { total: memories.total, archived: memories.archived, versions: memories.versions, content_bytes: memories.contentBytes, vectors_waiting: memories.vectors.waiting },
      },
      text: say`${input.of === "team" ? "The team" : "You"}, last ${input.days} days: ${calls} calls that read memories. ${tokensPrevented} of ${baselineTokens} tokens prevented (${averagePercent}% on average), $${costSaved} saved. Cache: L1 ${percent(l1.rate)}, L2 ${percent(l2.rate)} of the rest. Most by: ${most.length === 0 ? say`nothing yet` : joined(most, ", ")}. ${memories.total} memories and ${memories.archived} archived.`,
    };
  },
});
