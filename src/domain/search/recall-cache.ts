import type { RecallOutcome } from "../memories/recall.ts";
import type { IndexState } from "../ports.ts";
import type { Principal } from "../tenancy/principal.ts";

/** Where an answer came from; `off` when no kept answer could be used or made. */
export type CacheLevel = "l1" | "l2" | "miss" | "off";

export type CacheLookup =
  | { level: "l1" | "l2"; outcome: RecallOutcome }
  | {
      level: "miss";
      /** Keeps the answer for when the same is asked again; `until` in ms since the epoch. */
      keep(outcome: RecallOutcome, until: number): void;
    };

export interface LevelRate {
  hits: number;
  misses: number;
}

export interface CacheRates {
  l1: LevelRate;
  /** Of what L1 did not have. */
  l2: LevelRate;
  /** o200k tokens of the memories in kept answers that were served. */
  tokens: number;
}

/**
 * Answers of recall, kept by who asked what: an answer is served only while nothing has changed that concerns it and that the
 * person may find. Never fails; what cannot be had is a miss.
 */
export interface RecallCache {
  /** The state of the indexes up to which is known what of all that is kept still holds. */
  readonly generation: string | undefined;
  /** `state`: of the indexes, asked just before; its changes are those since `since`. */
  lookUp(principal: Principal, now: number, question: string, state: IndexState, since: string | undefined): Promise<CacheLookup>;
  rates(): CacheRates;
}

/** L2: shared by all objects of the deployment. Slow or broken it has nothing, and takes nothing. */
export interface AnswerStore {
  get(key: string): Promise<string | undefined>;
  /** `until`: ms since the epoch. */
  put(key: string, text: string, until: number): Promise<void>;
}
