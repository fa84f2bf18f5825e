import * as field from "../../../domain/memories/fields.ts";
import { type SessionContext, sessionContext } from "../../../domain/memories/session-scope.ts";
import type { ToolContext } from "../../define-tool.ts";

/** The document's session context, as arguments. */
export const sessionScope = {
  user_id: field.userId.optional().describe("whom it is about"),
  agent_id: field.userId.optional(),
  run_id: field.runId.optional().describe("the conversation"),
};

interface Given {
  user_id?: string | undefined;
  agent_id?: string | undefined;
  run_id?: string | undefined;
}

/** The context of this call, with the defaults of its connection. */
export const contextOf = ({ connectionDefaults, now }: ToolContext, { user_id: userId, agent_id: agentId, run_id: runId }: Given): SessionContext =>
  sessionContext({ userId, agentId, runId }, connectionDefaults.headers, connectionDefaults.initialised(now));

/** Said in an answer where the call did not say it itself. */
export const contextField = ({ userId, agentId, runId, source, isFromSessionDefaults }: SessionContext): Record<string, unknown> =>
  isFromSessionDefaults
    ? { context: { ...scopeFields({ userId, agentId, runId }), source, is_from_session_defaults: true } }
    : {};

export const scopeFields = ({ userId, agentId, runId }: Pick<SessionContext, "userId" | "agentId" | "runId">): Record<string, string> => ({
  ...(userId === undefined ? {} : { user_id: userId }),
  ...(agentId === undefined ? {} : { agent_id: agentId }),
  ...(runId === undefined ? {} : { run_id: runId }),
});
