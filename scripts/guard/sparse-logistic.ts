export interface Row {
  /** Which inputs are 1; the others are 0. */
  inputs: readonly number[];
  isOrder: boolean;
  weight: number;
}

/**
 * Logistic regression with a penalty on the sum of the weights' sizes (L1), which leaves most of them at zero; by proximal gradient
 * descent with momentum (FISTA). The same rows give the same weights.
 */
export function fitSparse(rows: readonly Row[], width: number, penalty: number, steps: number): { weights: Float64Array; bias: number } {
  const total = rows.reduce((sum, { weight }) => sum + weight, 0);
  let rate = 1;
  let weights = new Float64Array(width + 1);
  let ahead = weights.slice();
  let momentum = 1;
  const gradient = (at: Float64Array): { slope: Float64Array; loss: number } => {
    const slope = new Float64Array(width + 1);
    let loss = 0;
    for (const { inputs, isOrder, weight } of rows) {
      let sum = at[width] as number;
      for (const input of inputs) sum += at[input] as number;
      const margin = isOrder ? sum : -sum;
      loss += (weight * (margin > 0 ? Math.log1p(Math.exp(-margin)) : -margin + Math.log1p(Math.exp(margin)))) / total;
      const pull = ((isOrder ? -1 : 1) * weight) / (1 + Math.exp(margin)) / total;
      for (const input of inputs) slope[input] = (slope[input] as number) + pull;
      slope[width] = (slope[width] as number) + pull;
    }
    return { slope, loss };
  };
  for (let step = 0; step < steps; step += 1) {
    const { slope, loss } = gradient(ahead);
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
      if (step > 30 || gradient(next).loss <= bound + 1e-12) {
        const grown = (1 + Math.sqrt(1 + 4 * momentum * momentum)) / 2;
        ahead = next.map((value, i) => value + ((momentum - 1) / grown) * (value - (weights[i] as number)));
        momentum = grown;
        weights = next;
        break;
      }
      rate /= 2;
    }
  }
  return { weights: weights.slice(0, width), bias: weights[width] as number };
}
