import * as z from "zod";
import { json } from "../../../domain/frame.ts";
import * as field from "../../../domain/memories/fields.ts";
import { consolidate } from "../../../domain/memories/consolidate.ts";
import { invalid } from "../../../domain/errors.ts";
import { bulkCost, defineTool, destructive } from "../../define-tool.ts";
import { renderConsolidation, type ShownPair } from "../../render-consolidation.ts";
import { namespace } from "./words.ts";

const mostNamed = 20;
const usualPage = 50;

/** Mnemosyne document, decide 6, and its ConsolidationDecision. */
export const consolidateTool = defineTool({
  name: "mnemosyne_consolidate",
  title: "Consolidate memories",
  description: "Merge memories that say the same, supersede those that newer ones replaced: memory_ids, or a page of a namespace. Previews; repeat it with confirm.",
  scope: "memory:write",
  annotations: destructive,
  cost: bulkCost,
  input: z.strictObject({
    memory_ids: z.array(field.memoryRef).min(2, "memory_ids must hold at least two ids").max(mostNamed, `at most ${mostNamed} memory_ids`).optional(),
    namespace: namespace.optional(),
    confirm: field.filled("confirm", 100).optional(),
    /** Where the answer before stopped. */
    cursor: z.uuid().toLowerCase().optional().meta({ listed: null }),
  }),
  output: z.looseObject({ outcome: z.enum(["preview", "consolidated"]).meta({ listed: { type: "string" } }), decisions: z.array(z.looseObject({})).meta({ listed: { type: "array", items: { type: "object" } } }) }),
  async handler(ctx, { memory_ids: ids, namespace, confirm, cursor }) {
    if (ids && (namespace !== undefined || cursor !== undefined)) throw invalid("memory_ids name all that is looked at.", "Leave out namespace and cursor.");
    const result = await consolidate(ctx, { ids, namespace, limit: usualPage, confirm, cursor });
    if (result.outcome === "consolidated" && result.ids.length > 0) ctx.changed({ ids: result.ids, listChanged: true });
    const { outline, pairs, question } = await renderConsolidation(ctx, result);
    const decisions = decided(pairs.settled);
    const open = decided(pairs.open);
    // Two memories that have nothing to do with each other: the document's third decision.
    const keepBoth = ids !== undefined && decisions.length === 0 && open.length === 0 ? [{ decision: "KeepBoth" }] : [];
    const answer = { ...outline, decisions: [...decisions, ...keepBoth], ...(open.length > 0 ? { proposals: open } : {}) };
    return { structured: answer, text: json(answer), question };
  },
});

const decided = (pairs: readonly ShownPair[]): Record<string, unknown>[] =>
  pairs.map(({ decision, content, ...rest }) => ({
    decision: decision === "merge" ? { Merge: { into: rest.kept.memory_id, content } } : { Supersede: { kept: rest.kept.memory_id, superseded: rest.gone.memory_id } },
    ...rest,
  }));
