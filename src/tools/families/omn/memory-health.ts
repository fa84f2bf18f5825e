import * as z from "zod";
import { currentHashes } from "../../../domain/memories/citations.ts";
import { health } from "../../../domain/memories/health.ts";
import { isOfMemories } from "../../../domain/events/change-of.ts";
import { json } from "../../../domain/frame.ts";
import { defineResource } from "../../define-resource.ts";
import { bulkCost, defineTool, readOnly } from "../../define-tool.ts";
import { renderHealth } from "../../render-health.ts";

const entries = z.array(z.looseObject({})).meta({ listed: { type: "array", items: { type: "object" } } });
const section = z.array(z.looseObject({})).meta({ listed: null });

/** Users 12: the report card, and what may be made of it. */
export const memoryHealth = defineTool({
  name: "omn_memory_health",
  title: "Report card",
  description: "What is wrong with your memories (quarantined, duplicate, junk, stale, contradicted, superseded, orphaned, citing changed files) and what to remember, merge, promote, forget, with calls. Changes nothing.",
  scope: "memory:read",
  annotations: readOnly,
  cost: bulkCost,
  input: z.strictObject({
    current_hashes: currentHashes.optional().meta({ listed: { type: "object", description: "{path: hash now, null if gone}: which memories cite files that changed" } }),
  }),
  output: z.looseObject({
    counts: z.record(z.string(), z.number()).meta({ listed: { type: "object" } }),
    suggestions: entries,
    // One list for each count.
    quarantined: section, junk: section, stale: section, contradicted: section, superseded: section, orphaned: section, citations: section.optional(),
    duplicates: z.array(z.array(z.string())).meta({ listed: null }), cited_files: z.array(z.string()).optional().meta({ listed: null }),
  }),
  async handler(ctx, { current_hashes }) {
    return renderHealth(await health(ctx, { hashes: current_hashes, project: ctx.project }));
  },
});

export const healthUri = "omnimemory://health";

export const healthCard = defineResource({
  uri: healthUri,
  name: "health",
  description: "What is wrong with the memories you may see, and what to make of it",
  scope: "memory:read",
  async read(ctx) {
    return json(renderHealth(await health(ctx, { project: ctx.project })).structured);
  },
  changedWith: (change) => (isOfMemories(change) || change.linked === true ? [healthUri] : []),
});
