import { decrypt, encrypt, importKey } from "./aes-gcm.ts";
import { missingMasterKey, noMasterKey, wrongMasterKey } from "./errors.ts";

/** From the configuration. The first of a list is the current one; the others only open what they wrapped. */
export interface MasterKey {
  id: string;
  /** 32 bytes. */
  secret: Uint8Array<ArrayBuffer>;
}

/** A team's data key as it is stored: encrypted with a master key. */
export interface WrappedKey {
  teamId: string;
  /** 1, 2, … within the team; the greatest seals. */
  number: number;
  masterId: string;
  wrapped: string;
}

const scheme = "omnimemory/data-key/1";
const about = ({ teamId, number, masterId }: Omit<WrappedKey, "wrapped">): string => JSON.stringify([scheme, teamId, number, masterId]);

export class MasterKeys {
  readonly #keys: ReadonlyMap<string, Promise<CryptoKey>>;
  /** Id of the one that wraps. */
  readonly current: string | undefined;

  constructor(keys: readonly MasterKey[]) {
    this.#keys = new Map(keys.map(({ id, secret }) => [id, importKey(secret)]));
    this.current = keys[0]?.id;
  }

  /** @throws DomainError when there is none */
  async wrap(name: Pick<WrappedKey, "teamId" | "number">, dataKey: Uint8Array<ArrayBuffer>): Promise<WrappedKey> {
    const masterId = this.current;
    const key = masterId === undefined ? undefined : await this.#keys.get(masterId);
    if (masterId === undefined || !key) throw noMasterKey();
    const named = { teamId: name.teamId, number: name.number, masterId };
    return { ...named, wrapped: await encrypt(key, about(named), dataKey) };
  }

  /** @throws DomainError that says which master key is missing or wrong */
  async unwrap(key: WrappedKey): Promise<Uint8Array<ArrayBuffer>> {
    const master = await this.#keys.get(key.masterId);
    if (!master) throw missingMasterKey(key.masterId);
    const dataKey = await decrypt(master, about(key), key.wrapped);
    if (!dataKey) throw wrongMasterKey(key.masterId);
    return dataKey;
  }
}
