import { DomainError } from "../domain/errors.ts";
import { joined, json, say } from "../domain/frame.ts";
import type { Verdict } from "../domain/memories/contradictions.ts";
import type { Memory } from "../domain/memories/memory.ts";
import { preview } from "../domain/recall/presentation/excerpt.ts";
import type { Deed } from "./deeds.ts";
import type { Question } from "./define-tool.ts";
import { dayOf, handleOf } from "./render.ts";

const shown = 500;

/** Which of two changes holds: the one that was made in between, or the one that is asked for. `versionArgument`: what the call names the version by that it has seen. */
export const conflictQuestion = (current: Memory, attempted: object, versionArgument: string): Question => ({
  message: say`${handleOf(current)} was changed meanwhile. Stored now (version ${current.version}): ${preview(current.content, shown)}\nThe change that is asked for: ${preview(json(attempted).toString(), shown)}`,
  asks: { choices: [{ title: "Keep what is stored" }, { title: "Write the change over it", args: { [versionArgument]: current.version } }] },
});

/** Which of two memories holds: the one that was stored just now, or what stood before. Both do, unless the person says otherwise. */
export function contradictionQuestion(memory: Memory, before: readonly Memory[]): Question {
  const one = ({ id, version }: Memory): { id: string; version: number } => ({ id, version });
  const decide = (holds: Verdict): Deed => ({ do: "decide", holds, memory: one(memory), others: before.map(one) });
  return {
    message: joined([say`What was stored just now contradicts what you have stored before. Now: ${preview(memory.content, shown)}`, ...before.map((other) => say`${handleOf(other)} (${dayOf(other)}): ${preview(other.content, shown)}`)]),
    asks: { acts: [{ title: "Both stand", does: decide("both") }, { title: "The new one replaces what was there", does: decide("new") }, { title: "Keep what was there, archive the new one", does: decide("old") }] },
  };
}

/** A conflict in the error form of a family, with the question that decides it. */
export class AskedConflict extends DomainError {
  readonly question: Question;

  constructor(message: string, { question, ...options }: { hint: string; details: Record<string, unknown>; question: Question }) {
    super("CONFLICT", message, options);
    this.question = question;
  }
}
