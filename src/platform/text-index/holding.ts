import { livingShare, type Partition } from "./partition.ts";
import type { SegmentPostings } from "./scoring.ts";

/** Of a term that so few documents hold, those that are gone are told apart: a memory that was rewritten holds its rare words no second time. */
const few = 8;

/** Which of some slots are documents still. */
export type Alive = (slots: number[]) => { has(slot: number): boolean };

/** How many documents of the segments hold each term: of few those that `alive` knows, else the share of all that is not gone. */
export function heldInSegments(terms: readonly string[], found: readonly SegmentPostings[], partitions: readonly Partition[], alive: Alive | undefined): number[] {
  const shares = new Map(partitions.flatMap((partition) => partition.segments.map((segment) => [segment, livingShare(partition)])));
  const counts = terms.map((_, i) => found.reduce((sum, { postings }) => sum + (postings[i]?.positions.length ?? 0), 0));
  const isCounted = alive !== undefined && partitions.some(({ dead }) => dead > 0);
  const slots = counts.map((count, i) => (isCounted && count > 0 && count <= few ? slotsOf(found, i) : []));
  const wanted = [...new Set(slots.flat())];
  const living = wanted.length > 0 ? alive?.(wanted) : undefined;
  return slots.map((some, i) =>
    living && some.length > 0
      ? some.filter((slot) => living.has(slot)).length
      : Math.ceil(found.reduce((sum, { segment, postings }) => sum + (postings[i]?.positions.length ?? 0) * (shares.get(segment) ?? 1), 0)));
}

const slotsOf = (found: readonly SegmentPostings[], term: number): number[] =>
  found.flatMap(({ segment, postings }) => Array.from(postings[term]?.positions ?? [], (position) => segment.slots[position] as number));
