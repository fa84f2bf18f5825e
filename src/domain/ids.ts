import { sha256Hex } from "./hash.ts";

/** UUIDv7 (RFC 9562 section 5.7): 48 bits of milliseconds, then random, so that ids sort by creation time. */
export function uuidv7(now: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const view = new DataView(bytes.buffer);
  view.setUint16(0, Math.floor(now / 2 ** 32));
  view.setUint32(2, now >>> 0);
  view.setUint8(6, (view.getUint8(6) & 0x0f) | 0x70);
  view.setUint8(8, (view.getUint8(8) & 0x3f) | 0x80);
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
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
