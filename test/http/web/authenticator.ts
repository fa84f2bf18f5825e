/** Base64url without padding, as WebAuthn writes bytes in JSON. */
export const base64url = (bytes: ArrayBuffer | Uint8Array): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

const bytesOf = (text = ""): Uint8Array<ArrayBuffer> => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));
const utf8 = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(new TextEncoder().encode(text));
const sha256 = async (bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));

function concat(...parts: ArrayLike<number>[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(parts.flatMap((part) => Array.from(part)));
}

/** CBOR (RFC 8949) of what an attestation holds: whole numbers, bytes, text and maps. */
function cbor(value: number | string | Uint8Array | Map<number | string, unknown>): Uint8Array<ArrayBuffer> {
  const head = (major: number, length: number): number[] =>
    length < 24 ? [(major << 5) | length] : length < 256 ? [(major << 5) | 24, length] : [(major << 5) | 25, length >> 8, length & 255];
  if (typeof value === "number") return Uint8Array.from(value >= 0 ? head(0, value) : head(1, -1 - value));
  if (typeof value === "string") return concat(head(3, value.length), utf8(value));
  if (value instanceof Uint8Array) return concat(head(2, value.length), value);
  return concat(head(5, value.size), ...[...value].flatMap(([key, item]) => [cbor(key), cbor(item as number)]));
}

/** ECDSA signatures as WebAuthn has them: DER, where WebCrypto gives two numbers of one length. */
function der(raw: Uint8Array): Uint8Array<ArrayBuffer> {
  const integer = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => {
    const first = bytes.findIndex((byte) => byte !== 0);
    const short = bytes.slice(first);
    const body = (short[0] ?? 0) >= 128 ? concat([0], short) : short;
    return concat([2, body.length], body);
  };
  const body = concat(integer(raw.slice(0, raw.length / 2)), integer(raw.slice(raw.length / 2)));
  return concat([0x30, body.length], body);
}

/** What an answer differs in from a right one; each attack sets its own. */
export interface Twist {
  challenge?: string;
  origin?: string;
  rpId?: string;
  type?: string;
  /** User present 1, verified 4. */
  flags?: number;
  counter?: number;
  userHandle?: string;
  credentialId?: string;
  signer?: Authenticator;
  crossOrigin?: boolean;
  /** Of the attestation, which nobody asked for. */
  format?: string;
  /** What stands behind the key, instead of nothing. */
  trailing?: number[];
}

/** What authenticators sign with, under its number in the registry of COSE. */
const schemes = {
  ES256: { number: -7, generate: { name: "ECDSA", namedCurve: "P-256" }, sign: { name: "ECDSA", hash: "SHA-256" } },
  EdDSA: { number: -8, generate: { name: "Ed25519" }, sign: { name: "Ed25519" } },
  RS256: { number: -257, generate: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256", modulusLength: 2048, publicExponent: Uint8Array.of(1, 0, 1) }, sign: { name: "RSASSA-PKCS1-v1_5" } },
  ES384: { number: -35, generate: { name: "ECDSA", namedCurve: "P-384" }, sign: { name: "ECDSA", hash: "SHA-384" } },
};
export type Scheme = keyof typeof schemes;

/** A passkey on some device, in software: one key for one person at one site. */
export class Authenticator {
  readonly id: string;
  readonly #scheme: Scheme;
  readonly #keys: CryptoKeyPair;
  #counter = 0;
  #userHandle = "";

  private constructor(scheme: Scheme, keys: CryptoKeyPair) {
    this.#scheme = scheme;
    this.#keys = keys;
    this.id = base64url(crypto.getRandomValues(new Uint8Array(32)));
  }

  static async make(scheme: Scheme = "ES256"): Promise<Authenticator> {
    return new Authenticator(scheme, (await crypto.subtle.generateKey(schemes[scheme].generate, true, ["sign", "verify"])) as CryptoKeyPair);
  }

  async create(options: { challenge: string; rp: { id?: string }; user: { id: string } }, twist: Twist = {}): Promise<Record<string, unknown>> {
    this.#userHandle = options.user.id;
    const id = bytesOf(this.id);
    const attested = concat(new Uint8Array(16), [0, id.length], id, await this.#coseKey(), twist.trailing ?? []);
    const authenticatorData = concat(await this.#head(twist.rpId ?? options.rp.id ?? "", (twist.flags ?? 5) | 0x40, 0), attested);
    const attestationObject = cbor(new Map<string, unknown>([["fmt", twist.format ?? "none"], ["attStmt", new Map()], ["authData", authenticatorData]]));
    return this.#credential(twist, { clientDataJSON: base64url(this.#clientData("webauthn.create", options.challenge, twist)), attestationObject: base64url(attestationObject), transports: ["internal"] });
  }

  async get(options: { challenge: string; rpId?: string }, twist: Twist = {}): Promise<Record<string, unknown>> {
    this.#counter = twist.counter ?? this.#counter + 1;
    const clientData = this.#clientData("webauthn.get", options.challenge, twist);
    const authenticatorData = await this.#head(twist.rpId ?? options.rpId ?? "", twist.flags ?? 5, this.#counter);
    const signature = await (twist.signer ?? this).#sign(concat(authenticatorData, await sha256(clientData)));
    return this.#credential(twist, {
      clientDataJSON: base64url(clientData),
      authenticatorData: base64url(authenticatorData),
      signature: base64url(signature),
      userHandle: twist.userHandle ?? this.#userHandle,
    });
  }

  #clientData(type: string, challenge: string, twist: Twist): Uint8Array<ArrayBuffer> {
    return utf8(JSON.stringify({ type: twist.type ?? type, challenge: twist.challenge ?? challenge, origin: twist.origin ?? "http://localhost", crossOrigin: twist.crossOrigin ?? false }));
  }

  async #head(rpId: string, flags: number, counter: number): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = new Uint8Array(4);
    new DataView(bytes.buffer).setUint32(0, counter);
    return concat(await sha256(utf8(rpId)), [flags], bytes);
  }

  /** RFC 9053 and RFC 8230. */
  async #coseKey(): Promise<Uint8Array<ArrayBuffer>> {
    const { number } = schemes[this.#scheme];
    const { kty, x, y, n, e } = (await crypto.subtle.exportKey("jwk", this.#keys.publicKey)) as JsonWebKey;
    if (kty === "RSA") return cbor(new Map<number, unknown>([[1, 3], [3, number], [-1, bytesOf(n)], [-2, bytesOf(e)]]));
    if (kty === "OKP") return cbor(new Map<number, unknown>([[1, 1], [3, number], [-1, 6], [-2, bytesOf(x)]]));
    return cbor(new Map<number, unknown>([[1, 2], [3, number], [-1, this.#scheme === "ES256" ? 1 : 2], [-2, bytesOf(x)], [-3, bytesOf(y)]]));
  }

  async #sign(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
    const signature = new Uint8Array(await crypto.subtle.sign(schemes[this.#scheme].sign, this.#keys.privateKey, bytes));
    return schemes[this.#scheme].sign.name === "ECDSA" ? der(signature) : signature;
  }

  #credential(twist: Twist, response: Record<string, unknown>): Record<string, unknown> {
    const id = twist.credentialId ?? this.id;
    return { id, rawId: id, type: "public-key", authenticatorAttachment: "platform", clientExtensionResults: {}, response };
  }
}
