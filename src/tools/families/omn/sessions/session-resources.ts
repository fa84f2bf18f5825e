import { defined } from "../../../../domain/defined.ts";
import { json } from "../../../../domain/frame.ts";
import { describeSession } from "../../../../domain/sessions/describe-session.ts";
import { conversation } from "../../../../domain/sessions/turns.ts";
import { defineResource } from "../../../define-resource.ts";
import { contextFields, sessionFields } from "../../../render-session.ts";

const currentUri = "omnimemory://session/current";
const conversationUri = (id: string): string => `omnimemory://conversation/${id}`;

/** OmniMemory document, resource 2. */
export const currentSession = defineResource({
  uri: currentUri,
  name: "current-session",
  description: "The work session of this client and project, and what it is about",
  scope: "memory:read",
  async read(ctx) {
    const session = await ctx.trail?.shown();
    if (!session) return json({ session_id: null, tool_id: ctx.tool });
    return json({ ...sessionFields(session), ...contextFields(await describeSession(ctx, session)) });
  },
  changedWith: ({ sessions }) => (sessions ? [currentUri] : []),
});

/** OmniMemory document, resource 5. */
export const conversationHistory = defineResource({
  uri: conversationUri("{session_id}"),
  variables: { session_id: "[A-Za-z0-9_-]{1,100}" },
  name: "conversation",
  title: "Conversation of a session",
  description: "What was said in a session: the newest turns verbatim, older ones compressed, the oldest summarised",
  scope: "memory:read",
  async read(ctx, [id = ""]) {
    const current = await ctx.trail?.shown();
    const session = id === "current" ? current : await ctx.sessions.find(ctx.principal, id);
    if (!session) return undefined;
    const { count, turns } = await conversation(ctx.sessions, ctx.principal, session.id);
    return json({
      session_id: session.id,
      total_turns: count,
      turns: turns.map(({ tier, from, to, role, name, at, text }) => defined({ tier, turn: from, ...(to === from ? {} : { to_turn: to }), role, name, at: at === undefined ? undefined : new Date(at).toISOString(), text })),
    });
  },
  changedWith: ({ conversations }) => (conversations ? ["current", ...conversations].map(conversationUri) : []),
});
