import type { Ranked } from "../selection/select-results.ts";
import type { HitTrace, scoreComponents } from "../presentation/receipt.ts";
import type { GraphHit } from "../retrievers/concepts.ts";
import type { FusionCandidate } from "./candidates.ts";
import { featureNames, featuresOf, type FeatureName, type FeatureOptions } from "./features.ts";
import model from "./model.json" with { type: "json" };
import { matchedWords, type Question } from "./relevance.ts";
import { unpacked } from "./packed-trees.ts";
import { Trees } from "./trees.ts";
import { saidIn } from "../../memories/memory-fields.ts";
import { happenedAt, isInThread, type Memory } from "../../memories/memory.ts";
import { aliasWeight, apart, certain, importanceWeight, lead, nameWeight, plain, recencyWeight, time, topicWeight } from "../weights.ts";

/**
 * Two models over one row of features: the order of the candidates, learned from pairs (LambdaMART), and the probability that one is
 * evidence for the answer. How they were fitted: `scripts/ranker/train.ts`.
 */
let models: { order: Trees; relevance: Trees } | undefined;
const modelsOf = (): { order: Trees; relevance: Trees } => (models ??= { order: new Trees(unpacked(model.order)), relevance: new Trees(unpacked(model.relevance)) });

/** Of the place that the order gives a candidate; read by the model of relevance after the features. */
export const placeNames = ["orderScore", "orderGap", "orderPlace"] as const;

/** What the rows do not teach: what a person asks for by setting it, and names that few questions of the data say. */
type Own = Record<"importance" | "recency" | "rerank" | "graph", number>;

const placeOf = Object.fromEntries(featureNames.map((name, place) => [name, place])) as Record<FeatureName, number>;
const valueOf = (row: Float32Array | undefined, name: FeatureName): number => row?.[placeOf[name]] as number;

const withTime = (own: Own, outside: number): Own => ({ ...own, rerank: own.rerank + outside });

const totalOf = ({ importance, recency, rerank, graph }: Own): number => importance + recency + rerank + graph;

const legOf = ({ leg, rank, score }: GraphHit): HitTrace["legs"] => ({ [leg]: { rank, score } });

/** On 0–1 with a slope that leaves room above and below: what is added later (project, reranking) counts alike everywhere. */
const scoreOf = (order: number): number => logistic(order / 2);

const logistic = (x: number): number => 1 / (1 + Math.exp(-x));

/** The candidates in the order of their relevance, which is the probability that each is what was asked for. */
export function rank(question: Question, found: FusionCandidate[], options: FeatureOptions & { explain: boolean; halfLife: number }): (Ranked & { trace: HitTrace })[] {
  if (found.length === 0) return [];
  const { order, relevance } = modelsOf();
  const rows = featuresOf(question, found, options);
  const newest = Math.max(...found.map(({ memory }) => happenedAt(memory)));
  const own = found.map(({ memory, aliasBoost = 0 }, i): Own => ({
    importance: importanceWeight * saidIn(memory, "importance"),
    // A turn of a talk is what was said then, however long ago.
    recency: isInThread(memory) ? 0 : recencyWeight * 2 ** ((happenedAt(memory) - newest) / options.halfLife),
    rerank: topicWeight * valueOf(rows[i], "topic") + nameWeight * valueOf(rows[i], "name"),
    graph: aliasBoost > 0 ? aliasWeight : 0,
  }));
  const learned = order.scores(rows);
  const inAnyTime = learned.map((score, i) => score + totalOf(own[i] as Own));
  const outside = outsideTime(rows, inAnyTime);
  const scores = inAnyTime.map((score, i) => score + (outside[i] as number));
  const placed = scores.map((_, i) => i).sort((a, b) => (scores[b] as number) - (scores[a] as number));
  const added = own.map(({ graph }, i) => graph + (outside[i] as number));
  const inOrder = placed.map((i) => ({ row: rows[i] as Float32Array, score: scores[i] as number }));
  const [first] = placed as [number];
  const relevances = relevancesOf(rows, learned, placed, relevance, added);
  const probabilities = raised(relevances, Math.max(complete(inOrder), (relevances[0] as number) < lead.least ? standingApart(inOrder) : 0), isSure(question, rows[first] as Float32Array, (found[first] as FusionCandidate).memory));
  return placed.map((i, place) => {
    const { memory, evidence, text, vector, near, graph } = found[i] as FusionCandidate;
    const legs = { ...(text && { memory_text: text }), ...(vector && { memory_vector: vector }), ...(near && legOf(near)), ...(graph && legOf(graph)) };
    const score = scoreOf(scores[i] as number);
    const parts = options.explain ? shareOf(partsOf(order.contributions(rows[i] as Float32Array), withTime(own[i] as Own, outside[i] as number)), score) : {};
    return {
      memory,
      relevance: probabilities[place] as number,
      score,
      trace: { id: memory.id, score, parts, legs, matched: matchedWords(question, evidence.ownTerms) },
    };
  });
}

/** In log-odds: where what leads happened when the question says, what happened at another time hardly ever answers, and few rows of the data say so. */
function outsideTime(rows: readonly Float32Array[], scores: readonly number[]): number[] {
  const leads = rows[scores.indexOf(Math.max(...scores))];
  const isMet = valueOf(leads, "when") >= time.met;
  return rows.map((row) => (isMet && valueOf(row, "when") < time.missed ? -time.weight : 0));
}

/** In the order of `placed`; what stands below another is never shown as more relevant. `scores`: what the order has learned, nothing else. */
export function relevancesOf(rows: readonly Float32Array[], scores: readonly number[], placed: readonly number[], relevance: Trees, own: readonly number[] = []): number[] {
  const best = Math.max(...scores);
  const learned = relevance.scores(placed.map((i, place) => withPlace(rows[i] as Float32Array, scores[i] as number, best, place)));
  let least = 1;
  return placed.map((i, place) => (least = Math.min(least, logistic((own[i] ?? 0) + (learned[place] as number)))));
}

/** A short text that holds all words of the question, several, and what it asks for: "The staging port is 8443." */
const isPlainAnswer = (row: Float32Array): boolean => valueOf(row, "complete") === 1 && valueOf(row, "terms") >= plain.terms && valueOf(row, "length") <= plain.length && valueOf(row, "typed") > 0;

/**
 * Whether it holds all words of the question, and no other memory holds one of them that names a thing: an identifier or number, or any where the question says
 * hardly more ("PR #418", "dmarc") and the memory says it in this form: a staging host tells nothing of "hosting".
 */
const isSoleHolder = ({ terms, weights, rarest }: Question, row: Float32Array, memory: Memory): boolean =>
  valueOf(row, "complete") === 1 && terms.some(({ word }, i) => (weights[i] as number) >= rarest && (/\d/.test(word) || (terms.length <= 2 && says(memory, word))));

const says = ({ content, key, tags }: Memory, word: string): boolean => [content, key, ...tags].join(" ").toLowerCase().includes(word);

const isSure = (question: Question, row: Float32Array, memory: Memory): boolean => isPlainAnswer(row) || isSoleHolder(question, row, memory);

interface Placed {
  row: Float32Array;
  score: number;
}

/** How many of the first may be meant, because the last of them holds all words of the question in one passage. */
const complete = (inOrder: readonly Placed[]): number => inOrder.findLastIndex(({ row }) => valueOf(row, "complete") === 1) + 1;

/** How many of the first may be meant, because their words are near to the question's and they stand apart from the rest. */
function standingApart(inOrder: readonly Placed[]): number {
  const near = inOrder.findIndex(({ row }) => valueOf(row, "wordMatch") < apart.wordMatch);
  return [1, lead.most].find((count) => count <= near && (inOrder[count - 1]?.score as number) - (inOrder[count]?.score as number) >= apart.gap) ?? 0;
}

const raised = (relevances: readonly number[], meant: number, isSure: boolean): number[] =>
  relevances.map((relevance, place) => Math.max(relevance, place === 0 && isSure ? certain : place < meant ? lead.least : 0));

export function withPlace(row: Float32Array, score: number, best: number, place: number): Float32Array {
  const all = new Float32Array(row.length + placeNames.length);
  all.set(row);
  all.set([score, best - score, place], row.length);
  return all;
}

/** The part of a score under which a receipt shows what a feature brought. */
const partOf: Partial<Record<FeatureName, (typeof scoreComponents)[number]>> = {
  similarity: "vector", similarityShare: "vector", similarityGap: "vector", vectorRank: "vector", wordMatch: "vector", wordMatchGap: "vector", wordMatchRank: "vector",
  name: "rerank", topic: "rerank", opening: "rerank", near: "graph", graph: "graph", alias: "graph",
  previousAsks: "neighbours", previousText: "neighbours", nextText: "neighbours", neighbourSimilarity: "neighbours", thread: "neighbours", inThread: "neighbours",
};

/** In log-odds of the order. */
function partsOf(contributions: Float32Array, own: Own): HitTrace["parts"] {
  const parts: HitTrace["parts"] = { ...own };
  for (const [i, name] of featureNames.entries()) {
    const part = partOf[name] ?? "text";
    parts[part] = (parts[part] ?? 0) + (contributions[i] as number);
  }
  return parts;
}

/** What a log-odd is worth in the middle of the score. */
const scale = 1 / 8;

/** The parts as shares of the score, to which they add up; what speaks against a memory is below 0. What all have in common is counted to the text. */
function shareOf(parts: HitTrace["parts"], score: number): HitTrace["parts"] {
  const log = Object.values(parts).reduce((sum, part) => sum + part, 0);
  const rest = score - log * scale;
  return { ...Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, part * scale])), text: (parts.text ?? 0) * scale + rest };
}
