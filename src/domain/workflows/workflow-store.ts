import type { Principal } from "../tenancy/principal.ts";
import type { ContextCounts } from "./predict.ts";
import type { Continuation, CountChange, PatternPlace, Trail } from "./sequence.ts";

/** A step as it is stored: what it says is its command in its general form. */
export interface RecordedStep {
  command: string;
  action: string;
  success: boolean;
  durationMs: number | null;
  /** ms since the epoch. */
  at: number;
  /** Name of the client that did it. */
  tool: string;
  /** Steps of one thread follow each other. */
  thread: string;
  idempotencyKey: string | null;
  trail: Trail;
}

/** What the next steps of a thread are recorded on. */
export interface LogState {
  /** Number of the project's last step; 0 before the first. */
  last: number;
  /** The last step of the thread and what came before it. */
  thread: { trail: Trail; at: number } | undefined;
  /** Those of the keys asked for that were used before. */
  usedKeys: ReadonlySet<string>;
  /** The steps that leave the window first. */
  oldest: { number: number; trail: Trail }[];
}

export interface Append {
  project: string;
  /** As it was read. @throws WriteConflict when there are more by now */
  last: number;
  steps: readonly RecordedStep[];
  changes: readonly CountChange[];
  /** Steps up to this number leave. */
  dropThrough: number;
}

/** Of a pattern the steps before the last, the last, and how often whatever came after those before. */
export type StoredPattern = Continuation & PatternPlace & { total: number };

export interface ListedStep extends RecordedStep {
  project: string;
  number: number;
}

/** What a person did in a project, and how often what came after what. Everything is theirs alone. */
export interface WorkflowStore {
  state(principal: Principal, asked: { project: string; thread: string; keys: readonly string[]; arriving: number; window: number }): Promise<LogState>;
  append(principal: Principal, append: Append): Promise<void>;
  /** The last steps of a thread, or of the project where it has none, oldest first. */
  recent(principal: Principal, asked: { project: string; thread: string | undefined; limit: number }): Promise<ListedStep[]>;
  /** In the order of the contexts. */
  continuations(principal: Principal, project: string, contexts: readonly string[], mostEach: number): Promise<ContextCounts[]>;
  /** The most frequent patterns. */
  patterns(principal: Principal, project: string, limit: number): Promise<StoredPattern[]>;
  /** In whichever of the person's projects it was learned. */
  pattern(principal: Principal, place: PatternPlace): Promise<(StoredPattern & { project: string }) | undefined>;
  /** Commands of actions, as far as their steps are still there. */
  commands(principal: Principal, actions: readonly string[]): Promise<Map<string, string>>;
  /** All the person's steps, of one project or of all, newest first. */
  list(principal: Principal, asked: { project: string | undefined; below: { project: string; number: number } | undefined; limit: number }): Promise<ListedStep[]>;
  /** All the person's steps behind this one, oldest first in each project. */
  listOnward(principal: Principal, asked: { after: { project: string; number: number }; limit: number }): Promise<ListedStep[]>;
  /** Forgets some of the project's steps, and with the last of them what was learned. `false` when there were none left. */
  forget(principal: Principal, project: string): Promise<boolean>;
}

/** No pattern is made of what happened less often. */
export const leastSupport = 3;
