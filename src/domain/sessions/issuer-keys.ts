import { fromBase64url, toBase64url } from "../secrets/base64url.ts";
import type { MasterKey } from "../secrets/master-keys.ts";

/** What the keys are derived for; a master key itself signs nothing. */
const purpose = "omnimemory/passport-issuer/1";
const algorithm = "Ed25519";
/** Before the 32 bytes of a private key in PKCS#8 (RFC 8410, section 7). */
const pkcs8Head = [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];
const utf8 = new TextEncoder();

/** A public key as a key set holds it (RFC 8037). */
export interface PublicKey {
  kid: string;
  x: string;
}

interface KeyPair {
  publicKey: PublicKey;
  privateKey: CryptoKey;
}

/**
 * The keys by which other servers know what this one signed: Ed25519, one for each master key, the first signs. An older one is
 * published as long as its master key is configured.
 */
export class IssuerKeys {
  readonly #masters: readonly MasterKey[];
  #derived: Promise<KeyPair[]> | undefined;

  constructor(masters: readonly MasterKey[]) {
    this.#masters = masters;
  }

  /** The current one first; none where the server has no master key. */
  async published(): Promise<PublicKey[]> {
    return (await this.#pairs()).map(({ publicKey }) => publicKey);
  }

  /** @throws when there is no key: `published` is empty then */
  async sign(text: string): Promise<string> {
    const [current] = await this.#pairs();
    if (!current) throw new Error("The server has no key to sign with");
    return toBase64url(new Uint8Array(await crypto.subtle.sign(algorithm, current.privateKey, utf8.encode(text))));
  }

  #pairs(): Promise<KeyPair[]> {
    return (this.#derived ??= Promise.all(this.#masters.map(({ secret }) => derive(secret))));
  }
}

/** Whether one of these keys, the one of this id, signed the text. */
export async function isSignedBy(keys: readonly PublicKey[], text: string, { keyId, signature }: { keyId: string; signature: string }): Promise<boolean> {
  const found = keys.find(({ kid }) => kid === keyId);
  if (!found) return false;
  try {
    const bytes = fromBase64url(signature);
    // One text for one signature: another spelling of the same bytes is another byte.
    if (toBase64url(bytes) !== signature) return false;
    const key = await crypto.subtle.importKey("jwk", { kty: "OKP", crv: algorithm, x: found.x }, algorithm, false, ["verify"]);
    return await crypto.subtle.verify(algorithm, key, bytes, utf8.encode(text));
  } catch {
    return false;
  }
}

/** The document at `/.well-known/jwks.json` (RFC 7517). */
export const keySetOf = (keys: readonly PublicKey[]): { keys: Record<string, string>[] } => ({
  keys: keys.map(({ kid, x }) => ({ kty: "OKP", crv: algorithm, x, kid, alg: "EdDSA", use: "sig" })),
});

async function derive(secret: Uint8Array<ArrayBuffer>): Promise<KeyPair> {
  const base = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveBits"]);
  const seed = await crypto.subtle.deriveBits({ name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: utf8.encode(purpose) }, base, 256);
  const privateKey = await crypto.subtle.importKey("pkcs8", new Uint8Array([...pkcs8Head, ...new Uint8Array(seed)]), algorithm, true, ["sign"]);
  const { x = "" } = (await crypto.subtle.exportKey("jwk", privateKey)) as JsonWebKey;
  return { publicKey: { kid: await thumbprint(x), x }, privateKey };
}

/** RFC 7638: the same key has the same name everywhere, and no two servers name different keys alike. */
const thumbprint = async (x: string): Promise<string> =>
  toBase64url(new Uint8Array(await crypto.subtle.digest("SHA-256", utf8.encode(`{"crv":"${algorithm}","kty":"OKP","x":"${x}"}`))));
