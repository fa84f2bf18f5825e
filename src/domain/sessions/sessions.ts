import type { Context } from "../context.ts";
import { DomainError, forbidden, notFound } from "../errors.ts";
import { type SessionAction, sessionEvent } from "../events/work-events.ts";
import { uuidv7 } from "../ids.ts";
import { retryOnConflict } from "../memories/retry-on-conflict.ts";
import { WriteConflict } from "../memories/write-conflict.ts";
import { requireScope } from "../tenancy/principal.ts";
import { emptyTrace, mergedTraces, type SessionTrace } from "./session-trace.ts";
import type { Migration, SessionStore, StoredTurn, WorkSession } from "./session-store.ts";
import type { SessionTrail } from "./session-trail.ts";
import { addTurns, type GivenTurn, screenedTurns } from "./turns.ts";

/** What the verbs of sessions use beside the context: the trail is there where a client calls that may write. */
export interface SessionPorts {
  sessions: SessionStore;
  trail?: SessionTrail | undefined;
}
export type Sessions = Context & SessionPorts;

export const sessionId = (now: number): string => `sess_${uuidv7(now)}`;

export const newSession = ({ tool, project, workspacePath = null, trace = emptyTrace(), now }: { tool: string; project: string; workspacePath?: string | null; trace?: SessionTrace; now: number }): WorkSession => ({
  id: sessionId(now), project, workspacePath, originalTool: tool, tool, createdAt: now, activeAt: now, endedAt: null, migrations: 0, exports: 0, trace, revision: 0,
});

export const noSuchSession = (): DomainError => notFound("There is no such session.", "omn_restore_session without session_id takes this project's last one; GET /v1/teams/{team}/sessions lists all.");

const noOpenSession = (): DomainError => notFound("No session of this client is open in this project.", "Begin one with omn_create_session, or name a session_id.");

/** Sessions are their person's own: an identifier of somebody else leads nowhere. */
export function requireOwn({ principal }: Context, userId: string | undefined): void {
  if (userId !== undefined && userId !== principal.userId) throw forbidden("A session belongs to whoever the credential is for.", "Leave user_id out.");
}

/** The session that is named, or the one that the caller is in. */
export async function sessionNamed(ctx: Sessions, id: string | undefined): Promise<WorkSession> {
  const current = await ctx.trail?.shown();
  const found = id === undefined ? current : await ctx.sessions.find(ctx.principal, id);
  if (!found) throw id === undefined ? noOpenSession() : noSuchSession();
  return found;
}

export function listSessions(ctx: Sessions, which: { project?: string | undefined; limit: number }): Promise<WorkSession[]> {
  requireScope(ctx.principal, "memory:read");
  return ctx.sessions.list(ctx.principal, which);
}

export function findSession(ctx: Sessions, { id }: { id: string }): Promise<WorkSession> {
  requireScope(ctx.principal, "memory:read");
  return sessionNamed(ctx, id);
}

/** With all that was said in it, for good. */
export async function removeSession(ctx: Sessions, { id }: { id: string }): Promise<void> {
  requireScope(ctx.principal, "memory:write");
  if (!(await ctx.sessions.remove(ctx.principal, id))) throw noSuchSession();
  tellOf(ctx, { id }, "removed");
}

/** Keeps what was said, but for secrets and orders to models. `kept`: how many turns passed the guard. */
export async function recordTurns(ctx: Sessions, { id, turns }: { id: string; turns: readonly GivenTurn[] }): Promise<{ added: number; count: number; kept: number }> {
  requireScope(ctx.principal, "memory:write");
  const session = await sessionNamed(ctx, id);
  const kept = screenedTurns(turns);
  const before = await ctx.sessions.countTurns(ctx.principal, session.id);
  const count = await addTurns(ctx.sessions, ctx.principal, session.id, kept);
  if (count > before) tellOf(ctx, session, "said");
  return { added: count - before, count, kept: kept.length };
}

/** As they were said, oldest first. */
export async function turnsOf(ctx: Sessions, { id, after, limit }: { id: string; after: number; limit: number }): Promise<{ count: number; turns: StoredTurn[] }> {
  requireScope(ctx.principal, "memory:read");
  const session = await sessionNamed(ctx, id);
  const [count, turns] = await Promise.all([ctx.sessions.countTurns(ctx.principal, session.id), ctx.sessions.turns(ctx.principal, session.id, { after, limit })]);
  return { count, turns };
}

interface Creating {
  tool: string;
  project: string;
  workspacePath?: string | undefined;
  /** A session whose trace the new one begins with. */
  restoreFrom?: string | undefined;
}

/** Begins a session, or answers the open one of this tool and project. It becomes the one that the client is in, whatever the client announces itself as; the one that it was in stays as it is. */
export async function createSession(ctx: Sessions, { tool, project, workspacePath, restoreFrom }: Creating): Promise<WorkSession> {
  requireScope(ctx.principal, "memory:write");
  const source = restoreFrom === undefined ? undefined : await ctx.sessions.find(ctx.principal, restoreFrom);
  if (restoreFrom !== undefined && !source) return failed(ctx, restoreFrom, tool);
  // What was noted until now belongs to the one that the client was in.
  await ctx.trail?.session();
  const { session, action } = await retryOnConflict("this session", async () => {
    const open = await ctx.sessions.findOpen(ctx.principal, { tool, project });
    const before = open ?? (await ctx.sessions.create(ctx.principal, newSession({ tool, project, workspacePath: workspacePath ?? null, now: ctx.now })));
    const trace = source && source.id !== before.id ? mergedTraces(source.trace, before.trace) : before.trace;
    const next: WorkSession = { ...before, workspacePath: workspacePath ?? before.workspacePath, activeAt: ctx.now, trace };
    const migration = source && source.id !== before.id ? migrationOf(ctx, { sessionId: next.id, fromTool: source.tool, toTool: tool }) : undefined;
    const session = saved(next, await ctx.sessions.handOver(ctx.principal, next, ctx.now, migration));
    return { session, action: migration ? ("restored" as const) : before === open ? undefined : ("created" as const) };
  });
  ctx.trail?.attach(session.id);
  if (action) tellOf(ctx, session, action);
  return session;
}

/** Opens a session for a tool, which may be another one than it was used with: the id, the trace and the turns stay. */
export async function restoreSession(ctx: Sessions, { id, tool, project }: { id?: string | undefined; tool: string; project: string }): Promise<TakenOver> {
  requireScope(ctx.principal, "memory:write");
  requireScope(ctx.principal, "memory:read");
  await ctx.trail?.shown();
  const restored = await retryOnConflict("this session", async () => {
    const found = id === undefined ? (await ctx.sessions.list(ctx.principal, { project, limit: 1 }))[0] : await ctx.sessions.find(ctx.principal, id);
    return found && takenOver(ctx, found, tool);
  });
  if (!restored) return failed(ctx, id ?? "", tool);
  ctx.trail?.attach(restored.session.id);
  tellOf(ctx, restored.session, restored.fromTool === tool ? "restored" : "migrated");
  return restored;
}

/** Hands a session to another tool, which goes on with it where its client announces itself by that name, or restores it. */
export async function migrateSession(ctx: Sessions, { id, tool }: { id?: string | undefined; tool: string }): Promise<TakenOver> {
  requireScope(ctx.principal, "memory:write");
  const current = await ctx.trail?.shown();
  const wanted = id ?? current?.id;
  const migrated = await retryOnConflict("this session", async () => {
    const found = wanted === undefined ? undefined : await ctx.sessions.find(ctx.principal, wanted);
    return found && takenOver(ctx, found, tool);
  });
  if (!migrated) return failed(ctx, wanted ?? "", tool);
  if (migrated.fromTool !== tool) ctx.trail?.release(migrated.session.id);
  tellOf(ctx, migrated.session, migrated.fromTool === tool ? "restored" : "migrated");
  return migrated;
}

/** The next use begins a new one; this one can be restored. */
export async function endSession(ctx: Sessions, { id }: { id?: string | undefined }): Promise<WorkSession> {
  requireScope(ctx.principal, "memory:write");
  const { ended, wasOpen } = await retryOnConflict("this session", async () => {
    const session = await sessionNamed(ctx, id);
    if (session.endedAt !== null) return { ended: session, wasOpen: false };
    const next = { ...session, activeAt: ctx.now, endedAt: ctx.now };
    return { ended: saved(next, await ctx.sessions.save(ctx.principal, next, "unchanged")), wasOpen: true };
  });
  ctx.trail?.release(ended.id);
  if (wasOpen) tellOf(ctx, ended, "ended");
  return ended;
}

export interface TakenOver {
  session: WorkSession;
  /** The tool that had it before. */
  fromTool: string;
}

/** One attempt. @throws WriteConflict */
export async function takenOver(ctx: Sessions, found: WorkSession, tool: string, passportUsed = false): Promise<TakenOver> {
  const isMigrated = passportUsed || found.tool !== tool;
  const next: WorkSession = { ...found, tool, activeAt: ctx.now, endedAt: null, migrations: found.migrations + (found.tool === tool ? 0 : 1) };
  const migration = isMigrated ? migrationOf(ctx, { sessionId: found.id, fromTool: found.tool, toTool: tool, passportUsed }) : undefined;
  return { session: saved(next, await ctx.sessions.handOver(ctx.principal, next, ctx.now, migration, "unchanged")), fromTool: found.tool };
}

export const tellOf = (ctx: Sessions, session: Pick<WorkSession, "id">, action: SessionAction): void => ctx.tell?.([sessionEvent(ctx, session, action)]);

const migrationOf = ({ now }: Context, of: Pick<Migration, "sessionId" | "fromTool" | "toTool"> & { passportUsed?: boolean }): Migration => ({
  passportUsed: false, ...of, id: uuidv7(now), at: now, success: true, error: null,
});

const failed = (ctx: Sessions, id: string, tool: string): Promise<never> => attemptFailed(ctx, { id, tool, error: id === "" ? noOpenSession() : noSuchSession() });

interface FailedAttempt {
  id: string;
  tool: string;
  error: unknown;
  passportUsed?: boolean;
}

/** An attempt that fails is logged as well. @throws the error */
export async function attemptFailed(ctx: Sessions, attempt: FailedAttempt): Promise<never> {
  await noteFailedAttempt(ctx, attempt);
  throw attempt.error;
}

export async function noteFailedAttempt(ctx: Sessions, { id, tool, error, passportUsed = false }: FailedAttempt): Promise<void> {
  if (!(error instanceof DomainError)) return;
  await ctx.sessions.logMigration(ctx.principal, { ...migrationOf(ctx, { sessionId: id, fromTool: null, toTool: tool, passportUsed }), success: false, error: error.message });
}

function saved(session: WorkSession, isSaved: boolean): WorkSession {
  if (!isSaved) throw new WriteConflict();
  return { ...session, revision: session.revision + 1 };
}
