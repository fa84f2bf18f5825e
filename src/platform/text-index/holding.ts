import { livingShare, type Partition } from "./partition.ts";
import type { SegmentPostings } from "./scoring.ts";
import type { Segment } from "./segment.ts";

/** Of a term that so few documents hold, those that are gone are told apart: a memory that was rewritten holds its rare words no second time. */
const few = 8;

/** Which of some slots are documents still. */
export type Alive = (slots: number[]) => { has(slot: number): boolean };

/** How many documents of the segments hold each term: of few those that `alive` knows, else the share of all that is not gone. */
export function heldInSegments(terms: readonly string[], found: readonly SegmentPostings[], partitions: readonly Partition[], alive: Alive | undefined): number[] {
  const shares = new Map(partitions.flatMap((partition) => partition.segments.map((segment) => [segment, livingShare(partition)])));
  const isAnyGone = partitions.some(({ dead }) => dead > 0);
  const held = terms.map((_, i) => found.map(({ segment, postings }) => ({ segment, positions: postings[i]?.positions ?? none })));
  const slots = held.map((places) => (isAnyGone && places.reduce((sum, { positions }) => sum + positions.length, 0) <= few ? places.flatMap(slotsOf) : []));
  const living = slots.some(({ length }) => length > 0) ? alive?.(slots.flat()) : undefined;
  return held.map((places, i) => {
    const some = slots[i] as number[];
    if (living && some.length > 0) return some.filter((slot) => living.has(slot)).length;
    return Math.ceil(places.reduce((sum, { segment, positions }) => sum + positions.length * (shares.get(segment) ?? 1), 0));
  });
}

const none = new Uint32Array();

const slotsOf = ({ segment, positions }: { segment: Segment; positions: ArrayLike<number> }): number[] => Array.from(positions, (position) => segment.slots[position] as number);
