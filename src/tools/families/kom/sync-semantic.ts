import * as z from "zod";
import { json } from "../../../domain/frame.ts";
import { syncSemantic } from "../../../domain/memories/sync-semantic.ts";
import { additive, bulkCost, defineTool } from "../../define-tool.ts";
import { aliasOf } from "./item.ts";

/** Kompanion document, `sync_semantic`. */
export const syncSemanticTool = defineTool({
  name: "sync_semantic",
  aliases: [aliasOf("sync_semantic")],
  title: "Sync semantic tier",
  description: "Move your episodic memories to the semantic tier, oldest first, without secrets and what has expired.",
  scope: "memory:write",
  annotations: { ...additive, idempotentHint: false },
  cost: bulkCost,
  input: z.strictObject({ max_batch: z.number().int().min(1).max(500).default(100) }),
  output: z.looseObject({ processed: z.number(), pending: z.number() }),
  async handler(ctx, { max_batch }) {
    const { synced, pending } = await syncSemantic(ctx, { maxBatch: max_batch });
    if (synced.length > 0) ctx.changed({ ids: synced, listChanged: false });
    const answer = { processed: synced.length, pending };
    return { structured: answer, text: json(answer) };
  },
});
