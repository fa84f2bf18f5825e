import { charCodes } from "../char-codes.ts";
import { stopWords } from "../../text/query-terms.ts";

/** Written anew by every call of `wordHashes`: an array for each text would keep the garbage collector busier than the work. */
let scratch = new Int32Array(4_096);

/**
 * Words as signed 32-bit hashes (FNV-1a), for comparing many texts in little time; valid until the next call. Scripts written
 * without spaces give one word per character.
 */
export function wordHashes(text: string): Int32Array {
  const lower = text.toLowerCase();
  const codes = charCodes(lower);
  if (scratch.length <= lower.length) scratch = new Int32Array(2 * lower.length);
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

/** A text, and its `wordHashes` where somebody has them. */
interface Worded {
  text: string;
  words?: Int32Array;
}

const wordsOf = ({ text, words }: Worded): Int32Array => words ?? wordHashes(text).slice();

/** How many pairs of neighbouring words a text has; a single word counts as one. */
const pairCount = (words: Int32Array): number => Math.max(Math.min(1, words.length), words.length - 1);
const pairAt = (words: Int32Array, at: number): number =>
  words.length === 1 ? (words[0] as number) : Math.imul((words[at] as number) ^ 0x9e3779b9, 0x85ebca6b) ^ (words[at + 1] as number);

/**
 * The pairs of neighbouring words; the word itself where there is but one. Pairs and not longer shingles, because
 * memories are short: one word of twenty replaced leaves 89% of the pairs and 83% of the triples.
 */
export function wordPairs(worded: Worded): Int32Array {
  const words = wordsOf(worded);
  return Int32Array.from({ length: pairCount(words) }, (_, at) => pairAt(words, at));
}

/** The share of `part` that stands in `whole` as well (containment, Broder 1997). */
export function containment(part: Int32Array, whole: ReadonlySet<number>): number {
  if (part.length === 0) return 0;
  let shared = 0;
  for (const hash of part) if (whole.has(hash)) shared += 1;
  return shared / part.length;
}

/** In word pairs. A text of no more is compared whole, of a longer one so many from all over it. */
const sampleSize = 64;
/** The share of a sample that another text holds at least if it holds `sameContent` of the whole: one in 10^9 holds less. */
const sampledShare = 0.5;

/**
 * Which of some texts may say most of another one. Of each text a sample of its word pairs is looked for in all others, each
 * of which is read once: 60 texts of 1,000 words take no longer than sixty small ones do when they are compared whole.
 */
export class PairOverlap {
  readonly #texts: number;
  /** How many of its sample a text must find in another one. */
  readonly #least: readonly number[];
  /** For each text how many of its sample each text holds. */
  readonly #held: Uint8Array;

  constructor(texts: readonly Worded[], threshold: number) {
    const all = texts.map(wordsOf);
    const samples = all.map(sampleOf);
    this.#texts = texts.length;
    this.#least = samples.map(({ length }, i) => length * (length < pairCount(all[i] as Int32Array) ? sampledShare : threshold));
    this.#held = new Uint8Array(texts.length ** 2);
    const wanted = new HashLists(samples.reduce((sum, { length }) => sum + length, 0));
    for (let owner = 0; owner < samples.length; owner += 1) {
      const sample = samples[owner] as Int32Array;
      for (let i = 0; i < sample.length; i += 1) wanted.add(sample[i] as number, owner);
    }
    for (let text = 0; text < all.length; text += 1) this.#read(text, all[text] as Int32Array, wanted);
  }

  /** Whether `whole` may hold a share of the pairs of `part` that reaches the threshold; it does where it certainly does. */
  mayHold(whole: number, part: number): boolean {
    return (this.#held[part * this.#texts + whole] as number) >= (this.#least[part] as number);
  }

  #read(text: number, words: Int32Array, wanted: HashLists): void {
    const [held, texts, seen] = [this.#held, this.#texts, text + 1];
    const { filter, newest, marks, owners, before } = wanted;
    const count = pairCount(words);
    for (let at = 0; at < count; at += 1) {
      const hash = pairAt(words, at);
      if (((filter[(hash >>> 5) & filterMask] as number) & (1 << (hash & 31))) === 0) continue;
      const slot = wanted.slotOf(hash);
      // Once for each text, so that one that repeats itself costs no more.
      if (newest[slot] === 0 || marks[slot] === seen) continue;
      marks[slot] = seen;
      for (let entry = newest[slot] as number; entry > 0; entry = before[entry - 1] as number) {
        const place = (owners[entry - 1] as number) * texts + text;
        held[place] = (held[place] as number) + 1;
      }
    }
  }
}

/** Pairs of a text: one from each of as many equal parts, at a place that no pattern of the text follows. */
function sampleOf(words: Int32Array): Int32Array {
  const count = pairCount(words);
  const size = Math.min(count, sampleSize);
  const sample = new Int32Array(size);
  for (let i = 0; i < size; i += 1) {
    const share = count === size ? 0 : (Math.imul(i + 1, 0x9e3779b9) >>> 0) / 2 ** 32;
    sample[i] = pairAt(words, Math.floor(((i + share) * count) / size));
  }
  return sample;
}

/** 8 KB, which stay in the processor's nearest cache. */
const filterMask = 2 ** 11 - 1;

/** A hash table in flat arrays: for each hash its newest entry and a mark, for each entry its owner and the entry before, entries plus one. */
class HashLists {
  /** A bit for 16 bits of a hash; most hashes that the table does not hold have none. */
  readonly filter = new Int32Array(filterMask + 1);
  readonly newest: Int32Array;
  readonly marks: Int32Array;
  readonly owners: Int32Array;
  readonly before: Int32Array;
  readonly #hashes: Int32Array;
  #entries = 0;

  constructor(most: number) {
    const size = tableSize(most);
    [this.newest, this.marks, this.#hashes] = [new Int32Array(size), new Int32Array(size), new Int32Array(size)];
    [this.owners, this.before] = [new Int32Array(most), new Int32Array(most)];
  }

  /** Where the hash stands, or would. */
  slotOf(hash: number): number {
    return slotIn(this.#hashes, this.newest, hash);
  }

  add(hash: number, owner: number): void {
    const slot = this.slotOf(hash);
    const word = (hash >>> 5) & filterMask;
    this.filter[word] = (this.filter[word] as number) | (1 << (hash & 31));
    this.#hashes[slot] = hash;
    this.owners[this.#entries] = owner;
    this.before[this.#entries] = this.newest[slot] as number;
    this.#entries += 1;
    this.newest[slot] = this.#entries;
  }
}

const tableSize = (most: number): number => 2 ** Math.ceil(Math.log2(2 * most + 2));

/** The slot of a hash in a table of linear probing, where `taken` is not 0 in those that hold one. */
function slotIn(hashes: Int32Array, taken: Int32Array, hash: number): number {
  const mask = hashes.length - 1;
  let slot = (hash ^ (hash >>> 15)) & mask;
  while (taken[slot] !== 0 && hashes[slot] !== hash) slot = (slot + 1) & mask;
  return slot;
}

let stopHashes: readonly number[] | undefined;

/** How much the telling words of some texts overlap, at most 32 of them: each word has a bit for each text that holds it. */
export class WordOverlap {
  readonly #sizes: Int32Array;
  /** For each two texts, the later one first. */
  readonly #shared: Int32Array;

  constructor(texts: readonly Worded[]) {
    stopHashes ??= [...stopWords].map((word) => wordHashes(word)[0] as number);
    const all = texts.map(wordsOf);
    this.#sizes = new Int32Array(texts.length);
    this.#shared = new Int32Array(texts.length ** 2);
    const size = tableSize(stopHashes.length + all.reduce((sum, { length }) => sum + length, 0));
    const [hashes, holders] = [new Int32Array(size), new Int32Array(size)];
    for (const hash of stopHashes) {
      const slot = slotIn(hashes, holders, hash);
      hashes[slot] = hash;
      // As if every text had said it.
      holders[slot] = ~0;
    }
    for (const [text, words] of all.entries()) this.#count(text, words, hashes, holders);
  }

  /** |A ∩ B| / |A ∪ B| of the words of two texts. */
  jaccard(a: number, b: number): number {
    const shared = this.#shared[Math.max(a, b) * this.#sizes.length + Math.min(a, b)] as number;
    const all = (this.#sizes[a] as number) + (this.#sizes[b] as number) - shared;
    return all === 0 ? 0 : shared / all;
  }

  #count(text: number, words: Int32Array, hashes: Int32Array, holders: Int32Array): void {
    const [shared, row, bit] = [this.#shared, text * this.#sizes.length, 1 << text];
    let size = 0;
    for (let i = 0; i < words.length; i += 1) {
      const hash = words[i] as number;
      const slot = slotIn(hashes, holders, hash);
      const before = holders[slot] as number;
      if ((before & bit) !== 0) continue;
      hashes[slot] = hash;
      holders[slot] = before | bit;
      size += 1;
      for (let left = before; left !== 0; left &= left - 1) {
        const other = row + 31 - Math.clz32(left & -left);
        shared[other] = (shared[other] as number) + 1;
      }
    }
    this.#sizes[text] = size;
  }
}
