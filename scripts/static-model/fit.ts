/** Row-major. */
export interface Matrix {
  rows: number;
  columns: number;
  values: Float32Array;
}

export const matrix = (rows: number, columns: number, values: Float32Array = new Float32Array(rows * columns)): Matrix => ({ rows, columns, values });
const row = ({ columns, values }: Matrix, at: number): Float32Array => values.subarray(at * columns, (at + 1) * columns);

export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}

function add(to: Float32Array, from: Float32Array, times: number): void {
  for (let i = 0; i < to.length; i += 1) to[i] = (to[i] ?? 0) + times * (from[i] ?? 0);
}

export function meanOf(a: Matrix): Float32Array {
  const mean = new Float32Array(a.columns);
  for (let i = 0; i < a.rows; i += 1) add(mean, row(a, i), 1 / a.rows);
  return mean;
}

export function minus(a: Matrix, mean: Float32Array): Matrix {
  const result = matrix(a.rows, a.columns, a.values.slice());
  for (let i = 0; i < a.rows; i += 1) add(row(result, i), mean, -1);
  return result;
}

/** The directions in which a centred matrix spreads most, one a row: orthogonal iteration on its covariance. */
export function principal(a: Matrix, count: number, random: () => number): Matrix {
  const covariance = matrix(a.columns, a.columns);
  for (let i = 0; i < a.rows; i += 1) {
    const values = row(a, i);
    for (let j = 0; j < a.columns; j += 1) add(row(covariance, j), values, (values[j] ?? 0) / a.rows);
  }
  let basis = orthonormal(matrix(count, a.columns, Float32Array.from({ length: count * a.columns }, () => random() - 0.5)));
  for (let round = 0; round < 40; round += 1) basis = orthonormal(projected(basis, covariance));
  return basis;
}

/** Gram-Schmidt, twice for the sake of rounding. */
function orthonormal(a: Matrix): Matrix {
  for (let i = 0; i < a.rows; i += 1) {
    const current = row(a, i);
    for (let pass = 0; pass < 2; pass += 1) for (let j = 0; j < i; j += 1) add(current, row(a, j), -dot(current, row(a, j)));
    const length = Math.sqrt(dot(current, current));
    for (let k = 0; k < current.length; k += 1) current[k] = (current[k] ?? 0) / length;
  }
  return a;
}

/** The rows of `a`, seen along the rows of `basis`. */
export function projected(a: Matrix, basis: Matrix): Matrix {
  const result = matrix(a.rows, basis.rows);
  for (let i = 0; i < a.rows; i += 1) for (let j = 0; j < basis.rows; j += 1) result.values[i * basis.rows + j] = dot(row(a, i), row(basis, j));
  return result;
}

/**
 * Word vectors W whose sums come near the vectors of the texts: minimises |A W - T|² + pull · |W - W0|², where A sums the
 * words of a text and divides by the root of their number. Conjugate gradients on the normal equations, column by column.
 */
export function fitWords(bags: number[][], targets: Matrix, start: Matrix, { pull, rounds }: { pull: number; rounds: number }): Matrix {
  const columns = targets.columns;
  const sums = (words: Matrix): Matrix => {
    const result = matrix(bags.length, columns);
    for (const [i, bag] of bags.entries()) for (const word of bag) add(row(result, i), row(words, word), 1 / Math.sqrt(bag.length));
    return result;
  };
  const spread = (texts: Matrix): Matrix => {
    const result = matrix(start.rows, columns);
    for (const [i, bag] of bags.entries()) for (const word of bag) add(row(result, word), row(texts, i), 1 / Math.sqrt(bag.length));
    return result;
  };
  const missing = sums(start);
  for (let i = 0; i < missing.values.length; i += 1) missing.values[i] = (targets.values[i] ?? 0) - (missing.values[i] ?? 0);

  const words = matrix(start.rows, columns, start.values.slice());
  const residual = spread(missing);
  const direction = matrix(start.rows, columns, residual.values.slice());
  let squares = byColumn(residual, residual);
  for (let round = 0; round < rounds; round += 1) {
    const image = spread(sums(direction));
    add(image.values, direction.values, pull);
    const steps = ratio(squares, byColumn(direction, image));
    addByColumn(words, direction, steps, 1);
    addByColumn(residual, image, steps, -1);
    const next = byColumn(residual, residual);
    const turn = ratio(next, squares);
    for (let i = 0; i < direction.values.length; i += 1) direction.values[i] = (residual.values[i] ?? 0) + (turn[i % columns] ?? 0) * (direction.values[i] ?? 0);
    squares = next;
  }
  return words;
}

function byColumn(a: Matrix, b: Matrix): Float64Array {
  const sums = new Float64Array(a.columns);
  for (let i = 0; i < a.values.length; i += 1) sums[i % a.columns] = (sums[i % a.columns] ?? 0) + (a.values[i] ?? 0) * (b.values[i] ?? 0);
  return sums;
}

const ratio = (a: Float64Array, b: Float64Array): Float64Array => a.map((value, i) => value / Math.max(b[i] ?? 0, 1e-12));

function addByColumn(to: Matrix, from: Matrix, times: Float64Array, sign: number): void {
  for (let i = 0; i < to.values.length; i += 1) to.values[i] = (to.values[i] ?? 0) + sign * (times[i % to.columns] ?? 0) * (from.values[i] ?? 0);
}
