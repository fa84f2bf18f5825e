import type { SearchMode } from "../recall.ts";
import { besides, certain, few, lead, leastGain, promising, vectorShare } from "../weights.ts";
import type { Ranked } from "./select-results.ts";

/** What of a ranking is shown, at most so many, from a relevance on. */
export interface Shown {
  minRelevance: number;
  limit: number;
  /** Nothing is certain: what is shown may be what was meant. */
  uncertain: boolean;
  /** Nothing is even promising: what is shown are leads, and nothing else was found. */
  leads: boolean;
}

/** What decides, beside the ranking, how much is shown. */
interface Asking {
  /** Few memories were searched. */
  isAmongFew: boolean;
  asksSeveral: boolean;
}

/**
 * What is shown where the caller names no least relevance: the best and whatever may belong to it, or where nothing is promising two
 * leads at most, and among few memories the best. Unless the best is probably right, the answer says that nothing is certain. A search by
 * meaning alone shows what is about as near as the nearest. A question for several things gets more, because one that answers makes another no less likely.
 */
export function shownByDefault(ranked: readonly Ranked[], limit: number, mode: SearchMode, { isAmongFew, asksSeveral }: Asking): Shown {
  const best = bestOf(ranked);
  if (mode === "vector") return { minRelevance: vectorShare * best, limit, uncertain: false, leads: false };
  if (isPromising(ranked)) return { minRelevance: leastShown(ranked, asksSeveral), limit, uncertain: best < certain, leads: false };
  const { least, most } = isAmongFew && best < lead.least ? few : lead;
  return { minRelevance: least, limit: Math.min(limit, most), uncertain: true, leads: true };
}

/** The relevance of the last that adds enough: what a memory adds is its relevance times a power of the probability that no better one answers. */
function leastShown(ranked: readonly Ranked[], asksSeveral: boolean): number {
  const power = asksSeveral ? besides.several : besides.one;
  let [least, missed] = [1, 1];
  for (const relevance of ranked.map(({ relevance }) => relevance).sort((a, b) => b - a)) {
    if (relevance * missed ** power < leastGain) break;
    least = relevance;
    missed *= 1 - relevance;
  }
  return least;
}

/** Whether all that may belong to an answer is shown, and not leads alone. */
export const isPromising = (found: readonly { relevance?: number }[]): boolean => bestOf(found) >= promising;

const bestOf = (found: readonly { relevance?: number }[]): number => Math.max(0, ...found.map(({ relevance = 0 }) => relevance));
