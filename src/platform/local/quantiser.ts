/**
 * Vectors as 16-bit codes for scanning. A rotation first spreads what a vector says evenly over all numbers, so that neither
 * the codes nor their signs waste bits on dimensions that hardly vary: random signs and a fast Walsh–Hadamard transform
 * (Ailon & Chazelle 2009; so does RaBitQ, Gao & Long 2024). It changes no angle, so the codes are compared as they are.
 */
export class Quantiser {
  /** Numbers in a code: a power of two, at least 256, so that the signs fill whole blocks of eight words. */
  readonly width: number;
  readonly #signs: Float64Array;

  constructor(dimensions: number) {
    this.width = Math.max(256, 2 ** Math.ceil(Math.log2(dimensions)));
    this.#signs = signs(this.width);
  }

  /** The unit vector, rotated. */
  rotate(values: ArrayLike<number>): Float64Array {
    const rotated = new Float64Array(this.width);
    let square = 0;
    for (let at = 0; at < values.length; at += 1) {
      const value = values[at] as number;
      square += value * value;
      rotated[at] = value * (this.#signs[at] as number);
    }
    transform(rotated, square === 0 ? 0 : 1 / Math.sqrt(square * this.width));
    return rotated;
  }

  /** Writes the code to `codes` at `offset` and answers its scale: rotated value ≈ code × scale. */
  encode(values: ArrayLike<number>, codes: Int16Array, offset: number): number {
    const rotated = this.rotate(values);
    let largest = 0;
    for (const value of rotated) largest = Math.max(largest, Math.abs(value));
    const scale = largest / 32_767;
    for (let at = 0; at < this.width; at += 1) codes[offset + at] = scale === 0 ? 0 : Math.round((rotated[at] as number) / scale);
    return scale;
  }

  /** Vector of a code and its scale. The transform is its own inverse. */
  decode(codes: Int16Array, scale: number): Float32Array {
    const values = Float64Array.from(codes);
    transform(values, scale / Math.sqrt(this.width));
    return Float32Array.from(values, (value, at) => value * (this.#signs[at] as number));
  }
}

/** Fast Walsh–Hadamard transform in place, times `scale`. */
function transform(values: Float64Array, scale: number): void {
  const width = values.length;
  for (let half = 1; half < width; half *= 2) {
    for (let block = 0; block < width; block += 2 * half) {
      for (let at = block; at < block + half; at += 1) {
        const a = values[at] as number;
        const b = values[at + half] as number;
        values[at] = a + b;
        values[at + half] = a - b;
      }
    }
  }
  for (let at = 0; at < width; at += 1) (values[at] as number) *= scale;
}

/** Always the same: stored codes depend on them. A linear congruential generator (Numerical Recipes) with its top bit. */
function signs(width: number): Float64Array {
  let state = 1;
  return Float64Array.from({ length: width }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >= 2 ** 31 ? -1 : 1;
  });
}
