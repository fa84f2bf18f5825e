import type { ChunkCache } from "./chunk.ts";
import { saveStatistics, type Partition } from "./partition.ts";
import { maxSegment, SegmentCursor, SegmentWriter, type Segment } from "./segment.ts";

/** Segments of about the same size are merged by so many: fewer reads for a question, at log₄ rewrites for a document. */
const fanIn = 4;
/** The segments of the largest tier are merged as long as two of them fit into one. */
const maxTier = 3;
const tierOf = ({ slots }: Segment): number => Math.min(maxTier, Math.floor(Math.log2(Math.max(1, slots.length / 256)) / 2));
const isFull = ({ slots }: Segment): boolean => slots.length > maxSegment / 2;

/** Half of what is read for a question may be dead before it is worth a rewrite out of turn. */
export const isRotten = ({ documents, dead }: Partition): boolean => dead > 1_024 && dead > documents;

/** Segments that a merge can still make fewer. */
export const mergeable = ({ segments, merging }: Partition): Segment[] => segments.filter((segment) => !merging.has(segment) && !isFull(segment));

/**
 * Which segments to merge next; none when each tier holds fewer than `fanIn`. What no merge can shrink further is at most
 * 3 segments in each of four tiers, and one for every 32,768 documents.
 */
export function segmentsToMerge(partition: Partition): Segment[] {
  const tiers = Map.groupBy(mergeable(partition), tierOf);
  // The smallest first: they cost least, and there are most of them.
  for (let number = 0; number <= maxTier; number += 1) {
    const tier = tiers.get(number) ?? [];
    if (tier.length < fanIn) continue;
    const chosen: Segment[] = [];
    let sum = 0;
    // The smallest of the largest tier fit together in any case: none of them is half of a segment.
    for (const segment of tier.sort((a, b) => a.slots.length - b.slots.length)) {
      sum += segment.slots.length;
      if (sum > maxSegment || chosen.push(segment) === fanIn) break;
    }
    return chosen;
  }
  return [];
}

/** Turns the unmerged documents of a partition into a segment, within the caller's transaction. */
export function flush(sql: SqlStorage, partition: Partition, seg: number): void {
  const { unmerged } = partition;
  const slots = Uint32Array.from(unmerged.slots()).sort();
  const positions = new Map([...slots].map((slot, position) => [slot, position]));
  const writer = new SegmentWriter(sql, seg);
  for (const term of [...unmerged.terms()].sort()) {
    const postings = Uint32Array.from(unmerged.holding(term) ?? [], ([slot, packed]) => (positions.get(slot) as number) * 65_536 + packed);
    writer.add(term, postings.sort());
  }
  partition.segments.push(writer.finish(partition.name, slots, Uint16Array.from(slots, (slot) => unmerged.get(slot)?.length ?? 0)));
  sql.exec("DELETE FROM fresh WHERE part = ?", partition.name);
  unmerged.clear();
}

/** Until they are released, these are left to whoever reserved them. */
export function reserve({ merging }: Partition, segments: Segment[]): void {
  for (const segment of segments) merging.add(segment);
}
export function release({ merging }: Partition, segments: Segment[]): void {
  for (const segment of segments) merging.delete(segment);
}

/** So many postings are merged, or slots looked up, before whoever waits gets a turn: some milliseconds. */
const stepPostings = 16_384;
const stepSlots = 8_192;

export interface MergeContext {
  storage: DurableObjectStorage;
  cache: ChunkCache;
  /** Which of these slots are documents still. */
  alive(slots: number[]): Set<number>;
}

/** Rewrites some segments of a partition as one, without what is dead. They are replaced at the end, all at once. */
export class SegmentMerge {
  readonly #context: MergeContext;
  readonly #partition: Partition;
  readonly #old: Segment[];
  readonly #writer: SegmentWriter;

  constructor(context: MergeContext, partition: Partition, old: Segment[], seg: number) {
    this.#context = context;
    this.#partition = partition;
    // In order of their documents, which seldom overlap: then the postings of a term are in order, too.
    this.#old = old.toSorted((a, b) => (a.slots[0] ?? 0) - (b.slots[0] ?? 0));
    this.#writer = new SegmentWriter(context.storage.sql, seg);
  }

  /** All at once, within the caller's transaction. */
  runNow(): void {
    for (const _ of this.#steps((work) => work()));
  }

  /** Lets others have their turn between two steps. Answers whether it took effect: not when the partition has been dropped meanwhile. */
  async run(isCurrent: () => boolean): Promise<boolean> {
    const { storage } = this.#context;
    reserve(this.#partition, this.#old);
    try {
      for (const _ of this.#steps((work) => storage.transactionSync(work))) {
        await scheduler.wait(0);
        if (isCurrent()) continue;
        this.#writer.abandon();
        return false;
      }
      return true;
    } finally {
      release(this.#partition, this.#old);
    }
  }

  *#steps(atomically: (work: () => void) => void): Generator<void> {
    const kept: { slot: number; length: number; source: number; position: number }[] = [];
    const isLong = slotCount(this.#old) > stepSlots;
    for (const [source, { slots, lengths }] of this.#old.entries()) {
      for (let start = 0; start < slots.length; start += stepSlots) {
        const step = slots.subarray(start, start + stepSlots);
        const alive = this.#context.alive([...step]);
        for (const [i, slot] of step.entries()) if (alive.has(slot)) kept.push({ slot, length: lengths[start + i] as number, source, position: start + i });
        if (isLong) yield;
      }
    }
    // Positions ascend with slots.
    kept.sort((a, b) => a.slot - b.slot);
    const moved = this.#old.map(({ slots }) => new Int32Array(slots.length).fill(-1));
    for (const [position, { source, position: before }] of kept.entries()) (moved[source] as Int32Array)[before] = position;
    yield* this.#merge(moved);
    atomically(() => this.#replace(Uint32Array.from(kept, ({ slot }) => slot), Uint16Array.from(kept, ({ length }) => length)));
  }

  #replace(slots: Uint32Array, lengths: Uint16Array): void {
    const { storage, cache } = this.#context;
    const partition = this.#partition;
    const merged = slots.length > 0 ? [this.#writer.finish(partition.name, slots, lengths)] : [];
    for (const { seg, chunks } of this.#old) {
      storage.sql.exec("DELETE FROM segments WHERE seg = ?", seg);
      storage.sql.exec("DELETE FROM chunks WHERE seg = ?", seg);
      cache.drop(chunks);
    }
    const dead = Math.max(0, partition.dead - (slotCount(this.#old) - slots.length));
    saveStatistics(storage.sql, { ...partition, dead });
    partition.dead = dead;
    partition.segments = [...partition.segments.filter((segment) => !this.#old.includes(segment)), ...merged];
  }

  /** Writes the terms of all sources in order, each with its living documents. */
  *#merge(moved: Int32Array[]): Generator<void> {
    const heads = this.#old.map((segment) => new SegmentCursor(this.#context.storage.sql, segment));
    let held = new Uint32Array(1_024);
    let sinceYield = 0;
    for (let least = leastOf(heads); least !== undefined; least = leastOf(heads)) {
      let count = 0;
      let last = -1;
      let isOrdered = true;
      for (const [i, head] of heads.entries()) {
        if (head.term !== least) continue;
        const { positions, frequencies } = head;
        const places = moved[i] as Int32Array;
        if (held.length < count + positions.length) held = enlarged(held, count + positions.length);
        for (let at = 0; at < positions.length; at += 1) {
          const position = places[positions[at] as number] as number;
          if (position === -1) continue;
          isOrdered &&= position > last;
          last = position;
          held[count++] = position * 65_536 + (frequencies[at] as number);
        }
        head.advance();
      }
      if (count === 0) continue;
      const postings = held.subarray(0, count);
      this.#writer.add(least, isOrdered ? postings : postings.sort());
      sinceYield += count + 1;
      if (sinceYield < stepPostings) continue;
      sinceYield = 0;
      yield;
    }
  }
}

const slotCount = (segments: Segment[]): number => segments.reduce((sum, { slots }) => sum + slots.length, 0);

function leastOf(heads: SegmentCursor[]): string | undefined {
  let least: string | undefined;
  for (const { term } of heads) if (term !== undefined && (least === undefined || term < least)) least = term;
  return least;
}

function enlarged(array: Uint32Array, needed: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(Math.max(needed, 2 * array.length));
  larger.set(array);
  return larger;
}
