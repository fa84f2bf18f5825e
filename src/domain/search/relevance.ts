import type { Memory } from "../memories/memory.ts";
import { isStopWord, wholeTerms, type QueryTerm } from "./query-terms.ts";

/** A question, and how much each of its words tells where it was asked. */
export interface Question {
  text: string;
  terms: QueryTerm[];
  /** Beside `terms`: inverse document frequencies. */
  weights: number[];
}

/** What speaks for a memory. */
export interface Evidence {
  /** Bits of the question's terms that its own text holds, and of those that only its neighbours lend. */
  own: number;
  lent: number;
  /** Cosine to the question, when a vector leg brought it. */
  similarity?: number;
}

const has = (bits: number, i: number): boolean => ((bits >>> i) & 1) === 1;

/** 0–1: how much of what the question says is in these terms. */
export function coverage({ weights }: Question, bits: number): number {
  let all = 0;
  let held = 0;
  for (const [i, weight] of weights.entries()) {
    all += weight;
    if (has(bits, i)) held += weight;
  }
  return all === 0 ? 0 : held / all;
}

export const matchedWords = ({ terms }: Question, bits: number): string[] => terms.filter((_, i) => has(bits, i)).map(({ word }) => word);

/** What people call a memory: its tags, and the last part of its key. */
function namesOf({ key, tags }: Pick<Memory, "key" | "tags">): string[][] {
  const last = key?.split(/[.:/]/).at(-1);
  return [...tags, ...(last === undefined ? [] : [last])].map((name) => [...new Set(wholeTerms(name))].filter((term) => !isStopWord(term))).filter((terms) => terms.length > 0);
}

/** 0–1: how telling the memory's most telling name is that the question says in full. */
function named(question: Question, memory: Pick<Memory, "key" | "tags">): number {
  const weightOf = new Map(question.terms.map(({ term }, i) => [term, question.weights[i] as number]));
  const most = Math.max(...question.weights);
  let best = 0;
  for (const name of namesOf(memory)) {
    if (!name.every((term) => weightOf.has(term))) continue;
    const weight = name.reduce((sum, term) => sum + (weightOf.get(term) as number), 0);
    best = Math.max(best, Math.min(1, weight / most));
  }
  return best;
}

/**
 * Calibrated 0–1; from .7 on, it is probably what was asked for. Two independent signs (a noisy-or of them): the question
 * says the memory's name, and the memory says what the question says.
 */
export function relevanceOf(question: Question, memory: Pick<Memory, "key" | "tags">, { own, lent }: Evidence): number {
  const said = coverage(question, own);
  const near = coverage(question, (own | lent) >>> 0);
  const byContent = (0.8 * said + 0.2 * near) ** contentPower;
  const byName = nameTrust * named(question, memory);
  return 1 - (1 - byContent) * (1 - byName);
}

const contentPower = 1.5;
const nameTrust = 0.7;
