let scratch = new Uint16Array(4_096);
let bytes = new Uint8Array(4_096);
const encoder = new TextEncoder();

/**
 * The UTF-16 code units of a text, followed by a 0, for loops that look at each of them several times: reading a typed array
 * is some times faster than `charCodeAt`, which has to tell at every call how the engine keeps the string. Written anew by the
 * next call; an array for each text would keep the garbage collector busier than the work.
 */
export function charCodes(text: string): Uint16Array {
  const { length } = text;
  if (scratch.length <= length) {
    scratch = new Uint16Array(2 * length);
    bytes = new Uint8Array(2 * length);
  }
  const codes = scratch;
  // One byte for each code unit, and every unit read: it is ASCII, which the engine copies as a whole.
  const { read, written } = encoder.encodeInto(text, bytes);
  if (read === length && written === length) codes.set(bytes.subarray(0, length));
  else for (let at = 0; at < length; at += 1) codes[at] = text.charCodeAt(at);
  codes[length] = 0;
  return codes;
}
