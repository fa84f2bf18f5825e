import { sha256Hex } from "./hash.ts";

/** UUIDv7 (RFC 9562 section 5.7): 48 bits of milliseconds, then random, so that ids sort by creation time. */
export function uuidv7(now: number): string {
  const time = Math.floor(now).toString(16).padStart(12, "0");
  // The runtime writes 122 random bits as version 4; version 7 takes the last 74 of them, with the variant as it stands.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${crypto.randomUUID().slice(15)}`;
}

/** The UUID of a name, a version of our own (RFC 9562 section 5.8): the same name has the same id. */
export async function uuidOf(name: string): Promise<string> {
  const hex = await sha256Hex(name);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** The id of a copy, by whose it is and the id it is made of (last). It begins as that one does, which keeps its place in the order; the rest follows from the name. */
export async function copyId(name: [...string[], string]): Promise<string> {
  const original = name.at(-1) as string;
  const digest = await sha256Hex(JSON.stringify(name));
  // The variant stays as well.
  return `${original.slice(0, 20)}${digest.slice(0, 3)}-${digest.slice(3, 15)}`;
}

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** `length` characters of base62, unbiased: 5.95 bits each. */
export function randomBase62(length: number): string {
  let out = "";
  while (out.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length * 2))) {
      if (byte < 248 && out.length < length) out += alphabet[byte % 62];
    }
  }
  return out;
}
