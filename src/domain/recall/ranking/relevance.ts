import { type Memory, topicOf } from "../../memories/memory.ts";
import { projectName } from "../../project.ts";
import { findAmong } from "../find-terms.ts";
import { namedByMemory, placesOf } from "../kept-words.ts";
import { isStopWord, wholeTerms, type QueryTerm } from "../../text/query-terms.ts";
import { opening, passage } from "../weights.ts";
import type { TextTraits } from "./text-traits.ts";

/** A question, and the inverse document frequency of each of its words where it was asked. */
export interface Question {
  text: string;
  terms: QueryTerm[];
  /** Beside `terms`: inverse document frequencies. */
  weights: number[];
  /** Inverse document frequency of a word that just one memory holds. */
  rarest: number;
}

/** What `rarest` is where so many memories were searched. */
export const rarestAmong = (memories: number): number => Math.log(1 + (memories - 0.5) / 1.5);

/** The evidence that a memory answers the question. */
export interface Evidence {
  /** Bits of the question's terms that its own text holds in one passage (`heldBy`), and of those that only its context holds. */
  ownTerms: number;
  contextTerms: number;
  /** Bits of the terms that stand anywhere in its text. */
  allTerms: number;
}

const has = (bits: number, i: number): boolean => ((bits >>> i) & 1) === 1;

/** Sum of the inverse document frequencies of the terms in these bits. */
export function weightOf({ weights }: Pick<Question, "weights">, bits: number): number {
  let sum = 0;
  for (let i = 0; i < weights.length; i += 1) if (has(bits, i)) sum += weights[i] as number;
  return sum;
}

export const matchedWords = ({ terms }: Question, bits: number): string[] => terms.filter((_, i) => has(bits, i)).map(({ word }) => word);

/** Those of the wanted terms that a memory's text and names hold. */
export function termsHeld(memory: Memory, wanted: ReadonlySet<string>): ReadonlySet<string> {
  const said = memory.redaction === undefined ? findAmong(memory.content, placesOf(memory), wanted).hits.map(({ term }) => term) : [];
  return new Set([...namedByMemory(memory).filter((term) => wanted.has(term)), ...said]);
}

/** The bit of each of a question's terms. */
export const bitsOf = (terms: readonly QueryTerm[]): ReadonlyMap<string, number> => new Map(terms.map(({ term }, i) => [term, (1 << i) >>> 0]));

export interface HeldTerms {
  /** Bits of the question's terms that the memory's text and names hold. */
  all: number;
  /**
   * Those that stand together in one passage: in a long text, words from all over it are seldom an answer, nor is a single one of
   * several words said once. The memory's names and its opening count for each of its passages.
   */
  together: number;
}

/** For a question: the terms that a memory holds, of which the text index may have found `all` already. */
export function heldBy(question: Question): (memory: Memory, all?: number) => HeldTerms {
  const bits = bitsOf(question.terms);
  const wanted = new Set(bits.keys());
  const bitsAmong = (held: ReadonlySet<string>): number => question.terms.reduce((sum, { term }, i) => (held.has(term) ? (sum | (1 << i)) >>> 0 : sum), 0);
  return (memory, found) => {
    const { content, redaction } = memory;
    if (found === 0 || (found !== undefined && content.length <= passage)) return { all: found, together: found };
    const places = placesOf(memory);
    const isOnePassage = places.count <= passage;
    if (found !== undefined && isOnePassage) return { all: found, together: found };
    const { hits } = findAmong(content, places, wanted);
    const names = namedByMemory(memory).reduce((sum, term) => (sum | (bits.get(term) ?? 0)) >>> 0, 0);
    const all = found ?? (names | (redaction === undefined ? bitsAmong(new Set(hits.map(({ term }) => term))) : 0)) >>> 0;
    if (all === 0 || isOnePassage) return { all, together: all };
    return { all, together: heldTogether(question, all, names, hits.map(({ term, position }) => ({ bit: bits.get(term) as number, position }))) };
  };
}

/** `hits` in their order. */
function heldTogether(question: Question, ownTerms: number, names: number, hits: readonly { bit: number; position: number }[]): number {
  const heldUntil = (end: number, first = 0): number => {
    let held = 0;
    for (let i = first; i < hits.length && (hits[i] as { position: number }).position < end; i += 1) held |= (hits[i] as { bit: number }).bit;
    return held;
  };
  const always = (names | heldUntil(opening)) >>> 0;
  const each = hits.map(({ position }, i) => (always | heldUntil(position + passage, i)) >>> 0);
  const best = each.reduce((best, bits) => (weightOf(question, bits) > weightOf(question, best) ? bits : best), always);
  const inPassing = always === 0 && question.terms.length > 1 && hits.filter(({ bit }) => bit === best).length === 1;
  return inPassing ? 0 : (ownTerms & best) >>> 0;
}

/** For a question: the weight of the heaviest of a memory's names (`namesOf`) that the question contains in full, 0–1. */
export function namedBy(question: Question): (names: TextTraits["names"]) => number {
  const weights = new Map(question.terms.map(({ term }, i) => [term, question.weights[i] as number]));
  const most = Math.max(...question.weights);
  return (names) => {
    let best = 0;
    for (const name of names) {
      if (!name.every((term) => weights.has(term))) continue;
      const weight = name.reduce((sum, term) => sum + (weights.get(term) as number), 0);
      best = Math.max(best, Math.min(1, weight / most));
    }
    return best;
  };
}

/** For a question: the bits of its terms that are the name of the project or person to which a memory belongs, if it says it in full. */
export function topicIn({ terms }: Question): (memory: Pick<Memory, "namespace">) => number {
  const bits = bitsOf(terms);
  const said = (namespace: string): number => {
    const name = wholeTerms(projectName(topicOf(namespace))).filter((term) => !isStopWord(term));
    return name.every((term) => bits.has(term)) ? name.reduce((all, term) => (all | (bits.get(term) as number)) >>> 0, 0) : 0;
  };
  const known = new Map<string, number>();
  return ({ namespace }) => {
    const found = known.get(namespace) ?? said(namespace);
    known.set(namespace, found);
    return found;
  };
}
