import { TopK } from "../top-k.ts";

/** The vectors that a sketch is of, by slot. */
export interface Sketched {
  width: number;
  codes: Int16Array;
  scales: Float32Array;
  classes: Uint32Array;
  length: number;
}

/** So many with the fewest differing signs are looked at more closely. */
const candidates = 3_000;

/**
 * One bit a number: on which side of the mean it lies. 32 bytes of a vector of 256 dimensions show which few are worth
 * comparing (RaBitQ, Gao & Long 2024, without its clusters).
 */
export class Sketch {
  readonly #mean: Float64Array;
  /** How many vectors the mean is of. */
  readonly #of: number;
  #bits: Int32Array;
  /** The factor that turns an inner product with the signs into an estimate of the one with the vector less the mean. */
  #factors: Float32Array;
  /** Inner product of vector and mean. */
  #offsets: Float32Array;

  constructor(vectors: Sketched, count: number) {
    const { width, codes, scales, classes, length } = vectors;
    this.#of = count;
    this.#mean = new Float64Array(width);
    for (let slot = 0; slot < length; slot += 1) {
      if (classes[slot] === 0) continue;
      const scale = (scales[slot] as number) / count;
      for (let at = 0, code = slot * width; at < width; at += 1, code += 1) (this.#mean[at] as number) += (codes[code] as number) * scale;
    }
    this.#bits = new Int32Array((classes.length * width) / 32);
    this.#factors = new Float32Array(classes.length);
    this.#offsets = new Float32Array(classes.length);
    for (let slot = 0; slot < length; slot += 1) this.set(slot, vectors);
  }

  get bytes(): number {
    return this.#bits.byteLength + this.#factors.byteLength + this.#offsets.byteLength;
  }

  /** The mean moves as vectors come; after they have doubled a new one is taken. */
  isOld(count: number): boolean {
    return count >= 2 * this.#of;
  }

  set(slot: number, { width, codes, scales, classes }: Sketched): void {
    if (slot >= this.#factors.length) this.#reserve(classes.length, width);
    const scale = scales[slot] as number;
    let [sum, square, offset] = [0, 0, 0];
    for (let word = 0, at = 0, code = slot * width; word < width / 32; word += 1) {
      let signs = 0;
      for (let bit = 0; bit < 32; bit += 1, at += 1, code += 1) {
        const value = (codes[code] as number) * scale;
        const mean = this.#mean[at] as number;
        const residual = value - mean;
        if (residual > 0) signs |= 1 << bit;
        sum += Math.abs(residual);
        square += residual * residual;
        offset += value * mean;
      }
      this.#bits[(slot * width) / 32 + word] = signs;
    }
    this.#factors[slot] = sum === 0 ? 0 : square / sum;
    this.#offsets[slot] = offset;
  }

  /** The slots whose vectors are probably nearest to the query, among the allowed classes. */
  nearest(query: Float64Array, { classes, length }: Sketched, allowed: Uint8Array, limit: number): Uint32Array {
    const residual = query.map((value, at) => value - (this.#mean[at] as number));
    const signs = new Int32Array(query.length / 32);
    for (let at = 0; at < query.length; at += 1) {
      if ((residual[at] as number) > 0) (signs[at >> 5] as number) |= 1 << (at & 31);
    }
    const distances = hammingDistances(this.#bits, signs, length);
    const radius = radiusOf(distances, classes, allowed, query.length);
    const products = signProducts(residual);
    const bytes = new Uint8Array(this.#bits.buffer);
    const stride = query.length / 8;
    const best = new TopK(limit);
    for (let slot = 0; slot < length; slot += 1) {
      if ((distances[slot] as number) > radius || allowed[classes[slot] as number] !== 1) continue;
      let product = 0;
      for (let byte = 0, at = slot * stride; byte < stride; byte += 1, at += 1) product += products[(byte << 8) | (bytes[at] as number)] as number;
      best.offer(slot, product * (this.#factors[slot] as number) + (this.#offsets[slot] as number));
    }
    return best.items();
  }

  #reserve(capacity: number, width: number): void {
    const [bits, factors, offsets] = [this.#bits, this.#factors, this.#offsets];
    this.#bits = new Int32Array((capacity * width) / 32);
    this.#factors = new Float32Array(capacity);
    this.#offsets = new Float32Array(capacity);
    this.#bits.set(bits);
    this.#factors.set(factors);
    this.#offsets.set(offsets);
  }
}

/** Within it lie about enough candidates, as every fourth vector shows. */
function radiusOf(distances: Uint16Array, classes: Uint32Array, allowed: Uint8Array, most: number): number {
  const histogram = new Uint32Array(most + 1);
  for (let slot = 0; slot < distances.length; slot += 4) {
    (histogram[distances[slot] as number] as number) += allowed[classes[slot] as number] as number;
  }
  let radius = 0;
  for (let within = histogram[0] as number; within < candidates / 4 && radius < most; within += histogram[radius] as number) radius += 1;
  return radius;
}

/** For each byte of signs and each of its values, the sum of the query's numbers there with these signs. */
function signProducts(query: Float64Array): Float64Array {
  const table = new Float64Array(query.length * 32);
  for (let byte = 0; byte < query.length / 8; byte += 1) {
    const row = byte << 8;
    for (let bit = 0; bit < 8; bit += 1) (table[row] as number) -= query[byte * 8 + bit] as number;
    for (let value = 1; value < 256; value += 1) {
      const highest = 31 - Math.clz32(value);
      table[row + value] = (table[row + value - (1 << highest)] as number) + 2 * (query[byte * 8 + highest] as number);
    }
  }
  return table;
}

/**
 * Differing bits of each row. Eight words at a time are counted together by carry-save adders (Warren, Hacker's Delight,
 * 5-1), which halves the time of counting each word: about 12 ns for a row of 256 bits.
 */
function hammingDistances(bits: Int32Array, wanted: Int32Array, rows: number): Uint16Array {
  const words = wanted.length;
  const distances = new Uint16Array(rows);
  for (let block = 0; block < words; block += 8) {
    const [w0 = 0, w1 = 0, w2 = 0, w3 = 0, w4 = 0, w5 = 0, w6 = 0, w7 = 0] = wanted.subarray(block, block + 8);
    for (let row = 0, at = block; row < rows; row += 1, at += words) {
      const a = (bits[at] as number) ^ w0;
      const b = (bits[at + 1] as number) ^ w1;
      const c = (bits[at + 2] as number) ^ w2;
      const d = (bits[at + 3] as number) ^ w3;
      const e = (bits[at + 4] as number) ^ w4;
      const f = (bits[at + 5] as number) ^ w5;
      const g = (bits[at + 6] as number) ^ w6;
      const h = (bits[at + 7] as number) ^ w7;
      const ab = a ^ b;
      const abc = ab ^ c;
      const de = d ^ e;
      const def = de ^ f;
      const gh = g ^ h;
      const ghabc = gh ^ abc;
      const two1 = (a & b) | (ab & c);
      const two2 = (d & e) | (de & f);
      const two3 = (g & h) | (gh & abc);
      const two12 = two1 ^ two2;
      const two123 = two12 ^ two3;
      const two4 = def & ghabc;
      const four1 = (two1 & two2) | (two12 & two3);
      const four2 = two123 & two4;
      const bytes = byteCounts(def ^ ghabc) + 2 * byteCounts(two123 ^ two4) + 4 * byteCounts(four1 ^ four2) + 8 * byteCounts(four1 & four2);
      const halves = (bytes & 0x00ff00ff) + ((bytes >>> 8) & 0x00ff00ff);
      (distances[row] as number) += (halves + (halves >>> 16)) & 0xffff;
    }
  }
  return distances;
}

/** The number of bits set in each byte. */
function byteCounts(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const nibbles = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return (nibbles + (nibbles >>> 4)) & 0x0f0f0f0f;
}
