/**
 * Which words people say in place of others: what the cosine of two word vectors tells badly ("unship" and "revert", "baby" and
 * "parental"). Written by scripts/static-model/make.ts from associations.txt, for the rows of the table beside it. A row stands for
 * concepts: an English word for its stem, a word of another language for the stems of what it means. Layout, little-endian:
 *
 *   u32 × 4                magic "OMWA", rows V, concepts C, neighbours N
 *   u32 × (V + 1)          where the concepts of each row begin
 *   u32 × (C + 1)          where the neighbours of each concept begin
 *   u16 × last of the first list    the concepts of each row
 *   u16 × N                the neighbours of each concept; the highest bit: each of the two is named for the other
 */
export const associationsMagic = 0x41_57_4d_4f;
export const mutualBit = 0x80_00;
const headerBytes = 16;

/**
 * How near two words count, on the scale of cosines: the same word in another form, each named for the other, one of them named. Fitted
 * with the constants of `WordMatcher`.
 */
const nearness = { same: 0.97, mutual: 0.95, named: 0.85 } as const;

export class WordAssociations {
  readonly #conceptStarts: Uint32Array;
  readonly #neighbourStarts: Uint32Array;
  readonly #concepts: Uint16Array;
  readonly #neighbours: Uint16Array;
  /** Made when somebody first asks. */
  #rowsOfConcepts: Uint32Array | undefined;

  /** @throws Error where the file is not whole, or was made for another table than one of `rows` rows. */
  constructor(file: ArrayBuffer, rows: number) {
    const [found, count = 0, concepts = 0, neighbours = 0] = new Uint32Array(file, 0, headerBytes / 4);
    if (found !== associationsMagic || count !== rows) throw new Error("word-associations.bin is damaged, or belongs to another table");
    this.#conceptStarts = new Uint32Array(file, headerBytes, count + 1);
    this.#neighbourStarts = new Uint32Array(file, headerBytes + 4 * (count + 1), concepts + 1);
    const listsAt = headerBytes + 4 * (count + concepts + 2);
    const named = this.#conceptStarts[count] as number;
    this.#concepts = new Uint16Array(file, listsAt, named);
    this.#neighbours = new Uint16Array(file, listsAt + 2 * named, neighbours);
  }

  /** How near other rows are to this one, 0 where nothing is known. */
  from(row: number): (other: number) => number {
    const near = this.conceptsNear(row);
    return (other) => {
      let best = 0;
      for (const concept of this.#conceptsOf(other)) best = Math.max(best, near.get(concept) ?? 0);
      return best;
    };
  }

  /** The concepts of a row and what people say in their place, with how near each is. */
  conceptsNear(row: number): Map<number, number> {
    const near = new Map<number, number>();
    const raise = (concept: number, value: number): void => void near.set(concept, Math.max(value, near.get(concept) ?? 0));
    for (const concept of this.#conceptsOf(row)) {
      raise(concept, nearness.same);
      for (const neighbour of this.#neighbours.subarray(this.#neighbourStarts[concept], this.#neighbourStarts[concept + 1])) {
        raise(neighbour & ~mutualBit, (neighbour & mutualBit) === 0 ? nearness.named : nearness.mutual);
      }
    }
    return near;
  }

  /** The first row that stands for a concept: the most frequent of its English words. */
  rowOf(concept: number): number {
    this.#rowsOfConcepts ??= this.#firstRows();
    return this.#rowsOfConcepts[concept] as number;
  }

  #firstRows(): Uint32Array {
    const rows = new Uint32Array(this.#neighbourStarts.length - 1);
    for (let row = this.#conceptStarts.length - 2; row >= 0; row -= 1) for (const concept of this.#conceptsOf(row)) rows[concept] = row;
    return rows;
  }

  #conceptsOf(row: number): Uint16Array {
    return this.#concepts.subarray(this.#conceptStarts[row], this.#conceptStarts[row + 1]);
  }
}
