import type { Written } from "../memories/import.ts";
import type { Credential, Principal, Scope } from "../tenancy/principal.ts";
import type { TeamRef } from "../tenancy/team-ref.ts";

export const jobKinds = ["import", "export"] as const;
export type JobKind = (typeof jobKinds)[number];

/** `cancelled`: by who asked for it, or because they may not do it any more; what it had stored stays. */
export type JobState = "waiting" | "running" | "done" | "failed" | "cancelled";

export type JobOptions = { kind: "import"; onConflict: "update" | "skip" } | { kind: "export"; includeHistory: boolean; includeSecrets: boolean };

/** An entry of an import that was not stored, by its place in the file, and the code of the error. */
export type FailedEntry = [entry: number, code: string];

/** A long import or export. It counts, and holds no text; the text is in its pieces, and is gone with them. */
export interface Job {
  id: string;
  options: JobOptions;
  state: JobState;
  /** User id. */
  requestedBy: string;
  /** With which it was asked for: it does no more than that may, and nothing once that is revoked. */
  credential: Credential;
  scopes: readonly Scope[];
  /** Name of the client, kept as authorship. */
  tool: string;
  /** ms since the epoch, as are the next two. */
  requestedAt: number;
  startedAt: number | null;
  endedAt: number | null;
  done: number;
  /** Null where nobody knows before the end. */
  total: number | null;
  counts: Readonly<Record<string, number>>;
  /** The first of them. */
  failed: readonly FailedEntry[];
  /** Where it goes on. Empty at the beginning. */
  cursor: string;
  /** Until when somebody works on it. */
  leasedUntil: number;
  /** Turns that failed in a row, and the code of what ended it or of the last failure. */
  failures: number;
  error: string | null;
}

export type NewJob = Pick<Job, "id" | "options" | "tool" | "total"> & { now: number };

/** A part of what a job takes or makes: memory text, encrypted at rest. */
export interface Piece {
  number: number;
  text: string;
  /** Of an export: the memories that it tells of. */
  ids: readonly string[];
}

export interface JobStep {
  now: number;
  from: string;
  cursor: string;
  done: number;
  counts: Readonly<Record<string, number>>;
  failed: readonly FailedEntry[];
  /** Pieces of an export that the step made. */
  made?: readonly Piece[];
  /** The piece of an import that it used up. */
  used?: number;
}

/** How a job is said to wait for its turn; never rejects. The sweep finds it where the word is lost. */
export interface JobQueue {
  enqueueJob(team: TeamRef): Promise<void>;
}

/** The jobs of a team, in its shard. Each belongs to who asked for it. */
export interface JobStore {
  /** Its pieces first, then the job: from then on it waits. The one that has this id already where there is one; `full` when too many of the person or the team are open. @throws QUOTA_EXCEEDED, STORAGE_FULL */
  insert(principal: Principal, job: NewJob, pieces: readonly Piece[], most: { person: number; team: number }): Promise<Job | "full">;
  /** One's own. */
  find(principal: Principal, id: string): Promise<Job | undefined>;
  /** Newest first: one's own, or with `everybodys` the team's. */
  list(principal: Principal, which: { everybodys: boolean; limit: number }): Promise<Job[]>;
  /** Ends one's own, and drops its pieces unless it is done. `false` when it had ended. */
  end(principal: Principal, id: string, how: { now: number; state: "done" | "failed" | "cancelled"; error?: string }): Promise<boolean>;
  /** The job of the team that is to be worked on next, for whoever takes it first; `isResumed` when it was begun before. */
  claim(team: TeamRef, now: number, leaseMs: number): Promise<{ job: Job; isResumed: boolean } | undefined>;
  /** Gives it back before its time. */
  release(team: TeamRef, id: string): Promise<void>;
  /** Moves the cursor from where it was, with all that the step made. `false` when the job has ended or moved meanwhile. */
  advance(principal: Principal, id: string, step: JobStep, leaseMs: number): Promise<boolean>;
  /** Counts a turn that failed. Nobody takes the job before `until`. */
  fail(principal: Principal, id: string, error: string, until: number): Promise<void>;
  /** The first of one's job from this number on. */
  piece(principal: Principal, id: string, from: number): Promise<Piece | undefined>;
  /** Of these memories, those that have a version by this request. */
  writtenBy(principal: Principal, requestId: string, ids: readonly string[]): Promise<ReadonlyMap<string, Written>>;
  /** Ids of teams with a job that nobody works on. */
  teamsWaiting(shard: string, now: number, limit: number): Promise<string[]>;
  /** Drops what the person's exports made that have ended. */
  dropResults(principal: Principal): Promise<void>;
  /** Drops what is over: pieces of jobs that ended before `pieces`, or that never began, and jobs that ended before `jobs`. */
  drop(shard: string, before: { pieces: number; jobs: number }): Promise<void>;
}
