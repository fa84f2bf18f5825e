import { words } from "../../domain/text/query-terms.ts";

/**
 * Word vectors without a network: a text is the sum of the vectors of its words, made a unit vector. The table is made by
 * scripts/static-model/ (licences: static-model.md). Its layout, little-endian:
 *
 *   u32 × 4                magic "OMSV", words V, dimensions D, bytes of the word list
 *   f32 × V                what the bytes of each word are multiplied by; how much a word weighs is in its length
 *   i8  × V × D            the vectors, row by row
 *   UTF-8                  the words, most frequent first, separated by line feeds
 */
const magic = 0x56_53_4d_4f;
const headerBytes = 16;

export class StaticEmbedder {
  readonly dimensions: number;
  readonly #rows: Map<string, number>;
  readonly #scales: Float32Array;
  readonly #vectors: Int8Array;

  constructor(model: ArrayBuffer) {
    const [found, count = 0, dimensions = 0, listBytes = 0] = new Uint32Array(model, 0, headerBytes / 4);
    const vectorsAt = headerBytes + 4 * count;
    const listAt = vectorsAt + count * dimensions;
    if (found !== magic || listAt + listBytes !== model.byteLength) throw new Error("static-model.bin is damaged");
    this.dimensions = dimensions;
    this.#scales = new Float32Array(model, headerBytes, count);
    this.#vectors = new Int8Array(model, vectorsAt, count * dimensions);
    this.#rows = new Map(new TextDecoder().decode(new Uint8Array(model, listAt, listBytes)).split("\n").map((word, row) => [word, row]));
  }

  /** A unit vector, also of a text without words. */
  embed(text: string): Float32Array {
    const sum = new Float32Array(this.dimensions);
    const found = words(text);
    for (const word of found) this.#add(word.toLowerCase(), sum);
    if (found.length === 0) addSpelling(text, sum);
    return unit(sum);
  }

  #add(word: string, sum: Float32Array): void {
    const row = this.#rows.get(word);
    if (row === undefined) {
      addSpelling(word, sum);
      return;
    }
    const scale = this.#scales[row] ?? 0;
    const start = row * this.dimensions;
    for (let i = 0; i < sum.length; i += 1) sum[i] = (sum[i] ?? 0) + scale * (this.#vectors[start + i] ?? 0);
  }
}

/** In place. */
function unit(sum: Float32Array): Float32Array {
  let squares = 0;
  for (const value of sum) squares += value * value;
  const length = Math.sqrt(squares);
  for (let i = 0; i < sum.length; i += 1) sum[i] = (sum[i] ?? 0) / length;
  return sum;
}

/** Beside words of the table, whose mean length is 1. More helps exact names and hides meaning, which full text and vectors share between them. */
const unknownWeight = 0.5;
/** Places each n-gram touches: more make chance overlaps smaller, fewer are faster. */
const placesPerGram = 8;

/**
 * A word that is not in the table (a name, an identifier, a number) gets a direction from its spelling: the word as a whole
 * and its n-grams of 3 to 5 characters, hashed (Bojanowski et al. 2017), so that words spelt alike are near each other.
 */
function addSpelling(word: string, sum: Float32Array): void {
  const characters = [..."<", ...word.slice(0, 64), ...">"];
  const grams: string[] = [];
  for (const size of [3, 4, 5]) for (let at = 0; at + size <= characters.length; at += 1) grams.push(characters.slice(at, at + size).join(""));
  // The whole counts as much as all parts together; directions of different hashes are nearly orthogonal.
  const each = unknownWeight / Math.sqrt(2 * placesPerGram);
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
