import { stopWords } from "./query-terms.ts";

/** Written anew by every call of `wordHashes`: an array for each text would keep the garbage collector busier than the work. */
let scratch = new Uint32Array(4_096);

/**
 * Words as 32-bit hashes (FNV-1a), for comparing many texts in little time; valid until the next call. Scripts written
 * without spaces give one word per character.
 */
function wordHashes(text: string): Uint32Array {
  const lower = text.toLowerCase();
  if (scratch.length < lower.length) scratch = new Uint32Array(lower.length);
  const found = scratch;
  let count = 0;
  let hash = 0;
  for (let i = 0; i <= lower.length; i += 1) {
    const code = i < lower.length ? lower.charCodeAt(i) : 0;
    if (isLetter(code)) {
      hash = Math.imul((hash === 0 ? fnvOffset : hash) ^ code, fnvPrime);
      continue;
    }
    if (hash !== 0) found[count++] = hash;
    hash = 0;
    if (isUnspaced(code)) found[count++] = Math.imul(fnvOffset ^ code, fnvPrime);
  }
  return found.subarray(0, count);
}

const fnvOffset = 0x811c9dc5;
const fnvPrime = 0x01000193;

const isUnspaced = (code: number): boolean => (code >= 0x2e80 && !isWidePunctuation(code)) || (code >= 0x0e00 && code < 0x0e80);
const isWidePunctuation = (code: number): boolean => (code >= 0x3000 && code < 0x3040) || code >= 0xfe00;
/** Letters of ASCII, digits, and what lies outside ASCII but for Latin-1 signs, punctuation and symbols (U+2000 to U+2BFF). */
const isLetter = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code === 95 ||
  (code >= 0xc0 && !(code >= 0x2000 && code < 0x2e80) && code < 0xfe00 && !isUnspaced(code) && !isWidePunctuation(code));

/**
 * The pairs of neighbouring words; the word itself where there is but one. Pairs and not longer shingles, because
 * memories are short: one word of twenty replaced leaves 89% of the pairs and 83% of the triples.
 */
export function wordPairs(text: string): Uint32Array {
  const words = wordHashes(text);
  if (words.length < 2) return words.slice();
  const pairs = new Uint32Array(words.length - 1);
  for (let i = 0; i < pairs.length; i += 1) pairs[i] = Math.imul((words[i] as number) ^ 0x9e3779b9, 0x85ebca6b) ^ (words[i + 1] as number);
  return pairs;
}

/** The share of `part` that stands in `whole` as well (containment, Broder 1997). */
export function containment(part: Uint32Array, whole: ReadonlySet<number>): number {
  if (part.length === 0) return 0;
  let shared = 0;
  for (const hash of part) if (whole.has(hash)) shared += 1;
  return shared / part.length;
}

let stopHashes: Set<number> | undefined;

/** The distinct telling words, sorted. */
export function tellingHashes(text: string): Uint32Array {
  stopHashes ??= new Set([...stopWords].map((word) => wordHashes(word)[0] as number));
  const hashes = wordHashes(text).slice().sort();
  let count = 0;
  for (const hash of hashes) if (hash !== hashes[count - 1] && !stopHashes.has(hash)) hashes[count++] = hash;
  return hashes.subarray(0, count);
}

/** |A ∩ B| / |A ∪ B| of two sorted sets. */
export function jaccard(a: Uint32Array, b: Uint32Array): number {
  let shared = 0;
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const left = a[i] as number;
    const right = b[j] as number;
    if (left === right) shared += 1;
    if (left <= right) i += 1;
    if (right <= left) j += 1;
  }
  const all = a.length + b.length - shared;
  return all === 0 ? 0 : shared / all;
}
