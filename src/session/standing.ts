import type { KeyDirectory, KeyHolder } from "../domain/tenancy/ports.ts";

/**
 * How long an object believes what it knows of a key without asking again. Whoever changes a key or a membership
 * through the product tells the object before answering, so a change holds from the next request on; this is only
 * the bound for a change made behind the product's back, in the database itself.
 */
const beliefMs = 2_000;

interface Belief {
  holder: KeyHolder;
  until: number;
}

/** The directory as a session object asks it: one query for the first of many requests with the same key. */
export class Standing {
  readonly #keys: KeyDirectory;
  readonly #beliefs = new Map<string, Belief>();
  /** Answers that were asked for before the last change are not believed. */
  #epoch = 0;

  constructor(keys: KeyDirectory) {
    this.#keys = keys;
  }

  /** A directory whose `authenticate` answers from memory where that is fresh enough. */
  directory(now: number): Pick<KeyDirectory, "authenticate" | "touchKey" | "auditFailure"> {
    return {
      authenticate: (keyId) => this.#holderOf(keyId, now),
      touchKey: (keyId, at, unlessAfter) => {
        const belief = this.#beliefs.get(keyId);
        if (belief) belief.holder = { ...belief.holder, key: { ...belief.holder.key, lastUsedAt: at } };
        return this.#keys.touchKey(keyId, at, unlessAfter);
      },
      auditFailure: (entry, limit) => this.#keys.auditFailure(entry, limit),
    };
  }

  changed(): void {
    this.#epoch += 1;
    this.#beliefs.clear();
  }

  async #holderOf(keyId: string, now: number): Promise<KeyHolder | undefined> {
    const belief = this.#beliefs.get(keyId);
    if (belief && belief.until > now) return belief.holder;
    const epoch = this.#epoch;
    const holder = await this.#keys.authenticate(keyId);
    this.#beliefs.delete(keyId);
    if (holder && epoch === this.#epoch) this.#beliefs.set(keyId, { holder, until: now + beliefMs });
    return holder;
  }
}
