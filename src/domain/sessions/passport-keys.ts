import type { MasterKey } from "../secrets/master-keys.ts";
import { fromBase64url, toBase64url } from "../secrets/base64url.ts";

/** What the keys are derived for; a master key itself signs nothing. */
const purpose = "omnimemory/passport/1";

export interface Signature {
  /** Name of the master key that the signing key is derived from, which is no secret. */
  keyId: string;
  /** HMAC-SHA256, base64url. */
  signature: string;
}

/** Signs passports with the first master key, and proves those that any of them signed. */
export class PassportKeys {
  readonly #masters: readonly MasterKey[];
  readonly #keys = new Map<string, Promise<CryptoKey>>();

  constructor(masters: readonly MasterKey[]) {
    this.#masters = masters;
  }

  /** Undefined where the server has no master key. */
  async sign(text: string): Promise<Signature | undefined> {
    const [current] = this.#masters;
    if (!current) return undefined;
    const signature = await crypto.subtle.sign("HMAC", await this.#keyOf(current), new TextEncoder().encode(text));
    return { keyId: current.id, signature: toBase64url(new Uint8Array(signature)) };
  }

  async verify(text: string, { keyId, signature }: Signature): Promise<boolean> {
    const master = this.#masters.find(({ id }) => id === keyId);
    const bytes = bytesOf(signature);
    // `verify` compares in constant time.
    return master !== undefined && bytes !== undefined && crypto.subtle.verify("HMAC", await this.#keyOf(master), bytes, new TextEncoder().encode(text));
  }

  /** Whether the key with which it was signed is one of this server. */
  knows(keyId: string): boolean {
    return this.#masters.some(({ id }) => id === keyId);
  }

  #keyOf({ id, secret }: MasterKey): Promise<CryptoKey> {
    const known = this.#keys.get(id);
    if (known) return known;
    const derived = derive(secret);
    this.#keys.set(id, derived);
    return derived;
  }
}

async function derive(secret: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  const base = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveKey"]);
  const parameters = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: new TextEncoder().encode(purpose) };
  return crypto.subtle.deriveKey(parameters, base, { name: "HMAC", hash: "SHA-256", length: 256 }, false, ["sign", "verify"]);
}

/** One text for one signature: another spelling of the same bytes is another byte. */
function bytesOf(signature: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const bytes = fromBase64url(signature);
    return toBase64url(bytes) === signature ? bytes : undefined;
  } catch {
    return undefined;
  }
}
