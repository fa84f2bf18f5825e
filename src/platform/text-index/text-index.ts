import { ChunkCache, type Chunk } from "./chunk.ts";
import { type Alive, heldInSegments } from "./holding.ts";
import { flush, isRotten, mergeable, release, reserve, SegmentMerge, segmentsToMerge } from "./merging.ts";
import { partitionTables, readPartition, saveStatistics, saveUnmerged, type Partition } from "./partition.ts";
import { idf, indexIn, matchedTerms, scoreSegment, scoreUnmerged, type Scoring, type SegmentPostings } from "./scoring.ts";
import { chunkOf, chunksFrom, segmentTables, type Segment } from "./segment.ts";
import type { TermBag } from "./term-bag.ts";
import { TopK } from "../top-k.ts";

export const textTables = `${partitionTables}${segmentTables}`;
export const textTableNames = ["parts", "fresh", "segments", "chunks"];

export interface TextIndexOptions {
  /** Of the analysis that makes the term bags. */
  resolution: number;
  /** BM25's saturation of frequencies, and how much longer documents are discounted. */
  k1: number;
  b: number;
  /**
   * Which terms that occur nowhere may be slips of the pen, and for which known ones, whose length differs by one at most; without it,
   * none is corrected.
   */
  spelling?: {
    mayBeSlip(term: string): boolean;
    isSlip(written: string, meant: string): boolean;
  };
}

/** At most so many words of a question that occur nowhere are tried as slips. */
const maxCorrections = 3;

/** Decoded chunks of 100,000 short documents take about 16 MB; an object shares 128 MB with others. */
const maxCachedBytes = 24 * 1_048_576;

export interface TextHit {
  slot: number;
  score: number;
  /** Bits of the terms that its own text holds, and of those that only its context holds. */
  ownTerms: number;
  contextTerms: number;
}

export interface TextAnswer {
  /** Best first. */
  hits: TextHit[];
  /** The inverse document frequency of each term in what was searched. */
  weights: number[];
  /** The terms as they were looked up: one that occurs nowhere may be a slip for one that does. */
  terms: string[];
  /** The inverse document frequency of a term that just one document holds. */
  rarest: number;
  /** No more documents match than these. */
  all: boolean;
}

export interface Upkeep {
  /** Rewrite every segment of partitions that hold dead postings. */
  purge: boolean;
  /** Which of these slots are documents still. */
  alive(slots: number[]): Set<number>;
}

/** Beyond this many, unmerged documents become a segment. */
const maxUnmerged = 256;
/** Of a large batch so many become a segment at once, which takes about 100 ms. */
const flushBatch = 4_096;
/** Merging in the background leaves 12 segments at most that could be merged. With more than these it has fallen behind, and writers merge. */
const maxBacklog = 24;

/** The weights, 0 for the commonest terms that make up less than a share together: a document that holds no other one holds less, and most postings are theirs. */
function withoutCommonest(weights: number[], share = 0): number[] {
  let left = share * weights.reduce((sum, weight) => sum + weight, 0);
  const needed = new Set(weights.map((_, i) => i).sort((a, b) => (weights[a] as number) - (weights[b] as number)).filter((i) => (left -= weights[i] as number) <= 0));
  return weights.map((weight, i) => (needed.has(i) ? weight : 0));
}

/**
 * Ranked full-text index (BM25F) in a Durable Object's SQLite. Documents live in partitions, one for each audience: a question
 * is asked of just those that its viewer may see whole, so that nobody's words weigh in another's ranking.
 *
 * Log-structured (O'Neil et al. 1996): documents start in a table of their own and move to immutable segments, which are
 * merged in the background. A document is a slot number that is never used twice; whoever holds the documents decides
 * which slots are alive, and a merge drops the postings of a dead one.
 */
export class TextIndex {
  readonly #storage: DurableObjectStorage;
  readonly #sql: SqlStorage;
  readonly #options: TextIndexOptions;
  readonly #cache: ChunkCache;
  readonly #partitions = new Map<string, Partition>();
  #maintenance: Promise<void> | undefined;
  #lastSegment: number;

  constructor(storage: DurableObjectStorage, options: TextIndexOptions) {
    this.#storage = storage;
    this.#sql = storage.sql;
    this.#options = options;
    this.#cache = new ChunkCache(storage.sql, maxCachedBytes);
    // Removes the rest of an interrupted merge.
    this.#sql.exec("DELETE FROM chunks WHERE seg NOT IN (SELECT seg FROM segments)");
    this.#lastSegment = this.#sql.exec<{ last: number | null }>("SELECT max(seg) AS last FROM segments").one().last ?? 0;
  }

  /** Within the caller's transaction; when that fails, `forget` must be called. */
  put(entries: { part: string; slot: number; bag: TermBag }[]): void {
    for (const [name, added] of Map.groupBy(entries, ({ part }) => part)) {
      const partition = this.#partition(name);
      let unsaved = 0;
      for (const { slot, bag } of added) {
        partition.unmerged.add(slot, bag);
        partition.documents += 1;
        partition.length += bag.length;
        unsaved += 1;
        if (partition.unmerged.size >= flushBatch) {
          this.#flush(partition);
          unsaved = 0;
        }
      }
      if (partition.unmerged.size > maxUnmerged) this.#flush(partition);
      else for (const { slot, bag } of added.slice(added.length - unsaved)) saveUnmerged(this.#sql, partition, slot, bag);
      saveStatistics(this.#sql, partition);
    }
  }

  #flush(partition: Partition): void {
    flush(this.#sql, partition, this.#nextSegment());
    if (mergeable(partition).length <= maxBacklog) return;
    const context = { storage: this.#storage, cache: this.#cache, alive: (slots: number[]) => new Set(slots) };
    const due = segmentsToMerge(partition);
    if (due.length > 0) new SegmentMerge(context, partition, due, this.#nextSegment()).runNow();
  }

  /** Within the caller's transaction. */
  remove(entries: { part: string; slot: number; length: number }[]): void {
    for (const [name, removed] of Map.groupBy(entries, ({ part }) => part)) {
      const partition = this.#partition(name);
      for (const { slot, length } of removed) {
        partition.documents -= 1;
        partition.length -= length;
        if (partition.unmerged.delete(slot)) this.#sql.exec("DELETE FROM fresh WHERE slot = ?", slot);
        else partition.dead += 1;
      }
      saveStatistics(this.#sql, partition);
    }
  }

  /**
   * The `size` best documents for any of the terms; dead slots may be among them. `withContext`: whether terms of the context count. `share`: only those are wanted that hold so
   * much of what the terms weigh. `alive`: which of some slots are documents still; without it what is gone of a rare term is not known.
   */
  search(names: string[], asked: string[], size: number, options: { withContext: boolean; share?: number | undefined; alive?: Alive | undefined }): TextAnswer {
    const partitions = names.map((name) => this.#partition(name));
    const unmerged = partitions.map((partition) => partition.unmerged);
    const written = this.#postings(partitions.flatMap(({ segments }) => segments), asked);
    const terms = this.#corrected(partitions, asked, (i) => written.some(({ postings }) => postings[i] !== undefined));
    const found = terms === asked ? written : this.#withCorrected(written, asked, terms);
    const documents = partitions.reduce((sum, partition) => sum + partition.documents, 0);
    const average = partitions.reduce((sum, partition) => sum + partition.length, 0) / Math.max(1, documents);
    const inSegments = heldInSegments(terms, found, partitions, options.alive);
    const holding = terms.map((term, i) => unmerged.reduce((sum, fresh) => sum + (fresh.holding(term)?.size ?? 0), inSegments[i] as number));
    const weights = holding.map((count) => idf(documents, Math.min(count, documents)));

    // What no document holds weighs as much as what one does.
    const rarest = idf(documents, Math.min(1, documents));
    const { k1, b, resolution } = this.#options;
    const scoring: Scoring = {
      weights: withoutCommonest(weights.map((weight) => Math.min(weight, rarest)), options.share).map((weight) => weight * (k1 + 1)),
      base: resolution * k1 * (1 - b),
      perToken: (resolution * k1 * b) / Math.max(1, average),
      contextShare: options.withContext ? 1 : 0,
    };
    const best = new TopK(size, 0);
    for (const postings of found) scoreSegment(postings, scoring, best);
    for (const fresh of unmerged) scoreUnmerged(fresh, terms, scoring, best);
    const hits = best.best().map(({ item, score }) => ({ slot: item, score, ...matchedTerms(item, terms, unmerged, found) }));
    return { hits, weights, terms, rarest, all: !best.full };
  }

  /** How many there are in these partitions. */
  documents(names: string[]): number {
    return names.reduce((sum, name) => sum + this.#partition(name).documents, 0);
  }

  /** The terms of a document and its context; undefined once it is in a segment, which knows documents by term only. */
  freshTerms(part: string, slot: number): Iterable<string> | undefined {
    return this.#partition(part).unmerged.get(slot)?.terms.keys();
  }

  /** Whether the partition holds the slot, dead or alive. */
  holds(part: string, slot: number): boolean {
    const { unmerged, segments } = this.#partition(part);
    return unmerged.get(slot) !== undefined || segments.some(({ slots }) => indexIn(slots, slot) !== -1);
  }

  /** The memory may differ from a transaction that was rolled back. */
  forget(): void {
    this.#partitions.clear();
    this.#cache.clear();
  }

  clear(): void {
    for (const table of textTableNames) this.#sql.exec(`DELETE FROM ${table}`);
    this.forget();
  }

  /** Whether an earlier object left many segments unmerged; cheaper than to read them. */
  isBehind(): boolean {
    return this.#sql.exec("SELECT 1 FROM segments GROUP BY part HAVING count(*) > ? LIMIT 1", maxBacklog).toArray().length > 0;
  }

  /** Whether segments wait to be merged. */
  get mergeDue(): boolean {
    return [...this.#partitions.values()].some((partition) => isRotten(partition) || segmentsToMerge(partition).length > 0);
  }

  /**
   * Merges what is due; with `purge`, rewrites every segment of partitions that hold dead postings, so that no word of what was
   * erased remains. Other calls are served in between.
   */
  maintain(upkeep: Upkeep): Promise<void> {
    this.#maintenance ??= this.#maintain(upkeep).finally(() => (this.#maintenance = undefined));
    return this.#maintenance;
  }

  async #maintain({ purge, alive }: Upkeep): Promise<void> {
    const context = { storage: this.#storage, cache: this.#cache, alive };
    for (const { part: name } of this.#sql.exec<{ part: string }>("SELECT part FROM parts").toArray()) {
      const partition = this.#partition(name);
      const isCurrent = (): boolean => this.#partitions.get(name) === partition;
      const merge = (due: Segment[]): Promise<boolean> => new SegmentMerge(context, partition, due, this.#nextSegment()).run(isCurrent);
      const rewritten = (purge && partition.dead > 0) || isRotten(partition) ? partition.segments : [];
      reserve(partition, rewritten);
      try {
        for (const segment of rewritten) if (!(await merge([segment]))) break;
      } finally {
        release(partition, rewritten);
      }
      while (isCurrent()) {
        const due = segmentsToMerge(partition);
        if (due.length === 0 || !(await merge(due))) break;
      }
    }
  }

  #nextSegment(): number {
    return (this.#lastSegment += 1);
  }

  #partition(name: string): Partition {
    const known = this.#partitions.get(name);
    if (known) return known;
    const partition = readPartition(this.#sql, name);
    this.#partitions.set(name, partition);
    return partition;
  }

  /** The terms with what was meant for those that occur nowhere; the very same when there are none. */
  #corrected(partitions: Partition[], asked: string[], inSegments: (i: number) => boolean): string[] {
    const { spelling } = this.#options;
    if (!spelling) return asked;
    const isKnown = (term: string): boolean => partitions.some(({ unmerged }) => unmerged.holding(term) !== undefined);
    const slips = asked.filter((term, i) => spelling.mayBeSlip(term) && !inSegments(i) && !isKnown(term)).slice(0, maxCorrections);
    if (slips.length === 0) return asked;
    const meant = new Map(slips.map((term) => [term, this.#meant(partitions, term, asked, spelling.isSlip)]));
    return asked.map((term) => meant.get(term) ?? term);
  }

  /** The first letter is seldom wrong, which spares reading most of the vocabulary. */
  #meant(partitions: Partition[], term: string, asked: string[], isSlip: (written: string, meant: string) => boolean): string | undefined {
    const initial = term[0] as string;
    const chunks = new Set(partitions.flatMap(({ segments }) => segments.flatMap((segment) => [...chunksFrom(segment, initial)])));
    let first: string | undefined;
    const consider = (known: string): void => {
      if (isSlip(term, known) && (first === undefined || known < first) && !asked.includes(known)) first = known;
    };
    const [shortest, longest] = [term.length - 1, term.length + 1];
    for (const chunk of this.#cache.get(chunks).values()) for (const known of chunk.termsFrom(initial, shortest, longest)) consider(known);
    for (const { unmerged } of partitions) {
      for (const known of unmerged.terms()) if (known.length >= shortest && known.length <= longest && known.startsWith(initial)) consider(known);
    }
    return first;
  }

  /** Postings of the corrected terms, in place of the missing ones. */
  #withCorrected(found: SegmentPostings[], asked: string[], terms: string[]): SegmentPostings[] {
    const corrected = terms.map((term, i) => (term === asked[i] ? undefined : term));
    const added = this.#postings(found.map(({ segment }) => segment), corrected);
    return found.map(({ segment, postings }, i) => ({ segment, postings: postings.map((known, j) => added[i]?.postings[j] ?? known) }));
  }

  /** For each segment the postings of each term; what is not in memory is read at one go. */
  #postings(segments: Segment[], terms: (string | undefined)[]): SegmentPostings[] {
    const places = segments.map((segment) => terms.map((term) => (term === undefined ? undefined : chunkOf(segment, term))));
    const chunks: Map<number, Chunk> = this.#cache.get(new Set(places.flat().filter((chunk) => chunk !== undefined)));
    return segments.map((segment, i) => ({
      segment,
      postings: terms.map((term, j) => {
        const chunk = places[i]?.[j];
        return term === undefined || chunk === undefined ? undefined : chunks.get(chunk)?.find(term);
      }),
    }));
  }
}
