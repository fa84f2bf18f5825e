import { happenedAt } from "../../memories/memory.ts";
import type { FusionCandidate } from "./candidates.ts";
import type { Ranked } from "../selection/select-results.ts";
import type { HitTrace } from "../presentation/receipt.ts";
import { matchedWords, isAnswerable, namedBy, relevanceOf, topicIn, weightOf, type Question } from "./relevance.ts";
import { graphWeight, importanceWeight, leastSpread, nameWeight, recencyWeight, topicWeight, unanswered } from "../weights.ts";

export interface Weighing {
  /** 0–1: how far the vector leg is trusted beside the text leg. */
  vectorWeight: number;
  /** How much older than the newest match a memory is when its recency has halved, ms. */
  halfLife: number;
}

/**
 * One ranking out of several: convex combination of min-max scores (Bruch et al. 2023), so that a leg that found nothing
 * good cannot push its best up, as rank fusion would.
 */
export function fuse(question: Question, found: FusionCandidate[], { vectorWeight, halfLife }: Weighing): (Ranked & { trace: HitTrace })[] {
  const hasText = found.some((one) => spoken(one) !== undefined);
  const trust = hasText ? vectorWeight : 1;
  const near = nearness(found, hasText);
  const nearest = Math.max(...found.flatMap((one) => [one.vector ?? [], one.near ?? []].flat()).map(({ score }) => score));
  const said = scaler(found.flatMap((one) => spoken(one) ?? []), 0);
  const matching = (one: FusionCandidate): number => (1 - trust) * said(spoken(one)) + trust * near(one);
  const best = Math.max(...found.map(matching));
  const newest = Math.max(...found.map(({ memory }) => happenedAt(memory)));

  const [nameOf, topicOf] = [namedBy(question), topicIn(question)];
  const named = found.map((one) => ({ ...one, name: nameOf(one.memory), topic: topicOf(one.memory) }));
  // A memory that belongs to a project counts as saying its name once in a text of average length, which in BM25 is worth just
  // the inverse document frequency. DevMemBench: R@5 93.2 -> 93.4, MRR 90.7 -> 90.8; relevance is calibrated on the memory's
  // own text.
  const meant = named.map((one) => (spoken(one) ?? 0) + weightOf(question, (one.topic & ~one.evidence.ownTerms) >>> 0));
  const speaks = scaler(meant, 0);
  const most = isAnswerable(question, named.map(({ evidence, name }) => ({ ...evidence, name }))) ? 1 : unanswered;
  const ranked = named.map((one, i) => {
    const { memory, evidence, name, topic } = one;
    const scoreComponents = {
      text: (1 - trust) * speaks(meant[i]),
      vector: trust * near(one),
      graph: graphWeight * Math.max(one.graph?.score ?? 0, one.near && nearest > 0 ? one.near.score / nearest : 0),
      rerank: nameWeight * name + topicWeight * Number(topic > 0),
      importance: importanceWeight * memory.importance,
      recency: recencyWeight * 2 ** ((happenedAt(memory) - newest) / halfLife),
    };
    const score = Object.values(scoreComponents).reduce((sum, component) => sum + component, 0);
    const relevance = Math.min(most, relevanceOf(question, { ...evidence, relativeScore: best > 0 ? matching(one) / best : 0, name }));
    const legs = {
      ...(one.text ? { memory_text: one.text } : {}),
      ...(one.vector ? { memory_vector: one.vector } : {}),
      ...Object.fromEntries([one.near ?? [], one.graph ?? []].flat().map(({ leg, rank, score }) => [leg, { rank, score }])),
    };
    return { memory, relevance, score, trace: { id: memory.id, score, parts: scoreComponents, legs, matched: matchedWords(question, evidence.ownTerms) } };
  });
  return ranked.sort((a, b) => b.score - a.score);
}

/**
 * How near a memory is by meaning, 0–1. Beside words that match, its own vector knows that better than what it only mentions
 * (DevMemBench: MRR 88.4; the greater of the two: 88.1; without what is near: 88.0); where no word matches, what it mentions may be all
 * that is near. What was not embedded yet, or lives elsewhere, is taken to be as near as the others that words brought.
 */
function nearness(found: FusionCandidate[], hasText: boolean): (one: FusionCandidate) => number {
  const scores = found.flatMap(({ vector, near }) => [vector?.score ?? [], near?.score ?? []].flat());
  const similar = scaler(scores, Math.min(...scores, Math.max(...scores) - leastSpread));
  const usual = hasText ? mean(found.filter(({ text, vector }) => text && vector).map(({ vector }) => similar(vector?.score))) : 0;
  return ({ text, aliasBoost, vector, near }) =>
    hasText && vector ? similar(vector.score) : Math.max(similar(vector?.score), similar(near?.score), text || aliasBoost ? usual : 0);
}

/** How well its words match; undefined where none does. */
const spoken = ({ text, aliasBoost = 0 }: FusionCandidate): number | undefined => (text || aliasBoost > 0 ? (text?.score ?? 0) + aliasBoost : undefined);

const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

/** Scores of one leg on 0–1: the best is 1, `floor` (or the least of them) is 0, what the leg did not bring is 0. */
function scaler(scores: number[], floor?: number): (score: number | undefined) => number {
  const high = Math.max(...scores);
  const low = floor ?? Math.min(...scores);
  return (score) => (score === undefined ? 0 : high > low ? (score - low) / (high - low) : 1);
}
