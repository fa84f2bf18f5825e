import { sha256Hex } from "../hash.ts";
import { randomBase62, uuidv7 } from "../ids.ts";
import type { AuditEntry, CallOrigin } from "./audit-entry.ts";
import type { Person, SignInMethod, WebSession, WebSessionStore } from "./sign-in-store.ts";

const dayMs = 86_400_000;
/** A browser signs in again after so long, and sooner when it was not used. */
export const lifetimeMs = 30 * dayMs;
export const idleMs = 7 * dayMs;
/** Last use is known to the quarter of an hour; writing it on every request would make each read a write. */
const touchIntervalMs = 15 * 60_000;

/** 256 bits: what a cookie or a link holds. Random secrets need no slow hash. */
export const newToken = (): string => randomBase62(43);
const isToken = (text: string): boolean => /^[0-9A-Za-z]{43}$/.test(text);

/** The digest under which a token is stored; `undefined` for what cannot be one. */
export const tokenHashOf = async (token: string | undefined): Promise<string | undefined> =>
  token !== undefined && isToken(token) ? sha256Hex(token) : undefined;

export interface SignIn {
  person: Person;
  method: SignInMethod;
  /** The token in the browser's cookie: that session ends, whoever's it was. */
  previousToken: string | undefined;
  userAgent: string | undefined;
}

const maxUserAgentLength = 300;

/** A new token at every sign-in, never one that the browser brought: nobody can be signed in to a session that another knows. */
export async function startSession(sessions: WebSessionStore, signIn: SignIn, now: number, from: CallOrigin = {}): Promise<{ token: string; session: WebSession }> {
  const { person, method } = signIn;
  const token = newToken();
  const session: WebSession = {
    id: uuidv7(now),
    userId: person.userId,
    method,
    createdAt: now,
    lastSeenAt: now,
    expiresAt: now + lifetimeMs,
    userAgent: signIn.userAgent?.slice(0, maxUserAgentLength) ?? null,
    address: from.address ?? null,
  };
  const audit: AuditEntry = { ...from, at: now, action: `sign-in.${method}`, success: true, userId: person.userId, subject: session.id };
  await sessions.insertSession({ ...session, tokenHash: await sha256Hex(token) }, await tokenHashOf(signIn.previousToken), audit);
  return { token, session };
}

/** Who the browser belongs to, if its token is good. */
export async function proveSession(
  sessions: Pick<WebSessionStore, "findSession" | "touchSession">,
  token: string | undefined,
  now: number,
): Promise<{ session: WebSession; person: Person } | undefined> {
  const tokenHash = await tokenHashOf(token);
  if (tokenHash === undefined) return undefined;
  const found = await sessions.findSession(tokenHash);
  if (!found || found.session.expiresAt <= now || found.session.lastSeenAt + idleMs <= now) return undefined;
  if (found.session.lastSeenAt <= now - touchIntervalMs) await sessions.touchSession(found.session.id, now, now - touchIntervalMs);
  return found;
}

/** One's own session, this browser's or another's. Ending it twice is no error. */
export async function endSession(sessions: WebSessionStore, person: Person, id: string, now: number, from: CallOrigin = {}): Promise<{ ended: boolean }> {
  const audit: AuditEntry = { ...from, at: now, action: "session.end", success: true, userId: person.userId, subject: id };
  return { ended: await sessions.endSession(person, id, audit) };
}
