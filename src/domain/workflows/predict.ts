import type { Continuation } from "./sequence.ts";

/** What came after a context: how often in all, how many different actions, and the most frequent of them. */
export interface ContextCounts {
  context: string;
  total: number;
  kinds: number;
  continuations: readonly Continuation[];
}

export interface Prediction {
  action: string;
  probability: number;
  /** A lower bound of the probability (Wilson, 95%). */
  confidence: number;
  /** The longest context after which the action was seen, and how it went there. */
  seen: Continuation & { context: string; total: number };
}

/**
 * What comes next, likeliest first: the counts of all contexts interpolated, each giving to the shorter one as much as new
 * actions it has shown (Witten and Bell, 1991, method C). `levels`: from the empty context to the longest.
 */
export function predict(levels: readonly ContextCounts[], limit: number, least = leastProbability): Prediction[] {
  const known = levels.filter(({ total }) => total > 0);
  const actions = new Map<string, Prediction["seen"]>();
  for (const { context, total, continuations } of known) for (const one of continuations) actions.set(one.action, { ...one, context, total });
  const weights = weightsOf(known);
  const evidence = 1 / known.reduce((sum, { total }, i) => sum + (weights[i] as number) ** 2 / total, 0);
  const counts = known.map(({ continuations }) => new Map(continuations.map(({ action, count }) => [action, count])));
  return [...actions]
    .map(([action, seen]) => {
      const probability = known.reduce((sum, { total }, i) => sum + ((weights[i] as number) * (counts[i]?.get(action) ?? 0)) / total, 0);
      return { action, probability, confidence: lowerBound(probability, evidence), seen };
    })
    .filter(({ probability }) => probability >= least)
    .sort((a, b) => b.probability - a.probability || b.seen.count - a.seen.count || (a.action < b.action ? -1 : 1))
    .slice(0, limit);
}

/**
 * What is less probable is not suggested. Fitted on the generated developers of the tests: of 100 suggestions below it at most one is right
 * (docs/decisions/workflows.md).
 */
export const leastProbability = 0.005;

/** The share of each context in the sum; they add up to less than one, because what was never seen may come as well. */
function weightsOf(levels: readonly ContextCounts[]): number[] {
  let left = 1;
  const weights = levels.toReversed().map(({ total, kinds }) => {
    const weight = (left * total) / (total + kinds);
    left -= weight;
    return weight;
  });
  return weights.toReversed();
}

const z = 1.96;

/** The lower end of the Wilson score interval of a share that was seen among so many. */
export function lowerBound(share: number, among: number): number {
  if (among <= 0) return 0;
  const spread = z * Math.sqrt((share * (1 - share)) / among + z ** 2 / (4 * among ** 2));
  return Math.max(0, (share + z ** 2 / (2 * among) - spread) / (1 + z ** 2 / among));
}
