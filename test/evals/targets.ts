import type { SetName } from "./options.ts";

export interface Target {
  set: SetName;
  /** Of the set's first group. */
  figure: string;
  least: number;
  /** Reached so far; CI does not let it fall below. */
  held: number;
  source: string;
  /** For a figure that is better when it is lower: neither `least` nor `held` may be exceeded. */
  atMost?: true;
}

const byMeaning = "issue: Recall by meaning";
const writeGuard = "on the half that no rule is written for";

export const targets: readonly Target[] = [
  { set: "locomo", figure: "R@10", least: 0.82, held: 0.785, source: byMeaning },
  { set: "locomo", figure: "MRR", least: 0.62, held: 0.56, source: byMeaning },
  { set: "devmem", figure: "R@5", least: 0.94, held: 0.93, source: byMeaning },
  { set: "precision", figure: "precision", least: 0.75, held: 0.68, source: byMeaning },
  { set: "precision", figure: "recall", least: 0.95, held: 0.95, source: byMeaning },
  { set: "compression", figure: ".95", least: 0.95, held: 0.92, source: "features: facts survive" },
  { set: "teams", figure: "hit@5", least: 0.6, held: 0.5, source: byMeaning },
  { set: "guard", figure: "secrets recall", least: 0.98, held: 0.91, source: writeGuard },
  { set: "guard", figure: "secrets false alarms", least: 0.02, held: 0.02, source: writeGuard, atMost: true },
  { set: "guard", figure: "injections recall", least: 0.9, held: 0.64, source: writeGuard },
  { set: "guard", figure: "injections false alarms", least: 0.03, held: 0.015, source: writeGuard, atMost: true },
];
