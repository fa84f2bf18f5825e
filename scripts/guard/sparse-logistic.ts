export interface Row {
  /** Which inputs are 1; the others are 0. */
  inputs: Int32Array;
  isOrder: boolean;
  weight: number;
}

/**
 * Logistic regression with a penalty on the sum of the weights' sizes (L1), which leaves most of them at zero; by proximal gradient
 * descent with momentum (FISTA), from weights that are given. The same rows give the same weights.
 */
export function fitSparse(rows: readonly Row[], from: { weights: Float64Array; bias: number }, penalty: number, steps: number): { weights: Float64Array; bias: number } {
  const total = rows.reduce((sum, { weight }) => sum + weight, 0);
  const width = from.weights.length;
  let rate = 1;
  let weights = Float64Array.of(...from.weights, from.bias);
  let ahead = weights.slice();
  let momentum = 1;
  const slope = new Float64Array(width + 1);
  /** Fills `slope` where it is asked for. */
  const lossAt = (at: Float64Array, withSlope: boolean): number => {
    let loss = 0;
    if (withSlope) slope.fill(0);
    for (const { inputs, isOrder, weight } of rows) {
      let sum = at[width] as number;
      for (const input of inputs) sum += at[input] as number;
      const margin = isOrder ? sum : -sum;
      const small = Math.exp(-Math.abs(margin));
      loss += weight * (Math.max(0, -margin) + Math.log1p(small));
      if (!withSlope) continue;
      const pull = ((isOrder ? -1 : 1) * weight * (margin > 0 ? small : 1)) / (1 + small) / total;
      for (const input of inputs) slope[input] = (slope[input] as number) + pull;
      slope[width] = (slope[width] as number) + pull;
    }
    return loss / total;
  };
  for (let step = 0; step < steps; step += 1) {
    const loss = lossAt(ahead, true);
    for (;;) {
      const next = ahead.map((value, i) => {
        const moved = value - rate * (slope[i] as number);
        return i === width ? moved : Math.sign(moved) * Math.max(0, Math.abs(moved) - rate * penalty);
      });
      let bound = loss;
      for (let i = 0; i <= width; i += 1) {
        const change = (next[i] as number) - (ahead[i] as number);
        bound += change * (slope[i] as number) + (change * change) / (2 * rate);
      }
      if (step > 20 || lossAt(next, false) <= bound + 1e-12) {
        const grown = (1 + Math.sqrt(1 + 4 * momentum * momentum)) / 2;
        const [gone, last] = [(momentum - 1) / grown, weights];
        ahead = next.map((value, i) => value + gone * (value - (last[i] as number)));
        momentum = grown;
        weights = next;
        break;
      }
      rate /= 2;
    }
  }
  return { weights: weights.slice(0, width), bias: weights[width] as number };
}
