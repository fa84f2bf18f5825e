/** Of each tree. */
export const depth = 4;
/** How many inner nodes a tree has. */
export const inner = 2 ** depth - 1;

/**
 * An ensemble of regression trees (Friedman 2001): complete binary trees,
 * each a list of its inner nodes, level by level, followed by the values of its leaves.
 */
export interface TreeModel {
  /** What a row begins with. */
  base: number;
  /** For each tree the features its inner nodes look at; a row whose value is at most the threshold goes left. */
  features: number[][];
  thresholds: number[][];
  leaves: number[][];
}

/** The trees in flat arrays, which is what makes 100 candidates cost less than a millisecond. */
export class Trees {
  readonly #base: number;
  readonly #count: number;
  readonly #features: Uint8Array;
  readonly #thresholds: Float32Array;
  readonly #leaves: Float32Array;
  /** Made when somebody first asks why. */
  #means: Float32Array | undefined;

  constructor({ base, features, thresholds, leaves }: TreeModel) {
    this.#base = base;
    this.#count = leaves.length;
    this.#features = Uint8Array.from(features.flat());
    this.#thresholds = Float32Array.from(thresholds.flat());
    this.#leaves = Float32Array.from(leaves.flat());
  }

  score(row: Float32Array): number {
    return this.scores([row])[0] as number;
  }

  /**
   * Of each row. Tree by tree, so that the processor has its nodes at hand for all of them. A way to a leaf is written out, and each
   * turn is computed: looped, with branches that the processor guesses wrong, the same takes three times as long.
   */
  scores(rows: readonly Float32Array[]): number[] {
    const sums = rows.map(() => this.#base);
    for (let tree = 0; tree < this.#count; tree += 1) {
      const root = tree * inner;
      for (let i = 0; i < rows.length; i += 1) {
        const row = rows[i] as Float32Array;
        const node = this.#next(root, this.#next(root, this.#next(root, this.#next(root, 0, row), row), row), row);
        sums[i] = (sums[i] as number) + (this.#leaves[tree * (inner + 1) + node - inner] as number);
      }
    }
    return sums;
  }

  #next(root: number, node: number, row: Float32Array): number {
    return 2 * node + 2 - Number((row[this.#features[root + node] as number] as number) <= (this.#thresholds[root + node] as number));
  }

  /** By feature: how much of the score its decisions brought (Saabas 2014), which with the base add up to it. */
  contributions(row: Float32Array): Float32Array {
    const found = new Float32Array(row.length);
    const means = (this.#means ??= this.#meansOfNodes());
    for (let tree = 0; tree < this.#count; tree += 1) {
      const [root, first] = [tree * inner, tree * (2 * inner + 1)];
      let node = 0;
      for (let level = 0; level < depth; level += 1) {
        const feature = this.#features[root + node] as number;
        const next = this.#next(root, node, row);
        found[feature] = (found[feature] as number) + (means[first + next] as number) - (means[first + node] as number);
        node = next;
      }
    }
    return found;
  }

  /** Mean of the leaves under each node, tree by tree; leaves last. */
  #meansOfNodes(): Float32Array {
    const all = new Float32Array(this.#count * (2 * inner + 1));
    for (let tree = 0; tree < this.#count; tree += 1) {
      const means = all.subarray(tree * (2 * inner + 1), (tree + 1) * (2 * inner + 1));
      means.set(this.#leaves.subarray(tree * (inner + 1), (tree + 1) * (inner + 1)), inner);
      for (let node = inner - 1; node >= 0; node -= 1) means[node] = ((means[2 * node + 1] as number) + (means[2 * node + 2] as number)) / 2;
    }
    return all;
  }
}
