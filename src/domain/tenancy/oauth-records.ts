import type { Preferences } from "./preferences.ts";
import type { Role } from "./principal.ts";

/** A record of the authorization server, under a key of its own layout. */
export interface OAuthRecord {
  key: string;
  value: string;
  /** JSON. */
  metadata: string | null;
  /** Grows with every write. */
  revision: number;
  /** `null`: never. */
  expiresAt: number | null;
}

/** An access token's record, and what its person is in its team at this moment. */
export interface TokenPlace {
  value: string;
  role: Role;
  organizationId: string;
  shard: string;
  preferences: Preferences;
}

/**
 * The records of the authorization server. It takes no principal: clients, grants and tokens are what principals are made of.
 * Expired records are not answered.
 */
export interface OAuthRecordStore {
  read(key: string, now: number): Promise<OAuthRecord | undefined>;
  /** By one query. `undefined` also when the grant is gone, or the person is not in the team, or either is deleted. */
  readToken(key: string, grantKey: string, place: { userId: string; teamId: string }, now: number): Promise<TokenPlace | undefined>;
  /**
   * `expected`: the revision on which the new value builds; when another write came first, nothing is written and the
   * answer is `false`. `spent`: a refresh token that this write replaces, remembered in any case.
   */
  write(
    record: Omit<OAuthRecord, "revision">,
    expected: number | undefined,
    spent: { tokenHash: string; grantKey: string; expiresAt: number } | undefined,
  ): Promise<boolean>;
  /** A client that nobody has consented to yet. Of these `most` are kept: the oldest leave first. */
  writeUnusedClient(record: Omit<OAuthRecord, "revision">, most: number): Promise<void>;
  /** `false` when it was gone already. */
  remove(key: string): Promise<boolean>;
  /** In the order of keys, those after `after`. */
  list(prefix: string, after: string, limit: number, now: number): Promise<Pick<OAuthRecord, "key" | "metadata">[]>;
  keepForever(key: string): Promise<void>;
  /** The key of the grant whose refresh token this once was. */
  grantOfSpent(tokenHash: string): Promise<string | undefined>;
}

export const grantKeyOf = (subject: string, grantId: string): string => `grant:${subject}:${grantId}`;

/** Takes the key of a grant or of one of its tokens. */
export function parseGrantKey(key: string): { subject: string; grantId: string } | undefined {
  const [kind, subject, grantId] = key.split(":");
  return (kind === "grant" || kind === "token") && subject && grantId ? { subject, grantId } : undefined;
}
