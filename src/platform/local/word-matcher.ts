import { LruMap } from "../../domain/lru-map.ts";
import { blockRows, CodeMemory } from "../team-index/vectors/code-memory.ts";
import type { DistinctWords, StaticEmbedder } from "./static-embedder.ts";
import type { WordAssociations } from "./word-associations.ts";
import { saysLittle } from "./word-forms.ts";

/** A name weighs as much as three words of the table, whose mean length is 1. */
const unknownWeight = 3;
/** Of what another word weighs: in a search among few texts "do" and "we" are rare, too, and say as little as elsewhere. */
const stopWordShare = 0.16;
/** Two words that are not nearer than this have nothing to do with each other. */
const unrelated = 0.4;
/** How fast a word counts less as it is less near, and a text as it is longer. */
const [nearPower, lengthPower] = [0.75, 0.7];
/** What is less nearer than this is as near. */
const asNear = 0.05;
/** In distinct words: of a text of so many twice as much would be expected as of an empty one. */
const usualWords = 15;
/** Texts whose words are kept, with them: the same memories are candidates again. Some 8,000 short ones. */
const maxKeptBytes = 16 * 2 ** 20;
/** About what a word takes in a set. */
const wordBytes = 40;

/**
 * Compares the words of a question with those of texts, each with the nearest one (late interaction; Khattab and Zaharia 2020): by their
 * vectors, and by what people are known to say in place of what.
 * A word counts the more the fewer texts are as near to it, and the less the longer the text is, as in full-text search. The constants above are
 * fitted on the half of the questions of `test/evals/sets` that is learned from: of those of four teams in other words the right memory is among the first
 * five of 160 in 71 of 100 (by the vectors of whole texts in 24), of those across languages in 89 (44).
 */
export class WordMatcher {
  readonly #embedder: StaticEmbedder;
  readonly #associations: WordAssociations;
  readonly #words = new LruMap<DistinctWords>(maxKeptBytes);
  readonly #codes: CodeMemory;

  constructor(embedder: StaticEmbedder, associations: WordAssociations) {
    this.#embedder = embedder;
    this.#associations = associations;
    this.#codes = new CodeMemory(embedder.dimensions);
  }

  /** For each text 0–1, comparable within one call. */
  match(question: string, texts: readonly string[]): number[] {
    const asked = this.#embedder.distinct(question);
    const told = texts.map((text) => this.#wordsOf(text));
    const met = told.map(() => 0);
    let all = 0;
    const add = (length: number, nearness: number[]): void => {
      const weight = Math.sqrt(length);
      const sorted = nearness.toSorted((a, b) => b - a);
      for (const [i, value] of nearness.entries()) {
        if (value > 0) met[i] = (met[i] as number) + weight * value ** nearPower * Math.log(1 + texts.length / countAbove(sorted, value - asNear));
      }
      all += weight * Math.log(1 + texts.length);
    };
    const near = this.#nearness(new Set(told.flatMap(({ rows }) => [...rows])));
    for (const row of asked.rows) {
      const nearness = near(row);
      add(this.#weightOf(row), told.map(({ rows }) => greatest(rows, nearness)));
    }
    for (const word of asked.words) add(unknownWeight, told.map(({ words }) => Number(words.has(word))));
    return met.map((value, i) => {
      const { rows, words } = told[i] as DistinctWords;
      return all === 0 ? 0 : value / all / (1 + (rows.size + words.size) / usualWords) ** lengthPower;
    });
  }

  #weightOf(row: number): number {
    return this.#embedder.lengthOf(row) * (saysLittle(this.#embedder.wordOf(row)) ? stopWordShare : 1);
  }

  #wordsOf(text: string): DistinctWords {
    const known = this.#words.get(text);
    if (known) return known;
    const found = this.#embedder.distinct(text);
    this.#words.set(text, found, 2 * text.length + wordBytes * (found.rows.size + found.words.size));
    return found;
  }

  /** How near a row is to each of these, 0–1; those to which it is not are left out. */
  #nearness(rows: ReadonlySet<number>): (row: number) => Map<number, number> {
    const [embedder, codes] = [this.#embedder, this.#codes];
    codes.reserve(rows.size);
    const slots = [...rows];
    for (const [slot, row] of slots.entries()) codes.codes.set(embedder.codesOf(row), slot * codes.width);
    return (row) => {
      const scale = codes.ask(Float32Array.from(embedder.codesOf(row))) / embedder.codesLengthOf(row);
      const associated = this.#associations.from(row);
      const nearness = new Map<number, number>();
      for (let from = 0; from < slots.length; from += blockRows) {
        const products = codes.products(from, Math.min(blockRows, slots.length - from));
        for (let i = 0; i < Math.min(blockRows, slots.length - from); i += 1) {
          const other = slots[from + i] as number;
          const value = Math.max((scale * (products[i] as number)) / embedder.codesLengthOf(other), associated(other));
          if (value > unrelated) nearness.set(other, Math.min(1, (value - unrelated) / (1 - unrelated)));
        }
      }
      return nearness;
    };
  }
}

function greatest(rows: ReadonlySet<number>, nearness: ReadonlyMap<number, number>): number {
  let best = 0;
  for (const row of rows) {
    const value = nearness.get(row);
    if (value !== undefined && value > best) best = value;
  }
  return best;
}

/** How many of these, which descend, are above the value. */
function countAbove(descending: readonly number[], value: number): number {
  let [low, high] = [0, descending.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((descending[middle] as number) > value) low = middle + 1;
    else high = middle;
  }
  return low;
}
