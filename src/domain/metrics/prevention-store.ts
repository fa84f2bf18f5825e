import type { Principal } from "../tenancy/principal.ts";
import type { Prevention } from "./prevention.ts";

export const periods = ["hour", "day"] as const;
export type Period = (typeof periods)[number];

/** What calls of one operation prevented within one period. */
export interface PreventionRow extends Prevention {
  /** ms since the epoch, at the beginning of an hour or a day (UTC). */
  start: number;
  operation: string;
}

/** Roll-ups of what calls prevented, for each person and for the team as a whole. */
export interface PreventionStore {
  /** Adds to the hour, the day, and the team's total. */
  add(principal: Principal, now: number, measured: ReadonlyMap<string, Prevention>): Promise<void>;
  /** Oldest first. `of`: the principal's own calls, or those of the team. */
  read(principal: Principal, which: { of: "own" | "team"; period: Period; since: number }): Promise<PreventionRow[]>;
  /** Of the team, since it was first counted. */
  totals(principal: Principal): Promise<PreventionRow[]>;
}
