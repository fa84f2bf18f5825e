import type { Context } from "../context.ts";
import { sameState, canonical, isExpired, type Memory, type MemoryState, visibilityKeyOf } from "./memory.ts";
import { asSaid, initialState, type GivenState } from "./memory-fields.ts";
import type { MemoryWrite } from "./memory-store.ts";
import { mergedVersion } from "./merged-version.ts";
import type { Undefinable } from "../defined.ts";
import { isSameStatement } from "./same-statement.ts";
import { plainerOf } from "./wording.ts";

/** A memory that says what was to be stored, and what it is to become; no write where that adds nothing to it. */
export interface Merge {
  into: Memory;
  write: MemoryWrite | undefined;
}

/**
 * The first of the memories with these ids that states what `fresh` does to the same readers and can take it in without losing anything. Its
 * next version has the plainer of the two wordings, and its history shows who said it when with which tool. `given`: what the call
 * mentions; what it does not mention says nothing.
 */
export async function mergeInto(ctx: Context, ids: readonly string[], fresh: MemoryState, given: Undefinable<GivenState>): Promise<Merge | undefined> {
  for (const id of ids) {
    const into = await ctx.memories.get(ctx.principal, ctx.now, id);
    if (into?.id !== id || into.redaction || into.teamId !== ctx.principal.teamId || isExpired(into, ctx.now) || !hasSamePlace(into, fresh) || !isSameStatement(into, fresh)) continue;
    if (!isCompatible(asSaid(into), asSaid(fresh), given)) continue;
    const next = mergedVersion(ctx, { kept: into, other: fresh, content: plainerOf(into.content, fresh.content), says: (field) => given[field] !== undefined, preferred: "other" });
    if (!next) continue;
    const isSaidAgain = sameState(into, next) && into.updatedBy === ctx.principal.userId && into.updatedTool === ctx.tool;
    return { into, write: isSaidAgain ? undefined : { memory: next, action: "merge", before: into } };
  }
  return undefined;
}

/** What agents of two roles say each by itself is two memories: taken into one, it would leave the view of the other. */
const hasSamePlace = (into: MemoryState, fresh: MemoryState): boolean =>
  into.namespace === fresh.namespace && into.agentId === fresh.agentId && into.visibility === fresh.visibility && visibilityKeyOf(into.visibility, into.ownerId) === visibilityKeyOf(fresh.visibility, fresh.ownerId);

/** Whether they differ in nothing of which a memory has only one. What is derived of either says nothing. */
function isCompatible(into: Memory, fresh: MemoryState, given: Undefinable<GivenState>): boolean {
  const isOther = (field: "type" | "tier"): boolean => given[field] !== undefined && into[field] !== fresh[field];
  const differs = Object.entries(fresh.metadata).some(([name, value]) => name in into.metadata && canonical(into.metadata[name]) !== canonical(value));
  return !differs && !(isOther("type") && into.type !== initialState.type) && !isOther("tier");
}
