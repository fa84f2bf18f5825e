import { sha256Hex } from "../domain/hash.ts";
import type { TokenStore, TokenHolder } from "../domain/tenancy/grant-store.ts";
import type { Directory } from "../http/credentials.ts";
import type { KeyStore, KeyHolder } from "../domain/tenancy/key-store.ts";

/**
 * How long an object keeps a credential's holder without asking again. A change of a credential or membership through the
 * product drops the object's cache before it is acknowledged, so it holds from the next request on; this bound is for a change
 * made behind the product's back, in the database itself.
 */
const cacheMs = 2_000;

interface CachedHolder<Holder> {
  holder: Holder;
  until: number;
}

/** The directory as a session object asks it: one query for the first of many requests with the same credential. */
export class CredentialCache {
  readonly #keys: KeyStore;
  readonly #tokens: TokenStore;
  readonly #cachedKeys = new Map<string, CachedHolder<KeyHolder>>();
  /** By digest: tokens themselves are not kept. */
  readonly #cachedTokens = new Map<string, CachedHolder<TokenHolder>>();
  /** Answers asked for before the last change are not cached. */
  #epoch = 0;

  constructor(keys: KeyStore, tokens: TokenStore) {
    this.#keys = keys;
    this.#tokens = tokens;
  }

  /** A directory that answers from memory who holds a credential, where that is fresh enough. */
  directory(now: number): Directory {
    return {
      keys: {
        authenticate: (keyId) => this.#holderOf(this.#cachedKeys, keyId, () => this.#keys.authenticate(keyId), now),
        touchKey: (keyId, at, unlessAfter) => {
          const cached = this.#cachedKeys.get(keyId);
          if (cached) cached.holder = { ...cached.holder, key: { ...cached.holder.key, lastUsedAt: at } };
          return this.#keys.touchKey(keyId, at, unlessAfter);
        },
        auditFailure: (entry, limit) => this.#keys.auditFailure(entry, limit),
      },
      tokens: {
        tokenHolder: async (token, resource) =>
          this.#holderOf(this.#cachedTokens, `${resource} ${await sha256Hex(token)}`, () => this.#tokens.tokenHolder(token, resource), now),
      },
    };
  }

  changed(): void {
    this.#epoch += 1;
    this.#cachedKeys.clear();
    this.#cachedTokens.clear();
  }

  async #holderOf<Holder>(cache: Map<string, CachedHolder<Holder>>, key: string, ask: () => Promise<Holder | undefined>, now: number): Promise<Holder | undefined> {
    const cached = cache.get(key);
    if (cached && cached.until > now) return cached.holder;
    const epoch = this.#epoch;
    const holder = await ask();
    cache.delete(key);
    // Access tokens come and go by the hour; old beliefs are no use to anybody.
    for (const [known, { until }] of cache) if (until <= now) cache.delete(known);
    if (holder && epoch === this.#epoch) cache.set(key, { holder, until: now + cacheMs });
    return holder;
  }
}
