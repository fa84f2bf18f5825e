import * as z from "zod";
import { invalid } from "../errors.ts";
import { fromBase64url, toBase64url } from "../secrets/base64url.ts";

/**
 * A passport in a compact JWE (RFC 7516): PBES2-HS512+A256KW (RFC 7518, section 4.8) and A256GCM. The passphrase is all that opens it, and
 * it is kept nowhere.
 */
const alg = "PBES2-HS512+A256KW";
const enc = "A256GCM";

/** The most that the runtime derives a key with, which makes guessing a passphrase slow. */
const iterations = 100_000;
const tagBytes = 16;

const headerShape = z.strictObject({ alg: z.literal(alg), enc: z.literal(enc), typ: z.string().optional(), p2c: z.number().int().min(1).max(iterations), p2s: z.string().min(11).max(100) });
const utf8 = new TextEncoder();

/** A compact JWE begins with the base64url of `{"`. */
export const isEncrypted = (passport: string): boolean => passport.startsWith("eyJ");

export async function encryptPassport(passport: string, passphrase: string): Promise<string> {
  const salt = crypto.getRandomValues(new Uint8Array(16));
  const header = { alg, enc, typ: "omnimemory-passport", p2c: iterations, p2s: toBase64url(salt) } as const;
  const protectedHeader = toBase64url(utf8.encode(JSON.stringify(header)));
  const key = (await crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, true, ["encrypt"])) as CryptoKey;
  const wrapped = (await crypto.subtle.wrapKey("raw", key, await keyOf(passphrase, header, "wrapKey"), "AES-KW")) as ArrayBuffer;
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const sealed = new Uint8Array(await crypto.subtle.encrypt({ name: "AES-GCM", iv, additionalData: utf8.encode(protectedHeader) }, key, utf8.encode(passport)));
  const parts = [new Uint8Array(wrapped), iv, sealed.subarray(0, -tagBytes), sealed.subarray(-tagBytes)];
  return [protectedHeader, ...parts.map(toBase64url)].join(".");
}

/** @throws VALIDATION_ERROR when it cannot be opened, whatever the reason */
export async function decryptPassport(passport: string, passphrase: string | undefined): Promise<string> {
  if (passphrase === undefined) throw invalid("The passport is encrypted.", "Give the passphrase with which it was exported.");
  try {
    const [protectedHeader, wrapped, iv, sealed, tag, ...more] = passport.split(".");
    if (protectedHeader === undefined || wrapped === undefined || iv === undefined || sealed === undefined || tag === undefined || more.length > 0) throw new Error("It has not five parts");
    const header = headerShape.parse(JSON.parse(new TextDecoder().decode(bytesOf(protectedHeader))));
    const key = await crypto.subtle.unwrapKey("raw", bytesOf(wrapped), await keyOf(passphrase, header, "unwrapKey"), "AES-KW", "AES-GCM", false, ["decrypt"]);
    const whole = new Uint8Array([...bytesOf(sealed), ...exactly(tagBytes, bytesOf(tag))]);
    const opened = await crypto.subtle.decrypt({ name: "AES-GCM", iv: exactly(12, bytesOf(iv)), additionalData: utf8.encode(protectedHeader) }, key, whole);
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(opened);
  } catch {
    throw invalid("The passport does not open with this passphrase, or it was changed.", "Check the passphrase, and paste the passport exactly as it was exported.");
  }
}

async function keyOf(passphrase: string, { p2s, p2c }: { p2s: string; p2c: number }, use: "wrapKey" | "unwrapKey"): Promise<CryptoKey> {
  const base = await crypto.subtle.importKey("raw", utf8.encode(passphrase.normalize("NFC")), "PBKDF2", false, ["deriveKey"]);
  const salt = new Uint8Array([...utf8.encode(alg), 0, ...bytesOf(p2s)]);
  return crypto.subtle.deriveKey({ name: "PBKDF2", hash: "SHA-512", salt, iterations: p2c }, base, { name: "AES-KW", length: 256 }, false, [use]);
}

/** One text for one sequence of bytes: another spelling of them is another byte of the document. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const bytes = fromBase64url(text);
  if (toBase64url(bytes) !== text) throw new Error("It is not base64url");
  return bytes;
}

function exactly(length: number, bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  if (bytes.byteLength !== length) throw new Error("A part has another length");
  return bytes;
}
