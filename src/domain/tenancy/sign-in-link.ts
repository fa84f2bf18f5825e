import { sha256Hex } from "../hash.ts";
import { requireFreshSignIn } from "./fresh-sign-in.ts";
import { auditedFailuresPerMinute } from "./keys.ts";
import type { AuditEntry, CallOrigin } from "./audit-entry.ts";
import type { AttemptStore } from "./sign-in-attempts.ts";
import type { LinkPreview, LinkUse, SignedIn, SignInLink, SignInLinkStore, WebSessionStore } from "./sign-in-store.ts";
import { newToken, tokenHashOf } from "./web-session.ts";

const dayMs = 86_400_000;
/** The person who started the server has it before their eyes; a forgotten terminal should not stay a key. */
const launcherLifetime = { bootstrap: dayMs, recovery: 15 * 60_000 };
/** It is kept for the day on which everything else is lost. */
export const ownLifetimeMs = 365 * dayMs;

/**
 * The token of a link that signs this person in once, for whom nobody vouches yet. `undefined` when they have a way in of
 * their own: then the link would only be a second key to the house.
 */
export async function newBootstrapLink(links: SignInLinkStore, userId: string, now: number, from: CallOrigin = {}): Promise<string | undefined> {
  return (await links.hasOwnSignInMethod(userId)) ? undefined : launcherLink(links, userId, "bootstrap", now, from);
}

/**
 * The token of a link that signs this person in once though they have other ways, which they may have lost. Only for whoever
 * has the server itself in hand: it takes the place of everything else that the person would have to prove.
 */
export const newRecoveryLink = (links: SignInLinkStore, userId: string, now: number, from: CallOrigin = {}): Promise<string> =>
  launcherLink(links, userId, "recovery", now, from);

const launcherLink = (links: SignInLinkStore, userId: string, purpose: SignInLink["purpose"], now: number, from: CallOrigin): Promise<string> =>
  newLink(links, { userId, purpose, createdBy: null, createdAt: now, expiresAt: now + launcherLifetime[purpose] }, from);

/** The link by which the person comes back when they have lost every other way; the one that they made before ends. */
export async function newOwnRecoveryLink(links: SignInLinkStore, { person, session }: SignedIn, now: number, from: CallOrigin = {}): Promise<{ token: string; expiresAt: number }> {
  requireFreshSignIn(session.createdAt, now);
  const { userId } = person;
  const expiresAt = now + ownLifetimeMs;
  return { token: await newLink(links, { userId, purpose: "recovery", createdBy: userId, createdAt: now, expiresAt }, from, session.id), expiresAt };
}

/** Revoking one that does not work any more is no error. */
export async function revokeRecoveryLink(links: SignInLinkStore, { person, session }: SignedIn, now: number, from: CallOrigin = {}): Promise<{ revoked: boolean }> {
  requireFreshSignIn(session.createdAt, now);
  const audit: AuditEntry = { ...from, at: now, action: "link.revoke", success: true, userId: person.userId, subject: "recovery", credentialId: session.id };
  return { revoked: await links.revokeRecoveryLink(person, audit) };
}

async function newLink(links: SignInLinkStore, link: Omit<SignInLink, "tokenHash">, from: CallOrigin, credentialId?: string): Promise<string> {
  const token = newToken();
  const { userId, purpose, createdAt: at } = link;
  const audit: AuditEntry = { ...from, at, action: "link.create", success: true, userId, subject: purpose, ...(credentialId === undefined ? {} : { credentialId }) };
  await links.insertLink({ ...link, tokenHash: await sha256Hex(token) }, audit);
  return token;
}

/**
 * The person whom the link would sign in, so that the page names them before it is spent: anybody can send anybody a link of
 * their own.
 */
export async function previewSignInLink(links: SignInLinkStore, token: string | undefined, now: number): Promise<LinkPreview | undefined> {
  const tokenHash = await tokenHashOf(token);
  return tokenHash === undefined ? undefined : links.previewLink(tokenHash, now);
}

/** So long the page of a link may ask again: its button was pressed twice, or the answer was lost, and a recovery link may be the last way in. */
const repeatMs = 60_000;

/** Signs a person in by the link, which is spent by asking. One answer for every reason why it does not. `page`: what the page that asks is known by. */
export async function takeSignInLink(
  store: Pick<SignInLinkStore, "takeLink"> & Pick<WebSessionStore, "auditFailure"> & AttemptStore,
  { token, page }: { token: string; page: string },
  now: number,
  from: CallOrigin = {},
): Promise<LinkUse | undefined> {
  const linkHash = await tokenHashOf(token);
  if (linkHash !== undefined) {
    const use = await store.takeLink(linkHash, { ...from, at: now, action: "link.use", success: true });
    const tokenHash = await sha256Hex(`${token} ${page}`);
    if (use && page) await store.insertAttempt({ tokenHash, kind: "link", data: { ...use }, createdAt: now, expiresAt: now + repeatMs });
    const found = use ?? ((await store.readAttempt(tokenHash, "link", now))?.data as LinkUse | undefined);
    if (found) return found;
  }
  await store.auditFailure({ ...from, at: now, action: "sign-in.refused", success: false, subject: "link" }, auditedFailuresPerMinute);
  return undefined;
}
