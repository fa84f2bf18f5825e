import type { AuditEntry } from "./audit-entry.ts";
import type { Preferences } from "./preferences.ts";
import type { Principal, Role, Scope } from "./principal.ts";

/** A key as it is kept: everything but the secret, of which only the digest is stored. */
export interface KeyRecord {
  keyId: string;
  secretHash: string;
  userId: string;
  teamId: string;
  name: string;
  scopes: readonly Scope[];
  createdAt: number;
  /** `null`: never. Launchers of earlier versions issued such keys. */
  expiresAt: number | null;
  revokedAt: number | null;
  lastUsedAt: number | null;
  /** The key that took this one's place; this one stays valid until `expiresAt` (rotation with grace). */
  replacedBy: string | null;
}

/** The fields of a key that may be shown. */
export type KeySummary = Omit<KeyRecord, "secretHash">;

/** A key of the person who looks at it, in whatever team. */
export type OwnKey = KeySummary & { teamName: string };

/** A key together with what its holder is in the team at this moment. */
export interface KeyHolder {
  key: KeyRecord;
  role: Role;
  organizationId: string;
  shard: string;
  preferences: Preferences;
}

/** Keys and their audit. A change and its audit row are written together or not at all. */
export interface KeyStore {
  /**
   * The key with its holder's present role, by one query. Knows no principal: it is what makes one. `undefined`
   * also when the holder has left the team, or it or they are deleted: that stops their keys on the next request.
   */
  authenticate(keyId: string): Promise<KeyHolder | undefined>;
  /** Notes the use unless one was noted after `unlessAfter`. */
  touchKey(keyId: string, now: number, unlessAfter: number): Promise<void>;
  /** Writes the row unless `limitPerMinute` failures of that team (or of nobody's) were written in the last minute. */
  auditFailure(entry: AuditEntry, limitPerMinute: number): Promise<void>;
  /** `false`, and nothing written, when the key is there already, or the person has `most` keys to the team that work. */
  insertKey(key: KeyRecord, most: number, audit: AuditEntry): Promise<boolean>;
  /** A key of the principal's team. */
  findKey(principal: Pick<Principal, "teamId">, keyId: string): Promise<KeyRecord | undefined>;
  /** Keys of the principal's team, newest first; of one user, or of all. */
  listKeys(principal: Principal, userId: string | undefined): Promise<KeySummary[]>;
  /** Keys of the person that still open something, newest first. */
  listOwnKeys(person: { userId: string }, now: number): Promise<OwnKey[]>;
  /** `false` when it was revoked already. */
  revokeKey(principal: Principal, keyId: string, now: number, audit: AuditEntry): Promise<boolean>;
  /** `false`, and nothing written, when the old key was replaced, revoked or expired in the meantime, or with `most` keys that work. */
  rotateKey(principal: Principal, oldKeyId: string, oldExpiresAt: number, successor: KeyRecord, most: number, audit: AuditEntry): Promise<boolean>;
}

/** Only the launcher has this: whoever has the machine in hand keeps the key alive that it gave to the clients there. */
export interface KeyRenewal {
  /** `false`, and nothing written, when the key was replaced, revoked or expired in the meantime. */
  renewKey(principal: Principal, keyId: string, expiresAt: number, audit: AuditEntry): Promise<boolean>;
}
