import type { SetName } from "./options.ts";

export interface Target {
  set: SetName;
  /** Of the set's first group. */
  figure: string;
  least: number;
  /** Reached so far; CI does not let it fall below. */
  held: number;
  source: string;
}

const issue = "issue: Recall, the right thing and little else";

export const targets: readonly Target[] = [
  { set: "locomo", figure: "R@10", least: 0.77, held: 0.77, source: issue },
  { set: "locomo", figure: "MRR", least: 0.54, held: 0.54, source: issue },
  { set: "devmem", figure: "R@5", least: 0.93, held: 0.92, source: issue },
  { set: "precision", figure: "precision", least: 0.6, held: 0.65, source: issue },
  { set: "precision", figure: "recall", least: 0.9, held: 0.95, source: issue },
];
