import { EmbeddingFailure } from "../../domain/embedding/embedder.ts";

export interface Expected {
  model: string;
  count: number;
  dimensions: number;
}

/** A provider's answer as unit vectors. @throws EmbeddingFailure when it is not what was asked for */
export function unitVectors(rows: readonly unknown[], { model, count, dimensions }: Expected): Float32Array[] {
  if (rows.length !== count) throw malformed(model, `${rows.length} vectors for ${count} texts`);
  return rows.map((row) => {
    if (!Array.isArray(row)) throw malformed(model, "something else than vectors");
    if (row.length !== dimensions) throw wrongDimension(model, row.length, dimensions);
    return unit(new Float32Array(row as number[]), model);
  });
}

/** In place. */
function unit(vector: Float32Array, model: string): Float32Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  // Whatever is not a finite number, here or as a sum, makes the sum NaN or infinite.
  if (!Number.isFinite(squares)) throw malformed(model, "values that are not finite numbers");
  if (squares === 0) throw malformed(model, "a vector without direction (all zeros)");
  const scale = 1 / Math.sqrt(squares);
  for (let i = 0; i < vector.length; i += 1) vector[i] = (vector[i] ?? 0) * scale;
  return vector;
}

export const malformed = (model: string, what: string): EmbeddingFailure =>
  new EmbeddingFailure(`${model} answered with ${what}; check that EMBEDDINGS_MODEL is an embedding model`, { retryable: false });

const wrongDimension = (model: string, got: number, expected: number): EmbeddingFailure =>
  new EmbeddingFailure(
    `${model} makes vectors of ${got} dimensions, but ${expected} are configured: set EMBEDDINGS_DIMENSIONS to ${got} ` +
      `(what is stored is then embedded again) or EMBEDDINGS_MODEL to a model of ${expected} dimensions`,
    { retryable: false },
  );
