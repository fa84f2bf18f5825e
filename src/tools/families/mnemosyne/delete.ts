import * as z from "zod";
import { json } from "../../../domain/frame.ts";
import * as field from "../../../domain/memories/fields.ts";
import { archiveOne } from "../../../domain/memories/forget.ts";
import { resolveOne } from "../../../domain/memories/resolve.ts";
import { defineTool, destructive } from "../../define-tool.ts";
import { proposalOf } from "../../render.ts";

/** Mnemosyne document, act 8: archives; links and history stay. */
export const deleteTool = defineTool({
  name: "mnemosyne_delete",
  title: "Archive a memory",
  description: "Archive a memory: nobody finds it any more. Its links and versions stay; mnemosyne_update with archived: false restores it.",
  scope: "memory:write",
  annotations: destructive,
  input: z.strictObject({ memory_id: field.memoryRef }),
  output: z.looseObject({ memory_id: z.string(), archived: z.boolean() }),
  async handler(ctx, { memory_id }) {
    const memory = await resolveOne(ctx, { id: memory_id });
    const { outcome, proposals: [proposal] = [] } = await archiveOne(ctx, memory);
    if (outcome === "archived") ctx.changed({ ids: [memory.id], listChanged: true });
    const structured = { memory_id: memory.id, archived: outcome === "archived", ...proposalOf(proposal) };
    return { structured, text: json(structured) };
  },
});
