import type { TeamRef } from "../tenancy/team-ref.ts";
import type { RunKind } from "./run-store.ts";

/** One step of a run: what it may do, and where it goes on. */
export interface Step {
  team: TeamRef;
  /** `failures`: turns of it that failed in a row until now. */
  run: { id: string; isDry: boolean; failures: number };
  now: number;
  cursor: string;
  /** Most memories that it may change. */
  changes: number;
}

export interface StepResult {
  /** Where the next step goes on. */
  cursor: string;
  isLast: boolean;
  /** What it did, by name, `looked_at` and `put_off` among them; done again from the same cursor, it does and counts nothing more. */
  counts: Record<string, number>;
}

/** A kind of work. To add one: a file with it, its name in `runKinds`, and its line in `src/curator/kinds.ts`. */
export interface WorkKind {
  name: RunKind;
  /** ms between the beginnings of two runs of a team. */
  every: number;
  /** Whether the team wants it. */
  isWanted(team: TeamRef): Promise<boolean>;
  step(step: Step): Promise<StepResult>;
}

/** What a version of the curator's names as its tool: who, and why. */
export const toolOf = (rules: readonly string[]): string => `curator/${rules.join("+")}`;
export const rulesOf = (tool: string): string[] => (tool.startsWith("curator/") ? tool.slice("curator/".length).split("+") : []);
