import type { TopK } from "../../top-k.ts";
import type { Postings, Segment } from "./segment.ts";
import { k1, lentOf, ownOf, unit, type TermBag } from "./scoring.ts";

/** Documents that are in no segment yet, by slot. */
export type Fresh = ReadonlyMap<number, TermBag>;

/** A segment and what it holds of each term of a question. */
export interface Found {
  segment: Segment;
  postings: (Postings | undefined)[];
}

export interface Scoring {
  weights: number[];
  /** The saturation of BM25 is `flat + steep * length`. */
  flat: number;
  steep: number;
  /** 0 leaves out what neighbours lend. */
  lentShare: number;
}

const gain = (packed: number, length: number, weight: number, { flat, steep, lentShare }: Scoring): number => {
  const frequency = (ownOf(packed) + lentShare * lentOf(packed)) / unit;
  return (weight * (k1 + 1) * frequency) / (frequency + flat + steep * length);
};

/** Reused between calls, which never overlap: scoring does not wait. */
let scratch = new Float32Array(0);

/** Adds up what each term gives to a document, and offers those that hold any. */
export function scoreSegment({ slots, lengths }: Segment, postings: (Postings | undefined)[], scoring: Scoring, best: TopK): void {
  if (postings.every((found) => found === undefined)) return;
  if (scratch.length < slots.length) scratch = new Float32Array(slots.length);
  const scores = scratch.fill(0, 0, slots.length);
  for (const [i, found] of postings.entries()) {
    if (!found) continue;
    const { positions, frequencies } = found;
    const weight = scoring.weights[i] as number;
    for (let at = 0; at < positions.length; at += 1) {
      const position = positions[at] as number;
      scores[position] = (scores[position] as number) + gain(frequencies[at] as number, lengths[position] as number, weight, scoring);
    }
  }
  for (let position = 0; position < slots.length; position += 1) {
    const score = scores[position] as number;
    if (score > best.bar) best.offer(slots[position] as number, score);
  }
}

/** The same for documents that are in no segment yet. */
export function scoreFresh(fresh: Fresh, terms: string[], scoring: Scoring, best: TopK): void {
  for (const [slot, bag] of fresh) {
    let score = 0;
    for (const [i, term] of terms.entries()) {
      const packed = bag.terms.get(term);
      if (packed !== undefined) score += gain(packed, bag.length, scoring.weights[i] as number, scoring);
    }
    if (score > best.bar) best.offer(slot, Math.fround(score));
  }
}

/** Which terms a document holds itself, and which it is only lent. */
export function matches(slot: number, terms: string[], fresh: Fresh[], found: Found[]): { own: number; lent: number } {
  const bits = { own: 0, lent: 0 };
  const note = (i: number, packed: number): void => {
    if (ownOf(packed) > 0) bits.own = (bits.own | (1 << i)) >>> 0;
    else bits.lent = (bits.lent | (1 << i)) >>> 0;
  };
  const bag = fresh.map((part) => part.get(slot)).find((known) => known !== undefined);
  if (bag) {
    for (const [i, term] of terms.entries()) {
      const packed = bag.terms.get(term);
      if (packed !== undefined) note(i, packed);
    }
    return bits;
  }
  for (const { segment, postings } of found) {
    const position = indexIn(segment.slots, slot);
    if (position === -1) continue;
    for (const [i, posting] of postings.entries()) {
      const at = posting ? indexIn(posting.positions, position) : -1;
      if (posting && at !== -1) note(i, posting.frequencies[at] as number);
    }
  }
  return bits;
}

/** Binary search in an ascending array; −1 when it is not there. */
function indexIn(ascending: Uint32Array | Uint16Array, value: number): number {
  let low = 0;
  let high = ascending.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const found = ascending[middle] as number;
    if (found === value) return middle;
    if (found < value) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}
