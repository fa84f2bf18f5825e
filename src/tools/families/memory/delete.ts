import * as z from "zod";
import * as field from "../../../domain/memories/fields.ts";
import { archiveOne } from "../../../domain/memories/forget.ts";
import { resolveOne } from "../../../domain/memories/resolve.ts";
import { isTaken } from "../../../domain/memories/messages/message-record.ts";
import { scopeFilter } from "../../../domain/memories/session-scope.ts";
import { defineTool, destructive } from "../../define-tool.ts";
import { proposalOf } from "../../render.ts";
import { succeeded, successOf } from "./answer.ts";
import { contextOf, sessionScope } from "./scope.ts";

/** Delete of the document: nobody finds the memory any more, and its history stays. */
export const memoryDelete = defineTool({
  name: "memory_delete",
  title: "Delete a memory",
  description: "Delete a memory: nobody finds it any more. Its history stays, and omn_update_memory with archived: false restores it.",
  scope: "memory:write",
  annotations: destructive,
  input: z.strictObject({ memory_id: field.memoryRef, ...sessionScope }),
  output: successOf(z.looseObject({ id: z.string(), event: z.enum(["DELETE", "NONE"]).meta({ listed: { type: "string" } }) })),
  async handler(ctx, { memory_id, ...ids }) {
    const session = contextOf(ctx, ids);
    const memory = await resolveOne(ctx, { id: memory_id, within: scopeFilter(session) });
    const { outcome, proposals: [proposal] = [] } = await archiveOne(ctx, memory);
    if (outcome === "archived") ctx.changed({ ids: [memory.id], listChanged: true });
    return succeeded(ctx, session, { id: memory.id, event: outcome === "archived" ? "DELETE" : "NONE", ...proposalOf(proposal), ...(isTaken(memory.metadata) ? { message: "The messages it is from stay until memory_delete_all of their user or run." } : {}) });
  },
});
