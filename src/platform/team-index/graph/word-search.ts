import { assumedNames, countedWords, mostPostings, rankedPerAnswer, tellingWords } from "../../graph-limits.ts";
import type { WordList } from "./graph-maps.ts";

interface Findable<N> {
  row: number;
  words: { list: WordList<N>; share: number }[];
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
  epoch += 1;
  const known = [...new Set(terms)].flatMap((term) => {
    const lists = homes.flatMap((words) => words.get(term) ?? []);
    return lists.length > 0 ? [{ lists, df: Math.min(countedWords, lists.reduce((sum, { postings }) => sum + postings.length, 0)) }] : [];
  });
  for (const { lists, df } of known) {
    for (const list of lists) {
      list.epoch = epoch;
      list.rarity = Math.log(1 + assumedNames / df);
    }
  }
  const telling = known.filter(({ df }) => df <= tellingWords);
  const leading = telling.length > 0 ? telling : known.toSorted((a, b) => a.df - b.df).slice(0, 1);
  const best = new Best<N>(limit * rankedPerAnswer);
  for (const { lists } of leading) {
    for (const list of lists) {
      for (const { node } of mostMadeUpOf(list)) {
        if (node.epoch === epoch) continue;
        node.epoch = epoch;
        best.offer(node, scoreOf(node));
      }
    }
  }
  return best.ranked;
}

function scoreOf<N>({ words }: Findable<N>): number {
  let rarity = 0;
  let share = 0;
  for (const word of words) {
    if (word.list.epoch !== epoch) continue;
    rarity += word.list.rarity;
    share += word.share;
  }
  return rarity * Math.min(1, share);
}

const mostMadeUpOf = <N extends { row: number }>({ postings }: WordList<N>): WordList<N>["postings"] =>
  postings.length <= mostPostings ? postings : postings.toSorted((a, b) => b.share - a.share || b.node.row - a.node.row).slice(0, mostPostings);

/** The few best of many; of equal scores the newer row. */
class Best<N extends { row: number }> {
  readonly ranked: Ranked<N>[] = [];
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  offer(node: N, score: number): void {
    const isFull = this.ranked.length >= this.#limit;
    const worst = this.ranked.at(-1);
    if (isFull && (!worst || !precedes({ node, score }, worst))) return;
    if (isFull) this.ranked.pop();
    let at = this.ranked.length;
    while (at > 0 && precedes({ node, score }, this.ranked[at - 1] as Ranked<N>)) at -= 1;
    this.ranked.splice(at, 0, { node, score });
  }
}

const precedes = <N extends { row: number }>(a: Ranked<N>, b: Ranked<N>): boolean => a.score > b.score || (a.score === b.score && a.node.row > b.node.row);
