import type { TopK } from "../top-k.ts";
import type { Postings } from "./chunk.ts";
import type { Segment } from "./segment.ts";
import { contextFrequencyOf, ownFrequencyOf } from "./term-bag.ts";
import type { UnmergedDocuments } from "./unmerged.ts";

/** A segment and what it holds of each term of a question. */
export interface SegmentPostings {
  segment: Segment;
  postings: (Postings | undefined)[];
}

/** BM25F (Zaragoza et al. 2004) with one length for all fields. */
export interface Scoring {
  /** By term: its inverse document frequency × (k1 + 1). */
  weights: number[];
  /** The saturation of BM25 is `base + perToken * length`; all three in units of the fields' resolution. */
  base: number;
  perToken: number;
  /** 0 leaves out the context. */
  contextShare: number;
}

/** Robertson and Spärck Jones's inverse document frequency in the form that is never negative. */
export const idf = (documents: number, holding: number): number => Math.log(1 + (documents - holding + 0.5) / (holding + 0.5));

const gain = (packed: number, length: number, weight: number, { base, perToken, contextShare }: Scoring): number => {
  const frequency = ownFrequencyOf(packed) + contextShare * contextFrequencyOf(packed);
  return (weight * frequency) / (frequency + base + perToken * length);
};

/** Reused between calls, which never overlap: scoring does not wait. All zero between two calls. */
let scores = new Float32Array(0);
let touched = new Uint16Array(0);

/** Adds up what each term gives to a document, and offers those that hold any. */
export function scoreSegment({ segment: { slots, lengths }, postings }: SegmentPostings, scoring: Scoring, best: TopK): void {
  if (scores.length < slots.length) {
    scores = new Float32Array(slots.length);
    touched = new Uint16Array(slots.length);
  }
  let count = 0;
  for (const [i, found] of postings.entries()) {
    const weight = scoring.weights[i] as number;
    if (!found || weight === 0) continue;
    const { positions, frequencies } = found;
    for (let at = 0; at < positions.length; at += 1) {
      const position = positions[at] as number;
      const added = gain(frequencies[at] as number, lengths[position] as number, weight, scoring);
      if (added === 0) continue;
      const before = scores[position] as number;
      if (before === 0) touched[count++] = position;
      scores[position] = before + added;
    }
  }
  for (let at = 0; at < count; at += 1) {
    const position = touched[at] as number;
    const score = scores[position] as number;
    scores[position] = 0;
    if (score > best.bar) best.offer(slots[position] as number, score);
  }
}

/** The same for documents that are in no segment yet. */
export function scoreUnmerged(unmerged: UnmergedDocuments, terms: string[], scoring: Scoring, best: TopK): void {
  const sums = new Map<number, number>();
  for (const [i, term] of terms.entries()) {
    if (scoring.weights[i] === 0) continue;
    for (const [slot, packed] of unmerged.holding(term) ?? []) {
      const length = unmerged.get(slot)?.length ?? 0;
      sums.set(slot, (sums.get(slot) ?? 0) + gain(packed, length, scoring.weights[i] as number, scoring));
    }
  }
  for (const [slot, sum] of sums) {
    const score = Math.fround(sum);
    if (score > best.bar) best.offer(slot, score);
  }
}

/** Bits of the terms that a document holds itself, and of those that only its context holds. */
export function matchedTerms(slot: number, terms: string[], unmerged: UnmergedDocuments[], found: SegmentPostings[]): { ownTerms: number; contextTerms: number } {
  const bits = { ownTerms: 0, contextTerms: 0 };
  const note = (i: number, packed: number): void => {
    if (ownFrequencyOf(packed) > 0) bits.ownTerms = (bits.ownTerms | (1 << i)) >>> 0;
    else bits.contextTerms = (bits.contextTerms | (1 << i)) >>> 0;
  };
  for (const documents of unmerged) {
    const bag = documents.get(slot);
    if (!bag) continue;
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
    return bits;
  }
  return bits;
}

/** Binary search in an ascending array; −1 when it is not there. */
export function indexIn(ascending: Uint32Array | Uint16Array, value: number): number {
  let low = 0;
  let high = ascending.length - 1;
  if (high < 0 || value < (ascending[0] as number) || value > (ascending[high] as number)) return -1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const found = ascending[middle] as number;
    if (found === value) return middle;
    if (found < value) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}
