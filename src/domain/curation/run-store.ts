import type { WriteContext } from "../memories/memory-store.ts";
import type { Principal } from "../tenancy/principal.ts";

/** Kinds of work that the curator does (`src/curator/kinds.ts`). */
export const runKinds = ["evolution", "consolidation", "enrichment", "links"] as const;
export type RunKind = (typeof runKinds)[number];

/** `waiting`: asked for, and not begun. `stopped`: by a person; what it had done stays, and can be undone. */
export type RunState = "waiting" | "running" | "done" | "stopped" | "failed";

/** One run of the curator over the memories of a team. Its id is that of the reversion by which it is undone. */
export interface CuratorRun {
  id: string;
  kind: RunKind;
  state: RunState;
  /** Nothing is written, only counted. */
  isDry: boolean;
  /** User id; `curatorActor` for the schedule. */
  requestedBy: string;
  /** ms since the epoch, as are the next two. */
  requestedAt: number;
  startedAt: number | null;
  endedAt: number | null;
  /** Where it goes on; where the next one does, if it reached its limit of changes. Empty at the beginning. */
  cursor: string;
  /** By what was done, such as `importance`; `looked_at` counts memories, and `put_off` those that wait for a later run. */
  counts: Readonly<Record<string, number>>;
  /** It reached its limit of changes before the end. */
  isCut: boolean;
  /** Turns that failed in a row, and the code of the last failure. */
  failures: number;
  error: string | null;
}

/** What a run did to one memory. */
export interface RunChange {
  memoryId: string;
  /** The version that it made. */
  version: number;
  /** Of that version: `toolOf` the rules that asked for it. */
  tool: string;
  isUndone: boolean;
}

export interface RunStep {
  now: number;
  from: string;
  cursor: string;
  counts: Readonly<Record<string, number>>;
}

/** Since when no step begins, and by whose wish. */
export interface Pause {
  /** User id. */
  by: string;
  /** ms since the epoch. */
  at: number;
}

/** The runs of a team, in its shard. They hold no text. */
export interface RunStore {
  /** A new run, waiting; undefined when one of this kind waits or runs already. `after`: where it begins. */
  request(principal: Principal, run: Pick<CuratorRun, "id" | "kind" | "isDry" | "cursor"> & { now: number }): Promise<CuratorRun | undefined>;
  find(principal: Principal, id: string): Promise<CuratorRun | undefined>;
  /** Newest first. */
  list(principal: Principal, limit: number): Promise<CuratorRun[]>;
  /** The run that is to be worked on: the one that was asked for first of those that have not ended. */
  open(principal: Principal): Promise<CuratorRun | undefined>;
  /** The newest run of the kind that was no dry one and has ended. */
  lastEnded(principal: Principal, kind: RunKind): Promise<CuratorRun | undefined>;
  begin(principal: Principal, id: string, now: number): Promise<void>;
  /** Moves the cursor from where it was, and notes the counts. `false` when the run has ended or moved meanwhile. */
  advance(principal: Principal, id: string, step: RunStep): Promise<boolean>;
  /** Ends it, unless it has ended. `false` when it had. */
  end(principal: Principal, id: string, how: { now: number; state: "done" | "stopped" | "failed"; isCut?: boolean; error?: string }): Promise<boolean>;
  /** Counts a turn that failed. */
  fail(principal: Principal, id: string, error: string): Promise<void>;
  /** Of the memories that the principal may see, in the order of ids. */
  changed(principal: Principal, id: string, limit: number): Promise<RunChange[]>;
  /** What the run did to memories, by the tool that its versions name. */
  changes(principal: Principal, id: string): Promise<ReadonlyMap<string, number>>;
  pause(principal: Principal): Promise<Pause | undefined>;
  /** `true` again leaves whoever paused first. */
  setPaused(principal: Principal, write: WriteContext, isPaused: boolean): Promise<void>;
}
