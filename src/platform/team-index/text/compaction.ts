import { SegmentWriter, maxSegment, segmentTerms, type Segment } from "./segment.ts";
import type { Part } from "./text-index.ts";

/** Segments of about the same size are merged by so many: fewer reads for a question, at log₄ rewrites for a document. */
const fanIn = 4;
const tierOf = ({ slots }: Segment): number => Math.floor(Math.log2(Math.max(1, slots.length / 256)) / 2);

/** Half of what is read for a question may be dead before it is worth a rewrite out of turn. */
const isRotten = ({ documents, dead }: Part): boolean => dead > 1_024 && dead > documents;

/** Which segments to merge next; none when all is well. */
export function mergeDue(part: Part): Segment[] {
  const { segments } = part;
  if (isRotten(part)) return segments.slice(0, 1);
  for (const tier of Map.groupBy(segments, tierOf).values()) {
    const some = tier.slice(0, fanIn);
    if (some.length === fanIn && some.reduce((sum, { slots }) => sum + slots.length, 0) <= maxSegment) return some;
  }
  return [];
}

/** Turns the fresh documents of a part into a segment, within the caller's transaction. */
export function flush(sql: SqlStorage, part: Part, nextSegment: () => number): void {
  const slots = [...part.fresh.keys()].sort((a, b) => a - b);
  for (let start = 0; start < slots.length; start += maxSegment) {
    part.segments.push(write(sql, nextSegment(), part, slots.slice(start, start + maxSegment)));
  }
  sql.exec("DELETE FROM fresh WHERE part = ?", part.name);
  part.fresh.clear();
}

function write(sql: SqlStorage, seg: number, part: Part, slots: number[]): Segment {
  const postings = new Map<string, { positions: number[]; frequencies: number[] }>();
  const lengths = new Uint16Array(slots.length);
  for (const [position, slot] of slots.entries()) {
    const bag = part.fresh.get(slot);
    if (!bag) continue;
    lengths[position] = bag.length;
    for (const [term, packed] of bag.terms) {
      const held = postings.get(term);
      if (held) {
        held.positions.push(position);
        held.frequencies.push(packed);
      } else {
        postings.set(term, { positions: [position], frequencies: [packed] });
      }
    }
  }
  const writer = new SegmentWriter(sql, seg);
  for (const term of [...postings.keys()].sort()) {
    const { positions, frequencies } = postings.get(term) as { positions: number[]; frequencies: number[] };
    writer.add(term, positions, frequencies);
  }
  return writer.finish(part.name, Uint32Array.from(slots), lengths);
}

/** Rewrites some segments of a part as one, without what is dead. Their place is taken at the end, all at once. */
export class SegmentMerge {
  readonly #storage: DurableObjectStorage;
  readonly #part: Part;
  readonly #old: Segment[];
  readonly #alive: (slots: number[]) => Set<number>;

  constructor(storage: DurableObjectStorage, part: Part, old: Segment[], alive: (slots: number[]) => Set<number>) {
    this.#storage = storage;
    this.#part = part;
    this.#old = old;
    this.#alive = alive;
  }

  /** Answers whether it took effect: not when the part has been dropped meanwhile. */
  async run(seg: number, isCurrent: () => boolean): Promise<boolean> {
    const { sql } = this.#storage;
    // By slot, so that positions ascend with them.
    const all = this.#old.flatMap(({ slots, lengths }, source) => [...slots].map((slot, position) => ({ slot, length: lengths[position] as number, source, position })));
    const live = this.#alive(all.map(({ slot }) => slot));
    const kept = all.filter(({ slot }) => live.has(slot)).sort((a, b) => a.slot - b.slot);
    const moved = this.#old.map(({ slots }) => new Int32Array(slots.length).fill(-1));
    for (const [position, { source, position: before }] of kept.entries()) (moved[source] as Int32Array)[before] = position;

    const writer = new SegmentWriter(sql, seg);
    for (const [term, positions, frequencies] of this.#terms(moved)) {
      if (!writer.add(term, positions, frequencies)) continue;
      // Between two chunks whoever waits gets a turn.
      await scheduler.wait(0);
      if (!isCurrent()) {
        writer.abandon();
        return false;
      }
    }
    this.#storage.transactionSync(() => {
      for (const { seg: old } of this.#old) {
        sql.exec("DELETE FROM segments WHERE seg = ?", old);
        sql.exec("DELETE FROM chunks WHERE seg = ?", old);
      }
      this.#part.segments = this.#part.segments.filter((segment) => !this.#old.includes(segment));
      this.#part.dead = Math.max(0, this.#part.dead - (all.length - kept.length));
      if (kept.length === 0) return;
      const slots = Uint32Array.from(kept, ({ slot }) => slot);
      this.#part.segments.push(writer.finish(this.#part.name, slots, Uint16Array.from(kept, ({ length }) => length)));
    });
    return true;
  }

  /** The terms of all sources in order, each with its living documents. */
  *#terms(moved: Int32Array[]): Generator<[string, number[], number[]]> {
    const sources = this.#old.map((segment) => segmentTerms(this.#storage.sql, segment));
    const heads = sources.map((source) => source.next());
    for (;;) {
      let least: string | undefined;
      for (const { value, done } of heads) if (!done && (least === undefined || value[0] < least)) least = value[0];
      if (least === undefined) return;
      const held: [number, number][] = [];
      for (const [i, head] of heads.entries()) {
        if (head.done || head.value[0] !== least) continue;
        const { positions, frequencies } = head.value[1];
        for (let at = 0; at < positions.length; at += 1) {
          const position = (moved[i] as Int32Array)[positions[at] as number] as number;
          if (position !== -1) held.push([position, frequencies[at] as number]);
        }
        heads[i] = (sources[i] as (typeof sources)[number]).next();
      }
      held.sort(([a], [b]) => a - b);
      if (held.length > 0) yield [least, held.map(([position]) => position), held.map(([, frequency]) => frequency)];
    }
  }
}
