import { charCodes } from "../char-codes.ts";
import { stopWords } from "../../text/query-terms.ts";

/** Written anew by every call of `wordHashes`: an array for each text would keep the garbage collector busier than the work. */
let scratch = new Uint32Array(4_096);

/**
 * Words as 32-bit hashes (FNV-1a), for comparing many texts in little time; valid until the next call. Scripts written
 * without spaces give one word per character.
 */
function wordHashes(text: string): Uint32Array {
  const lower = text.toLowerCase();
  const codes = charCodes(lower);
  if (scratch.length <= lower.length) scratch = new Uint32Array(2 * lower.length);
  const found = scratch;
  let count = 0;
  let hash = 0;
  // The 0 behind the text ends its last word.
  for (let i = 0; i <= lower.length; i += 1) {
    const code = codes[i] as number;
    const kind = code <= lastAscii ? (asciiKinds[code] as number) : kindOf(code);
    if (kind === letter) {
      hash = Math.imul((hash === 0 ? fnvOffset : hash) ^ code, fnvPrime);
      continue;
    }
    if (hash !== 0) found[count++] = hash;
    hash = 0;
    if (kind === unspaced) found[count++] = Math.imul(fnvOffset ^ code, fnvPrime);
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

const gap = 0;
const letter = 1;
const unspaced = 2;
const kindOf = (code: number): number => (isLetter(code) ? letter : isUnspaced(code) ? unspaced : gap);
const lastAscii = 0x7f;
const asciiKinds = Uint8Array.from({ length: lastAscii + 1 }, (_, code) => kindOf(code));

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

let stopHashes: readonly number[] | undefined;

/**
 * How much the telling words of some texts overlap. One inverted index counts what each two of them share: to compare sorted
 * lists two by two takes ten times as long for 30 texts of 1,000 words.
 */
export class WordOverlap {
  readonly #sizes: Int32Array;
  /** For each two texts, the later one first. */
  readonly #shared: Int32Array;

  constructor(texts: readonly string[]) {
    stopHashes ??= [...stopWords].map((word) => wordHashes(word)[0] as number);
    const words = texts.map((text) => wordHashes(text).slice());
    this.#sizes = new Int32Array(texts.length);
    this.#shared = new Int32Array(texts.length * texts.length);
    const index = new Postings(stopHashes.length + words.reduce((sum, { length }) => sum + length, 0));
    for (const hash of stopHashes) index.add(hash, isStopped);
    for (const [text, hashes] of words.entries()) this.#count(index, text, hashes);
  }

  /** |A ∩ B| / |A ∪ B| of the words of two texts. */
  jaccard(a: number, b: number): number {
    const shared = this.#shared[Math.max(a, b) * this.#sizes.length + Math.min(a, b)] as number;
    const all = (this.#sizes[a] as number) + (this.#sizes[b] as number) - shared;
    return all === 0 ? 0 : shared / all;
  }

  #count(index: Postings, text: number, hashes: Uint32Array): void {
    const [shared, row] = [this.#shared, text * this.#sizes.length];
    for (let i = 0; i < hashes.length; i += 1) {
      const newest = index.newestOf(hashes[i] as number);
      const holder = newest === 0 ? undefined : index.texts[newest - 1];
      if (holder === isStopped || holder === text) continue;
      for (let entry = newest; entry > 0; entry = index.before[entry - 1] as number) {
        const other = row + (index.texts[entry - 1] as number);
        shared[other] = (shared[other] as number) + 1;
      }
      index.add(hashes[i] as number, text);
      this.#sizes[text] = (this.#sizes[text] as number) + 1;
    }
  }
}

/** Stands in for a text: the word counts in none. */
const isStopped = -1;

/** Which texts hold a hash, in flat arrays: for each hash its newest entry, for each entry its text and the entry before, both plus one. */
class Postings {
  readonly texts: Int32Array;
  readonly before: Int32Array;
  readonly #hashes: Uint32Array;
  readonly #newest: Int32Array;
  #entries = 0;

  constructor(most: number) {
    const size = 2 ** Math.ceil(Math.log2(2 * most + 2));
    [this.texts, this.before, this.#hashes, this.#newest] = [new Int32Array(most), new Int32Array(most), new Uint32Array(size), new Int32Array(size)];
  }

  newestOf(hash: number): number {
    return this.#newest[this.#slotOf(hash)] as number;
  }

  add(hash: number, text: number): void {
    const slot = this.#slotOf(hash);
    this.texts[this.#entries] = text;
    this.before[this.#entries] = this.#newest[slot] as number;
    this.#entries += 1;
    this.#hashes[slot] = hash;
    this.#newest[slot] = this.#entries;
  }

  /** Where the hash stands, or would. */
  #slotOf(hash: number): number {
    const mask = this.#hashes.length - 1;
    let slot = (hash ^ (hash >>> 15)) & mask;
    while (this.#newest[slot] !== 0 && this.#hashes[slot] !== hash) slot = (slot + 1) & mask;
    return slot;
  }
}
