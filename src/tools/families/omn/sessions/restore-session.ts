import * as z from "zod";
import { invalid } from "../../../../domain/errors.ts";
import { joined, named, say } from "../../../../domain/frame.ts";
import { phrase } from "../../../../domain/memories/fields.ts";
import { type ProjectBriefing, projectBriefing } from "../../../../domain/memories/project-briefing.ts";
import { describeSession } from "../../../../domain/sessions/describe-session.ts";
import { sessionParts, toldTurns } from "../../../../domain/sessions/session-briefing.ts";
import type { WorkSession } from "../../../../domain/sessions/session-store.ts";
import { longestPassport } from "../../../../domain/sessions/passport.ts";
import type { TrustQuestion } from "../../../../domain/sessions/passport-issuers.ts";
import { restorePassport } from "../../../../domain/sessions/passports.ts";
import { passphrase, sessionRef, toolId } from "../../../../domain/sessions/session-fields.ts";
import { restoreSession } from "../../../../domain/sessions/sessions.ts";
import { additive, defineTool, type ToolContext, type ToolResult } from "../../../define-tool.ts";
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

function trustQuestion({ issuer, exportedAt, contains, confirm }: TrustQuestion): ToolResult {
  const exported = new Date(exportedAt).toISOString();
  const { files, searches, decisions, tasks } = contains;
  const asked = say`This Memory Passport says that another server signed it: ${named(issuer)}, at ${exported}. It holds files: ${files}, searches: ${searches}, decisions: ${decisions}, tasks: ${tasks}. If you trust that server, its public keys are fetched, the signature is checked, and its passports are taken from now on.`;
  return {
    structured: { outcome: "untrusted", issuer, exported_at: exported, contains, confirm },
    text: joined([say`Nothing is restored yet. ${asked}`, say`Ask the person; if they say yes, repeat the call with confirm: "${confirm}".`]),
    question: { message: asked, asks: { confirm } },
  };
}

/** OmniMemory document 3.2. */
export const restoreSessionTool = defineTool({
  name: "omn_restore_session",
  title: "Restore a session",
  description: "Go on with a session of any tool: by session_id or Memory Passport, else the last one of this project. Answers what it was about.",
  scope: "memory:write",
  annotations: additive,
  isStep: false,
  input: z.strictObject({
    session_id: sessionRef.optional(),
    passport: z.union([z.string().min(1).max(longestPassport), z.record(z.string(), z.unknown())], { error: `must be a Memory Passport, as JSON or JWE, of at most ${longestPassport} characters` }).optional().meta({ listed: { description: "JSON, JWE or link" } }),
    passphrase: passphrase.optional(),
    /** The question about a server that is not trusted yet names it. */
    confirm: phrase("confirm", 100).optional().meta({ listed: null }),
    tool_id: toolId.optional().meta({ listed: null }),
    max_tokens: z.number().int().min(100).max(10_000).optional().meta({ listed: null }),
  }),
  /** Or, of a passport that another server signed, the question whether it is trusted. */
  output: z.looseObject({ session_id: z.string().optional(), context: z.looseObject({}).optional(), restored_at: z.string().optional().meta({ listed: null }), original_tool: z.string().optional().meta({ listed: null }) }),
  async handler(ctx, { session_id: id, passport, passphrase: secret, confirm, tool_id: tool = ctx.tool, max_tokens: budget }) {
    if (id !== undefined && passport !== undefined) throw invalid("session_id and passport both name a session.", "Give one of them.");
    const given = typeof passport === "object" ? JSON.stringify(passport) : passport;
    const restored = await (given === undefined
      ? restoreSession(ctx, { id, tool, project: projectOf(ctx, {}) })
      : restorePassport(ctx, { passport: given, passphrase: secret, tool, confirm }));
    if ("confirm" in restored) return trustQuestion(restored);
    const { session, fromTool } = restored;
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
