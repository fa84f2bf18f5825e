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
const conversations = "on the half of the conversations that no cue is written for";
const heldHalf = "on the half that no rule is written for";

export const targets: readonly Target[] = [
  { set: "locomo", figure: "R@10", least: 0.82, held: 0.785, source: byMeaning },
  { set: "locomo", figure: "MRR", least: 0.62, held: 0.56, source: byMeaning },
  { set: "devmem", figure: "R@5", least: 0.94, held: 0.93, source: byMeaning },
  { set: "precision", figure: "precision", least: 0.75, held: 0.68, source: byMeaning },
  { set: "precision", figure: "recall", least: 0.95, held: 0.95, source: byMeaning },
  { set: "compression", figure: ".95", least: 0.95, held: 0.92, source: "features: facts survive" },
  { set: "resume", figure: "said", least: 1, held: 1, source: "issue: a person carries their work" },
  { set: "resume", figure: "fewer", least: 0.9, held: 0.9, source: "features: smart_resume" },
  { set: "teams", figure: "hit@5", least: 0.6, held: 0.5, source: byMeaning },
  { set: "duplicates", figure: "precision", least: 1, held: 1, source: "a wrong merge loses a fact" },
  { set: "duplicates", figure: "recall", least: 0.8, held: 0.8, source: "the stream needs as much" },
  { set: "stream", figure: "junk", least: 0.01, held: 0.01, source: "issue: Intelligence", atMost: true },
  { set: "stream", figure: "lost", least: 0, held: 0, source: "issue: Intelligence", atMost: true },
  { set: "relations", figure: "contradiction precision", least: 0.95, held: 0.95, source: heldHalf },
  { set: "relations", figure: "contradiction recall", least: 0.85, held: 0.85, source: heldHalf },
  { set: "relations", figure: "applied precision", least: 0.95, held: 1, source: heldHalf },
  { set: "facts", figure: "fact recall", least: 0.85, held: 0.9, source: conversations },
  { set: "facts", figure: "fact precision", least: 0.85, held: 0.9, source: conversations },
  { set: "facts", figure: "decision accuracy", least: 0.85, held: 0.9, source: conversations },
  { set: "facts", figure: "change precision", least: 0.95, held: 0.95, source: conversations },
  { set: "guard", figure: "secrets recall", least: 0.98, held: 0.97, source: heldHalf },
  { set: "guard", figure: "secrets false alarms", least: 0.02, held: 0.01, source: heldHalf, atMost: true },
  { set: "guard", figure: "injections recall", least: 0.9, held: 0.9, source: heldHalf },
  { set: "guard", figure: "injections false alarms", least: 0.03, held: 0.02, source: heldHalf, atMost: true },
  { set: "enrichment", figure: "type", least: 0.8, held: 0.9, source: heldHalf },
];
