import * as z from "zod";
import { named, say } from "../../../../domain/frame.ts";
import { sessionRef } from "../../../../domain/sessions/session-fields.ts";
import { endSession } from "../../../../domain/sessions/sessions.ts";
import { additive, defineTool } from "../../../define-tool.ts";
import { sessionFields } from "../../../render-session.ts";

/** OmniMemory document 3.6. */
export const endSessionTool = defineTool({
  name: "omn_end_session",
  title: "End a session",
  description: "Save and end the session, or the one named; it can be restored.",
  scope: "memory:write",
  annotations: additive,
  isStep: false,
  input: z.strictObject({ session_id: sessionRef.optional() }),
  output: z.looseObject({ session_id: z.string(), ended_at: z.string().meta({ listed: null }) }),
  async handler(ctx, { session_id: id }) {
    const session = await endSession(ctx, { id });
    const { files, searches, decisions } = session.trace;
    return {
      structured: { ...sessionFields(session), total_files_accessed: files.length, total_searches: searches.length, total_decisions: decisions.length },
      text: say`ended session ${session.id} of ${named(session.tool)} in project ${named(session.project)}`,
    };
  },
});
