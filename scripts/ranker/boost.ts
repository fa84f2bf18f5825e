import { depth, type TreeModel } from "../../src/domain/recall/ranking/trees.ts";

/** Rows of one question stand together. */
export interface Examples {
  rows: Float32Array[];
  labels: number[];
  /** Weight of each row. */
  weights: number[];
  /** Where the rows of each question begin, and the end of the last. */
  starts: number[];
}

export interface BoostOptions {
  trees: number;
  rate: number;
  /** Least sum of second derivatives in a leaf. */
  leastWeight: number;
  /** L2 regularisation of leaf values. */
  lambda: number;
  /** Share of rows and of features that each tree looks at. */
  rowShare: number;
  featureShare: number;
  objective: "rank" | "logistic";
  seed: number;
  /** For each feature 1 or −1 where the score may only rise or fall with it (monotone constraint), else 0. */
  monotone?: readonly number[];
}

/** The least and the most that a leaf under a node may say, so that a split further up keeps its direction. */
type Bounds = readonly [least: number, most: number];

const bins = 64;

/** Gradient boosting on histograms (Ke et al. 2017), of LambdaMART's gradients (Burges 2010) or those of the logistic loss. */
export function boost({ rows, labels, weights, starts }: Examples, options: BoostOptions): TreeModel {
  const { trees, rate, lambda } = options;
  const random = mulberry32(options.seed);
  const features = rows[0]?.length ?? 0;
  const edges = Array.from({ length: features }, (_, feature) => edgesOf(rows, feature));
  const binned = Array.from({ length: features }, (_, feature) => Uint8Array.from(rows, (row) => binOf(edges[feature] as Float32Array, row[feature] as number)));
  const positive = labels.reduce((sum, label, i) => sum + label * (weights[i] as number), 0) / weights.reduce((sum, weight) => sum + weight, 0);
  const base = options.objective === "logistic" ? Math.log(positive / (1 - positive)) : 0;
  const scores = new Float64Array(rows.length).fill(base);
  const [gradients, hessians] = [new Float64Array(rows.length), new Float64Array(rows.length)];
  const model: TreeModel = { base, features: [], thresholds: [], leaves: [] };

  for (let tree = 0; tree < trees; tree += 1) {
    if (options.objective === "rank") rankGradients(scores, labels, weights, starts, gradients, hessians);
    else logisticGradients(scores, labels, weights, gradients, hessians);
    const chosen = Array.from({ length: features }, (_, feature) => feature).filter(() => random() < options.featureShare);
    const inBag = new Uint8Array(rows.length);
    for (let q = 0; q + 1 < starts.length; q += 1) if (random() < options.rowShare) inBag.fill(1, starts[q], starts[q + 1]);
    const node = new Uint16Array(rows.length);
    const inner = 2 ** depth - 1;
    let bounds: Bounds[] = [[-Infinity, Infinity]];
    const [treeFeatures, treeThresholds] = [Array.from({ length: inner }, () => 0), Array.from({ length: inner }, () => Number.MAX_VALUE)];
    for (let level = 0; level < depth; level += 1) {
      const first = 2 ** level - 1;
      const splits = bestSplits(first, 2 ** level, chosen, binned, node, inBag, gradients, hessians, edges, options, bounds);
      bounds = splits.flatMap((split, i) => boundsBelow(bounds[i] as Bounds, split, options.monotone));
      for (const [i, split] of splits.entries()) {
        if (!split) continue;
        treeFeatures[first + i] = split.feature;
        treeThresholds[first + i] = split.threshold;
      }
      for (let row = 0; row < rows.length; row += 1) {
        const at = node[row] as number;
        const split = splits[at - first];
        const right = split ? (rows[row] as Float32Array)[split.feature] as number > split.threshold : false;
        node[row] = 2 * at + (right ? 2 : 1);
      }
    }
    const [g, h] = [new Float64Array(inner + 1), new Float64Array(inner + 1)];
    for (let row = 0; row < rows.length; row += 1) {
      if (!inBag[row]) continue;
      const leaf = (node[row] as number) - inner;
      g[leaf] = (g[leaf] as number) + (gradients[row] as number);
      h[leaf] = (h[leaf] as number) + (hessians[row] as number);
    }
    const leaves = Array.from(g, (sum, leaf) => Math.fround(rate * within(bounds[leaf] as Bounds, sum / ((h[leaf] as number) + lambda))));
    for (let row = 0; row < rows.length; row += 1) scores[row] = (scores[row] as number) + (leaves[(node[row] as number) - inner] as number);
    model.features.push(treeFeatures);
    model.thresholds.push(treeThresholds.map((value) => (value === Number.MAX_VALUE ? 1e9 : Math.fround(value))));
    model.leaves.push(leaves);
  }
  return model;
}

interface Split {
  feature: number;
  threshold: number;
  /** Between what both sides say. */
  middle: number;
}

const within = ([least, most]: Bounds, value: number): number => Math.min(most, Math.max(least, value));

/** Of both sides of a split. */
function boundsBelow(bounds: Bounds, split: Split | undefined, monotone: BoostOptions["monotone"]): Bounds[] {
  const direction = split ? (monotone?.[split.feature] ?? 0) : 0;
  if (!split || direction === 0) return [bounds, bounds];
  const [low, high]: Bounds[] = [[bounds[0], split.middle], [split.middle, bounds[1]]];
  return (direction > 0 ? [low, high] : [high, low]) as Bounds[];
}

function bestSplits(
  first: number, count: number, chosen: number[], binned: Uint8Array[], node: Uint16Array, inBag: Uint8Array, gradients: Float64Array, hessians: Float64Array,
  edges: Float32Array[], { lambda, leastWeight, monotone }: BoostOptions, bounds: readonly Bounds[],
): (Split | undefined)[] {
  const best: { gain: number; split: Split | undefined }[] = Array.from({ length: count }, () => ({ gain: 1e-6, split: undefined }));
  const [g, h] = [new Float64Array(count * bins), new Float64Array(count * bins)];
  for (const feature of chosen) {
    g.fill(0);
    h.fill(0);
    const column = binned[feature] as Uint8Array;
    for (let row = 0; row < column.length; row += 1) {
      if (!inBag[row]) continue;
      const at = ((node[row] as number) - first) * bins + (column[row] as number);
      g[at] = (g[at] as number) + (gradients[row] as number);
      h[at] = (h[at] as number) + (hessians[row] as number);
    }
    const limits = edges[feature] as Float32Array;
    for (let i = 0; i < count; i += 1) {
      let [allG, allH] = [0, 0];
      for (let bin = 0; bin < bins; bin += 1) {
        allG += g[i * bins + bin] as number;
        allH += h[i * bins + bin] as number;
      }
      let [leftG, leftH] = [0, 0];
      for (let bin = 0; bin < limits.length; bin += 1) {
        leftG += g[i * bins + bin] as number;
        leftH += h[i * bins + bin] as number;
        const [rightG, rightH] = [allG - leftG, allH - leftH];
        if (leftH < leastWeight || rightH < leastWeight) continue;
        const [left, right] = [within(bounds[i] as Bounds, leftG / (leftH + lambda)), within(bounds[i] as Bounds, rightG / (rightH + lambda))];
        if ((monotone?.[feature] ?? 0) * (right - left) < 0) continue;
        const gain = leftG ** 2 / (leftH + lambda) + rightG ** 2 / (rightH + lambda) - allG ** 2 / (allH + lambda);
        const entry = best[i] as (typeof best)[number];
        if (gain > entry.gain) best[i] = { gain, split: { feature, threshold: limits[bin] as number, middle: (left + right) / 2 } };
      }
    }
  }
  return best.map(({ split }) => split);
}

/** Pairs of evidence and the rest, each weighed by what their exchange would change in NDCG. */
function rankGradients(scores: Float64Array, labels: number[], weights: number[], starts: number[], gradients: Float64Array, hessians: Float64Array): void {
  gradients.fill(0);
  hessians.fill(0);
  for (let q = 0; q + 1 < starts.length; q += 1) {
    const [from, to] = [starts[q] as number, starts[q + 1] as number];
    const order = Array.from({ length: to - from }, (_, i) => from + i).sort((a, b) => (scores[b] as number) - (scores[a] as number));
    const discount = new Map(order.map((row, at) => [row, 1 / Math.log2(at + 2)]));
    const gold = order.filter((row) => labels[row] === 1);
    if (gold.length === 0 || gold.length === order.length) continue;
    let ideal = 0;
    for (let i = 0; i < gold.length; i += 1) ideal += 1 / Math.log2(i + 2);
    for (const a of gold) {
      for (const b of order) {
        if (labels[b] === 1) continue;
        const difference = (scores[a] as number) - (scores[b] as number);
        const rho = 1 / (1 + Math.exp(difference));
        const change = (Math.abs((discount.get(a) as number) - (discount.get(b) as number)) / ideal) * (weights[a] as number);
        const push = change * rho;
        const curve = Math.max(1e-9, change * rho * (1 - rho));
        gradients[a] = (gradients[a] as number) + push;
        gradients[b] = (gradients[b] as number) - push;
        hessians[a] = (hessians[a] as number) + curve;
        hessians[b] = (hessians[b] as number) + curve;
      }
    }
  }
}

function logisticGradients(scores: Float64Array, labels: number[], weights: number[], gradients: Float64Array, hessians: Float64Array): void {
  for (let row = 0; row < scores.length; row += 1) {
    const p = 1 / (1 + Math.exp(-(scores[row] as number)));
    gradients[row] = ((labels[row] as number) - p) * (weights[row] as number);
    hessians[row] = p * (1 - p) * (weights[row] as number);
  }
}

/** Quantiles of a feature's values, at most `bins` − 1 of them. */
function edgesOf(rows: Float32Array[], feature: number): Float32Array {
  const values = Float32Array.from(rows, (row) => row[feature] as number).sort();
  const found: number[] = [];
  for (let i = 1; i < bins; i += 1) {
    const value = values[Math.floor((i * values.length) / bins)] as number;
    if (found.at(-1) !== value && value < (values.at(-1) as number)) found.push(value);
  }
  return Float32Array.from(found);
}

/** The first bin whose edge is at least the value. */
function binOf(edges: Float32Array, value: number): number {
  let [low, high] = [0, edges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (value <= (edges[middle] as number)) high = middle;
    else low = middle + 1;
  }
  return low;
}

export function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
