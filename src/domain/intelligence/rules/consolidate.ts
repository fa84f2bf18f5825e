import { repeats } from "../../memories/repetition.ts";
import { saysTheSame } from "../../memories/same-statement.ts";
import { plainerOf } from "../../memories/wording.ts";
import type { Consolidation } from "../answers.ts";
import type { Note } from "../intelligence.ts";
import { conflictOf } from "./relations/conflict.ts";
import { extensionOf } from "./relations/extension.ts";
import { matterOf } from "./relations/matter.ts";
import { read } from "./relations/statements.ts";

/** The most that it is sure where a person should look first. */
const unsure = 0.6;
/** In characters: longer texts are documents, whose statements the rules do not compare. */
const longest = 10_000;

/**
 * What to do with two notes: one that says nothing but what the other one says goes into it; one whose every statement the later
 * one replaces or repeats is superseded. All else stays; where the two conflict in part, the answer is unsure of itself.
 */
export function consolidateByRules(first: Note, second: Note): Consolidation {
  const apart: Consolidation = { decision: "keep_both", confidence: 0.9, reason: "Each says something of its own." };
  if (Math.max(first.content.length, second.content.length) > longest) return apart;
  const isFirstLater = (first.at ?? 0) > (second.at ?? 0);
  const [earlier, later] = isFirstLater ? (["second", "first"] as const) : (["first", "second"] as const);
  const notes = { first, second };
  const readings = { first: read(first.content), second: read(second.content) };
  const matter = matterOf({ note: first, reading: readings.first }, { note: second, reading: readings.second });
  if (matter === "other") return apart;
  const sure = (confidence: number): number => (matter === "same" ? confidence : Math.min(confidence, unsure));
  const mergeInto = (into: "first" | "second", confidence: number, reason: string): Consolidation => ({ decision: "merge", into, content: notes[into].content, confidence: sure(confidence), reason });

  if (saysTheSame(notes[earlier].content, notes[later].content)) {
    return mergeInto(plainerOf(notes[earlier].content, notes[later].content) === notes[later].content ? later : earlier, 0.95, "Both say the same; this one says it as plainly, or more so.");
  }
  if (repeats(notes[earlier].content, notes[later].content)) return mergeInto(later, 0.95, "The later one says all that the earlier one says.");
  if (repeats(notes[later].content, notes[earlier].content)) return mergeInto(earlier, 0.95, "The earlier one says all that the later one says.");
  const conflict = conflictOf(readings[earlier], readings[later]);
  if (conflict) return { decision: "supersede", kept: later, confidence: conflict.isWhole ? sure(conflict.strength) : Math.min(conflict.strength, unsure), reason: conflict.reason };
  for (const [longer, shorter] of [[later, earlier], [earlier, later]] as const) {
    const confidence = extensionOf(readings[shorter], readings[longer]);
    if (confidence !== undefined) return mergeInto(longer, confidence, "One says all that the other one says, and more.");
  }
  return apart;
}
