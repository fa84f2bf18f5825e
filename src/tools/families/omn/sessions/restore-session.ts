import * as z from "zod";
import { named, say } from "../../../../domain/frame.ts";
import { type ProjectBriefing, projectBriefing } from "../../../../domain/memories/project-briefing.ts";
import { describeSession } from "../../../../domain/sessions/describe-session.ts";
import { sessionParts, toldTurns } from "../../../../domain/sessions/session-briefing.ts";
import type { WorkSession } from "../../../../domain/sessions/session-store.ts";
import { sessionRef, toolId } from "../../../../domain/sessions/session-fields.ts";
import { restoreSession } from "../../../../domain/sessions/sessions.ts";
import { additive, defineTool, type ToolContext } from "../../../define-tool.ts";
import { contextFields, sessionFields } from "../../../render-session.ts";
import { filterOf, projectOf, withoutReplaced } from "../../token-saver/scope.ts";

function briefingOf(ctx: ToolContext, session: WorkSession, budget: number | undefined): Promise<ProjectBriefing> {
  const at = { project_path: session.project };
  return projectBriefing(ctx, {
    filter: filterOf(ctx, undefined, at),
    select: (found) => withoutReplaced(ctx, at, found, (memory) => memory),
    budget,
    beside: ctx.sessions.lastTurns(ctx.principal, session.id, toldTurns).then((turns) => sessionParts(session, turns)),
  });
}

/** OmniMemory document 3.2. */
export const restoreSessionTool = defineTool({
  name: "omn_restore_session",
  title: "Restore a session",
  description: "Go on with a work session that this or another tool began: by session_id, else the one used last in this project. Answers what it was about.",
  scope: "memory:write",
  annotations: additive,
  isStep: false,
  input: z.strictObject({
    session_id: sessionRef.optional(),
    tool_id: toolId.optional().describe("the tool that goes on"),
    max_tokens: z.number().int().min(100).max(10_000).optional().describe("of the briefing; 480"),
  }),
  output: z.looseObject({ session_id: z.string(), context: z.looseObject({}), restored_at: z.string(), original_tool: z.string() }),
  async handler(ctx, { session_id: id, tool_id: tool = ctx.tool, max_tokens: budget }) {
    const { session, fromTool } = await restoreSession(ctx, { id, tool, project: projectOf(ctx, {}) });
    const [context, briefing] = await Promise.all([
      describeSession(ctx, session),
      briefingOf(ctx, session, budget),
    ]);
    return {
      structured: { ...sessionFields(session), context: contextFields(context), restored_at: new Date(ctx.now).toISOString(), previous_tool: fromTool, briefing: briefing.text.toString(), token_count: briefing.tokens },
      text: say`session ${session.id} of project ${named(session.project)}, begun with ${named(session.originalTool)}, last used with ${named(fromTool)}\n${briefing.text}`,
    };
  },
});
