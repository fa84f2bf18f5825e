import { TopK } from "../top-k.ts";
import type { Quantiser } from "./quantiser.ts";
import { Sketch, type Sketched } from "./sketch.ts";

/** Up to this many of the classes that are asked for are all compared (0.2 µs each at 256 dimensions). */
export const exactLimit = 4_096;

/** In larger sets this many are compared exactly: their codes lie far apart in memory, and each costs several cache misses. */
const finalists = 500;

const unset = 0;

/** The vectors of one namespace in memory, by slot. Search is exact among few; of many, signs choose what is compared. */
export class PackedVectors implements Sketched {
  readonly #quantiser: Quantiser;
  codes: Int16Array<ArrayBuffer>;
  scales: Float32Array<ArrayBuffer>;
  /** The classes that a filter distinguishes, as a number; 0 where there is no vector. */
  classes: Uint32Array<ArrayBuffer>;
  readonly ids: string[] = [];
  /** Slots in use and free ones below. */
  length = 0;
  readonly #free: number[] = [];
  /** How many vectors each class has. */
  readonly #sizes: number[] = [];
  /** Only once there are many. */
  #sketch: Sketch | undefined;

  constructor(quantiser: Quantiser, capacity = 64) {
    this.#quantiser = quantiser;
    this.codes = new Int16Array(capacity * quantiser.width);
    this.scales = new Float32Array(capacity);
    this.classes = new Uint32Array(capacity);
  }

  get width(): number {
    return this.#quantiser.width;
  }

  get count(): number {
    return this.length - this.#free.length;
  }

  get bytes(): number {
    return this.codes.byteLength + this.scales.byteLength + this.classes.byteLength + (this.#sketch?.bytes ?? 0);
  }

  /** After the arrays were filled from outside. */
  adopt(length: number): void {
    this.length = length;
    for (let slot = length - 1; slot >= 0; slot -= 1) {
      const classNumber = this.classes[slot] as number;
      if (classNumber === unset) this.#free.push(slot);
      else this.#count(classNumber, 1);
    }
  }

  add(id: string, values: ArrayLike<number>, classNumber: number): number {
    const slot = this.#free.pop() ?? this.length;
    if (slot === this.length) this.length += 1;
    this.#reserve(this.length);
    this.ids[slot] = id;
    this.set(slot, values, classNumber);
    return slot;
  }

  set(slot: number, values: ArrayLike<number>, classNumber: number): void {
    this.scales[slot] = this.#quantiser.encode(values, this.codes, slot * this.#quantiser.width);
    this.#count(this.classes[slot] as number, -1);
    this.classes[slot] = classNumber;
    this.#count(classNumber, 1);
    this.#sketch?.set(slot, this);
  }

  remove(slot: number): void {
    this.#count(this.classes[slot] as number, -1);
    this.classes[slot] = unset;
    this.#free.push(slot);
  }

  /** The unit vector, as exact as its code. */
  valuesAt(slot: number, dimensions: number): Float32Array {
    const { width } = this.#quantiser;
    return this.#quantiser.decode(this.codes.subarray(slot * width, (slot + 1) * width), this.scales[slot] as number).subarray(0, dimensions);
  }

  /** The nearest by cosine among the classes that are allowed (1 at their number). */
  search(values: ArrayLike<number>, allowed: Uint8Array, limit: number): { item: number; score: number }[] {
    const query = this.#quantiser.rotate(values);
    const best = new TopK(limit);
    const among = this.#sizes.reduce((sum, size, classNumber) => sum + (allowed[classNumber] === 1 ? size : 0), 0);
    if (among === 0) return [];
    if (among <= exactLimit) {
      const { classes, length } = this;
      for (let slot = 0; slot < length; slot += 1) {
        if (allowed[classes[slot] as number] === 1) best.offer(slot, this.#cosine(slot, query));
      }
    } else {
      for (const slot of this.#sketched().nearest(query, this, allowed, finalists)) best.offer(slot, this.#cosine(slot, query));
    }
    return best.best();
  }

  #count(classNumber: number, change: 1 | -1): void {
    if (classNumber !== unset) this.#sizes[classNumber] = (this.#sizes[classNumber] ?? 0) + change;
  }

  #cosine(slot: number, query: Float64Array): number {
    const product = dot(this.codes, slot * query.length, query);
    return Math.max(-1, Math.min(1, product * (this.scales[slot] as number)));
  }

  #sketched(): Sketch {
    if (!this.#sketch || this.#sketch.isOld(this.count)) this.#sketch = new Sketch(this, this.count);
    return this.#sketch;
  }

  #reserve(length: number): void {
    if (length <= this.classes.length) return;
    const capacity = Math.max(length, Math.ceil(this.classes.length * 1.5));
    const { width } = this.#quantiser;
    const codes = new Int16Array(capacity * width);
    codes.set(this.codes);
    const scales = new Float32Array(capacity);
    scales.set(this.scales);
    const classes = new Uint32Array(capacity);
    classes.set(this.classes);
    Object.assign(this, { codes, scales, classes });
  }
}

function dot(codes: Int16Array, offset: number, query: Float64Array): number {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  // Four sums, so that no addition waits for the one before.
  for (let at = 0, code = offset; at < query.length; at += 4, code += 4) {
    a += (codes[code] as number) * (query[at] as number);
    b += (codes[code + 1] as number) * (query[at + 1] as number);
    c += (codes[code + 2] as number) * (query[at + 2] as number);
    d += (codes[code + 3] as number) * (query[at + 3] as number);
  }
  return a + b + c + d;
}
