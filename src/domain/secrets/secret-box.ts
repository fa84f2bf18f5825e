import { initialState, isSealedLater, sealedFields, type SealedFields } from "../memories/memory-fields.ts";
import { decrypt, encrypt } from "./aes-gcm.ts";
import { DamagedSecret } from "./errors.ts";
import type { TeamKeys } from "./team-keys.ts";

/** Envelopes, `s1.<number of the data key>.<base64url of nonce, ciphertext and tag>`. */
export type Envelopes = Record<keyof SealedFields, string>;

/** The memory that the fields belong to. Sealed in one place, they open in no other. */
export interface SealedName {
  teamId: string;
  memoryId: string;
  version: number;
  /** Fields of a proposal that is based on that version. */
  proposal?: string;
}

const form = "s1";
const envelope = new RegExp(`^${form}\\.([1-9]\\d*)\\.([\\w-]+)$`);
const scheme = "omnimemory/secret/1";
const about = ({ teamId, memoryId, version, proposal }: SealedName, field: string): string => JSON.stringify([scheme, teamId, memoryId, version, field, ...(proposal === undefined ? [] : [proposal])]);

const utf8 = new TextEncoder();
const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Encrypts what is secret with the data key of its team. */
export class SecretBox {
  readonly #keys: Pick<TeamKeys, "sealing" | "opening">;

  constructor(keys: Pick<TeamKeys, "sealing" | "opening">) {
    this.#keys = keys;
  }

  /** @throws DomainError when the team has no data key and none can be made */
  async seal(name: SealedName, fields: SealedFields): Promise<{ dataKey: number; envelopes: Envelopes }> {
    const { number, key } = await this.#keys.sealing(name.teamId);
    const sealed = sealedFields.map(async (field) => [field, `${form}.${number}.${await encrypt(key, about(name, field), new Uint8Array(utf8.encode(encode(field, fields))))}`] as const);
    return { dataKey: number, envelopes: Object.fromEntries(await Promise.all(sealed)) as Envelopes };
  }

  /** @throws DamagedSecret when a field is not what was sealed there; DomainError when the key cannot be had */
  async open(name: SealedName, envelopes: Record<keyof SealedFields, unknown>): Promise<SealedFields> {
    const opened = sealedFields.map(async (field) => {
      if (isUnsaid(field, envelopes[field])) return [field, initialState[field]] as const;
      const [, number, sealed = ""] = envelope.exec(String(envelopes[field])) ?? [];
      if (number === undefined) throw new DamagedSecret(name.memoryId);
      const plain = await decrypt(await this.#keys.opening(name.teamId, Number(number)), about(name, field), sealed);
      if (!plain) throw new DamagedSecret(name.memoryId);
      return [field, decode(field, text.decode(plain))] as const;
    });
    return Object.fromEntries(await Promise.all(opened)) as unknown as SealedFields;
  }
}

/** Of a memory that was sealed before there was such a field. Whoever can write rows can take the field away so, and put nothing in its place. */
const isUnsaid = (field: keyof SealedFields, stored: unknown): field is Exclude<keyof SealedFields, "content"> =>
  field !== "content" && isSealedLater(field) && (stored === undefined || JSON.stringify(stored) === JSON.stringify(initialState[field]));

/** The content as it is, so that its length can be read from the envelope; the rest as JSON. */
const encode = (field: keyof SealedFields, fields: SealedFields): string => (field === "content" ? fields.content : JSON.stringify(fields[field]));
const decode = (field: keyof SealedFields, plain: string): unknown => (field === "content" ? plain : (JSON.parse(plain) as unknown));
