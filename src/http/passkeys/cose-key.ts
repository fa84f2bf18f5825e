import { decodePartialCBOR } from "@levischuck/tiny-cbor";
import { toBase64url } from "../../domain/secrets/base64url.ts";

/** ES256, EdDSA, RS256: what authenticators have, and nothing weaker (IANA's COSE algorithms). */
export const algorithms = [-7, -8, -257];

/** Labels of a COSE key (RFC 9052, RFC 9053, RFC 8230): a curve and a modulus share one, as their key types never meet. */
const label = { type: 1, algorithm: 3, curve: -1, x: -2, y: -3, modulus: -1, exponent: -2 };

/** The first of several CBOR items (RFC 8949), and where the next one begins. @throws when there is none, or not all of it */
export function firstItem(bytes: Uint8Array, from = 0): { value: unknown; end: number } {
  // A copy: the decoder reads the whole buffer below a view.
  const [value, length] = decodePartialCBOR(bytes.slice(from), 0);
  const end = from + length;
  if (end > bytes.length) throw new Error("CBOR ends too early");
  return { value, end };
}

/** @throws when the key is none of `algorithms` */
export async function importCoseKey(bytes: Uint8Array): Promise<(signature: Uint8Array<ArrayBuffer>, data: Uint8Array<ArrayBuffer>) => Promise<boolean>> {
  const { value: key, end } = firstItem(bytes);
  if (!(key instanceof Map) || end !== bytes.length) throw new Error("not a COSE key");
  const { jwk, algorithm } = webCryptoForm(key);
  const imported = await crypto.subtle.importKey("jwk", jwk, algorithm, false, ["verify"]);
  return (signature, data) => crypto.subtle.verify(algorithm, imported, algorithm.name === "ECDSA" ? rawSignature(signature) : signature, data);
}

/** WebAuthn (section 5.8.5) ties each algorithm to one curve. */
function webCryptoForm(key: Map<unknown, unknown>): { jwk: JsonWebKey; algorithm: { name: string; hash?: string; namedCurve?: string } } {
  const text = (at: number): string => {
    const value = key.get(at);
    if (!(value instanceof Uint8Array)) throw new Error("a number of the key is missing");
    return toBase64url(value);
  };
  const form = `${key.get(label.algorithm)} ${key.get(label.type)}`;
  if (form === "-7 2" && key.get(label.curve) === 1) {
    return { jwk: { kty: "EC", crv: "P-256", x: text(label.x), y: text(label.y) }, algorithm: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } };
  }
  if (form === "-8 1" && key.get(label.curve) === 6) return { jwk: { kty: "OKP", crv: "Ed25519", x: text(label.x) }, algorithm: { name: "Ed25519" } };
  if (form === "-257 3") return { jwk: { kty: "RSA", n: text(label.modulus), e: text(label.exponent) }, algorithm: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" } };
  throw new Error("a key of another algorithm");
}

const size = 32;

/** ECDSA signatures come as two DER integers (RFC 3279, section 2.2.3); WebCrypto takes two numbers of 32 bytes. */
function rawSignature(der: Uint8Array): Uint8Array<ArrayBuffer> {
  const raw = new Uint8Array(2 * size);
  const [sequence, length] = der;
  if (sequence !== 0x30 || length !== der.length - 2) throw new Error("not a DER signature");
  let at = 2;
  for (const place of [size, 2 * size]) {
    const end = at + 2 + (der[at + 1] ?? 0);
    if (der[at] !== 2 || end > der.length) throw new Error("not a DER integer");
    // A zero goes before a number whose first bit is set, or it would be negative.
    const digits = der.subarray(der[at + 2] === 0 ? at + 3 : at + 2, end);
    if (digits.length > size) throw new Error("a number of the signature is too long");
    raw.set(digits, place - digits.length);
    at = end;
  }
  if (at !== der.length) throw new Error("bytes after the signature");
  return raw;
}
