import type { Candidate } from "./candidate.ts";
import { WordOverlap } from "./overlap.ts";
import { cosine } from "../../embedding/unit-vector.ts";
import { diverseDepth, diverseLambda } from "../weights.ts";

/**
 * Maximal marginal relevance (Carbonell & Goldstein 1998): of what is about equally relevant, that comes first which says
 * least of what stands above it. The first stays first; below the depth, and after `count` were chosen, nothing moves.
 */
export function diversify<C extends Candidate>(ranked: readonly C[], { depth = diverseDepth, lambda = diverseLambda, count = diverseDepth } = {}): C[] {
  const [first, ...others] = ranked.slice(0, reach(ranked, depth, lambda, count));
  if (!first || others.length < 2) return [...ranked];
  const highest = Math.max(...ranked.map(({ score }) => score), Number.MIN_VALUE);
  const overlaps = new WordOverlap([first, ...others]);
  const places = new Map([first, ...others].map((candidate, i) => [candidate, i]));
  const likeness = (a: C, b: C): number => {
    const overlap = overlaps.jaccard(places.get(a) as number, places.get(b) as number);
    return a.vector && b.vector ? (overlap + Math.max(0, cosine(a.vector, b.vector))) / 2 : overlap;
  };

  const selected = [first];
  let waiting = others.map((candidate) => ({ candidate, nearest: 0, comparedWith: 0 }));
  type Waiting = (typeof waiting)[number];
  const compare = (entry: Waiting): void => {
    for (const above of selected.slice(entry.comparedWith)) entry.nearest = Math.max(entry.nearest, likeness(entry.candidate, above));
    entry.comparedWith = selected.length;
  };
  const gain = ({ candidate, nearest }: Waiting): number => (lambda * candidate.score) / highest - (1 - lambda) * nearest;
  while (waiting.length > 0 && selected.length < count) {
    let best: Waiting | undefined;
    for (const entry of waiting) {
      // Comparing it with more of the chosen only takes from what it gains: few need to be.
      if (best && gain(entry) <= gain(best)) continue;
      compare(entry);
      if (!best || gain(entry) > gain(best)) best = entry;
    }
    const next = best as Waiting;
    waiting = waiting.filter((entry) => entry !== next);
    selected.push(next.candidate);
  }
  return [...selected, ...waiting.map(({ candidate }) => candidate), ...ranked.slice(1 + others.length)];
}

/** A candidate so far below the last place that even entire novelty does not lift it there need not be compared. */
function reach(ranked: readonly Candidate[], depth: number, lambda: number, count: number): number {
  const last = ranked[count - 1];
  if (!last || count >= depth) return depth;
  const highest = Math.max(...ranked.map(({ score }) => score), Number.MIN_VALUE);
  const least = last.score - ((1 - lambda) / lambda) * highest;
  const end = ranked.findIndex(({ score }, i) => i >= count && score < least);
  return end === -1 ? depth : Math.min(depth, end);
}
