import * as z from "zod";
import { consolidate } from "../../../domain/memories/consolidate.ts";
import { consolidateInput } from "../../../domain/memories/consolidate-input.ts";
import { bulkCost, defineTool, destructive } from "../../define-tool.ts";
import { renderConsolidation } from "../../render-consolidation.ts";

/** Mnemosyne document, Memory Evolution: consolidation on demand, with preview and undo. */
export const consolidateTool = defineTool({
  name: "omn_consolidate",
  title: "Consolidate memories",
  description:
    "Merge memories that say the same, mark those that newer ones replaced. The first call only previews; repeat it with confirm. omn_revert with undo takes a run back.",
  scope: "memory:write",
  annotations: destructive,
  cost: bulkCost,
  input: consolidateInput,
  output: z.looseObject({ outcome: z.enum(["preview", "consolidated"]).meta({ listed: { type: "string" } }), count: z.number() }),
  async handler(ctx, input) {
    const result = await consolidate(ctx, input);
    if (result.outcome === "consolidated" && result.ids.length > 0) ctx.changed({ ids: result.ids, listChanged: true });
    const { structured, text, question } = await renderConsolidation(ctx, result);
    return { structured, text, question };
  },
});
