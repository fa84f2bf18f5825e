/** The same every time: xorshift32 (Marsaglia 2003), normal numbers by Box and Muller. */
function randomness(seed: number): () => number {
  let state = seed;
  const uniform = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return ((state >>> 0) + 1) / 2 ** 32;
  };
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

/**
 * Unit vectors that lie as embeddings do: in clusters, all inclined to one direction, and varying much in some dimensions
 * and little in others.
 */
export function clusters({ dimensions, clusters: count, seed = 7 }: { dimensions: number; clusters: number; seed?: number }): (size: number) => Float32Array[] {
  const normal = randomness(seed);
  const direction = (): Float32Array => unit(Float32Array.from({ length: dimensions }, (_, at) => normal() / Math.sqrt(at + 1)));
  const common = direction();
  const centres = Array.from({ length: count }, direction);
  return (size) => Array.from({ length: size }, (_, n) => {
    const centre = centres[n % count] as Float32Array;
    const own = direction();
    return unit(own.map((value, at) => value + (centre[at] as number) + (common[at] as number) / 2));
  });
}

function unit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return vector.map((value) => value / length);
}
