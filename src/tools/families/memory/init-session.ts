import * as z from "zod";
import { invalid } from "../../../domain/errors.ts";
import { givenMetadata } from "../../../domain/memories/portable.ts";
import { mayWrite } from "../../../domain/tenancy/principal.ts";
import { type SessionDefaults, sessionContext } from "../../../domain/memories/session-scope.ts";
import { defineTool, readOnly } from "../../define-tool.ts";
import { iso } from "../../render.ts";
import { succeeded, successOf } from "./answer.ts";
import { scopeFields, sessionScope } from "./scope.ts";

/** Session Context of the document (section 2). Who may do what is decided by role and key; the permissions here only tell of it. */
export const memoryInitSession = defineTool({
  name: "memory_init_session",
  title: "Set session defaults",
  description: "Set whom this session's memory_* calls are about where they do not say it, for 60 minutes. Arguments of a call and X-Memory-* headers go first. No arguments: clear.",
  scope: "memory:read",
  // It changes no memory, and who may only read sets whose memories are read.
  annotations: readOnly,
  input: z.strictObject({ ...sessionScope, metadata: givenMetadata.meta({ listed: { type: "object", description: "of all that memory_add stores" } }) }),
  output: successOf(z.looseObject({ session_type: z.string(), permissions: z.looseObject({}), session_defaults: z.looseObject({}) })),
  async handler(ctx, { user_id: userId, agent_id: agentId, run_id: runId, metadata = {} }) {
    if (metadata.sensitivity === "secret") throw invalid("Session defaults make nothing secret.", "Say it of each memory.");
    const defaults = { userId, agentId, runId, metadata } as SessionDefaults;
    const { connectionId, createdAt, until } = ctx.connectionDefaults.initialise(defaults, ctx.now);
    const session = sessionContext({}, ctx.connectionDefaults.headers, defaults);
    const writes = mayWrite(ctx.principal);
    return succeeded(ctx, undefined, {
      ...scopeFields(session),
      session_type: session.runId !== undefined ? "RUN" : session.agentId !== undefined ? "AGENT" : "USER",
      source: session.source,
      permissions: { read: true, write: writes, delete: writes },
      ...(Object.keys(session.metadata).length > 0 ? { metadata: session.metadata } : {}),
      session_defaults: { connection_id: connectionId, created_at: iso(createdAt), expires_at: iso(until) },
    });
  },
});
