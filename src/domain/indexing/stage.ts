import type { Memory } from "../memories/memory.ts";
import type { TeamRef } from "../tenancy/team-ref.ts";

/** ms since the epoch, now. A run lasts longer than an instant, so it is given a clock. */
export type Clock = () => number;

/** One stage of one team, in one space: what has a cursor of its own. */
export interface CursorKey {
  team: TeamRef;
  stage: string;
  /** Version of what the stage makes; another one starts over beside it. */
  space: string;
}

/** A track while a run is at work on it. Every write of the run names the lease, so that a run that lost it changes nothing. */
export interface Run extends CursorKey {
  lease: string;
}

export interface RunLimits {
  clock: Clock;
  /** Runs before this one that failed in a row. */
  attempts: number;
  /** When to stop taking on more; what was begun is finished. */
  deadline: number;
}

/** A memory that a stage could not take; it is tried again later, alone. */
export interface SetAside {
  id: string;
  version: number;
  /** A code for what failed; never text of a memory. */
  code: string;
}

export interface BatchResult {
  /** How many, from the first on, were taken or set aside. */
  done: number;
  setAside: SetAside[];
  /** Why it stopped before the end, when that was not the deadline. */
  interrupted?: StageFailure;
}

/** A change that a stage follows: the last one of each thing. */
export interface Change {
  id: string;
  seq: number;
}

/** Work that follows a team's changes: vectors, the graph. Each has a cursor, failures and retries of its own. */
export interface Stage<T extends Change = Memory> {
  readonly name: string;
  readonly space: string;
  /**
   * Takes the changes in the order of the last change; an empty list when only erasures happened. It may be called again with
   * the same ones and must then leave the same result. The list includes archived, expired and secret memories, so that the
   * stage removes what it made of them. @throws StageFailure when nothing could be done: the same page comes again later
   */
  take(run: Run, changes: T[], limits: RunLimits): Promise<BatchResult>;
}

/** The stage as a whole cannot work now. */
export class StageFailure extends Error {
  readonly code: string;
  /** ms, when it is known how long to wait. */
  readonly retryAfter: number | undefined;

  constructor(code: string, options: { retryAfter?: number | undefined; cause?: unknown } = {}) {
    super(code, { cause: options.cause });
    this.name = "StageFailure";
    this.code = code;
    this.retryAfter = options.retryAfter;
  }
}

/** Another run holds the track now: this one stops and leaves everything to it. */
export class LeaseLost extends Error {}
