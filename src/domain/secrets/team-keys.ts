import { TtlCache } from "../ttl-cache.ts";
import { importKey } from "./aes-gcm.ts";
import { missingDataKey } from "./errors.ts";
import type { MasterKeys, WrappedKey } from "./master-keys.ts";
import type { TeamKeyStore } from "./team-key-store.ts";

/** How long an isolate goes on sealing with a key that is not the current one any more, at most, ms. */
export const keyLifeMs = 60_000;

interface Known {
  wrapped: ReadonlyMap<number, WrappedKey>;
  current: number | undefined;
  opened: Map<number, Promise<CryptoKey>>;
}

/** The teams' data keys, opened; remembered for a minute, since every secret would cost a look-up in the directory. */
export class TeamKeys {
  readonly #masters: MasterKeys;
  readonly #store: Pick<TeamKeyStore, "keysOf" | "insertFirst">;
  readonly #clock: () => number;
  readonly #known = new TtlCache<Known>(keyLifeMs);

  constructor(masters: MasterKeys, store: Pick<TeamKeyStore, "keysOf" | "insertFirst">, clock: () => number = Date.now) {
    this.#masters = masters;
    this.#store = store;
    this.#clock = clock;
  }

  /** The key that seals; a team's first secret makes it. @throws DomainError without a master key, or with a wrong one */
  async sealing(teamId: string): Promise<{ number: number; key: CryptoKey }> {
    let known = await this.#of(teamId);
    if (known.current === undefined) {
      await this.#store.insertFirst(await newDataKey(this.#masters, teamId, 1), this.#clock());
      known = await this.#anew(teamId);
    }
    const number = known.current ?? 1;
    return { number, key: await this.#open(known, number) };
  }

  /** @throws DomainError when the key is gone, or the master key is missing or wrong */
  async opening(teamId: string, number: number): Promise<CryptoKey> {
    const known = await this.#of(teamId);
    // Another isolate may have just made it.
    return this.#open(known.wrapped.has(number) ? known : await this.#anew(teamId), number);
  }

  forget(teamId: string): void {
    this.#known.delete(teamId);
  }

  #open(known: Known, number: number): Promise<CryptoKey> {
    const wrapped = known.wrapped.get(number);
    if (!wrapped) return Promise.reject(missingDataKey());
    const opened = known.opened.get(number) ?? this.#masters.unwrap(wrapped).then(importKey);
    known.opened.set(number, opened);
    return opened;
  }

  #of(teamId: string): Promise<Known> {
    return this.#known.get(teamId, this.#clock(), () => this.#read(teamId));
  }

  #anew(teamId: string): Promise<Known> {
    this.#known.delete(teamId);
    return this.#of(teamId);
  }

  async #read(teamId: string): Promise<Known> {
    const keys = await this.#store.keysOf(teamId);
    return { wrapped: new Map(keys.map((key) => [key.number, key])), current: keys.at(-1)?.number, opened: new Map() };
  }
}

export const newDataKey = (masters: MasterKeys, teamId: string, number: number): Promise<WrappedKey> =>
  masters.wrap({ teamId, number }, crypto.getRandomValues(new Uint8Array(32)));
