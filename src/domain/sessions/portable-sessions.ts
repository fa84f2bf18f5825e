import * as z from "zod";
import type { Context } from "../context.ts";
import { notFound } from "../errors.ts";
import { isPlain } from "../guard/screen.ts";
import { uuidOf } from "../ids.ts";
import * as field from "../memories/fields.ts";
import { toIso } from "../memories/memory-fields.ts";
import { requireScope } from "../tenancy/principal.ts";
import { type Passport, passportShape } from "./passport.ts";
import { traceOf, written } from "./passports.ts";
import { toolName } from "./session-fields.ts";
import { type SessionStore, turnRoles, type WorkSession } from "./session-store.ts";
import { newSession } from "./sessions.ts";
import { addTurns, screenedTurns } from "./turns.ts";

/**
 * A person's own work sessions in an export, beside the memories: a record of what a session was about, in the words of a passport
 * and unsigned, and records of what was said in it. Like every file of an import they are claims of whoever brings them.
 */

/** Of one record, so that it fits a row of D1 in whatever form. */
const most = { turns: 100, characters: 300_000, content: 50_000 } as const;

const { session_id: sessionId, original_tool: originalTool, project_id: project, workspace_path: workspacePath, created_at: createdAt, migration_count: migrations, context } = passportShape;

export const sessionRecord = z.strictObject({
  kind: z.literal("work_session"),
  version: z.literal(1),
  session_id: sessionId,
  tool_id: toolName,
  original_tool: originalTool,
  project_id: project,
  workspace_path: workspacePath,
  created_at: createdAt,
  last_activity: field.instant,
  /** Null of one that was open: where it is imported it is not. */
  ended_at: field.instant.nullable(),
  migration_count: migrations,
  context,
});

const turn = z.strictObject({ id: field.phrase("id", 300), role: z.enum(turnRoles), name: field.phrase("name", 100).optional(), at: field.instant, content: field.phrase("content", most.content) });
export const turnsRecord = z
  .strictObject({ kind: z.literal("work_turns"), version: z.literal(1), session_id: sessionId, turns: z.array(turn).min(1).max(most.turns) })
  .refine(({ turns }) => sizeOf(turns) <= most.characters + most.content, { message: `hold at most ${field.grouped(most.characters)} characters together` });

const sizeOf = (turns: readonly { content: string }[]): number => turns.reduce((sum, { content }) => sum + content.length, 0);

export type Work = Context & { sessions: SessionStore };

/** Some lines, and where the next ones begin: the session after which they go on, or one and its turn. */
export async function exportWork(ctx: Work, cursor = ""): Promise<{ data: string; nextCursor?: string }> {
  requireScope(ctx.principal, "memory:read");
  const [id = "", turn] = cursor.split(" ");
  const session = (turn === undefined ? undefined : await ctx.sessions.find(ctx.principal, id)) ?? (await ctx.sessions.next(ctx.principal, id));
  if (!session) return { data: "" };
  const after = session.id === id ? Number(turn) : 0;
  const found = await ctx.sessions.turns(ctx.principal, session.id, { after, limit: most.turns });
  let size = 0;
  const cut = found.findIndex(({ content }, i) => (size += content.length) > most.characters && i > 0);
  const turns = cut === -1 ? found : found.slice(0, cut);
  const last = turns.at(-1)?.seq;
  const isLast = cut === -1 && found.length < most.turns;
  const records = [
    ...(after === 0 ? [await sessionOf(ctx, session)] : []),
    ...(turns.length > 0 ? [{ kind: "work_turns", version: 1, session_id: session.id, turns: turns.map(({ id, role, name, at, content }) => ({ id, role, ...(name === null ? {} : { name }), at: toIso(at), content })) }] : []),
  ];
  return { data: records.map((record) => `${JSON.stringify(record)}\n`).join(""), nextCursor: isLast || last === undefined ? session.id : `${session.id} ${last}` };
}

async function sessionOf(ctx: Work, session: WorkSession): Promise<z.input<typeof sessionRecord>> {
  const { session_id, original_tool, project_id, workspace_path, created_at, migration_count, context } = await written(ctx, session);
  const [last_activity, ended_at] = [toIso(session.activeAt) as string, toIso(session.endedAt)];
  return { kind: "work_session", version: 1, session_id, tool_id: session.tool, original_tool, project_id, workspace_path, created_at, last_activity, ended_at, migration_count, context };
}

/** The id of the file where it is free or one's own, else one that follows from it: whose it is instead is nobody's to learn. */
const copyOf = async ({ principal }: Work, id: string): Promise<string> => `sess_${await uuidOf(JSON.stringify(["session", principal.teamId, principal.userId, id]))}`;

/** How many it brings: one's own session of that id stays as it is. */
export async function importSession(ctx: Work, record: z.output<typeof sessionRecord>): Promise<0 | 1> {
  const { principal, sessions, now } = ctx;
  const ids = [record.session_id, await copyOf(ctx, record.session_id)];
  for (const id of ids) if (await sessions.find(principal, id)) return 0;
  const past = (at: number): number => Math.min(at, now);
  const names = [record.project_id, record.tool_id, record.original_tool];
  // A name that gives orders is no name.
  const [project, tool, originalTool] = names.map((name) => (isPlain(name) ? name : "imported")) as [string, string, string];
  const session: WorkSession = {
    ...newSession({ tool, project, workspacePath: record.workspace_path !== null && isPlain(record.workspace_path) ? record.workspace_path : null, trace: await traceOf(ctx, { context: inThePast(record.context, past) }), now: past(record.created_at) }),
    originalTool,
    activeAt: past(record.last_activity),
    endedAt: past(record.ended_at ?? now),
    migrations: record.migration_count,
  };
  for (const id of ids) if (await sessions.import(principal, { ...session, id })) return 1;
  return 0;
}

const inThePast = ({ files_accessed, recent_searches, decisions, workflow_state }: Passport["context"], past: (at: number) => number): Passport["context"] => ({
  files_accessed: files_accessed.map((file) => ({ ...file, accessed_at: past(file.accessed_at) })),
  recent_searches: recent_searches.map((search) => ({ ...search, timestamp: past(search.timestamp) })),
  decisions: decisions.map((decision) => ({ ...decision, timestamp: past(decision.timestamp) })),
  workflow_state: { ...workflow_state, keys: workflow_state.keys.map((key) => ({ ...key, timestamp: past(key.timestamp) })) },
});

/** How many it brings: a turn of an id that is there is not said twice. The write guard reads them as it does those of a hook. */
export async function importTurns(ctx: Work, { session_id, turns }: z.output<typeof turnsRecord>): Promise<number> {
  const { principal, sessions, now } = ctx;
  const session = (await sessions.find(principal, session_id)) ?? (await sessions.find(principal, await copyOf(ctx, session_id)));
  if (!session) throw notFound("You have no session of this id.", "Import the record of the session before what was said in it.");
  const before = await sessions.countTurns(principal, session.id);
  const given = screenedTurns(turns.map(({ name, at, ...one }) => ({ ...one, name: name ?? null, at: Math.min(at, now) })));
  return (await addTurns(sessions, principal, session.id, given)) - before;
}
