import { behindFormer, beforeFormer, changeVerbs, changeWords, fillers, negations, prepositions, restrictions, unsure } from "./cues.ts";
import type { Reading } from "./statements.ts";

/** Longer texts are documents; that one holds the other's words means little. */
const mostClauses = 12;
/** Words of a text that is more than a value. */
const leastWords = 2;

/**
 * Whether the longer text says all that the shorter one says and more: each clause of the shorter stands in one of the longer,
 * its words in their order, and what comes beside them neither denies nor restricts it. 0–1, or undefined.
 */
export function extensionOf(shorter: Reading, longer: Reading): number | undefined {
  const { clauses } = shorter;
  if (clauses.length === 0 || clauses.length > mostClauses || longer.clauses.length > mostClauses || shorter.content.size < leastWords) return undefined;
  if (shorter.sentences.some(({ isQuestion }) => isQuestion) || longer.sentences.some(({ isQuestion }) => isQuestion)) return undefined;
  const words = longer.sentences.map((sentence) => sentence.clauses.flat());
  if (!clauses.every((clause) => words.some((sentence) => isWithin(clause, sentence)))) return undefined;
  return longer.content.size > shorter.content.size ? 0.85 : undefined;
}

function isWithin(clause: readonly string[], sentence: readonly string[]): boolean {
  const sought = clause.filter((word) => !fillers.has(word));
  const beside: string[] = [];
  let next = 0;
  for (const word of sentence) {
    if (word === sought[next]) next += 1;
    else beside.push(word);
  }
  return next === sought.length && !beside.some(isOtherwise);
}

/** It denies, restricts or changes what it stands beside. */
const isOtherwise = (word: string): boolean =>
  [negations, restrictions, unsure, changeWords, changeVerbs].some((cues) => cues.has(word)) || ((beforeFormer.has(word) || behindFormer.has(word)) && !prepositions.has(word));
