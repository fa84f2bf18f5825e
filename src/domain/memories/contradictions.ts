import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { linkMemory, unlinkMemory } from "../graph/link.ts";
import { linkByRules } from "../intelligence/rules/link.ts";
import { requireScope } from "../tenancy/principal.ts";
import { isComparable } from "./consolidation-pairs.ts";
import { archiveAsRead } from "./forget.ts";
import { WriteConflict } from "./write-conflict.ts";
import type { Memory } from "./memory.ts";
import type { RememberOutcome } from "./remember.ts";
import { datedNoteOf, mayReplace, stateAt, superseded } from "./supersede.ts";

/** A memory that what was just stored contradicts, or says that it replaces. */
export interface Contradiction {
  memory: Memory;
  type: "contradicts" | "supersedes";
  reason: string;
  /** `superseded`: it is marked as replaced by this call. `linked`: both stand, tied as contradicting each other. */
  settled: "superseded" | "linked" | "open";
}

/** As sure as the rules are of a change that the text itself states; the evaluation measures how often they are wrong there. */
const sure = 0.85;

/**
 * Which of the memories that are like a new one it contradicts. One of the writer's own private memories that the new text says to be
 * replaced is marked so by this very call, so a revert of the call takes both back; everything else is only named. Never fails.
 */
export async function settleConflicts(ctx: Context, { memory, outcome, replayed }: RememberOutcome, similar: readonly Memory[]): Promise<Contradiction[]> {
  if (replayed || outcome !== "created" || !isComparable(ctx, memory)) return [];
  const others = similar.filter((other) => isComparable(ctx, other) && other.namespace === memory.namespace && stateAt(other) < stateAt(memory));
  if (others.length === 0) return [];
  const settled: Contradiction[] = [];
  for (const { target, type, strength, reason } of linkByRules(datedNoteOf(memory), others.map(datedNoteOf)).links) {
    if (type !== "contradicts" && type !== "supersedes") continue;
    const one = { memory: others[target] as Memory, type, reason };
    settled.push({ ...one, settled: strength >= sure && isOwn(ctx, memory) && isOwn(ctx, one.memory) ? await settle(ctx, memory, one) : "open" });
  }
  return settled;
}

/** Nobody else sees it, and nobody else wrote what it says. */
const isOwn = ({ principal }: Context, { visibility, ownerId, updatedBy }: Memory): boolean => visibility === "private" && ownerId === principal.userId && updatedBy === principal.userId;

async function settle(ctx: Context, memory: Memory, { memory: old, type, reason }: Omit<Contradiction, "settled">): Promise<Contradiction["settled"]> {
  try {
    if (type === "contradicts") {
      await linkMemory(ctx, memory, [{ to: old.id, type, strength: sure, reason }], "rule");
      return "linked";
    }
    if (!mayReplace(memory, old, ctx.now)) return "open";
    await ctx.writer.commit(ctx.principal, ctx, [{ memory: superseded(ctx, old, memory, reason), action: "supersede", before: old }]);
    return "superseded";
  } catch (error) {
    // Somebody else was faster, or the team is full: the new memory is stored all the same.
    ctx.report("conflicts", error);
    return "open";
  }
}

/** A memory as somebody was shown it. */
export interface Shown {
  id: string;
  version: number;
}

/** Which of the memories that contradict each other holds, as a person decides it. */
export const verdicts = ["both", "new", "old"] as const;
export type Verdict = (typeof verdicts)[number];

/**
 * What a person decides of a memory and those that it contradicts, all as they were shown: it takes their place, it is put away, or both
 * stand, and no consolidation looks at them again. Decided again, it stays as it is. @throws CONFLICT when one of them has changed since
 */
export async function decideContradiction(ctx: Context, { holds, memory: fresh, others: before }: { holds: Verdict; memory: Shown; others: readonly Shown[] }): Promise<{ memory: Memory; others: Memory[] }> {
  requireScope(ctx.principal, "memory:write");
  const [memory, ...others] = await Promise.all([fresh, ...before].map(({ id }) => ctx.memories.get(ctx.principal, ctx.now, id)));
  if (!memory || !others.every((other) => other !== undefined)) throw changedSince();
  const isDone = holds === "new" ? others.every(({ supersededBy }) => supersededBy === memory.id) : holds === "old" && memory.archivedAt !== null;
  if (isDone) return { memory, others };
  if (![memory, ...others].every((one, i) => isOwn(ctx, one) && one.version === [fresh, ...before][i]?.version)) throw changedSince();
  const replaces = (): Promise<unknown> => ctx.writer.commit(ctx.principal, ctx, others.map((old) => ({ memory: superseded(ctx, old, memory, "Its author decided that this replaces it."), action: "supersede", before: old })));
  const decide = { both: () => letStand(ctx, memory, others), new: replaces, old: () => archiveAsRead(ctx, memory) };
  await decide[holds]().catch((error) => {
    throw error instanceof WriteConflict ? changedSince() : error;
  });
  return { memory, others };
}

/** What says that they contradict each other gives way to what says that they do not. */
async function letStand(ctx: Context, memory: Memory, others: readonly Memory[]): Promise<void> {
  await linkMemory(ctx, memory, others.map(({ id }) => ({ to: id, type: "references", strength: 1, reason: "Their author was asked: both stand." })), "person");
  await unlinkMemory(ctx, memory, others.map(({ id }) => ({ to: id, type: "contradicts" })));
}

const changedSince = (): DomainError => new DomainError("CONFLICT", "One of the memories has changed since. Both stand as they are.");
