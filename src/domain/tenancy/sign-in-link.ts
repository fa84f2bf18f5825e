import { sha256Hex } from "../hash.ts";
import { auditedFailuresPerMinute } from "./keys.ts";
import type { AuditEntry, CallOrigin } from "./ports.ts";
import type { Person, SignInLinkDirectory, WebSessionDirectory } from "./sign-in-ports.ts";
import { newToken, tokenHashOf } from "./web-session.ts";

/** The person who started the server has it before their eyes; a forgotten terminal should not stay a key. */
const lifetimeOf = { bootstrap: 24 * 3_600_000, recovery: 15 * 60_000 };

/**
 * The token of a link that signs this person in once, for whom nobody vouches yet. `undefined` when they have a way in of
 * their own: then the link would only be a second key to the house.
 */
export async function newBootstrapLink(links: SignInLinkDirectory, userId: string, now: number, from: CallOrigin = {}): Promise<string | undefined> {
  return (await links.hasOwnWayIn(userId)) ? undefined : newLink(links, userId, "bootstrap", now, from);
}

/**
 * The token of a link that signs this person in once though they have other ways, which they may have lost. Only for whoever
 * has the server itself in hand: it takes the place of everything else that the person would have to prove.
 */
export const newRecoveryLink = (links: SignInLinkDirectory, userId: string, now: number, from: CallOrigin = {}): Promise<string> =>
  newLink(links, userId, "recovery", now, from);

async function newLink(links: SignInLinkDirectory, userId: string, purpose: "bootstrap" | "recovery", now: number, from: CallOrigin): Promise<string> {
  const token = newToken();
  const tokenHash = await sha256Hex(token);
  const audit: AuditEntry = { ...from, at: now, action: "link.create", success: true, userId, subject: purpose };
  await links.insertLink({ tokenHash, userId, purpose, createdBy: null, createdAt: now, expiresAt: now + lifetimeOf[purpose] }, audit);
  return token;
}

/** Whom the link signs in; it is spent by asking. One answer for every reason why it does not. */
export async function takeSignInLink(
  ports: { links: SignInLinkDirectory; sessions: Pick<WebSessionDirectory, "auditFailure"> },
  token: string | undefined,
  now: number,
  from: CallOrigin = {},
): Promise<Person | undefined> {
  const tokenHash = await tokenHashOf(token);
  const person = tokenHash === undefined ? undefined : await ports.links.takeLink(tokenHash, now);
  if (!person) await ports.sessions.auditFailure({ ...from, at: now, action: "sign-in.refused", success: false, subject: "link" }, auditedFailuresPerMinute);
  return person;
}
