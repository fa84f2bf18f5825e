import * as z from "zod";
import { revert, undoRevert } from "../../../domain/memories/revert.ts";
import { revertInput } from "../../../domain/memories/revert-input.ts";
import { bulkCost, defineTool, destructive } from "../../define-tool.ts";
import { renderRevert } from "../../render-revert.ts";

/** Of what changed, so many resources are named to the person's other clients. */
const mostNamed = 100;

/** Bulk revert by author, client, session or call, with preview and undo. */
export const revertTool = defineTool({
  name: "omn_revert",
  title: "Revert writes",
  description:
    "Revert all that an author (user id), tool (client name), session or request (one call) wrote. The first call only previews; repeat it with confirm. undo: run id of a revert.",
  scope: "memory:write",
  annotations: destructive,
  cost: bulkCost,
  input: revertInput,
  output: z.looseObject({ outcome: z.enum(["preview", "reverted", "undone"]).meta({ listed: { type: "string" } }), count: z.number() }),
  async handler(ctx, { undo, confirm, ...selection }) {
    const result = undo === undefined ? await revert(ctx, { selection, confirm }) : await undoRevert(ctx, { run: undo });
    if (result.outcome !== "preview" && result.ids.length > 0) ctx.changed({ ids: result.ids.slice(0, mostNamed), listChanged: true });
    return renderRevert(ctx, result);
  },
});
