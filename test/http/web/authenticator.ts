/** Base64url without padding, as WebAuthn writes bytes in JSON. */
export const base64url = (bytes: ArrayBuffer | Uint8Array): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

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

/** ECDSA signatures as WebAuthn has them: DER, where WebCrypto gives two numbers of 32 bytes. */
function der(raw: Uint8Array): Uint8Array<ArrayBuffer> {
  const integer = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => {
    const first = bytes.findIndex((byte) => byte !== 0);
    const short = bytes.slice(first);
    const body = (short[0] ?? 0) >= 128 ? concat([0], short) : short;
    return concat([2, body.length], body);
  };
  const body = concat(integer(raw.slice(0, 32)), integer(raw.slice(32)));
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
}

/** A passkey on some device, in software: one P-256 key for one person at one site. */
export class Authenticator {
  readonly id: string;
  readonly #keys: CryptoKeyPair;
  #counter = 0;
  #userHandle = "";

  private constructor(keys: CryptoKeyPair) {
    this.#keys = keys;
    this.id = base64url(crypto.getRandomValues(new Uint8Array(32)));
  }

  static async make(): Promise<Authenticator> {
    return new Authenticator((await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"])) as CryptoKeyPair);
  }

  async create(options: { challenge: string; rp: { id?: string }; user: { id: string } }, twist: Twist = {}): Promise<Record<string, unknown>> {
    this.#userHandle = options.user.id;
    const raw = new Uint8Array((await crypto.subtle.exportKey("raw", this.#keys.publicKey)) as ArrayBuffer);
    const cose = cbor(new Map<number, unknown>([[1, 2], [3, -7], [-1, 1], [-2, raw.slice(1, 33)], [-3, raw.slice(33)]]));
    const id = Uint8Array.from(atob(this.id.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));
    const attested = concat(new Uint8Array(16), [0, id.length], id, cose);
    const authenticatorData = concat(await this.#head(twist.rpId ?? options.rp.id ?? "", (twist.flags ?? 5) | 0x40, 0), attested);
    const attestationObject = cbor(new Map<string, unknown>([["fmt", "none"], ["attStmt", new Map()], ["authData", authenticatorData]]));
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
    return utf8(JSON.stringify({ type: twist.type ?? type, challenge: twist.challenge ?? challenge, origin: twist.origin ?? "http://localhost", crossOrigin: false }));
  }

  async #head(rpId: string, flags: number, counter: number): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = new Uint8Array(4);
    new DataView(bytes.buffer).setUint32(0, counter);
    return concat(await sha256(utf8(rpId)), [flags], bytes);
  }

  async #sign(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
    return der(new Uint8Array(await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, this.#keys.privateKey, bytes)));
  }

  #credential(twist: Twist, response: Record<string, unknown>): Record<string, unknown> {
    const id = twist.credentialId ?? this.id;
    return { id, rawId: id, type: "public-key", authenticatorAttachment: "platform", clientExtensionResults: {}, response };
  }
}
