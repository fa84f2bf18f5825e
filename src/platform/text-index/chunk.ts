/** A term's documents by position in the segment, ascending, and its packed frequencies in them. */
export interface Postings {
  positions: Uint16Array;
  frequencies: Uint16Array;
}

type ChunkRow = { chunk: number; terms: string; counts: ArrayBuffer; postings: ArrayBuffer };

/** Some neighbouring terms of a segment with their postings, decoded so that a term is found by bisection. */
export class Chunk {
  readonly #terms: string;
  /** Where each term begins in `#terms`; each ends with a line feed, the last one too. */
  readonly #starts: Uint32Array;
  /** Where the postings of each term begin in `#postings`, with the end of the last. */
  readonly #offsets: Uint32Array;
  readonly #postings: Uint16Array;

  static read(sql: SqlStorage, chunks: readonly number[]): Map<number, Chunk> {
    const rows = sql.exec<ChunkRow>("SELECT chunk, terms, counts, postings FROM chunks WHERE chunk IN (SELECT value FROM json_each(?))", JSON.stringify(chunks));
    return new Map(rows.toArray().map((row) => [row.chunk, new Chunk(row)]));
  }

  constructor({ terms, counts, postings }: ChunkRow) {
    this.#terms = `${terms}\n`;
    this.#postings = new Uint16Array(postings);
    const sizes = new Uint32Array(counts);
    this.#starts = new Uint32Array(sizes.length + 1);
    this.#offsets = new Uint32Array(sizes.length + 1);
    for (let at = 0; at < sizes.length; at += 1) {
      this.#starts[at + 1] = this.#terms.indexOf("\n", this.#starts[at]) + 1;
      this.#offsets[at + 1] = (this.#offsets[at] as number) + 2 * (sizes[at] as number);
    }
  }

  /** How many terms it holds. */
  get size(): number {
    return this.#starts.length - 1;
  }

  /** About what it takes in memory. */
  get bytes(): number {
    return 2 * this.#terms.length + this.#starts.byteLength + this.#offsets.byteLength + this.#postings.byteLength + 500;
  }

  termAt(at: number): string {
    return this.#terms.slice(this.#starts[at], (this.#starts[at + 1] as number) - 1);
  }

  postingsAt(at: number): Postings {
    const start = this.#offsets[at] as number;
    const end = this.#offsets[at + 1] as number;
    const middle = (start + end) / 2;
    return { positions: this.#postings.subarray(start, middle), frequencies: this.#postings.subarray(middle, end) };
  }

  find(term: string): Postings | undefined {
    const at = this.#rankOf(term);
    return at < this.size && this.#compare(at, term) === 0 ? this.postingsAt(at) : undefined;
  }

  /** The terms with this beginning, of a length between these. */
  *termsFrom(beginning: string, shortest = 0, longest = Infinity): Generator<string> {
    for (let at = this.#rankOf(beginning); at < this.size && this.#terms.startsWith(beginning, this.#starts[at]); at += 1) {
      const length = (this.#starts[at + 1] as number) - 1 - (this.#starts[at] as number);
      if (length >= shortest && length <= longest) yield this.termAt(at);
    }
  }

  /** How many terms come before this one. */
  #rankOf(term: string): number {
    let low = 0;
    let high = this.size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#compare(middle, term) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The order of the term at this place beside another one, by UTF-16 code units as in the comparison of strings. */
  #compare(at: number, term: string): number {
    const start = this.#starts[at] as number;
    const length = (this.#starts[at + 1] as number) - 1 - start;
    const common = Math.min(length, term.length);
    for (let i = 0; i < common; i += 1) {
      const difference = this.#terms.charCodeAt(start + i) - term.charCodeAt(i);
      if (difference !== 0) return difference;
    }
    return length - term.length;
  }
}

/** Decoded chunks, the latest used, within a bound of bytes. */
export class ChunkCache {
  readonly #sql: SqlStorage;
  readonly #maxBytes: number;
  /** The one used longest ago first. */
  readonly #chunks = new Map<number, Chunk>();
  #bytes = 0;

  constructor(sql: SqlStorage, maxBytes: number) {
    this.#sql = sql;
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** What is missing is read at one go. */
  get(ids: ReadonlySet<number>): Map<number, Chunk> {
    const found = new Map<number, Chunk>();
    const missing: number[] = [];
    for (const id of ids) {
      const chunk = this.#chunks.get(id);
      if (!chunk) {
        missing.push(id);
        continue;
      }
      found.set(id, chunk);
      this.#chunks.delete(id);
      this.#chunks.set(id, chunk);
    }
    if (missing.length === 0) return found;
    for (const [id, chunk] of Chunk.read(this.#sql, missing)) {
      found.set(id, chunk);
      this.#chunks.set(id, chunk);
      this.#bytes += chunk.bytes;
    }
    this.#evict();
    return found;
  }

  /** These are deleted: their ids may be given to others. */
  drop(ids: Iterable<number>): void {
    for (const id of ids) {
      const chunk = this.#chunks.get(id);
      if (!chunk) continue;
      this.#chunks.delete(id);
      this.#bytes -= chunk.bytes;
    }
  }

  clear(): void {
    this.#chunks.clear();
    this.#bytes = 0;
  }

  #evict(): void {
    for (const [id, chunk] of this.#chunks) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#chunks.delete(id);
      this.#bytes -= chunk.bytes;
    }
  }
}
