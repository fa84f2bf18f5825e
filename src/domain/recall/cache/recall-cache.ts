import { rounded } from "../../rounded.ts";
import type { RecallOutcome } from "../recall.ts";
import type { IndexState } from "./index-state.ts";
import type { Principal } from "../../tenancy/principal.ts";

/** Where an answer came from; `off` when no kept answer could be used or made. */
export type CacheLevel = "l1" | "l2" | "miss" | "off";

/** An answer with the state of the indexes for which it holds. */
export interface CurrentAnswer {
  outcome: RecallOutcome;
  generation: string;
  /** ms since the epoch. */
  until: number;
}

export interface LevelRate {
  hits: number;
  misses: number;
}

/** With the share of hits, 0–1. */
export const withRate = ({ hits, misses }: LevelRate): LevelRate & { rate: number } => ({ hits, misses, rate: hits === 0 ? 0 : rounded(hits / (hits + misses)) });

export interface CacheRates {
  l1: LevelRate;
  /** Rate among the questions that L1 did not answer. */
  l2: LevelRate;
  /** o200k tokens of the memories in kept answers that were served. */
  tokens: number;
}

/**
 * Answers of recall, kept by who asked what: an answer is served only while the generation is the one that it was made of. Never
 * fails; what cannot be had is a miss.
 */
export interface RecallCache {
  /** `state` is asked only where an answer to the question is kept. */
  get(principal: Principal, now: number, question: string, state: () => Promise<IndexState | undefined>): Promise<{ level: "l1" | "l2"; outcome: RecallOutcome } | undefined>;
  put(principal: Principal, now: number, question: string, answer: CurrentAnswer): void;
  rates(): CacheRates;
}

/** L2: shared by all objects of the deployment. Slow or broken it has nothing, and takes nothing. */
export interface AnswerStore {
  get(key: string): Promise<string | undefined>;
  /** `until`: ms since the epoch. */
  put(key: string, text: string, until: number): Promise<void>;
}
