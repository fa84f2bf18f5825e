/** A namespace of our own for RFC 9562 section 5.5; random, and never to change. */
const namespace = Uint8Array.from([0x6f, 0x1d, 0x0c, 0x52, 0x93, 0x0b, 0x4e, 0x7a, 0xa1, 0x58, 0x2c, 0x9e, 0x47, 0xd3, 0x80, 0x15]);

/** UUIDv5 (RFC 9562 section 5.5) of the parts: the same thing has the same id, so nothing need be looked up before it is written. */
export async function nameBasedId(parts: string[]): Promise<string> {
  const name = new TextEncoder().encode(JSON.stringify(parts));
  const input = new Uint8Array(namespace.length + name.length);
  input.set(namespace);
  input.set(name, namespace.length);
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-1", input)).slice(0, 16);
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x50;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
