import * as z from "zod";
import { named, say } from "../../../../domain/frame.ts";
import * as field from "../../../../domain/memories/fields.ts";
import { requirePath, sessionRef, toolId, workspacePath } from "../../../../domain/sessions/session-fields.ts";
import { createSession, requireOwn } from "../../../../domain/sessions/sessions.ts";
import { additive, defineTool } from "../../../define-tool.ts";
import { adviceOf } from "../../../render.ts";
import { projectOf } from "../../token-saver/scope.ts";

/** OmniMemory document 3.1. */
export const createSessionTool = defineTool({
  name: "omn_create_session",
  title: "Create a session",
  description: "Begin or go on with the work session of this tool and project. Files, searches, decisions and tasks are noted in it by themselves.",
  scope: "memory:write",
  annotations: additive,
  isStep: false,
  input: z.strictObject({
    tool_id: toolId.optional().describe("claude-code, cursor …"),
    workspace_path: workspacePath.optional(),
    restore_from: sessionRef.optional().describe("session_id"),
    /** An argument of the document; sessions are the caller's own. */
    user_id: field.filled("user_id", 100).optional().meta({ listed: null }),
  }),
  output: z.looseObject({ session_id: z.string(), project_id: z.string(), created_at: z.string().meta({ listed: null }) }),
  async handler(ctx, { tool_id: tool = ctx.tool, workspace_path: workspace, restore_from: restoreFrom, user_id: userId }) {
    requireOwn(ctx, userId);
    requirePath(workspace);
    const session = await createSession(ctx, { tool, project: projectOf(ctx, { project_path: workspace?.project }), workspacePath: workspace?.path, restoreFrom });
    const { files, searches, decisions, state } = session.trace;
    // What was restored, and what an open one has, is seen by this.
    const isEmpty = [files, searches, decisions, state].every(({ length }) => length === 0);
    const held = isEmpty && restoreFrom === undefined ? undefined : say`It holds files: ${files.length}, searches: ${searches.length}, decisions: ${decisions.length}, tasks: ${state.length}.`;
    return {
      structured: { session_id: session.id, project_id: session.project, created_at: new Date(session.createdAt).toISOString(), tool_id: session.tool, ...(restoreFrom === undefined ? {} : { restored_from: restoreFrom }), ...(held ? adviceOf(held) : {}) },
      text: say`session ${session.id} of ${named(session.tool)} in project ${named(session.project)}${held ? say`. ${held}` : ""}`,
    };
  },
});
