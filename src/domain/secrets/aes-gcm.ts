import { fromBase64url, toBase64url } from "./base64url.ts";

/** Bytes of a nonce (96 bits, random) and of an authentication tag (NIST SP 800-38D). */
const nonceLength = 12;
const tagLength = 16;

const algorithm = "AES-GCM";
const utf8 = new TextEncoder();

/** 256 bits; what was imported cannot be read out again. */
export const importKey = (secret: Uint8Array<ArrayBuffer>): Promise<CryptoKey> => crypto.subtle.importKey("raw", secret, algorithm, false, ["encrypt", "decrypt"]);

/** base64url of nonce, ciphertext and tag. `about` is authenticated with it, and must be said again to open it. */
export async function encrypt(key: CryptoKey, about: string, plain: Uint8Array<ArrayBuffer>): Promise<string> {
  const nonce = crypto.getRandomValues(new Uint8Array(nonceLength));
  const sealed = new Uint8Array(await crypto.subtle.encrypt({ name: algorithm, iv: nonce, additionalData: utf8.encode(about), tagLength: 8 * tagLength }, key, plain));
  const whole = new Uint8Array(nonceLength + sealed.length);
  whole.set(nonce);
  whole.set(sealed, nonceLength);
  return toBase64url(whole);
}

/** `undefined` when this was not encrypted with this key about this. */
export async function decrypt(key: CryptoKey, about: string, sealed: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  try {
    const whole = fromBase64url(sealed);
    const parameters = { name: algorithm, iv: whole.subarray(0, nonceLength), additionalData: utf8.encode(about), tagLength: 8 * tagLength };
    return new Uint8Array(await crypto.subtle.decrypt(parameters, key, whole.subarray(nonceLength)));
  } catch {
    return undefined;
  }
}
