/**
 * Text with the statistics of language, the same in every run: words by Zipf's law (weight 1/rank) over 20,000
 * pronounceable pseudo-words. What a full-text query costs depends on how many memories share its words, so
 * uniform random words would make every index look fast.
 */

export type Random = () => number;

/** mulberry32: small, seeded, good enough to draw words. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const vocabularySize = 20_000;
/** Frequent words are short (Zipf's law of abbreviation): two syllables up to this rank, then three. */
const shortWords = 2_000;
/** A real query's function words are stop words; ours has none to stop, so queries leave out the commonest. */
const stopWords = 100;

const consonants = "bdfghklmnprstvz";
/** No "e" and no final "i": keeps clear of English stop words (were, have) and of the Porter stemmer's suffixes. */
const vowels = "aiou";
const lastVowels = "aou";

const pick = (random: Random, letters: string): string => letters.charAt(Math.floor(random() * letters.length));

function makeVocabulary(): string[] {
  const random = seeded(20_000);
  const words = new Set<string>();
  while (words.size < vocabularySize) {
    let word = "";
    for (let syllable = words.size < shortWords ? 1 : 2; syllable > 0; syllable -= 1) {
      word += pick(random, consonants) + pick(random, vowels);
    }
    words.add(word + pick(random, consonants) + pick(random, lastVowels));
  }
  return [...words];
}

export const vocabulary: readonly string[] = makeVocabulary();

const cumulative = new Float64Array(vocabularySize);
for (let rank = 1, sum = 0; rank <= vocabularySize; rank += 1) {
  sum += 1 / rank;
  cumulative[rank - 1] = sum;
}

/** One word by Zipf's law, never one of the `skip` commonest. */
export function drawWord(random: Random, skip = 0): string {
  const below = skip === 0 ? 0 : (cumulative[skip - 1] as number);
  const total = cumulative[vocabularySize - 1] as number;
  const target = below + random() * (total - below);
  let low = skip;
  let high = vocabularySize - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((cumulative[middle] as number) <= target) low = middle + 1;
    else high = middle;
  }
  return vocabulary[low] as string;
}

/** 20 to 40 words, about 200 bytes: the size of a remembered fact or decision. */
export function drawContent(random: Random): string {
  const length = 20 + Math.floor(random() * 21);
  return Array.from({ length }, () => drawWord(random)).join(" ");
}

/** Of a memory's content. */
const mostCharacters = 10_000;

/** 1,500 to 10,000 characters in sentences and paragraphs: what somebody writes who tells of a day's work. */
export function drawLongContent(random: Random): string {
  const length = 1_500 + Math.floor(random() * 8_500);
  let text = "";
  for (let sentence = 1; text.length < length; sentence += 1) {
    const words = Array.from({ length: 6 + Math.floor(random() * 14) }, () => (random() < 0.03 ? String(Math.floor(random() * 5_000)) : drawWord(random))).join(" ");
    text += `${words.charAt(0).toUpperCase()}${words.slice(1)}.${sentence % 5 === 0 ? "\n\n" : " "}`;
  }
  return text.slice(0, mostCharacters).trim();
}

const capitalised = (word: string): string => `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
/** People and services of a team, by rank: a few are in many of its memories. */
const people: readonly string[] = Array.from({ length: 240 }, (_, i) => `${capitalised(vocabulary[3_000 + i] as string)} ${capitalised(vocabulary[4_000 + i] as string)}`);
const services: readonly string[] = Array.from({ length: 120 }, (_, i) => `${capitalised(vocabulary[5_000 + i] as string)}${capitalised(vocabulary[6_000 + i] as string)}`);
const verbs = ["works on", "owns", "uses", "depends on", "replaces"] as const;
const drawOne = (random: Random, names: readonly string[]): string => names[Math.floor(names.length ** random()) - 1] as string;

/** A memory that names who does what with which service, so that the graph has hundreds of entities and thousands of relationships. */
export function drawConnectedContent(random: Random): string {
  const [who, what, other] = [drawOne(random, people), drawOne(random, services), drawOne(random, services)];
  const verb = verbs[2 + Math.floor(random() * 3)] as string;
  return `${who} ${random() < 0.5 ? verbs[0] : verbs[1]} ${what}. ${what} ${verb} ${other}. ${drawContent(random)}`;
}

/** Asks of somebody's service: names beside three other words. */
export const drawConnectedQuery = (random: Random): string => `${drawOne(random, people)} ${drawOne(random, services)} ${drawQuery(random, 3)}`;

/** Distinct words by the same law without the commonest; on average one memory in 40 holds one of five. */
export function drawQuery(random: Random, words = 5): string {
  const drawn = new Set<string>();
  while (drawn.size < words) drawn.add(drawWord(random, stopWords));
  return [...drawn].join(" ");
}

export interface BenchMemory {
  key: string;
  content: string;
}

/** An endless supply of memories with new keys; the same seed gives the same memories. */
export class Corpus {
  readonly prefix: string;
  readonly #random: Random;
  readonly #draw: (random: Random) => string;
  #next = 0;

  constructor(prefix: string, seed: number, draw = drawContent) {
    this.prefix = prefix;
    this.#random = seeded(seed);
    this.#draw = draw;
  }

  get size(): number {
    return this.#next;
  }

  keyAt(index: number): string {
    return `bench/${this.prefix}/${index}`;
  }

  next(): BenchMemory {
    const key = this.keyAt(this.#next);
    this.#next += 1;
    return { key, content: this.#draw(this.#random) };
  }

  take(count: number): BenchMemory[] {
    return Array.from({ length: count }, () => this.next());
  }
}
