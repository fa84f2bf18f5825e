import type { FusionCandidate } from "./candidates.ts";
import { weightOf, type Question } from "./relevance.ts";
import { answered, matchDepth } from "../weights.ts";

/** Whether a memory holds what the question's words weigh, so that other words need not be tried. */
export function isAnsweredByWords(question: Question, hits: readonly FusionCandidate[]): boolean {
  return hits.some(({ evidence }) => shareOf(question, evidence.ownTerms) >= answered);
}

/** Of what the question's words weigh, the share of the terms of these bits; all of a question without words. */
export function shareOf(question: Pick<Question, "weights">, bits: number): number {
  const all = question.weights.reduce((sum, weight) => sum + weight, 0);
  return all === 0 ? 1 : weightOf(question, bits) / all;
}

/** The candidates that may be read, the most promising first. */
export function matchable(hits: readonly FusionCandidate[]): FusionCandidate[] {
  const rankOf = ({ text, vector }: FusionCandidate): number => Math.min(text?.rank ?? Infinity, vector?.rank ?? Infinity);
  return hits.filter(({ memory }) => memory.sensitivity === "normal").sort((a, b) => rankOf(a) - rankOf(b)).slice(0, matchDepth);
}
