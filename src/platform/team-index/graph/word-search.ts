import { assumedNames, countedWords, mostPostings, rankedPerAnswer, maxRareTokenNames } from "../../graph-limits.ts";
import type { WordList } from "./graph-maps.ts";

interface Findable<N> {
  row: number;
  words: WordList<N>[];
  shares: number[];
  epoch: number;
}

export interface Ranked<N> {
  node: N;
  score: number;
}

/** Marks what the present search has met. Searches run one after the other. */
let epoch = 0;

/**
 * Names or relationships by the words they are found by, best first: the rarity of the words times the part of the name that
 * they make up, as `ranked` of `d1/graph-sql.ts` has it. `homes` are the word lists of the homes that the viewer may see.
 */
export function findByWords<N extends Findable<N>>(homes: readonly Map<string, WordList<N>>[], terms: readonly string[], limit: number): Ranked<N>[] {
  if (limit <= 0) return [];
  epoch += 1;
  const known = [...new Set(terms)].flatMap((term) => {
    const lists = homes.flatMap((words) => words.get(term) ?? []);
    return lists.length > 0 ? [{ lists, df: Math.min(countedWords, lists.reduce((sum, { nodes }) => sum + nodes.length, 0)) }] : [];
  });
  for (const { lists, df } of known) {
    for (const list of lists) {
      list.epoch = epoch;
      list.rarity = Math.log(1 + assumedNames / df);
    }
  }
  const telling = known.filter(({ df }) => df <= maxRareTokenNames);
  const leading = telling.length > 0 ? telling : known.toSorted((a, b) => a.df - b.df).slice(0, 1);
  const best = new Best<N>(limit * rankedPerAnswer);
  for (const { lists } of leading) {
    for (const list of lists) {
      for (const node of mostMadeUpOf(list)) {
        if (node.epoch === epoch) continue;
        node.epoch = epoch;
        best.offer(node, scoreOf(node));
      }
    }
  }
  return best.ranked;
}

function scoreOf<N>({ words, shares }: Findable<N>): number {
  let rarity = 0;
  let share = 0;
  for (let i = 0; i < words.length; i += 1) {
    const word = words[i] as WordList<N>;
    if (word.epoch !== epoch) continue;
    rarity += word.rarity;
    share += shares[i] as number;
  }
  return rarity * Math.min(1, share);
}

function mostMadeUpOf<N extends { row: number }>({ nodes, shares }: WordList<N>): N[] {
  if (nodes.length <= mostPostings) return nodes;
  const places = nodes.map((_, i) => i).sort((a, b) => (shares[b] as number) - (shares[a] as number) || (nodes[b] as N).row - (nodes[a] as N).row);
  return places.slice(0, mostPostings).map((i) => nodes[i] as N);
}

/** The few best of many; of equal scores the newer row. */
class Best<N extends { row: number }> {
  readonly ranked: Ranked<N>[] = [];
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  offer(node: N, score: number): void {
    const { ranked } = this;
    let at = ranked.length;
    if (at >= this.#limit) {
      if (!isAfter(ranked[at - 1] as Ranked<N>, node, score)) return;
      ranked.pop();
      at -= 1;
    }
    while (at > 0 && isAfter(ranked[at - 1] as Ranked<N>, node, score)) at -= 1;
    ranked.splice(at, 0, { node, score });
  }
}

const isAfter = <N extends { row: number }>(one: Ranked<N>, node: N, score: number): boolean => score > one.score || (score === one.score && node.row > one.node.row);
