import { Chunk } from "./chunk.ts";

/**
 * An immutable part of a text index: the postings of up to 65,536 documents, packed into chunks of neighbouring terms so
 * that a segment is few rows and a term is found by one of them.
 */
export interface Segment {
  seg: number;
  /** The documents' slots by position, ascending. */
  slots: Uint32Array;
  /** Their weighted lengths in tokens. */
  lengths: Uint16Array;
  /** First term of each chunk, ascending, beside the chunk's id. */
  firsts: string[];
  chunks: Uint32Array;
}

export const maxSegment = 65_536;

export const segmentTables = `
  CREATE TABLE segments (seg INTEGER PRIMARY KEY, part TEXT NOT NULL, slots BLOB NOT NULL, lengths BLOB NOT NULL, firsts TEXT NOT NULL, chunks BLOB NOT NULL);
  CREATE INDEX segments_part ON segments (part);
  CREATE TABLE chunks (chunk INTEGER PRIMARY KEY, seg INTEGER NOT NULL, terms TEXT NOT NULL, counts BLOB NOT NULL, postings BLOB NOT NULL);
  CREATE INDEX chunks_seg ON chunks (seg);
`;

/** About 16 KB of postings a chunk: one is read for every term of a question, so a rare term should not read much. */
const chunkPostings = 4_096;
const chunkTerms = 512;

/** Writes a segment, term by term. */
export class SegmentWriter {
  readonly #sql: SqlStorage;
  readonly #seg: number;
  readonly #firsts: string[] = [];
  readonly #chunks: number[] = [];
  #terms: string[] = [];
  #counts: number[] = [];
  /** For each term the positions, then the frequencies. */
  #postings = new Uint16Array(4 * chunkPostings);
  #held = 0;

  constructor(sql: SqlStorage, seg: number) {
    this.#sql = sql;
    this.#seg = seg;
  }

  /**
   * Terms come in ascending order, and a term's postings by position, each as position × 65,536 + packed frequency. Answers
   * whether a chunk was written.
   */
  add(term: string, postings: Uint32Array): boolean {
    const count = postings.length;
    this.#makeRoom(2 * count);
    const start = 2 * this.#held;
    for (let at = 0; at < count; at += 1) {
      const posting = postings[at] as number;
      this.#postings[start + at] = posting >>> 16;
      this.#postings[start + count + at] = posting & 0xff_ff;
    }
    this.#terms.push(term);
    this.#counts.push(count);
    this.#held += count;
    if (this.#held < chunkPostings && this.#terms.length < chunkTerms) return false;
    this.#write();
    return true;
  }

  /** The segment is complete: these are its documents. */
  finish(part: string, slots: Uint32Array, lengths: Uint16Array): Segment {
    if (this.#terms.length > 0) this.#write();
    const chunks = Uint32Array.from(this.#chunks);
    this.#sql.exec(
      "INSERT INTO segments (seg, part, slots, lengths, firsts, chunks) VALUES (?, ?, ?, ?, ?, ?)",
      this.#seg, part, bytes(slots), bytes(lengths), this.#firsts.join("\n"), bytes(chunks),
    );
    return { seg: this.#seg, slots, lengths, firsts: this.#firsts, chunks };
  }

  /** It will not be finished: nothing of it stays. */
  abandon(): void {
    this.#sql.exec("DELETE FROM chunks WHERE seg = ?", this.#seg);
  }

  #makeRoom(more: number): void {
    const needed = 2 * this.#held + more;
    if (needed <= this.#postings.length) return;
    const larger = new Uint16Array(Math.max(needed, 2 * this.#postings.length));
    larger.set(this.#postings.subarray(0, 2 * this.#held));
    this.#postings = larger;
  }

  #write(): void {
    const { chunk } = this.#sql
      .exec<{ chunk: number }>(
        "INSERT INTO chunks (seg, terms, counts, postings) VALUES (?, ?, ?, ?) RETURNING chunk",
        this.#seg, this.#terms.join("\n"), bytes(Uint32Array.from(this.#counts)), bytes(this.#postings.subarray(0, 2 * this.#held)),
      )
      .one();
    this.#firsts.push(this.#terms[0] as string);
    this.#chunks.push(chunk);
    this.#terms = [];
    this.#counts = [];
    this.#held = 0;
  }
}

const bytes = (array: Uint32Array | Uint16Array): ArrayBuffer => array.buffer.slice(array.byteOffset, array.byteOffset + array.byteLength) as ArrayBuffer;

type SegmentRow = { seg: number; slots: ArrayBuffer; lengths: ArrayBuffer; firsts: string; chunks: ArrayBuffer };

export function readSegments(sql: SqlStorage, part: string): Segment[] {
  const rows = sql.exec<SegmentRow>("SELECT seg, slots, lengths, firsts, chunks FROM segments WHERE part = ? ORDER BY seg", part).toArray();
  return rows.map(({ seg, slots, lengths, firsts, chunks }) => ({
    seg, slots: new Uint32Array(slots), lengths: new Uint16Array(lengths), firsts: firsts === "" ? [] : firsts.split("\n"), chunks: new Uint32Array(chunks),
  }));
}

/** How many chunks begin at or before the term. */
function rankOf({ firsts }: Segment, term: string): number {
  let low = 0;
  let high = firsts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((firsts[middle] as string) <= term) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The chunk that would hold the term. */
export const chunkOf = (segment: Segment, term: string): number | undefined => segment.chunks[rankOf(segment, term) - 1];

/** The chunks that may hold terms with this beginning. */
export const chunksFrom = (segment: Segment, beginning: string): Uint32Array =>
  segment.chunks.subarray(Math.max(0, rankOf(segment, beginning) - 1), rankOf(segment, `${beginning}\uffff`));

/** Reads the terms of a segment in order, chunk by chunk. */
export class SegmentCursor {
  readonly #sql: SqlStorage;
  readonly #chunks: Uint32Array;
  #next = 0;
  #chunk: Chunk | undefined;
  #at = -1;

  constructor(sql: SqlStorage, segment: Segment) {
    this.#sql = sql;
    this.#chunks = segment.chunks;
    this.advance();
  }

  /** Undefined at the end. */
  term: string | undefined;

  get positions(): Uint16Array {
    return (this.#chunk as Chunk).postingsAt(this.#at).positions;
  }

  get frequencies(): Uint16Array {
    return (this.#chunk as Chunk).postingsAt(this.#at).frequencies;
  }

  advance(): void {
    this.#at += 1;
    while (!this.#chunk || this.#at >= this.#chunk.size) {
      const id = this.#chunks[this.#next];
      if (id === undefined) {
        this.term = undefined;
        return;
      }
      this.#next += 1;
      this.#chunk = Chunk.read(this.#sql, [id]).get(id);
      this.#at = 0;
    }
    this.term = this.#chunk.termAt(this.#at);
  }
}
