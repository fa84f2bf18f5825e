import { type Contradiction, settleConflicts } from "../domain/memories/contradictions.ts";
import type { Memory } from "../domain/memories/memory.ts";
import type { RememberOutcome } from "../domain/memories/remember.ts";
import type { Similar } from "../domain/memories/similar.ts";
import type { ToolContext } from "./define-tool.ts";

/** Tells those who watch the memory that a store changed it. */
export function announceStored(ctx: ToolContext, { memory, replayed }: RememberOutcome, outcome: string): void {
  if (!replayed && ["created", "updated", "merged"].includes(outcome)) ctx.changed({ ids: [memory.id], listChanged: outcome === "created" });
}

/** The memories that are like one just stored, and those of them that it contradicts or has replaced; who watches these is told. */
export async function aroundStored(ctx: ToolContext, similarIn: Similar, result: RememberOutcome): Promise<{ similar: Memory[]; conflicts: Contradiction[] }> {
  const similar = await similarIn(result);
  const conflicts = await settleConflicts(ctx, result, similar);
  const replaced = conflicts.flatMap((one) => (one.settled === "superseded" ? one.memory.id : []));
  if (replaced.length > 0) ctx.changed({ ids: replaced, listChanged: false });
  return { similar, conflicts };
}
