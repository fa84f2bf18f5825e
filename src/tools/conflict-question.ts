import { DomainError } from "../domain/errors.ts";
import { json, say } from "../domain/frame.ts";
import type { Memory } from "../domain/memories/memory.ts";
import { preview } from "../domain/recall/presentation/excerpt.ts";
import type { Question } from "./define-tool.ts";
import { handleOf } from "./render.ts";

const shown = 500;

/** Which of two changes holds: the one that was made in between, or the one that is asked for. `versionArgument`: what the call names the version by that it has seen. */
export const conflictQuestion = (current: Memory, attempted: object, versionArgument: string): Question => ({
  message: say`${handleOf(current)} was changed meanwhile. Stored now (version ${current.version}): ${preview(current.content, shown)}\nThe change that is asked for: ${preview(json(attempted).toString(), shown)}`,
  asks: { choices: [{ title: "Keep what is stored" }, { title: "Write the change over it", args: { [versionArgument]: current.version } }] },
});

/** A conflict in the error form of a family, with the question that decides it. */
export class AskedConflict extends DomainError {
  readonly question: Question;

  constructor(message: string, { question, ...options }: { hint: string; details: Record<string, unknown>; question: Question }) {
    super("CONFLICT", message, options);
    this.question = question;
  }
}
