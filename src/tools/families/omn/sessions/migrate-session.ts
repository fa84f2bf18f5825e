import * as z from "zod";
import { named, say } from "../../../../domain/frame.ts";
import { sessionRef, toolId } from "../../../../domain/sessions/session-fields.ts";
import { migrateSession } from "../../../../domain/sessions/sessions.ts";
import { additive, defineTool } from "../../../define-tool.ts";
import { sessionFields } from "../../../render-session.ts";

/** OmniMemory document 3.4. */
export const migrateSessionTool = defineTool({
  name: "omn_migrate_session",
  title: "Migrate a session",
  description: "Hand the session over to another tool of yours, under the same id.",
  scope: "memory:write",
  annotations: additive,
  isStep: false,
  input: z.strictObject({ to_tool: toolId.describe("cursor, vscode …"), session_id: sessionRef.optional() }),
  output: z.looseObject({ session_id: z.string(), from_tool: z.string().meta({ listed: null }), to_tool: z.string().meta({ listed: null }), migrated_at: z.string().meta({ listed: null }) }),
  async handler(ctx, { to_tool: tool, session_id: id }) {
    const { session, fromTool } = await migrateSession(ctx, { id, tool });
    return {
      structured: { ...sessionFields(session), from_tool: fromTool, to_tool: session.tool, migrated_at: new Date(ctx.now).toISOString() },
      text: say`session ${session.id} is with ${named(session.tool)} now, was with ${named(fromTool)}`,
    };
  },
});
