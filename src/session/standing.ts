import { sha256Hex } from "../domain/hash.ts";
import type { TokenDirectory, TokenHolder } from "../domain/tenancy/grant-ports.ts";
import type { Directory } from "../http/credentials.ts";
import type { KeyDirectory, KeyHolder } from "../domain/tenancy/ports.ts";

/**
 * How long an object believes what it knows of a credential without asking again. Whoever changes one or a membership
 * through the product tells the object before answering, so a change holds from the next request on; this is only
 * the bound for a change made behind the product's back, in the database itself.
 */
const beliefMs = 2_000;

interface Belief<Holder> {
  holder: Holder;
  until: number;
}

/** The directory as a session object asks it: one query for the first of many requests with the same credential. */
export class Standing {
  readonly #keys: KeyDirectory;
  readonly #tokens: TokenDirectory;
  readonly #keyBeliefs = new Map<string, Belief<KeyHolder>>();
  /** By digest: tokens themselves are not kept. */
  readonly #tokenBeliefs = new Map<string, Belief<TokenHolder>>();
  /** Answers that were asked for before the last change are not believed. */
  #epoch = 0;

  constructor(keys: KeyDirectory, tokens: TokenDirectory) {
    this.#keys = keys;
    this.#tokens = tokens;
  }

  /** A directory that answers from memory who holds a credential, where that is fresh enough. */
  directory(now: number): Directory {
    return {
      keys: {
        authenticate: (keyId) => this.#holderOf(this.#keyBeliefs, keyId, () => this.#keys.authenticate(keyId), now),
        touchKey: (keyId, at, unlessAfter) => {
          const belief = this.#keyBeliefs.get(keyId);
          if (belief) belief.holder = { ...belief.holder, key: { ...belief.holder.key, lastUsedAt: at } };
          return this.#keys.touchKey(keyId, at, unlessAfter);
        },
        auditFailure: (entry, limit) => this.#keys.auditFailure(entry, limit),
      },
      tokens: {
        tokenHolder: async (token, resource) =>
          this.#holderOf(this.#tokenBeliefs, `${resource} ${await sha256Hex(token)}`, () => this.#tokens.tokenHolder(token, resource), now),
      },
    };
  }

  changed(): void {
    this.#epoch += 1;
    this.#keyBeliefs.clear();
    this.#tokenBeliefs.clear();
  }

  async #holderOf<Holder>(beliefs: Map<string, Belief<Holder>>, key: string, ask: () => Promise<Holder | undefined>, now: number): Promise<Holder | undefined> {
    const belief = beliefs.get(key);
    if (belief && belief.until > now) return belief.holder;
    const epoch = this.#epoch;
    const holder = await ask();
    beliefs.delete(key);
    // Access tokens come and go by the hour; old beliefs are no use to anybody.
    for (const [known, { until }] of beliefs) if (until <= now) beliefs.delete(known);
    if (holder && epoch === this.#epoch) beliefs.set(key, { holder, until: now + beliefMs });
    return holder;
  }
}
