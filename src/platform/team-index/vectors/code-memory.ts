import kernel from "./dot-kernel.wasm";

/** Numbers that one step of the kernel takes (scripts/vector-kernel/make.ts). */
const lanes = 32;
const page = 65_536;
/** Largest code. */
const most = 127;
/** Rows whose products are computed in one call; their results stay in the processor's cache. */
export const blockRows = 4_096;
/** Layout of the memory: products of a block, then the query, then the codes. */
const queryAt = 4 * blockRows;
const codesAt = page;

type Dots = (codes: number, rows: number, width: number, query: number, out: number) => void;

/**
 * Vectors of one dimension as int8 codes in WebAssembly memory, by slot, and a query that is compared with them. A code times
 * its scale is about the number it stands for; the query keeps 16 bits, so that only the codes make the product inexact.
 */
export class CodeMemory {
  readonly #memory: WebAssembly.Memory;
  readonly #dots: Dots;
  /** Bytes of a vector's codes. */
  readonly width: number;
  codes: Int8Array<ArrayBuffer>;
  #products: Int32Array;

  constructor(dimensions: number, capacity = 64) {
    this.width = Math.ceil(dimensions / lanes) * lanes;
    // The query has 2 bytes a number.
    if (queryAt + 2 * this.width > codesAt) throw new Error(`Vectors of ${dimensions} dimensions do not fit the kernel`);
    this.#memory = new WebAssembly.Memory({ initial: pagesFor(capacity * this.width) });
    const { exports } = new WebAssembly.Instance(kernel, { env: { memory: this.#memory } });
    this.#dots = exports["dots"] as Dots;
    this.codes = this.#codes();
    this.#products = new Int32Array(this.#memory.buffer, 0, blockRows);
  }

  get capacity(): number {
    return Math.floor(this.codes.length / this.width);
  }

  get bytes(): number {
    return this.#memory.buffer.byteLength;
  }

  /** Makes room for so many vectors; `codes` is another array afterwards. */
  reserve(capacity: number): void {
    if (capacity <= this.capacity) return;
    const wanted = pagesFor(Math.max(capacity, Math.ceil(this.capacity * 1.25)) * this.width);
    this.#memory.grow(wanted - this.#memory.buffer.byteLength / page);
    this.codes = this.#codes();
    this.#products = new Int32Array(this.#memory.buffer, 0, blockRows);
  }

  /** Writes the codes of a vector to a slot and answers their scale. */
  encode(slot: number, values: Float32Array): number {
    const scale = largestOf(values) / most;
    const at = slot * this.width;
    if (scale === 0) this.codes.fill(0, at, at + this.width);
    else for (let i = 0; i < values.length; i += 1) this.codes[at + i] = Math.round((values[i] as number) / scale);
    return scale;
  }

  /** Takes the query that the next products are of. Answers the number that a product and a scale are multiplied with to make an inner product. */
  ask(values: Float32Array): number {
    const query = new Int16Array(this.#memory.buffer, queryAt, this.width);
    const largest = largestOf(values);
    query.fill(0);
    if (largest === 0) return 0;
    const length = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));
    // A code vector is at most `most` × √width long, so that by Cauchy and Schwarz no product leaves the int32.
    const factor = Math.min(32_767 / largest, (0.99 * 2 ** 31) / (most * Math.sqrt(this.width) * length));
    for (let i = 0; i < values.length; i += 1) query[i] = Math.round((values[i] as number) * factor);
    return 1 / factor;
  }

  /** Products of the query with the vectors in `rows` slots, `blockRows` at most; valid until the next call. */
  products(from: number, rows: number): Int32Array {
    if (rows > 0) this.#dots(codesAt + from * this.width, rows, this.width, queryAt, 0);
    return this.#products;
  }

  #codes(): Int8Array<ArrayBuffer> {
    return new Int8Array(this.#memory.buffer, codesAt);
  }
}

const pagesFor = (bytes: number): number => 1 + Math.max(1, Math.ceil(bytes / page));

function largestOf(values: Float32Array): number {
  let largest = 0;
  for (let i = 0; i < values.length; i += 1) largest = Math.max(largest, Math.abs(values[i] as number));
  return largest;
}
