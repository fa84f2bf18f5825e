import { type Contradiction, settleConflicts } from "../domain/memories/contradictions.ts";
import type { Memory } from "../domain/memories/memory.ts";
import type { RememberOutcome } from "../domain/memories/remember.ts";
import type { Similar } from "../domain/memories/similar.ts";
import { contradictionQuestion } from "./conflict-question.ts";
import type { Question, ToolContext } from "./define-tool.ts";
import { quarantineQuestion } from "./quarantine-question.ts";

/** Tells those who watch the memory that a store changed it. */
export function announceStored(ctx: ToolContext, { memory, replayed }: RememberOutcome, outcome: string): void {
  if (!replayed && ["created", "updated", "merged"].includes(outcome)) ctx.changed({ ids: [memory.id], listChanged: outcome === "created" });
}

/** The memories that are like one just stored, and those of them that it contradicts or has replaced; who watches these is told. */
export async function aroundStored(ctx: ToolContext, like: Similar, result: RememberOutcome): Promise<{ similar: Memory[]; conflicts: Contradiction[] }> {
  // What a masked secret leaves of a text may be like that of any other.
  if (result.found) return { similar: [], conflicts: [] };
  const similar = like.to(result);
  const conflicts = await settleConflicts(ctx, result, similar);
  const replaced = conflicts.flatMap((one) => (one.settled === "superseded" ? one.memory.id : []));
  if (replaced.length > 0) ctx.changed({ ids: replaced, listChanged: false });
  return { similar, conflicts };
}

/** What the person may decide about a store: what was kept back of it, or which of two memories holds that contradict each other for sure. */
export function questionAfter({ memory, outcome }: RememberOutcome, conflicts: readonly Contradiction[] = []): Question | undefined {
  if (outcome === "quarantined") return quarantineQuestion(memory);
  const others = conflicts.flatMap((one) => (one.settled === "linked" ? one.memory : []));
  return others.length === 0 ? undefined : contradictionQuestion(memory, others);
}
