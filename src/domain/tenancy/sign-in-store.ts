import type { AuditEntry } from "./audit-entry.ts";

/** `recovery`: by the link that the person had made for themselves. */
export type SignInMethod = "link" | "recovery" | "upstream" | "passkey";

/** A person who is signed in with a browser; not yet a principal, which is a person in one team. */
export interface Person {
  userId: string;
  name: string;
}

/** A person with the session of the browser that they act by. */
export interface SignedIn {
  person: Person;
  session: Pick<WebSession, "id" | "createdAt">;
}

/** A signed-in browser, as its owner may see it. */
export interface WebSession {
  /** Names it in lists; opens nothing. */
  id: string;
  userId: string;
  method: SignInMethod;
  createdAt: number;
  lastSeenAt: number;
  expiresAt: number;
  userAgent: string | null;
  address: string | null;
}

/** SHA-256 of the token in the cookie, lower-case hex. */
export type StoredWebSession = WebSession & { tokenHash: string };

export interface SignInLink {
  tokenHash: string;
  userId: string;
  purpose: "bootstrap" | "recovery";
  /** `null`: the launcher. Otherwise the person themselves. */
  createdBy: string | null;
  createdAt: number;
  expiresAt: number;
}

/** The person whom a link would sign in, as its holder sees them. */
export interface LinkPreview {
  person: Person;
  /** As their issuer last gave it; `null` when there is none. */
  email: string | null;
}

/** Who came in by a link. */
export interface LinkUse {
  person: Person;
  /** Whether it was the recovery link that they had made for themselves. */
  isOwn: boolean;
}

/** Sessions of browsers. A change and its audit row are written together or not at all. */
export interface WebSessionStore {
  /** The session of `replaced` (a digest) ends in the same transaction. */
  insertSession(session: StoredWebSession, replaced: string | undefined, audit: AuditEntry): Promise<void>;
  /** By one query; knows no person: it is what makes one. `undefined` also when the person is deleted. */
  findSession(tokenHash: string): Promise<{ session: WebSession; person: Person } | undefined>;
  /** Notes the use unless one was noted after `unlessAfter`. */
  touchSession(id: string, now: number, unlessAfter: number): Promise<void>;
  /** Those of the person that have not expired, last seen first. */
  listSessions(person: Person, now: number): Promise<WebSession[]>;
  /** `false` when the person has no such session. */
  endSession(person: Person, id: string, audit: AuditEntry): Promise<boolean>;
  /** Writes the row unless `limitPerMinute` failures of nobody's were written in the last minute. */
  auditFailure(entry: AuditEntry, limitPerMinute: number): Promise<void>;
}

export interface SignInLinkStore {
  /** Whether the person has a passkey or an identity at an issuer. */
  hasOwnSignInMethod(userId: string): Promise<boolean>;
  /** Unused links of the same person, purpose and maker end with it. None is made for somebody who is deleted. */
  insertLink(link: SignInLink, audit: AuditEntry): Promise<void>;
  /** The person whom the link would sign in now. Takes no principal, and uses nothing up. */
  previewLink(tokenHash: string, now: number): Promise<LinkPreview | undefined>;
  /**
   * Takes the link: of two who present it, one gets its person, whom the audit row then names. `undefined` when it is
   * unknown, used or expired, when its person is deleted, and for a bootstrap link when they have a way in of their own by now.
   */
  takeLink(tokenHash: string, audit: AuditEntry): Promise<LinkUse | undefined>;
  /** The recovery link that the person made for themselves, as long as it works. */
  ownRecoveryLink(person: Person, now: number): Promise<Pick<SignInLink, "createdAt" | "expiresAt"> | undefined>;
  /** `false` when there is none that works. */
  revokeRecoveryLink(person: Person, audit: AuditEntry): Promise<boolean>;
}

/** The cron's work for identity; it names no person. */
export interface IdentityMaintenance {
  /** Takes away what has expired. */
  purge(now: number): Promise<void>;
}
