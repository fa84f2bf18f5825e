import { TopK } from "../../top-k.ts";
import { blockRows, CodeMemory } from "./code-memory.ts";
import { IdLookup, type Identified, type IdWords } from "./id-lookup.ts";
import type { SlotColumns } from "./pack.ts";

/** Of a free slot. */
export const noClass = 0;

/** A vector's fields beside its values. */
export interface SlotFields {
  id: IdWords;
  /** Row of the vector's exact values. */
  seq: number;
  /** What filters tell apart; above 0. */
  classNumber: number;
  version: number;
  /** When it was written, seconds since the epoch. */
  at: number;
}

export interface Scored {
  slot: number;
  /** Inner product of the codes. */
  score: number;
}

/** The vectors of one space in memory, by slot: one array for each field. */
export class Slots implements Identified {
  readonly memory: CodeMemory;
  readonly #familyOf: (classNumber: number) => number;
  readonly #lookup: IdLookup;
  ids: Uint32Array;
  seqs: Uint32Array;
  classes: Uint32Array;
  versions: Uint32Array;
  times: Uint32Array;
  scales: Float32Array;
  /** Slots in use, and free ones below. */
  length = 0;
  readonly #free: number[] = [];

  constructor(dimensions: number, capacity: number, familyOf: (classNumber: number) => number) {
    this.memory = new CodeMemory(dimensions, capacity);
    this.#familyOf = familyOf;
    this.#lookup = new IdLookup(this, capacity);
    this.ids = new Uint32Array(4 * capacity);
    this.seqs = new Uint32Array(capacity);
    this.classes = new Uint32Array(capacity);
    this.versions = new Uint32Array(capacity);
    this.times = new Uint32Array(capacity);
    this.scales = new Float32Array(capacity);
  }

  get count(): number {
    return this.length - this.#free.length;
  }

  get bytes(): number {
    return this.memory.bytes + this.#lookup.bytes + 9 * this.ids.byteLength / 4;
  }

  familyAt(slot: number): number {
    return this.#familyOf(this.classes[slot] as number);
  }

  find(family: number, id: IdWords): number | undefined {
    return this.#lookup.find(family, id);
  }

  add(fields: SlotFields, values: Float32Array): number {
    const slot = this.#free.pop() ?? this.length;
    if (slot === this.length) this.length += 1;
    this.#reserve(this.length);
    this.ids.set(fields.id, 4 * slot);
    this.seqs[slot] = fields.seq;
    this.classes[slot] = fields.classNumber;
    this.versions[slot] = fields.version;
    this.times[slot] = fields.at;
    this.scales[slot] = this.memory.encode(slot, values);
    this.#lookup.add(slot);
    return slot;
  }

  remove(slot: number): void {
    this.#lookup.remove(slot);
    this.classes[slot] = noClass;
    this.#free.push(slot);
  }

  /** Takes the vectors of a pack, but for those whose row is gone. */
  adopt(columns: SlotColumns, isGone: (seq: number) => boolean): void {
    const from = this.length;
    this.length += columns.count;
    this.#reserve(this.length);
    this.ids.set(new Uint32Array(columns.ids), 4 * from);
    this.seqs.set(new Uint32Array(columns.seqs), from);
    this.classes.set(new Uint32Array(columns.classes), from);
    this.versions.set(new Uint32Array(columns.versions), from);
    this.times.set(new Uint32Array(columns.times), from);
    this.scales.set(new Float32Array(columns.scales), from);
    this.memory.codes.set(new Int8Array(columns.codes), from * this.memory.width);
    for (let slot = from; slot < this.length; slot += 1) {
      if (isGone(this.seqs[slot] as number)) {
        this.classes[slot] = noClass;
        this.#free.push(slot);
        continue;
      }
      this.#lookup.add(slot);
    }
  }

  /** The slots of vectors whose class passes. */
  where(passes: (classNumber: number) => boolean): number[] {
    const found: number[] = [];
    for (let slot = 0; slot < this.length; slot += 1) {
      const classNumber = this.classes[slot] as number;
      if (classNumber !== noClass && passes(classNumber)) found.push(slot);
    }
    return found;
  }

  /** The columns of these slots, in this order. */
  columnsOf(slots: readonly number[]): SlotColumns {
    const { width, codes } = this.memory;
    const ids = new Uint32Array(4 * slots.length);
    const packed = new Int8Array(width * slots.length);
    for (const [i, slot] of slots.entries()) {
      ids.set(this.ids.subarray(4 * slot, 4 * slot + 4), 4 * i);
      packed.set(codes.subarray(slot * width, (slot + 1) * width), i * width);
    }
    const picked = (column: Uint32Array): ArrayBuffer => Uint32Array.from(slots, (slot) => column[slot] as number).buffer;
    return {
      count: slots.length, ids: ids.buffer, seqs: picked(this.seqs), classes: picked(this.classes), versions: picked(this.versions), times: picked(this.times),
      scales: Float32Array.from(slots, (slot) => this.scales[slot] as number).buffer, codes: packed.buffer,
    };
  }

  /**
   * The slots with the largest products, best first and `limit` at most, for each of `count` groups. `groups` has for each class the
   * group that its vectors compete in, from 1 on; 0 leaves them out.
   */
  nearest(values: Float32Array, groups: Uint8Array, count: number, limit: number): Scored[][] {
    const best = Array.from({ length: count }, () => new TopK(limit, -2));
    const bars = new Float64Array(count).fill(-2);
    const factor = this.memory.ask(values);
    const { classes, scales, length } = this;
    for (let from = 0; from < length; from += blockRows) {
      const rows = Math.min(blockRows, length - from);
      const products = this.memory.products(from, rows);
      for (let row = 0, slot = from; row < rows; row += 1, slot += 1) {
        const group = (groups[classes[slot] as number] as number) - 1;
        if (group === -1) continue;
        const score = (products[row] as number) * (scales[slot] as number) * factor;
        if (score < (bars[group] as number)) continue;
        const ofGroup = best[group] as TopK;
        ofGroup.offer(slot, score);
        bars[group] = ofGroup.bar;
      }
    }
    return best.map((found) => found.best().map(({ item, score }) => ({ slot: item, score })));
  }

  /** Inner products with the vectors in these slots. */
  products(values: Float32Array, slots: readonly number[]): number[] {
    const factor = this.memory.ask(values);
    return slots.map((slot) => (this.memory.products(slot, 1)[0] as number) * (this.scales[slot] as number) * factor);
  }

  #reserve(length: number): void {
    if (length <= this.seqs.length) return;
    const capacity = Math.max(length, Math.ceil(1.25 * this.seqs.length));
    this.memory.reserve(capacity);
    const grown = (column: Uint32Array, size: number): Uint32Array => {
      const next = new Uint32Array(size);
      next.set(column);
      return next;
    };
    this.ids = grown(this.ids, 4 * capacity);
    for (const name of ["seqs", "classes", "versions", "times"] as const) this[name] = grown(this[name], capacity);
    const scales = new Float32Array(capacity);
    scales.set(this.scales);
    this.scales = scales;
  }
}
