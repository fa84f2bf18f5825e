import type { Memory } from "../../memories/memory.ts";
import type { Question } from "../ranking/relevance.ts";
import type { Recalled, RecallOutcome } from "../recall.ts";
import { tokensOfMemory, unitsOfMemory } from "../kept-words.ts";
import { costOf, type Rendering } from "./budget.ts";
import { passage, type TermWeights } from "./passage.ts";

/** In tokens of content. Up to `longestWhole` a memory comes whole, a longer one as a passage. */
const longestWhole = 300;
const passageTokens = 200;
/** Where many were found, passages get shorter down to this, and only what is longer than `shortNote` is cut. */
const shortestPassage = 60;
const shortNote = 120;
const step = 20;

/** An answer without a budget of its own stays below this, in tokens, where cutting contents is enough for that. */
const usualAnswer = 1_200;
/** In characters of JSON: what a passage keeps of what its caller noted about the memory. */
const mostMetadata = 400;
/** What stands around a content: id, key, date, relevance and author. */
export const around = 55;

/**
 * The answer to a query as it comes by default: of a long memory what it says of the question, and its id for the rest. The
 * first may always say the most.
 */
export function withPassages(outcome: RecallOutcome, question: Question, { rendering, maxTokens }: { rendering: Rendering; maxTokens: number | undefined }): RecallOutcome {
  const sizes = outcome.items.map(({ memory }) => tokensOfMemory(memory));
  const most = maxTokens === undefined ? mostOf(sizes) : longestWhole;
  const limits = sizes.map((size, i) => shown(size, i === 0 ? longestWhole : most));
  if (limits.every((limit, i) => limit === sizes[i])) return outcome;
  const weights: TermWeights = new Map(question.terms.map(({ term }, i) => [term, question.weights[i] ?? 0]));
  const items = outcome.items.map((item, i): Recalled => {
    const limit = limits[i] as number;
    if (limit === sizes[i]) return item;
    const content = passage(item.memory.content, weights, limit, (cutting) => unitsOfMemory(item.memory, cutting));
    return { ...item, memory: { ...item.memory, content, value: null, summary: null, metadata: briefly(item.memory.metadata) }, truncated: true, tokensTotal: costOf(item, rendering) };
  });
  return { ...outcome, items, passages: true };
}

/** Its fields in their order, without those that have no room left. */
function briefly(metadata: Memory["metadata"]): Memory["metadata"] {
  let room = mostMetadata;
  return Object.fromEntries(Object.entries(metadata).filter((field) => {
    const size = JSON.stringify(field).length;
    if (size > room) return false;
    room -= size;
    return true;
  }));
}

/** How much is shown of a memory of this size where one may say `most`. */
const shown = (size: number, most: number): number => (size <= Math.max(most, shortNote) ? size : Math.min(most, passageTokens));

/** How much each of them may say so that all fit. */
function mostOf(sizes: readonly number[]): number {
  const room = usualAnswer - around * sizes.length;
  const total = (most: number): number => sizes.reduce((sum, size, i) => sum + shown(size, i === 0 ? longestWhole : most), 0);
  let most = longestWhole;
  while (most > shortestPassage && total(most) > room) most -= step;
  return most;
}
