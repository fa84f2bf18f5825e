import type { TeamEvent } from "../../events/team-event.ts";
import type { MemoryFilter } from "../../memories/memory-fields.ts";
import type { MemoryName, PublicPlace, RecallFound } from "../../memories/memory-store.ts";
import type { Memory } from "../../memories/memory.ts";
import type { IndexState, VisibilityChange } from "../cache/index-state.ts";
import type { RetrievalRequest } from "../retrieve.ts";
import type { Principal } from "../../tenancy/principal.ts";
import type { Span } from "../../text/time-calendar.ts";

export interface SearchQuery {
  /** Distinct, in index form; at most 32. */
  terms: string[];
  /** Whether what neighbours in a thread say counts. */
  neighbours: boolean;
  filter: MemoryFilter;
  limit: number;
  /** Search what was current at this instant instead of now. */
  asOf?: number | undefined;
  /** What happened then, newest first and turns of talks last, whatever it says: no terms are looked up. */
  happened?: Span | undefined;
}

/** The name of a memory within its home. */
export type MemoryPlace = Partial<Pick<Memory, "key" | "namespace">>;

export interface PastLookUp {
  /** Exact, or with `*` for any characters. */
  key?: string | undefined;
  filter: MemoryFilter;
  limit: number;
}

export interface SearchHit {
  id: string;
  /** Higher is better; comparable within one search. */
  score: number;
  /** Bits of the query's terms that its own text holds, and of those that only its context holds. */
  ownTerms: number;
  contextTerms: number;
  /** Set when the hit is a public memory of another team. */
  place?: PublicPlace;
}

export interface SearchAnswer {
  hits: SearchHit[];
  /** Beside the query's terms: the inverse document frequency of each among what the principal may see. */
  weights: number[];
  /** The terms as they were looked up: one that occurs nowhere may be a slip for one that does. */
  terms: string[];
  /** Inverse document frequency of a term that just one memory holds. */
  rarest: number;
}

export interface IndexStats {
  documents: number;
  appliedSeq: number;
  /** Of the storage that the team's object may have, in whole percent. */
  storagePercent: number;
  /** What the object's memory has no room for in full. */
  beyondMemory: BeyondMemory[];
}

/** Vectorize answers for the oldest vectors then, and the database for the graph. */
export type BeyondMemory = "vectors" | "graph";

/** Asks for present memories of one's own team that are like a text. */
export interface LikenessQuery {
  /** Of the text, distinct, in index form. */
  terms: string[];
  /** Of what the terms weigh, the share that a memory holds at least; 0 to 1. */
  share: number;
}

export interface LikenessAnswer {
  /** Beside the terms: the inverse document frequency of each. */
  weights: number[];
  /** Those that hold the share, and those that have the name; by BM25F, best first. */
  rows: Memory[];
}

/** The team's rebuildable full-text index. */
export interface SearchIndex {
  /** One round trip for all legs and the rows; undefined when the team's object is out of reach, or repairs itself. */
  recall(principal: Principal, now: number, request: RetrievalRequest): Promise<RecallFound | undefined>;
  /** The same of one's own team alone, without what other teams made public. */
  recallOwn(principal: Principal, now: number, request: RetrievalRequest): Promise<Omit<RecallFound, "withoutOthers"> | undefined>;
  /** Undefined as above. `named`: what has this name is like it, too. */
  alike(principal: Principal, now: number, asked: LikenessQuery, named: MemoryPlace): Promise<LikenessAnswer | undefined>;
  /** Present memories by exact name, one's own first; those that are secret without what is sealed. Undefined as above. */
  find(principal: Principal, now: number, name: MemoryName): Promise<Memory[] | undefined>;
  /** Counts the memories as read, as `recordAccess` did in D1. Never fails. */
  accessed(principal: Principal, now: number, ids: string[]): Promise<void>;
  /** Memories of the team by what they were at an instant: the key may have had another holder then. */
  lookUpAt(principal: Principal, at: number, query: PastLookUp): Promise<string[]>;
  publicByKey(principal: Principal, now: number, key: string): Promise<PublicPlace[]>;
  publicById(principal: Principal, now: number, id: string): Promise<PublicPlace[]>;
  stats(principal: Principal): Promise<IndexStats>;
  /** For changes that the index itself does not hold: moves the generation of those who see them, and tells the team's event bus. Never fails the write. */
  changed(principal: Principal, changes: readonly VisibilityChange[], events: readonly TeamEvent[]): Promise<void>;
  /**
   * Moves before a write is acknowledged. Undefined when it cannot be told in time: then no kept answer may be used. `others`: whether
   * what other teams made public matters, as it does by default.
   */
  state(principal: Principal, about?: { others: boolean }): Promise<IndexState | undefined>;
}
