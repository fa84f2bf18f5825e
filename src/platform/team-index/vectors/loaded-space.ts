import type { IdWords } from "./id-lookup.ts";
import { Slots } from "./slots.ts";
import type { VectorClasses } from "./vector-classes.ts";
import { packSize, type SpaceRow, type VectorTables } from "./vector-tables.ts";

/** The vectors of one space in memory, and their rows and packs in SQLite, which change together. */
export class LoadedSpace {
  readonly row: SpaceRow;
  readonly slots: Slots;
  readonly #tables: VectorTables;
  /** Rows up to here are in packs. */
  #packedUpTo: number;
  /** Vectors in no pack, in the order of their rows; some may be gone or replaced by now. */
  #loose: { seq: number; slot: number }[] = [];

  constructor(tables: VectorTables, classes: VectorClasses, row: SpaceRow) {
    this.#tables = tables;
    this.row = row;
    this.slots = new Slots(row.dimensions, tables.count(row.space) + packSize, (classNumber) => classes.familyOf(classNumber));
    const gone = tables.gone(row.space);
    for (const pack of tables.packs(row.space)) this.slots.adopt(pack, (seq) => gone.has(seq));
    this.#packedUpTo = tables.packedUpTo(row.space);
    for (const { seq, id, class: classNumber, version, at, vals } of tables.loose(row.space, this.#packedUpTo)) {
      const [a = 0, b = 0, c = 0, d = 0] = new Uint32Array(id);
      this.#loose.push({ seq, slot: this.slots.add({ id: [a, b, c, d], seq, classNumber, version, at }, new Float32Array(vals)) });
    }
  }

  /** `at`: s since the epoch. */
  add(vector: { id: IdWords; classNumber: number; version: number; at: number }, values: Float32Array): void {
    const seq = this.#tables.insert(this.row.space, { ...vector, id: Uint32Array.from(vector.id), values });
    this.#loose.push({ seq, slot: this.slots.add({ ...vector, seq }, values) });
  }

  remove(slots: readonly number[]): void {
    const seqs = slots.map((slot) => this.slots.seqs[slot] as number);
    this.#tables.remove(this.row.space, seqs, seqs.filter((seq) => seq <= this.#packedUpTo));
    for (const slot of slots) this.slots.remove(slot);
  }

  /** Makes packs of what has become enough. */
  pack(): void {
    if (this.#loose.length < packSize) return;
    this.#loose = this.#loose.filter(({ seq, slot }) => this.slots.classes[slot] !== 0 && this.slots.seqs[slot] === seq);
    while (this.#loose.length >= packSize) {
      const packed = this.#loose.splice(0, packSize);
      this.#packedUpTo = packed.at(-1)?.seq ?? 0;
      this.#tables.addPack(this.row.space, this.#packedUpTo, this.slots.columnsOf(packed.map(({ slot }) => slot)));
    }
  }
}
