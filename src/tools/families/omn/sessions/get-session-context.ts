import * as z from "zod";
import { joined, named, say } from "../../../../domain/frame.ts";
import { describeSession } from "../../../../domain/sessions/describe-session.ts";
import { sessionRef } from "../../../../domain/sessions/session-fields.ts";
import { noSuchSession } from "../../../../domain/sessions/sessions.ts";
import { defineTool, readOnly } from "../../../define-tool.ts";
import { contextFields, contextText, migrationFields, sessionFields } from "../../../render-session.ts";

/** OmniMemory document 3.3. */
export const getSessionContext = defineTool({
  name: "omn_get_session_context",
  title: "Show a session",
  description: "What the session is about: files, searches, decisions, tasks, the tools it went through.",
  scope: "memory:read",
  annotations: readOnly,
  isStep: false,
  input: z.strictObject({ session_id: sessionRef.optional() }),
  output: z.looseObject({ session_id: z.string().nullable().meta({ listed: { type: "string" } }), context: z.looseObject({}) }),
  async handler(ctx, { session_id: id }) {
    const current = await ctx.trail?.shown();
    const session = id === undefined ? current : await ctx.sessions.find(ctx.principal, id);
    if (!session && id !== undefined) throw noSuchSession();
    if (!session) return { structured: { session_id: null, context: {} }, text: say`This client has no session in this project yet; omn_restore_session goes on with an earlier one.` };
    const [context, migrations] = await Promise.all([describeSession(ctx, session), session.migrations === 0 ? [] : ctx.sessions.migrationsOf(ctx.principal, session.id)]);
    const went = migrations.filter(({ success }) => success).reverse();
    return {
      structured: {
        ...sessionFields(session),
        context: contextFields(context),
        ...(went.length === 0 ? {} : { migrations: went.map(migrationFields) }),
      },
      text: say`session ${session.id} of ${named(session.tool)} in project ${named(session.project)}${went.length === 0 ? "" : say`, from ${joined(went.map(({ fromTool }) => named(fromTool ?? "")), ", ")}`}\n${contextText(context)}`,
    };
  },
});
