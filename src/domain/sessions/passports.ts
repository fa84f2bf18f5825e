import { type DomainError, invalid } from "../errors.ts";
import { isPlain } from "../guard/screen.ts";
import { uuidOf } from "../ids.ts";
import { retryOnConflict } from "../memories/retry-on-conflict.ts";
import { WriteConflict } from "../memories/write-conflict.ts";
import { requireScope } from "../tenancy/principal.ts";
import { claimIn, claimRefused, newClaim, takeClaim } from "./claims.ts";
import { describeSession } from "./describe-session.ts";
import { decryptPassport, encryptPassport, isEncrypted } from "./passport-encryption.ts";
import type { IssuerKeys } from "./issuer-keys.ts";
import { claimedSession, type ForeignPassport, longestPassport, mostEntries, type Passport, passportVersion, readPassport, signPassport, type Signer, type WrittenPassport } from "./passport.ts";
import { type IssuerPorts, provenForeign, type TrustQuestion } from "./passport-issuers.ts";
import type { PassportKeys } from "./passport-keys.ts";
import { emptyTrace, type SessionTrace } from "./session-trace.ts";
import type { WorkSession } from "./session-store.ts";
import { qrDataUrl } from "./qr-code.ts";
import { attemptFailed, newSession, noteFailedAttempt, sessionId, sessionNamed, type Sessions, takenOver, type TakenOver, tellOf } from "./sessions.ts";

export interface PassportPorts {
  passports: { keys: PassportKeys; issuerKeys: IssuerKeys } & IssuerPorts["passports"];
  /** The origin under which other servers and people reach this one. */
  publicOrigin: string;
}
type Passports = Sessions & PassportPorts;

const signerOf = ({ passports, publicOrigin }: PassportPorts): Signer => ({ ...passports, issuer: publicOrigin });

const iso = (ms: number): string => new Date(ms).toISOString();
const hourMs = 3_600_000;
/** In characters of a decision or of what is in work. */
const longestText = 500;
const cut = (text: string): string => (text.length <= longestText ? text : `${text.slice(0, longestText - 1)}…`).toWellFormed();

export interface Exported {
  session: WorkSession;
  /** The document, as an object and as it travels: encrypted where there is a passphrase. */
  passport: Record<string, unknown>;
  carried: string;
  /** A link that opens the session once, within ten minutes. */
  url: string;
  /** The link as a picture for the camera of a phone, a data URL, where it was asked for. */
  qrCode: string | undefined;
}

/** The document as programs get it: an encrypted one has the picture beside it, and in none a signature is over it. */
export function withQrCode({ passport, carried, qrCode }: Exported, isEncrypted: boolean): { passport: string | Record<string, unknown>; qr_code?: string } {
  if (qrCode === undefined) return { passport: isEncrypted ? carried : passport };
  return isEncrypted ? { passport: carried, qr_code: qrCode } : { passport: { ...passport, qr_code: qrCode } };
}

/** The session as a passport, and as a link. @throws PROVIDER_ERROR without a key */
export async function exportSession(ctx: Passports, { id, passphrase, qr = false }: { id?: string | undefined; passphrase?: string | undefined; qr?: boolean | undefined }): Promise<Exported> {
  requireScope(ctx.principal, "memory:write");
  requireScope(ctx.principal, "memory:read");
  const session = await retryOnConflict("this session", async () => {
    const found = await sessionNamed(ctx, id);
    const next = { ...found, exports: found.exports + 1 };
    if (!(await ctx.sessions.save(ctx.principal, next, "unchanged"))) throw new WriteConflict();
    return next;
  });
  const passport = await passportOf(ctx, session);
  const text = JSON.stringify(passport);
  const url = await newClaim(ctx, session.id);
  return { session, passport, carried: passphrase === undefined ? text : await encryptPassport(text, passphrase), url, qrCode: qr ? qrDataUrl(url) : undefined };
}

/** What the person may not see now, and secrets, are not in it. @throws PROVIDER_ERROR without a key */
export const passportOf = async (ctx: Passports, session: WorkSession): Promise<Record<string, unknown>> => fitted(ctx, await written(ctx, session));

/** What a passport says of a session. What the person may not see now, and secrets, are not in it. */
export async function written(ctx: Sessions, session: WorkSession): Promise<WrittenPassport> {
  const { files, searches, decisions, state, commands } = await describeSession(ctx, session);
  const counts = new Map(session.trace.files.map(({ path, count }) => [path, count]));
  const named = (memoryId: string | undefined): { memory_id?: string } => (memoryId === undefined ? {} : { memory_id: memoryId });
  return {
    version: passportVersion,
    session_id: session.id,
    exported_at: iso(ctx.now),
    exported_by_tool: session.tool,
    original_tool: session.originalTool,
    project_id: session.project,
    workspace_path: session.workspacePath,
    created_at: iso(session.createdAt),
    migration_count: session.migrations,
    context: {
      files_accessed: files.map(({ path, importance, at }) => ({ path, importance, count: counts.get(path) ?? 1, accessed_at: iso(at) })),
      recent_searches: searches.map(({ query, at }) => ({ query, timestamp: iso(at) })),
      // What an earlier passport told stands behind what is known here: together they may be more than a passport holds.
      decisions: decisions.slice(0, mostEntries).map(({ decision, at, memoryId }) => ({ decision: cut(decision), timestamp: iso(at), ...named(memoryId) })),
      workflow_state: { keys: state.slice(0, mostEntries).map(({ key, text, at, memoryId }) => ({ key, value: cut(text), timestamp: iso(at), ...named(memoryId) })), recent_commands: commands },
    },
    metadata: {
      total_files_accessed: session.trace.files.length,
      total_searches: session.trace.searches.length,
      session_duration_hours: Math.round(((session.activeAt - session.createdAt) / hourMs) * 100) / 100,
    },
  };
}

/** The oldest of everything gives way until a tool call takes the document, encrypted or not; what is in work does last. */
async function fitted(ctx: PassportPorts, whole: WrittenPassport): Promise<Record<string, unknown>> {
  for (let share = 1; ; share *= 0.7) {
    const { context } = whole;
    const some = <T>(entries: T[], part = share): T[] => entries.slice(0, Math.ceil(entries.length * part));
    const { workflow_state: work } = context;
    const passport = await signPassport(signerOf(ctx), {
      ...whole,
      context: { ...context, files_accessed: some(context.files_accessed), recent_searches: some(context.recent_searches), decisions: some(context.decisions), workflow_state: { ...work, keys: some(work.keys, Math.min(1, 10 * share)) } },
    });
    // Base64 makes four characters of three bytes.
    if ((new TextEncoder().encode(JSON.stringify(passport)).byteLength * 4) / 3 < longestPassport - 1_000) return passport;
  }
}

interface Presented {
  /** The document, what it is encrypted into, or the link of the session. */
  passport: string;
  passphrase?: string | undefined;
  tool: string;
  /** Of the question that was asked about a passport of another server. */
  confirm?: string | undefined;
}

/** Opens the session that a passport describes, for a tool, or asks first whether the server that signed it is trusted. @throws VALIDATION_ERROR when a byte of it was changed */
export async function restorePassport(ctx: Passports, { passport: given, passphrase, tool, confirm }: Presented): Promise<TakenOver | TrustQuestion> {
  requireScope(ctx.principal, "memory:write");
  requireScope(ctx.principal, "memory:read");
  await ctx.trail?.shown();
  const attempt = { id: claimedSession(given), tool, passportUsed: true };
  const claim = claimIn(given);
  if (claim) return claimedFor(ctx, claim, attempt);
  const opened = await openPassport(ctx, given, passphrase, confirm).catch((error: unknown) => attemptFailed(ctx, { ...attempt, error }));
  if ("confirm" in opened) {
    await noteFailedAttempt(ctx, { ...attempt, error: notTrusted(opened) });
    return opened;
  }
  return openedFor(ctx, tool, () => sessionOf(ctx, opened));
}

/** The session goes on with the tool, and whoever watches hears of it. */
async function openedFor(ctx: Sessions, tool: string, find: () => Promise<WorkSession>): Promise<TakenOver> {
  const restored = await retryOnConflict("this session", async () => takenOver(ctx, await find(), tool, true));
  ctx.trail?.attach(restored.session.id);
  tellOf(ctx, restored.session, restored.fromTool === tool ? "restored" : "migrated");
  return restored;
}

/** The link leads to a session of the person's own, which lies here: nothing else has to be handed on. */
async function claimedFor(ctx: Passports, { teamId, token }: { teamId: string; token: string }, attempt: { id: string; tool: string; passportUsed: boolean }): Promise<TakenOver> {
  const found = teamId === ctx.principal.teamId ? takeClaim(ctx, token) : Promise.reject(claimRefused());
  const { session: { id } } = await found.catch((error: unknown) => attemptFailed(ctx, { ...attempt, error }));
  return openedFor(ctx, attempt.tool, () => sessionNamed(ctx, id));
}

const notTrusted = ({ issuer }: TrustQuestion): DomainError => invalid(`Not imported: the person has not said whether they trust ${issuer}.`);

/** A passport that is proven, and what becomes of it here. */
interface Opened {
  passport: Passport;
  /** Of another server: the id under which it lies here. */
  importedAs?: string;
}

async function openPassport(ctx: Passports, given: string, passphrase: string | undefined, confirm: string | undefined): Promise<Opened | TrustQuestion> {
  const read = await readPassport(signerOf(ctx), isEncrypted(given.trim()) ? await decryptPassport(given.trim(), passphrase) : given);
  if (!read.isForeign) return { passport: read.passport };
  const question = await provenForeign(ctx, read.foreign, confirm);
  return question ?? { passport: withoutForeignNames(read.foreign.passport, ctx.now), importedAs: await importedId(ctx, read.foreign) };
}

/** The same passport is the same session here, and never one that somebody named. */
const importedId = async ({ principal }: Sessions, { content }: ForeignPassport): Promise<string> => `sess_${await uuidOf(`${principal.teamId}:${principal.userId}:${content}`)}`;

/** What another server calls things means nothing here: no memory of this team is named by it, and nothing was used in the future. @throws VALIDATION_ERROR */
function withoutForeignNames(passport: Passport, now: number): Passport {
  const { context, workspace_path: path, original_tool: original, exported_by_tool: tool } = passport;
  if (![passport.project_id, original, tool].every(isPlain)) throw invalid("The passport holds something else than names of tools and of a project.", "Export it again with omn_export_session.");
  const past = (at: number): number => Math.min(at, now);
  return {
    ...passport,
    workspace_path: path !== null && isPlain(path) ? path : null,
    created_at: past(passport.created_at),
    exported_at: past(passport.exported_at),
    context: {
      files_accessed: context.files_accessed.map((file) => ({ ...file, accessed_at: past(file.accessed_at) })),
      recent_searches: context.recent_searches.map((search) => ({ ...search, timestamp: past(search.timestamp) })),
      decisions: context.decisions.map(({ decision, timestamp }) => ({ decision, timestamp: past(timestamp) })),
      workflow_state: {
        keys: context.workflow_state.keys.map(({ key, value, timestamp }) => ({ key, value, timestamp: past(timestamp) })),
        recent_commands: context.workflow_state.recent_commands,
      },
    },
  };
}

/** The session that a passport describes: the person's own of that id, or one made of it, not open yet. */
async function sessionOf(ctx: Sessions, { passport, importedAs }: Opened): Promise<WorkSession> {
  const id = importedAs ?? passport.session_id;
  const known = await ctx.sessions.find(ctx.principal, id);
  if (known) return known;
  const session: WorkSession = {
    ...newSession({ tool: passport.exported_by_tool, project: passport.project_id, workspacePath: passport.workspace_path, trace: await traceOf(ctx, passport), now: passport.created_at }),
    id,
    originalTool: passport.original_tool,
    activeAt: passport.exported_at,
    endedAt: ctx.now,
    migrations: passport.migration_count,
  };
  // A colleague may have the session of that id: then this one is a copy of it.
  const copies = [session, { ...session, id: sessionId(ctx.now) }];
  for (const copy of copies) if (await ctx.sessions.import(ctx.principal, copy)) return copy;
  throw new WriteConflict();
}

/** Memories that the person sees here stand for what the passport says of them. The guard looks at the rest. */
export async function traceOf(ctx: Sessions, { context }: Pick<Passport, "context">): Promise<SessionTrace> {
  const { decisions, workflow_state: state } = context;
  const named = [...decisions, ...state.keys].flatMap(({ memory_id: id }) => id ?? []);
  const { memories } = named.length === 0 ? { memories: [] } : await ctx.memories.hydrate(ctx.principal, ctx.now, named);
  const here = new Set(memories.map(({ id }) => id));
  const isHere = (id: string | undefined): id is string => id !== undefined && here.has(id);
  const oldestFirst = <T extends { at: number }>(entries: T[]): T[] => entries.toSorted((a, b) => a.at - b.at);
  return {
    ...emptyTrace(),
    files: oldestFirst(context.files_accessed.filter(({ path }) => isPlain(path)).map(({ path, count, accessed_at: at }) => ({ path, count, at }))),
    searches: oldestFirst(context.recent_searches.filter(({ query }) => isPlain(query)).map(({ query, timestamp: at }) => ({ query, at }))),
    decisions: oldestFirst(decisions.flatMap(({ memory_id: id, timestamp: at }) => (isHere(id) ? [{ id, at }] : []))),
    state: oldestFirst(state.keys.flatMap(({ key, memory_id: id, timestamp: at }) => (isHere(id) ? [{ key, id, at }] : []))),
    commands: state.recent_commands.filter((name) => /^[\w.-]+$/.test(name)),
    told: {
      decisions: decisions.filter(({ decision, memory_id: id }) => !isHere(id) && isPlain(decision)).map(({ decision, timestamp: at }) => ({ decision, at })),
      state: state.keys.filter(({ key, value, memory_id: id }) => !isHere(id) && isPlain(`${key}: ${value}`)).map(({ key, value, timestamp: at }) => ({ key, value, at })),
    },
  };
}
