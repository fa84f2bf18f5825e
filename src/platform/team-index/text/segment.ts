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
  chunks: number[];
}

/** A term's documents by position in the segment, ascending, and its packed frequencies in them. */
export interface Postings {
  positions: Uint16Array;
  frequencies: Uint16Array;
}

export const maxSegment = 65_536;

/** About 16 KB of postings a chunk: one is read for every term of a question, so a rare term should not read much. */
const chunkPostings = 4_096;
const chunkTerms = 512;

export class SegmentWriter {
  readonly #sql: SqlStorage;
  readonly #seg: number;
  readonly #firsts: string[] = [];
  readonly #chunks: number[] = [];
  #terms: string[] = [];
  #counts: number[] = [];
  #postings: Uint16Array[] = [];
  #held = 0;

  constructor(sql: SqlStorage, seg: number) {
    this.#sql = sql;
    this.#seg = seg;
  }

  /** Terms come in ascending order. Answers whether a chunk was written. */
  add(term: string, positions: number[], frequencies: number[]): boolean {
    const packed = new Uint16Array(positions.length * 2);
    packed.set(positions);
    packed.set(frequencies, positions.length);
    this.#terms.push(term);
    this.#counts.push(positions.length);
    this.#postings.push(packed);
    this.#held += positions.length;
    if (this.#held < chunkPostings && this.#terms.length < chunkTerms) return false;
    this.#write();
    return true;
  }

  /** The segment is complete: these are its documents. */
  finish(part: string, slots: Uint32Array, lengths: Uint16Array): Segment {
    if (this.#terms.length > 0) this.#write();
    this.#sql.exec("INSERT INTO segments (seg, part, slots, lengths) VALUES (?, ?, ?, ?)", this.#seg, part, bytes(slots), bytes(lengths));
    return { seg: this.#seg, slots, lengths, firsts: this.#firsts, chunks: this.#chunks };
  }

  /** It will not be finished: nothing of it stays. */
  abandon(): void {
    this.#sql.exec("DELETE FROM chunks WHERE seg = ?", this.#seg);
  }

  #write(): void {
    const postings = new Uint16Array(this.#held * 2);
    let at = 0;
    for (const packed of this.#postings) {
      postings.set(packed, at);
      at += packed.length;
    }
    const { chunk } = this.#sql
      .exec<{ chunk: number }>(
        "INSERT INTO chunks (seg, terms, counts, postings) VALUES (?, ?, ?, ?) RETURNING chunk",
        this.#seg, this.#terms.join("\n"), bytes(Uint32Array.from(this.#counts)), bytes(postings),
      )
      .one();
    this.#firsts.push(this.#terms[0] as string);
    this.#chunks.push(chunk);
    this.#terms = [];
    this.#counts = [];
    this.#postings = [];
    this.#held = 0;
  }
}

const bytes = (array: Uint32Array | Uint16Array): ArrayBuffer => array.buffer.slice(array.byteOffset, array.byteOffset + array.byteLength) as ArrayBuffer;

const lineFeed = 10;

type ChunkRow = { chunk: number; terms: string; counts: ArrayBuffer; postings: ArrayBuffer };

/** A chunk as it was read. */
export class Chunk {
  /** Each between two line feeds. */
  readonly #terms: string;
  readonly #counts: Uint32Array;
  readonly #postings: Uint16Array;

  constructor({ terms, counts, postings }: ChunkRow) {
    this.#terms = `\n${terms}\n`;
    this.#counts = new Uint32Array(counts);
    this.#postings = new Uint16Array(postings);
  }

  find(term: string): Postings | undefined {
    const place = this.#terms.indexOf(`\n${term}\n`);
    if (place === -1) return undefined;
    let index = 0;
    let start = 0;
    for (let at = 1; at <= place; at += 1) {
      if (this.#terms.charCodeAt(at) !== lineFeed) continue;
      start += this.#counts[index] as number;
      index += 1;
    }
    return this.#at(start * 2, this.#counts[index] as number);
  }

  *entries(): Generator<[string, Postings]> {
    let start = 0;
    for (const [i, term] of this.#terms.slice(1, -1).split("\n").entries()) {
      const count = this.#counts[i] as number;
      yield [term, this.#at(start, count)];
      start += count * 2;
    }
  }

  #at(start: number, count: number): Postings {
    return { positions: this.#postings.subarray(start, start + count), frequencies: this.#postings.subarray(start + count, start + 2 * count) };
  }
}

export function readSegments(sql: SqlStorage, part: string): Segment[] {
  const rows = sql.exec<{ seg: number; slots: ArrayBuffer; lengths: ArrayBuffer }>("SELECT seg, slots, lengths FROM segments WHERE part = ? ORDER BY seg", part);
  return rows.toArray().map(({ seg, slots, lengths }) => {
    const heads = sql
      .exec<{ chunk: number; first: string }>("SELECT chunk, substr(terms, 1, instr(terms || char(10), char(10)) - 1) AS first FROM chunks WHERE seg = ? ORDER BY chunk", seg)
      .toArray();
    return {
      seg,
      slots: new Uint32Array(slots),
      lengths: new Uint16Array(lengths),
      firsts: heads.map(({ first }) => first),
      chunks: heads.map(({ chunk }) => chunk),
    };
  });
}

export function readChunks(sql: SqlStorage, chunks: Iterable<number>): Map<number, Chunk> {
  const rows = sql.exec<ChunkRow>("SELECT chunk, terms, counts, postings FROM chunks WHERE chunk IN (SELECT value FROM json_each(?))", JSON.stringify([...chunks]));
  return new Map(rows.toArray().map((row) => [row.chunk, new Chunk(row)]));
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
export const chunksFrom = (segment: Segment, beginning: string): number[] =>
  segment.chunks.slice(Math.max(0, rankOf(segment, beginning) - 1), rankOf(segment, `${beginning}\uffff`));

export const readTerms = (sql: SqlStorage, chunks: number[]): string[] =>
  sql
    .exec<{ terms: string }>("SELECT terms FROM chunks WHERE chunk IN (SELECT value FROM json_each(?))", JSON.stringify(chunks))
    .toArray()
    .flatMap(({ terms }) => terms.split("\n"));

/** All terms of a segment in order. */
export function* segmentTerms(sql: SqlStorage, segment: Segment): Generator<[string, Postings]> {
  for (const id of segment.chunks) {
    const chunk = readChunks(sql, [id]).get(id);
    if (chunk) yield* chunk.entries();
  }
}
