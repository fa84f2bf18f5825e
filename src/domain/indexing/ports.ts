import type { Memory } from "../memories/memory.ts";
import type { ShownVectors, TeamHome, VectorEntry, VectorKind, VectorName } from "../search/vector-index.ts";
import type { Run, SetAside, Track } from "./stage.ts";

export type Acquired = { kind: "acquired"; cursor: number; attempts: number } | { kind: "waiting"; until: number };

export interface Page<T> {
  /** In the order of their last change. */
  items: T[];
  /** Every change up to here is in this page or was before it. */
  upTo: number;
  /** Nothing came after it when it was read. */
  last: boolean;
}

/** How far each track has come. Not on behalf of a person: nothing is hidden. */
export interface ProgressStore {
  /** Takes the track until `until`, unless another run has it or it is to wait. */
  acquire(run: Run, now: number, until: number): Promise<Acquired>;
  changesAfter(track: Track, cursor: number, limit: number): Promise<Page<Memory>>;
  /** Memories set aside whose time has come, the longest waiting first. */
  due(track: Track, now: number, limit: number): Promise<Memory[]>;
  /** Notes what became of the memories, and moves the cursor. @throws LeaseLost */
  advance(run: Run, step: Step): Promise<void>;
  /** Lets go of the track. */
  release(run: Run, now: number): Promise<void>;
  /** The same after a failure, which is counted; nobody takes the track before `notBefore`. */
  fail(run: Run, now: number, failure: { code: string; notBefore: number }): Promise<void>;
  /** Ids of teams of the shard that have something to do on these tracks; those that waited longest first. */
  teamsBehind(shard: string, expected: ExpectedTrack[], now: number, limit: number): Promise<string[]>;
}

export interface Step {
  now: number;
  /** The lease is good until then. */
  until: number;
  /** Absent when the memories came by way of `due`. */
  cursor?: { from: number; to: number };
  ids: string[];
  setAside: (SetAside & { retryIn: { first: number; most: number } })[];
}

/** What every team is to have done. */
export interface ExpectedTrack {
  stage: string;
  space: string;
  /** Whose changes move its cursor. */
  follows: "memories" | "graph";
}

/** A text to be found by its meaning. */
export interface VectorClaim extends VectorName {
  version: number;
  /** Of the text. */
  hash: string;
}

/** What is known of a team's vectors. */
export interface VectorStore {
  /** The space that answers queries, and all that hold or held vectors. */
  spaces(home: TeamHome): Promise<{ serving: { space: string; since: number } | undefined; known: string[] }>;
  /** Makes the space the one that answers, unless another than `before` does. */
  serve(home: TeamHome, space: string, before: string | undefined, now: number): Promise<void>;
  /** By hash: vectors that the space has, and those that it may take over from its former form (`formerSpace`). */
  cached(track: Track, hashes: string[]): Promise<{ own: Map<string, Float32Array>; former: Map<string, Float32Array> }>;
  /**
   * Notes, before the index is given them, what it will hold and what it must lose, and keeps the new vectors. Answers
   * those that are still in just this version, by id, with the version in which the index has that same text; 0 for none.
   * @throws LeaseLost
   */
  claim(run: Run, until: number, claims: VectorClaim[], unwanted: VectorName[], fresh: ReadonlyMap<string, Float32Array>): Promise<Map<string, number>>;
  /** What the index must lose, of these kinds. */
  doomed(track: Track, kinds: readonly VectorKind[], limit: number): Promise<VectorName[]>;
  /** The index has these. `false` when the lease was lost meanwhile. */
  acknowledge(run: Run, claims: VectorClaim[]): Promise<boolean>;
  /** The index has lost these. */
  removed(track: Track, entries: VectorName[]): Promise<void>;
  /** The index may hold these against what another run knows: has the page done again, and what is gone removed. */
  disown(track: Track, claims: VectorClaim[], from: number): Promise<void>;
  /** Dooms up to `limit` entries of a space that is no longer used. `false` when there are none left. */
  retire(run: Run, until: number, limit: number): Promise<boolean>;
  /** Forgets a space that holds nothing any more, with all tracks that led to it. */
  forget(run: Run): Promise<void>;
}

/** What a comparison of the index with the truth reads and notes. */
export interface ComparisonStore {
  /** The entry after which the next comparison begins. */
  comparedUpTo(track: Track): Promise<VectorName | undefined>;
  /** What the index is to hold, in a fixed order from after the one named: of each entry the vector, and who may see it now. */
  entriesAfter(track: Track, kinds: readonly VectorKind[], after: VectorName, limit: number): Promise<WantedVector[]>;
  /** Notes that the index has not got these: they wait again. */
  miss(run: Run, entries: VectorName[], at: number): Promise<void>;
  /** Those that the index is not to hold. */
  unwanted(track: Track, shown: ShownVectors): Promise<ShownVectors>;
  noteComparison(run: Run, at: number, upTo: VectorName): Promise<void>;
}

export interface WantedVector extends VectorEntry {
  hash: string;
}
