/**
 * An ensemble of regression trees (Friedman 2001), as `scripts/ranker/train.ts` writes it: complete binary trees of one depth,
 * each a list of its inner nodes, level by level, followed by the values of its leaves.
 */
export interface TreeModel {
  depth: number;
  /** What a row begins with. */
  base: number;
  /** For each tree the features its inner nodes look at; a row whose value is at most the threshold goes left. */
  features: number[][];
  thresholds: number[][];
  leaves: number[][];
}

/** The trees in flat arrays, which is what makes 100 candidates cost less than a millisecond. */
export class Trees {
  readonly #depth: number;
  readonly #base: number;
  readonly #count: number;
  readonly #features: Uint8Array;
  readonly #thresholds: Float32Array;
  readonly #leaves: Float32Array;

  constructor({ depth, base, features, thresholds, leaves }: TreeModel) {
    this.#depth = depth;
    this.#base = base;
    this.#count = leaves.length;
    this.#features = Uint8Array.from(features.flat());
    this.#thresholds = Float32Array.from(thresholds.flat());
    this.#leaves = Float32Array.from(leaves.flat());
  }

  score(row: Float32Array): number {
    const inner = 2 ** this.#depth - 1;
    let sum = this.#base;
    for (let tree = 0; tree < this.#count; tree += 1) sum += this.#leaves[tree * (inner + 1) + this.#leafOf(tree, row)] as number;
    return sum;
  }

  #leafOf(tree: number, row: Float32Array): number {
    const inner = 2 ** this.#depth - 1;
    let node = 0;
    while (node < inner) {
      const at = tree * inner + node;
      node = 2 * node + ((row[this.#features[at] as number] as number) <= (this.#thresholds[at] as number) ? 1 : 2);
    }
    return node - inner;
  }

  /** By feature: how much of the score its decisions brought (Saabas 2014), which with the base add up to it. */
  contributions(row: Float32Array): Float32Array {
    const found = new Float32Array(row.length);
    const inner = 2 ** this.#depth - 1;
    for (let tree = 0; tree < this.#count; tree += 1) {
      const means = this.#means(tree);
      let node = 0;
      while (node < inner) {
        const feature = this.#features[tree * inner + node] as number;
        const next = 2 * node + ((row[feature] as number) <= (this.#thresholds[tree * inner + node] as number) ? 1 : 2);
        found[feature] = (found[feature] as number) + (means[next] as number) - (means[node] as number);
        node = next;
      }
    }
    return found;
  }

  /** Mean of the leaves under each node; leaves last. */
  #means(tree: number): Float32Array {
    const inner = 2 ** this.#depth - 1;
    const means = new Float32Array(2 * inner + 1);
    for (let leaf = 0; leaf <= inner; leaf += 1) means[inner + leaf] = this.#leaves[tree * (inner + 1) + leaf] as number;
    for (let node = inner - 1; node >= 0; node -= 1) means[node] = ((means[2 * node + 1] as number) + (means[2 * node + 2] as number)) / 2;
    return means;
  }
}
