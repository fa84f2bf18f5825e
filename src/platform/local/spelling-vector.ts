/** Beside words of the table, whose mean length is 1. More helps exact names and hides meaning, which full text and vectors share between them. */
const unknownWeight = 0.5;
/** Places each n-gram touches: more make chance overlaps smaller, fewer are faster. */
const placesPerGram = 8;

/**
 * A word that is not in the table (a name, an identifier, a number) gets a direction from its spelling: the word as a whole
 * and its n-grams of 3 to 5 characters, hashed (Bojanowski et al. 2017), so that words spelt alike are near each other.
 */
export function addSpelling(word: string, sum: Float32Array, times = 1): void {
  const characters = [..."<", ...word.slice(0, 64), ...">"];
  const grams: string[] = [];
  for (const size of [3, 4, 5]) for (let at = 0; at + size <= characters.length; at += 1) grams.push(characters.slice(at, at + size).join(""));
  // The whole counts as much as all parts together; directions of different hashes are nearly orthogonal.
  const each = (times * unknownWeight) / Math.sqrt(2 * placesPerGram);
  scatter(word, each, sum);
  for (const gram of grams) scatter(gram, each / Math.sqrt(grams.length), sum);
}

/** Adds a few signed values at places that depend on the text alone. */
function scatter(text: string, value: number, sum: Float32Array): void {
  let state = fnv1a(text) || 1;
  for (let place = 0; place < placesPerGram; place += 1) {
    // xorshift32 (Marsaglia 2003)
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    const at = (state >>> 1) % sum.length;
    sum[at] = (sum[at] ?? 0) + ((state & 1) === 0 ? value : -value);
  }
}

/** FNV-1a over UTF-16 units, 32 bits. */
function fnv1a(text: string): number {
  let hash = 0x81_1c_9d_c5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01_00_01_93);
  return hash;
}
