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

const byMeaning = "issue: Recall by meaning";

export const targets: readonly Target[] = [
  { set: "locomo", figure: "R@10", least: 0.82, held: 0.785, source: byMeaning },
  { set: "locomo", figure: "MRR", least: 0.62, held: 0.56, source: byMeaning },
  { set: "devmem", figure: "R@5", least: 0.94, held: 0.93, source: byMeaning },
  { set: "precision", figure: "precision", least: 0.75, held: 0.68, source: byMeaning },
  { set: "precision", figure: "recall", least: 0.95, held: 0.95, source: byMeaning },
  { set: "compression", figure: ".95", least: 0.95, held: 0.92, source: "features: facts survive" },
  { set: "teams", figure: "hit@5", least: 0.6, held: 0.5, source: byMeaning },
];
