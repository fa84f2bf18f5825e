import type { Memory } from "../memories/memory.ts";
import type { ShownVectors, VectorEntry, VectorKind, VectorName } from "../embedding/vector-index.ts";
import type { TeamRef } from "../tenancy/team-ref.ts";
import type { Run, SetAside, CursorKey } from "./stage.ts";

export type Acquired = { kind: "acquired"; cursor: number; attempts: number } | { kind: "waiting"; until: number };

export interface ChangePage<T> {
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
  changesAfter(cursorKey: CursorKey, cursor: number, limit: number): Promise<ChangePage<Memory>>;
  /** Memories set aside whose time has come, the longest waiting first. */
  due(cursorKey: CursorKey, now: number, limit: number): Promise<Memory[]>;
  /** Notes what became of the memories, and moves the cursor. @throws LeaseLost */
  advance(run: Run, step: RunStep): Promise<void>;
  /** Lets go of the track. */
  release(run: Run, now: number): Promise<void>;
  /** The same after a failure, which is counted; nobody takes the track before `notBefore`. */
  fail(run: Run, now: number, failure: { code: string; notBefore: number }): Promise<void>;
  /** Ids of teams of the shard that have something to do on these tracks; those that waited longest first. */
  teamsBehind(shard: string, expected: ExpectedCursor[], now: number, limit: number): Promise<string[]>;
}

export interface RunStep {
  now: number;
  /** The lease is good until then. */
  until: number;
  /** Absent when the memories came by way of `due`. */
  cursor?: { from: number; to: number };
  ids: string[];
  setAside: (SetAside & { retryIn: { first: number; most: number } })[];
}

/** A cursor that every team has. */
export interface ExpectedCursor {
  stage: string;
  space: string;
  /** The changes that move its cursor. */
  follows: "memories" | "graph";
}

/** A text to be found by its meaning. */
export interface VectorClaim extends VectorName {
  version: number;
  /** Hash of the text. */
  hash: string;
}

/** An entry that the index must lose. `version` tells whether it must lose it once more, since it came back after it was removed. */
export interface DoomedVector extends VectorName {
  version: number;
}

/** The vectors of a team, as D1 knows them. */
export interface VectorStore {
  /** The space that answers queries, and all that hold or held vectors. */
  spaces(team: TeamRef): Promise<{ serving: { space: string; since: number } | undefined; known: string[] }>;
  /** Makes the space the one that answers, unless another than `before` does. */
  serve(team: TeamRef, space: string, before: string | undefined, now: number): Promise<void>;
  /** By hash: vectors that the space has, and those that it may take over from its former form (`formerSpace`). */
  cached(cursorKey: CursorKey, hashes: string[]): Promise<{ own: Map<string, Float32Array>; former: Map<string, Float32Array> }>;
  /**
   * Notes, before the index is given them, what it will hold and what it must lose, and keeps the new vectors. Answers
   * those that are still in just this version, by id, with the version in which the index has that same text; 0 for none.
   * @throws LeaseLost
   */
  claim(run: Run, until: number, claims: VectorClaim[], unwanted: VectorName[], fresh: ReadonlyMap<string, Float32Array>): Promise<Map<string, number>>;
  /** Entries of these kinds that the index must lose. */
  doomed(cursorKey: CursorKey, kinds: readonly VectorKind[], limit: number): Promise<DoomedVector[]>;
  /** The index has these. `false` when the lease was lost meanwhile. */
  acknowledge(run: Run, claims: VectorClaim[]): Promise<boolean>;
  /** The index has lost these, as they were doomed; what was disowned meanwhile stays doomed. */
  removed(cursorKey: CursorKey, entries: DoomedVector[]): Promise<void>;
  /** The index may hold these against what another run knows: has the page done again, and what is gone removed. */
  disown(cursorKey: CursorKey, claims: VectorClaim[], from: number): Promise<void>;
  /** Dooms up to `limit` entries of a space that is no longer used. `false` when there are none left. */
  retire(run: Run, until: number, limit: number): Promise<boolean>;
  /** Forgets a space that holds nothing any more, with all tracks that led to it. */
  forget(run: Run): Promise<void>;
}

/** Reads and notes what a comparison of the index with the truth needs. */
export interface ComparisonStore {
  /** The entry after which the next comparison begins. */
  comparedUpTo(cursorKey: CursorKey): Promise<VectorName | undefined>;
  /** Entries that the index has to hold, in a fixed order after the one named: with the vector, and who may see it now. */
  entriesAfter(cursorKey: CursorKey, kinds: readonly VectorKind[], after: VectorName, limit: number): Promise<WantedVector[]>;
  /** Notes that the index has not got these: they wait again. */
  miss(run: Run, entries: VectorName[], at: number): Promise<void>;
  /** Those that the index is not to hold. */
  unwanted(cursorKey: CursorKey, shown: ShownVectors): Promise<ShownVectors>;
  noteComparison(run: Run, at: number, upTo: VectorName): Promise<void>;
}

export interface WantedVector extends VectorEntry {
  hash: string;
}
