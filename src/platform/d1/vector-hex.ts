/** ES2026; TypeScript 5.9 has no types for it. */
interface HexBytes {
  toHex(): string;
}
interface HexBytesConstructor {
  fromHex(text: string): Uint8Array<ArrayBuffer>;
}

/** D1 carries a BLOB as a JSON array of its bytes, which takes twice as long as this (measured at 256 and 1,024 dimensions). */
export const toHex = (vector: Float32Array): string => (new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength) as unknown as HexBytes).toHex();
export const fromHex = (text: string): Float32Array => new Float32Array((Uint8Array as unknown as HexBytesConstructor).fromHex(text).buffer);
