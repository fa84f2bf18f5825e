import type { Grant } from "@cloudflare/workers-oauth-provider";
import { grantKeyOf, type OAuthRecordStore, parseGrantKey } from "../../domain/tenancy/oauth-records.ts";

/** Somebody else used the same code, refresh token or consent in the meantime; of all of these there is one use. */
export class UsedTwice extends Error {
  /** Key of what was used. */
  readonly key: string;

  constructor(key: string) {
    super("used twice at once");
    this.key = key;
  }
}

interface PutOptions {
  /** Seconds from now. */
  expirationTtl?: number;
  /** Seconds since the epoch. */
  expiration?: number;
  metadata?: unknown;
}

interface ListOptions {
  prefix?: string | null;
  limit?: number | null;
  cursor?: string | null;
}

const pageSize = 1_000;
/** A registration that nobody ever consented to is deleted; one consent keeps it for good. */
const unusedClientMs = 7 * 86_400_000;
/** Far more than sign in at a time; at 16 KB each they stay below 80 MB. */
const maxUnusedClients = 5_000;
/** How long a spent refresh token is known, where its grant does not say when it ends. */
const spentMs = 90 * 86_400_000;

/**
 * Stands in for the KV namespace of the authorization server, for the length of one request. It remembers what it read, so that
 * a grant is written only on top of what was read, and only one request takes a consent.
 */
export class RequestRecords {
  readonly #store: OAuthRecordStore;
  readonly #now: number;
  readonly #read = new Map<string, number>();

  constructor(store: OAuthRecordStore, now: number) {
    this.#store = store;
    this.#now = now;
  }

  async get(key: string, options?: { type?: string } | string): Promise<unknown> {
    const record = await this.#store.read(key, this.#now);
    if (!record) return null;
    this.#read.set(key, record.revision);
    const type = typeof options === "string" ? options : options?.type;
    return type === "json" ? (JSON.parse(record.value) as unknown) : record.value;
  }

  async put(key: string, value: string, options: PutOptions = {}): Promise<void> {
    const metadata = options.metadata === undefined ? null : JSON.stringify(options.metadata);
    const expiresAt = this.#expiry(key, options);
    const known = this.#read.get(key);
    if (key.startsWith("client:")) return this.#store.writeUnusedClient({ key, value, metadata, expiresAt }, maxUnusedClients);
    if (!key.startsWith("grant:")) {
      await this.#store.write({ key, value, metadata, expiresAt }, undefined, undefined);
      return;
    }
    const { grant, spentTokenHash } = withoutPrevious(JSON.parse(value) as Grant);
    const spent = spentTokenHash === undefined ? undefined : { tokenHash: spentTokenHash, grantKey: key, expiresAt: expiresAt ?? this.#now + spentMs };
    if (!(await this.#store.write({ key, value: JSON.stringify(grant), metadata, expiresAt }, known, spent))) throw new UsedTwice(key);
    this.#read.set(key, (known ?? 0) + 1);
  }

  async delete(key: string): Promise<void> {
    const removed = await this.#store.remove(key);
    if (!removed && key.startsWith("transaction:")) throw new UsedTwice(key);
  }

  async list({ prefix, limit, cursor }: ListOptions = {}): Promise<{ keys: { name: string; metadata?: unknown }[]; list_complete: boolean; cursor?: string }> {
    const size = Math.min(limit ?? pageSize, pageSize);
    const rows = await this.#store.list(prefix ?? "", cursor ?? "", size, this.#now);
    const keys = rows.map(({ key, metadata }) => ({ name: key, ...(metadata === null ? {} : { metadata: JSON.parse(metadata) as unknown }) }));
    const last = rows.at(-1);
    return rows.length === size && last ? { keys, list_complete: false, cursor: last.key } : { keys, list_complete: true };
  }

  #expiry(key: string, { expirationTtl, expiration }: PutOptions): number | null {
    if (expirationTtl !== undefined) return this.#now + expirationTtl * 1_000;
    if (expiration !== undefined) return expiration * 1_000;
    return key.startsWith("client:") ? this.#now + unusedClientMs : null;
  }
}

/**
 * The library lets the refresh token before the current one work until the current one is used. That would hide a thief's
 * use of it, so ours works once: the previous one is taken out of the grant and noted as spent.
 */
function withoutPrevious(grant: Grant): { grant: Grant; spentTokenHash: string | undefined } {
  const { previousRefreshTokenId, previousRefreshTokenWrappedKey: _, ...kept } = grant;
  return { grant: kept, spentTokenHash: previousRefreshTokenId };
}

/**
 * The store as access tokens are checked against it: the token's record, its grant and what its person is in the team
 * come by one query, and are kept for whoever asked.
 */
export class TokenLookup {
  readonly #store: OAuthRecordStore;
  readonly #place: { userId: string; teamId: string };
  readonly #now: number;
  found: Awaited<ReturnType<OAuthRecordStore["readToken"]>>;

  constructor(store: OAuthRecordStore, place: { userId: string; teamId: string }, now: number) {
    this.#store = store;
    this.#place = place;
    this.#now = now;
  }

  async get(key: string): Promise<unknown> {
    const parts = parseGrantKey(key);
    if (!parts || !key.startsWith("token:")) return null;
    this.found = await this.#store.readToken(key, grantKeyOf(parts.subject, parts.grantId), this.#place, this.#now);
    return this.found ? (JSON.parse(this.found.value) as unknown) : null;
  }
}
