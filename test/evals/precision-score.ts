import type { Belief, Case } from "./precision-cases.ts";

/** What the client's context holds for a case: what it always holds, and what the search added. */
export interface Context {
  pinned: ReadonlySet<string>;
  relevant: ReadonlySet<string>;
}

export interface Score {
  precision: number | undefined;
  recall: number | undefined;
  passed: boolean;
}

const inScope = (belief: Belief, scope: readonly string[]): boolean => belief.scope.some((name) => scope.includes(name));

/**
 * The context as the benchmark's runner builds it from a ranked list. What a person has pinned is in the context anyway, so
 * it is not looked for; a relation brings its participants, unless they are questions; the sum is cut at `maxBeliefs`.
 */
export function contextOf(asked: Case, ranked: readonly string[], beliefs: ReadonlyMap<string, Belief>): Context {
  const pinned = [...beliefs.values()]
    .filter((belief) => belief.user_id === asked.userId && belief.pinned && belief.type !== "open_question" && !belief.superseded_by && !belief.resolved_at && inScope(belief, asked.scope))
    .map(({ _id }) => _id);
  const found = [...new Set(ranked)].filter((id) => beliefs.has(id) && !pinned.includes(id));
  const joined = found
    .flatMap((id) => beliefs.get(id)?.participants ?? [])
    .filter((id) => {
      const belief = beliefs.get(id);
      return belief && belief.type !== "open_question" && belief.user_id === asked.userId && inScope(belief, asked.scope) && !pinned.includes(id);
    });
  const kept = pinned.slice(0, asked.maxBeliefs);
  return { pinned: new Set(kept), relevant: new Set([...new Set([...found, ...joined])].slice(0, asked.maxBeliefs - kept.length)) };
}

/** Precision of an empty context is undefined where nothing was expected, otherwise 0; recall is where something was. */
export function scoreCase({ expect }: Case, { pinned, relevant }: Context): Score {
  const { shouldOnlyInclude, mustExclude = [] } = expect.relevantBeliefs ?? {};
  const gold = new Set(shouldOnlyInclude);
  const hits = [...gold].filter((id) => relevant.has(id)).length;
  return {
    precision: relevant.size === 0 ? (gold.size === 0 ? undefined : 0) : hits / relevant.size,
    recall: gold.size === 0 ? undefined : hits / gold.size,
    passed:
      (shouldOnlyInclude === undefined || (hits === gold.size && relevant.size === gold.size)) &&
      mustExclude.every((id) => !relevant.has(id) && !pinned.has(id)),
  };
}

/** In sessions the runner counts what is pinned as found, and an empty answer has no precision at all. */
export function scoreTurn({ expect }: Case, { pinned, relevant }: Context): Score {
  const gold = [...(expect.relevantBeliefs?.shouldOnlyInclude ?? [])];
  const hits = gold.filter((id) => relevant.has(id) || pinned.has(id)).length;
  const noise = expect.noiseCheck?.mustNotSurface ?? [];
  return {
    precision: relevant.size === 0 ? undefined : hits / relevant.size,
    recall: gold.length === 0 ? undefined : hits / gold.length,
    passed: relevant.size === gold.length && gold.every((id) => relevant.has(id)) && noise.every((id) => !relevant.has(id) && !pinned.has(id)),
  };
}
