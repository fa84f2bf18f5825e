/**
 * What the cosines of a model mean: those of texts that have nothing to do with each other, and those of a question and the
 * text that answers it. One model puts the former at .05, another at .45.
 */
export interface SimilarityScale {
  unrelated: number;
  related: number;
  /** How many matching pairs it was measured on. */
  pairs: number;
}

/** Fewer make a mean that the next memory moves. */
const minPairs = 16;
/** A model that does not tell a pair from two strangers has no scale. */
const minGap = 0.05;

/**
 * Measures a scale on unit vectors: the query at each place belongs to the passage at the same place, and to no other. Nothing
 * when the pairs are too few, or no nearer to each other than the rest.
 */
export function scaleFrom(queries: readonly Float32Array[], passages: readonly Float32Array[]): SimilarityScale | undefined {
  const pairs = queries.length;
  if (pairs < minPairs || passages.length !== pairs) return undefined;
  let matching = 0;
  for (const [i, query] of queries.entries()) matching += dot(query, passages[i] as Float32Array);
  // The sum over all pairs is the product of the two sums.
  const all = dot(sumOf(queries), sumOf(passages));
  const related = matching / pairs;
  const unrelated = (all - matching) / (pairs * (pairs - 1));
  return related - unrelated >= minGap ? { unrelated, related, pairs } : undefined;
}

/**
 * For a model whose scale nobody knows. Its unrelated texts may be anywhere up to .8, so that a high cosine proves nothing: it
 * begins to count where most models have left chance behind, and even equal texts come to no more than a half. What is
 * relevant beyond that, words have to say. The order stays that of the cosines.
 */
const unknownScale = { unrelated: 0.6, related: 1.4 };

/** From a cosine to how far it is from chance: about 0 for unrelated texts and 1 for a pair, below and above for what is farther out. */
export function similarityOf(scale: Pick<SimilarityScale, "unrelated" | "related"> = unknownScale): (cosine: number) => number {
  const { unrelated, related } = scale;
  return (cosine) => (cosine - unrelated) / (related - unrelated);
}

function sumOf(vectors: readonly Float32Array[]): Float64Array {
  const sum = new Float64Array(vectors[0]?.length ?? 0);
  for (const vector of vectors) for (let at = 0; at < sum.length; at += 1) sum[at] = (sum[at] as number) + (vector[at] as number);
  return sum;
}

function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let at = 0; at < a.length; at += 1) sum += (a[at] as number) * (b[at] as number);
  return sum;
}
