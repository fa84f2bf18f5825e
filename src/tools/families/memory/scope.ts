import * as field from "../../../domain/memories/fields.ts";
import type { GivenState } from "../../../domain/memories/memory-fields.ts";
import { namespaceOf } from "../../../domain/memories/memory.ts";
import type { ToolContext } from "../../define-tool.ts";

/** The document's session scope. It narrows what the caller may see, and never leads out of it. */
export const sessionScope = {
  user_id: field.userId.optional().describe("whom it is about"),
  agent_id: field.userId.optional(),
  run_id: field.runId.optional().describe("the conversation"),
};

/** Where memories of a scope are: those about somebody in a namespace of theirs, the others in the connection's project. */
export function placeOf(ctx: ToolContext, scope: { user_id?: string | undefined; agent_id?: string | undefined; run_id?: string | undefined }): GivenState {
  const { user_id: user, agent_id: agentId, run_id: runId } = scope;
  const namespace = user === undefined ? (ctx.project === undefined ? undefined : namespaceOf(ctx.project)) : `user:${user}`;
  return { ...(namespace === undefined ? {} : { namespace }), ...(agentId === undefined ? {} : { agentId }), ...(runId === undefined ? {} : { runId }) };
}
