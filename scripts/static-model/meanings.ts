import { existsSync, readdirSync, readFileSync } from "node:fs";
import { words as wordsOf } from "../../src/domain/text/query-terms.ts";
import { matrix, type Matrix } from "./fit.ts";

export interface WordTable {
  words: string[];
  vectors: Matrix;
}

export interface Meanings {
  /** The English words that each row stands for. */
  meanings: string[][];
}

/** A list of words in this folder. */
export const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
const rowOf = ({ columns, values }: Matrix, at: number): Float32Array => values.subarray(at * columns, (at + 1) * columns);

/** How far a word moves to the middle of the groups in which the thesaurus has it. */
const pull = 0.5;

/**
 * Moves words that speak of the same situation in notes towards each other, in the manner of retrofitting (Faruqui et al.
 * 2015); how much a word weighs stays.
 */
export function related({ words, vectors }: WordTable): WordTable {
  if (!existsSync(new URL("thesaurus.txt", import.meta.url))) return { words, vectors };
  const places = new Map(words.map((word, i) => [word, i]));
  const groups = read("thesaurus.txt").trim().split("\n").map((line) => [...new Set(line.split(/\s+/).flatMap((word) => places.get(word) ?? []))]);
  const moved = matrix(vectors.rows, vectors.columns, vectors.values.slice());
  const sums = new Map<number, { sum: Float32Array; count: number }>();
  for (const group of groups.filter(({ length }) => length > 1)) {
    const centre = new Float32Array(vectors.columns);
    for (const word of group) add(centre, unit(rowOf(vectors, word)), 1 / group.length);
    for (const word of group) {
      const entry = sums.get(word) ?? { sum: new Float32Array(vectors.columns), count: 0 };
      add(entry.sum, unit(centre), 1);
      entry.count += 1;
      sums.set(word, entry);
    }
  }
  for (const [word, { sum }] of sums) {
    const own = rowOf(vectors, word);
    const length = Math.hypot(...own);
    const target = unit(own).map((value, i) => (1 - pull) * value + pull * (unit(sum)[i] as number));
    rowOf(moved, word).set(unit(target).map((value) => value * length));
  }
  return { words, vectors: moved };
}

/** Of a word that stands where its associates do, how much more it weighs than they: only what is said seldom is missing in a table of frequent words. */
const rareWeight = 1.5;
/** Fewer known associates do not say where a word stands. */
const fewestAssociates = 3;

/** Adds the words of the associations that are not in the table: each stands between those that are said in its place. */
export function withAssociated({ words, vectors }: WordTable, associations: ReadonlyMap<string, readonly string[]>): WordTable {
  const places = new Map(words.map((word, i) => [word, i]));
  const added = [...associations].flatMap(([word, others]): { word: string; vector: Float32Array }[] => {
    const rows = others.flatMap((other) => places.get(other) ?? []).map((at) => rowOf(vectors, at));
    if (places.has(word) || rows.length < fewestAssociates) return [];
    const sum = new Float32Array(vectors.columns);
    for (const row of rows) add(sum, unit(row), 1);
    const length = rows.reduce((all, row) => all + Math.hypot(...row), 0) / rows.length;
    return [{ word, vector: unit(sum).map((value) => value * length * rareWeight) }];
  });
  const all = matrix(vectors.rows + added.length, vectors.columns);
  all.values.set(vectors.values);
  for (const [i, { vector }] of added.entries()) rowOf(all, vectors.rows + i).set(vector);
  return { words: [...words, ...added.map(({ word }) => word)], vectors: all };
}

/** Adds the words of other languages: each stands where the English words that mean the same stand. */
export function withLexicons({ words, vectors }: WordTable): WordTable & Meanings {
  const places = new Map(words.map((word, i) => [word, i]));
  const added = new Map<string, { sum: Float32Array; meaning: string[] }>();
  const folder = new URL("lexicon/", import.meta.url);
  for (const file of readdirSync(folder).sort()) {
    for (const line of read(`lexicon/${file}`).trim().split("\n")) {
      const [foreign = "", english = ""] = line.split("\t");
      const word = spelled(foreign);
      if (word === "" || places.has(word) || added.has(word)) continue;
      const meaning = english.split(" ").flatMap((one) => wordsOf(one)).map((one) => one.toLowerCase());
      const rows = meaning.flatMap((one) => places.get(one) ?? []);
      if (rows.length === 0) continue;
      const sum = new Float32Array(vectors.columns);
      for (const row of rows) add(sum, rowOf(vectors, row), 1 / rows.length);
      added.set(word, { sum, meaning });
    }
  }
  const all = matrix(vectors.rows + added.size, vectors.columns);
  all.values.set(vectors.values);
  let at = vectors.rows;
  for (const { sum } of added.values()) rowOf(all, at++).set(sum);
  return { words: [...words, ...added.keys()], vectors: all, meanings: [...words.map((word) => [word]), ...[...added.values()].map(({ meaning }) => meaning)] };
}

/** As the embedder looks a word up: folded, phrases with one space between words; a script without spaces as it is. */
function spelled(foreign: string): string {
  const lower = foreign.normalize("NFKC").toLowerCase();
  if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(lower)) return lower.replaceAll(/\s/g, "");
  return wordsOf(lower, { parts: false }).join(" ");
}

function add(to: Float32Array, from: Float32Array, times: number): void {
  for (let i = 0; i < to.length; i += 1) to[i] = (to[i] as number) + times * (from[i] as number);
}

function unit(values: Float32Array): Float32Array {
  const length = Math.max(1e-9, Math.hypot(...values));
  return values.map((value) => value / length);
}
