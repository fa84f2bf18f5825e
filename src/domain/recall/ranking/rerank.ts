import { saidIn } from "../../memories/memory-fields.ts";
import type { Memory } from "../../memories/memory.ts";
import type { Ranked } from "../selection/select-results.ts";
import { excerpt } from "../presentation/excerpt.ts";
import type { HitTrace } from "../presentation/receipt.ts";
import { namedBy, type Question } from "./relevance.ts";
import { namesOf } from "./text-traits.ts";
import { cutTo } from "../../text/token-count.ts";
import { modelWeight, passageTokens, rerankDepth } from "../weights.ts";

/** A model that reads question and text together (cross-encoder), which is why it sees only the best of a search. */
export interface Reranker {
  /** In the order of the texts: higher answers better; comparable within one call. @throws RerankFailure */
  score(question: string, texts: string[], signal: AbortSignal): Promise<number[]>;
}

/** No scores came back. Never holds a text. */
export class RerankFailure extends Error {}

const longestLabel = 200;
const questionTokens = 150;

type Traced = Ranked & { trace: HitTrace };

/** The memories that the model may read: those the caller may see, and no secrets. */
export const rerankable = (ranked: readonly Traced[]): Traced[] => ranked.slice(0, rerankDepth).filter(({ memory }) => memory.sensitivity === "normal");

export const shortened = (question: string): string => cutTo(question, questionTokens);

/** The passage that the model reads: the memory's names, and from a long text the part that the question is about. */
export function passageOf(memory: Pick<Memory, "key" | "tags" | "content" | "enrichment">, { terms }: Question): string {
  return labelled(memory, excerpt(memory.content, terms.map(({ word }) => word), passageTokens));
}

/** A text under the memory's names. */
export function labelled(memory: Pick<Memory, "key" | "tags" | "enrichment">, text: string): string {
  const label = [memory.key ?? "", ...saidIn(memory, "tags")].filter(Boolean).join(", ").slice(0, longestLabel);
  return label === "" ? text : `${label}\n${text}`;
}

/**
 * The ranking with the model's opinion of the `read`, on 0–1 within the call. It only adds, so that nothing it has not read
 * rises above what it has; of what the question calls by its name it cannot think less than the name says. A secret stays
 * with what stood above it. Relevance is what it was: the calibration knows words, and its threshold keeps its meaning.
 */
export function blend(question: Question, ranked: readonly Traced[], read: readonly Traced[], scores: readonly number[]): Traced[] {
  const [low, high] = [Math.min(...scores), Math.max(...scores)];
  const order = read.map((_, i) => i).sort((a, b) => (scores[b] as number) - (scores[a] as number));
  const opinions = new Map(order.map((i, at) => {
    const score = scores[i] as number;
    return [(read[i] as Traced).memory.id, { place: { rank: at + 1, score }, share: high > low ? (score - low) / (high - low) : 1 }] as const;
  }));
  const named = namedBy(question);
  let above = 1;
  const blended = ranked.map((entry, i): Traced => {
    if (i >= rerankDepth) return entry;
    const { memory, trace } = entry;
    const opinion = opinions.get(memory.id);
    const share = Math.max(opinion?.share ?? above, named(namesOf(memory)));
    above = share;
    const score = entry.score + modelWeight * share;
    const parts = { ...trace.parts, rerank: (trace.parts.rerank ?? 0) + modelWeight * share };
    return { ...entry, score, trace: { ...trace, score, parts, legs: { ...trace.legs, ...(opinion ? { rerank: opinion.place } : {}) } } };
  });
  return blended.sort((a, b) => b.score - a.score);
}
