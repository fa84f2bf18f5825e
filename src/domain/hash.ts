const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** The idempotency key of a part of a call, of at most 200 characters. A key that leaves it no room is hashed: cut off, it would be another one's that begins the same. */
export const keyOfPart = async (key: string, part: string): Promise<string> => `${key.length + part.length < 200 ? key : await sha256Hex(key)}/${part}`;

/** SHA-256 of the UTF-8 bytes, lower-case hex. */
export async function sha256Hex(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  let written = "";
  for (const byte of new Uint8Array(digest)) written += hex[byte];
  return written;
}
