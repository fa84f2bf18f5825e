import { isSlip, mayBeSlip } from "../../../domain/search/spelling.ts";
import { TopK } from "../../top-k.ts";
import { matches, scoreFresh, scoreSegment, type Found, type Scoring } from "./ranking.ts";
import { chunkOf, chunksFrom, readChunks, readSegments, readTerms, type Segment } from "./segment.ts";
import { b, idf, k1, type TermBag } from "./scoring.ts";
import { flush, mergeDue, SegmentMerge } from "./compaction.ts";

export const textTables = `
  CREATE TABLE parts (part TEXT PRIMARY KEY, documents INTEGER NOT NULL, length REAL NOT NULL, dead INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE fresh (slot INTEGER PRIMARY KEY, part TEXT NOT NULL, length INTEGER NOT NULL, terms TEXT NOT NULL);
  CREATE INDEX fresh_part ON fresh (part);
  CREATE TABLE segments (seg INTEGER PRIMARY KEY, part TEXT NOT NULL, slots BLOB NOT NULL, lengths BLOB NOT NULL);
  CREATE INDEX segments_part ON segments (part);
  CREATE TABLE chunks (chunk INTEGER PRIMARY KEY, seg INTEGER NOT NULL, terms TEXT NOT NULL, counts BLOB NOT NULL, postings BLOB NOT NULL);
  CREATE INDEX chunks_seg ON chunks (seg);
`;
export const textTableNames = ["parts", "fresh", "segments", "chunks"];

/** Of words that occur nowhere, at most so many of a question are tried as slips. */
const maxCorrections = 3;

/** The documents that one audience sees, and what is known of them as a whole. */
export interface Part {
  name: string;
  documents: number;
  /** Sum of the weighted lengths. */
  length: number;
  /** Documents that are gone but still in segments. */
  dead: number;
  segments: Segment[];
  /** Not yet in a segment, by slot. */
  fresh: Map<number, TermBag>;
}

export interface TextHit {
  slot: number;
  score: number;
  /** Bits of the terms that its own text holds, and of those that only its neighbours lend. */
  own: number;
  lent: number;
}

export interface TextAnswer {
  /** Best first. */
  hits: TextHit[];
  /** How much each term tells, by its rarity in what was searched. */
  weights: number[];
  /** The terms as they were looked up: one that occurs nowhere may be a slip for one that does. */
  terms: string[];
  /** What a term tells that just one document holds. */
  rarest: number;
  /** No more documents match than these. */
  all: boolean;
}

/** Beyond this many, fresh documents become a segment. Until then they are scored one by one (about 0.1 ms). */
const maxFresh = 256;

/**
 * Ranked full-text index (BM25F) in a Durable Object's SQLite. Documents live in parts, one for each audience: a question
 * is asked of just those parts that its viewer may see whole, so that nobody's words weigh in another's ranking.
 *
 * Log-structured (O'Neil et al. 1996): documents start in a table of their own and move to immutable segments, which are
 * merged in the background. A document is a slot number that is never used twice; whoever holds the documents decides
 * which slots are alive, and a posting of a dead one is dropped with the next merge.
 */
export class TextIndex {
  readonly #storage: DurableObjectStorage;
  readonly #parts = new Map<string, Part>();
  #merging: Promise<void> | undefined;
  #lastSegment: number;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    // What an interrupted merge left behind.
    storage.sql.exec("DELETE FROM chunks WHERE seg NOT IN (SELECT seg FROM segments)");
    this.#lastSegment = storage.sql.exec<{ last: number | null }>("SELECT max(seg) AS last FROM segments").one().last ?? 0;
  }

  /** Within the caller's transaction; when that fails, `forget` must be called. */
  put(entries: { part: string; slot: number; bag: TermBag }[]): void {
    for (const [name, added] of Map.groupBy(entries, ({ part }) => part)) {
      const part = this.#part(name);
      for (const { slot, bag } of added) {
        part.fresh.set(slot, bag);
        part.documents += 1;
        part.length += bag.length;
      }
      if (part.fresh.size > maxFresh) {
        flush(this.#storage.sql, part, () => (this.#lastSegment += 1));
      } else {
        for (const { slot, bag } of added) {
          this.#storage.sql.exec("INSERT INTO fresh (slot, part, length, terms) VALUES (?, ?, ?, ?)", slot, name, bag.length, JSON.stringify([...bag.terms].flat()));
        }
      }
      this.#note(part);
    }
  }

  /** Within the caller's transaction. */
  remove(entries: { part: string; slot: number; length: number }[]): void {
    for (const [name, removed] of Map.groupBy(entries, ({ part }) => part)) {
      const part = this.#part(name);
      for (const { slot, length } of removed) {
        part.documents -= 1;
        part.length -= length;
        if (part.fresh.delete(slot)) this.#storage.sql.exec("DELETE FROM fresh WHERE slot = ?", slot);
        else part.dead += 1;
      }
      this.#note(part);
    }
  }

  /** The `size` best documents for any of the terms; dead slots may be among them. */
  search(names: string[], asked: string[], size: number, options: { lent: boolean }): TextAnswer {
    const parts = names.map((name) => this.#part(name));
    const written = this.#postings(parts.flatMap(({ segments }) => segments), asked);
    const terms = this.#corrected(parts, asked, (i) => written.some(({ postings }) => postings[i] !== undefined));
    const found = terms === asked ? written : this.#withCorrected(written, asked, terms);
    const documents = parts.reduce((sum, part) => sum + part.documents, 0);
    const average = parts.reduce((sum, part) => sum + part.length, 0) / Math.max(1, documents);
    const holding = terms.map((term, i) => found.reduce((sum, { postings }) => sum + (postings[i]?.positions.length ?? 0), 0) + countFresh(parts, term));
    // Dead postings are counted until they are merged away; a document frequency above the number of documents says nothing.
    const weights = holding.map((count) => idf(documents, Math.min(count, documents)));

    const scoring: Scoring = { weights, flat: k1 * (1 - b), steep: (k1 * b) / Math.max(1, average), lentShare: options.lent ? 1 : 0 };
    const best = new TopK(size, 0);
    for (const { segment, postings } of found) scoreSegment(segment, postings, scoring, best);
    for (const { fresh } of parts) scoreFresh(fresh, terms, scoring, best);
    const fresh = parts.map((part) => part.fresh);
    return { hits: best.best().map(({ item, score }) => ({ slot: item, score, ...matches(item, terms, fresh, found) })), weights, terms, rarest: idf(documents, Math.min(1, documents)), all: !best.full };
  }

  /** How many there are in these parts. */
  documents(names: string[]): number {
    const { sql } = this.#storage;
    return sql.exec<{ documents: number }>("SELECT coalesce(sum(documents), 0) AS documents FROM parts WHERE part IN (SELECT value FROM json_each(?))", JSON.stringify(names)).one().documents;
  }

  /** What a document holds and is lent; undefined once it is in a segment, which knows documents by term only. */
  freshTerms(part: string, slot: number): Iterable<string> | undefined {
    return this.#part(part).fresh.get(slot)?.terms.keys();
  }

  /** Slots that the index holds, dead ones in segments included. */
  *slots(): Generator<number> {
    for (const { part } of this.#storage.sql.exec<{ part: string }>("SELECT part FROM parts")) {
      const { fresh, segments } = this.#part(part);
      yield* fresh.keys();
      for (const { slots } of segments) yield* slots;
    }
  }

  /** What was read into memory may no longer be what is stored. */
  forget(): void {
    this.#parts.clear();
  }

  clear(): void {
    for (const table of textTableNames) this.#storage.sql.exec(`DELETE FROM ${table}`);
    this.forget();
  }

  /** Whether segments wait to be merged. */
  get mergeDue(): boolean {
    return [...this.#parts.values()].some((part) => mergeDue(part).length > 0);
  }

  /**
   * Merges what is due; with `purge`, rewrites every segment of parts that hold dead postings, so that no word of what was
   * erased remains. Other calls are served in between.
   */
  maintain(options: { purge: boolean; alive: (slots: number[]) => Set<number> }): Promise<void> {
    this.#merging ??= this.#maintain(options).finally(() => (this.#merging = undefined));
    return this.#merging;
  }

  async #maintain({ purge, alive }: { purge: boolean; alive: (slots: number[]) => Set<number> }): Promise<void> {
    const names = this.#storage.sql.exec<{ part: string }>("SELECT part FROM parts").toArray();
    for (const { part: name } of names) {
      const part = this.#part(name);
      const isCurrent = (): boolean => this.#parts.get(name) === part;
      const doomed = purge && part.dead > 0 ? part.segments.map((segment) => [segment]) : [];
      for (let due = doomed.shift() ?? mergeDue(part); due.length > 0; due = doomed.shift() ?? mergeDue(part)) {
        const merged = await new SegmentMerge(this.#storage, part, due, alive).run((this.#lastSegment += 1), isCurrent);
        if (!merged) break;
      }
      if (isCurrent()) this.#note(part);
    }
  }

  #part(name: string): Part {
    const known = this.#parts.get(name);
    if (known) return known;
    const { sql } = this.#storage;
    const row = sql.exec<{ documents: number; length: number; dead: number }>("SELECT documents, length, dead FROM parts WHERE part = ?", name).toArray()[0];
    const fresh = sql.exec<{ slot: number; length: number; terms: string }>("SELECT slot, length, terms FROM fresh WHERE part = ?", name).toArray();
    const part: Part = {
      name,
      ...(row ?? { documents: 0, length: 0, dead: 0 }),
      segments: readSegments(sql, name),
      fresh: new Map(fresh.map(({ slot, length, terms }) => [slot, { length, terms: pairs(JSON.parse(terms) as (string | number)[]) }])),
    };
    this.#parts.set(name, part);
    return part;
  }

  #note({ name, documents, length, dead }: Part): void {
    this.#storage.sql.exec("INSERT OR REPLACE INTO parts (part, documents, length, dead) VALUES (?, ?, ?, ?)", name, documents, length, dead);
  }

  /** The terms with what was meant for those that occur nowhere; the very same when there are none. */
  #corrected(parts: Part[], asked: string[], inSegments: (i: number) => boolean): string[] {
    const slips = asked.filter((term, i) => mayBeSlip(term) && !inSegments(i) && countFresh(parts, term) === 0).slice(0, maxCorrections);
    if (slips.length === 0) return asked;
    const meant = new Map(slips.map((term) => [term, this.#meant(parts, term, asked)]));
    return asked.map((term) => meant.get(term) ?? term);
  }

  /** The first letter is seldom wrong, which spares reading most of the vocabulary. */
  #meant(parts: Part[], term: string, asked: string[]): string | undefined {
    const initial = term[0] as string;
    const chunks = parts.flatMap(({ segments }) => segments.flatMap((segment) => chunksFrom(segment, initial)));
    let first: string | undefined;
    const consider = (known: string): void => {
      if (known.startsWith(initial) && isSlip(term, known) && (first === undefined || known < first) && !asked.includes(known)) first = known;
    };
    for (const known of readTerms(this.#storage.sql, chunks)) consider(known);
    for (const { fresh } of parts) for (const { terms } of fresh.values()) for (const known of terms.keys()) consider(known);
    return first;
  }

  /** What was found with the postings of the terms that were corrected; nothing was found for those before. */
  #withCorrected(found: Found[], asked: string[], terms: string[]): Found[] {
    const corrected = terms.map((term, i) => (term === asked[i] ? undefined : term));
    const added = this.#postings(found.map(({ segment }) => segment), corrected);
    return found.map(({ segment, postings }, i) => ({ segment, postings: postings.map((known, j) => added[i]?.postings[j] ?? known) }));
  }

  /** For each segment the postings of each term, read at one go. */
  #postings(segments: Segment[], terms: (string | undefined)[]): Found[] {
    const places = segments.map((segment) => terms.map((term) => (term === undefined ? undefined : chunkOf(segment, term))));
    const chunks = readChunks(this.#storage.sql, new Set(places.flat().filter((chunk) => chunk !== undefined)));
    return segments.map((segment, i) => ({
      segment,
      postings: terms.map((term, j) => {
        const chunk = places[i]?.[j];
        return term === undefined || chunk === undefined ? undefined : chunks.get(chunk)?.find(term);
      }),
    }));
  }
}

function* byTwo<T>(flat: T[]): Generator<[T, T]> {
  for (let i = 0; i + 1 < flat.length; i += 2) yield [flat[i] as T, flat[i + 1] as T];
}
const pairs = (flat: (string | number)[]): Map<string, number> => new Map(byTwo(flat) as Generator<[string, number]>);

const countFresh = (parts: Part[], term: string): number =>
  parts.reduce((sum, { fresh }) => {
    let count = sum;
    for (const { terms } of fresh.values()) if (terms.has(term)) count += 1;
    return count;
  }, 0);
