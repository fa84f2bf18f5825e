import * as z from "zod";
import { named, say } from "../../../domain/frame.ts";
import { DomainError } from "../../../domain/errors.ts";
import * as field from "../../../domain/memories/fields.ts";
import { archiveOne } from "../../../domain/memories/forget.ts";
import { defineTool, destructive } from "../../define-tool.ts";
import { proposalOf, proposalText } from "../../render.ts";
import { filterOf, memoryScope, requireExactKey, where, withoutReplaced } from "./scope.ts";

/** Token Saver document, core tool 4: true when something was deleted. It is archived, so it can come back. */
export const deleteMemory = defineTool({
  name: "delete_memory",
  aliases: ["token_saver_delete_memory"],
  title: "Delete memory",
  description: "Delete the memory with exactly this key. It is archived and can be restored.",
  scope: "memory:write",
  annotations: destructive,
  input: z.strictObject({ key: field.keyPattern, scope: memoryScope.optional(), ...where }),
  output: z.looseObject({ deleted: z.boolean() }),
  async handler(ctx, input) {
    requireExactKey(input.key);
    const standing = await ctx.memories.byKey(ctx.principal, ctx.now, input.key, filterOf(ctx, input.scope, input));
    const found = withoutReplaced(ctx, input, standing, (memory) => memory);
    if (found.length > 1) {
      throw new DomainError("CONFLICT", `The key ${named(input.key)} exists in ${found.length} scopes.`, { hint: "Say which scope." });
    }
    const [memory] = found;
    if (!memory) return { structured: { deleted: false }, text: say`false` };
    const { outcome, proposals: [proposal] = [] } = await archiveOne(ctx, memory);
    if (outcome !== "archived") return { structured: { deleted: false, id: memory.id, ...proposalOf(proposal) }, text: say`false.${proposalText(proposal)}` };
    ctx.changed({ ids: [memory.id], listChanged: true });
    return { structured: { deleted: true, id: memory.id }, text: say`true` };
  },
});
