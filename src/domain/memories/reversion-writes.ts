import type { Context } from "../context.ts";
import { commitAll } from "./commit-all.ts";
import { canonical, isExpired, type Memory, sameState, type Version, visibilityKeyOf } from "./memory.ts";
import { mayChangeVisibility, mayExpire } from "./policy.ts";
import { followingVersion, purge } from "./versions.ts";
import type { KeptReason } from "./reversion-plan.ts";
import { withoutReview } from "./review.ts";

/** A memory as it is, and as it is to be. */
export interface Change {
  memory: Memory;
  next: Memory;
  /** The version whose state it is to have again; null when it is to be archived. */
  restored: number | null;
}

/** A memory that stays as it is. */
export interface Kept {
  memory: Memory;
  reason: KeptReason;
}

/**
 * The memory as it was in a version, or archived, unless it has to stay. The words come back in the name of who wrote them, as
 * those of an accepted proposal do; the audit says who brought them back. Where the team reviews changes, what others see is for
 * its admins to revert: hundreds of proposals would fill the queue, and what is accepted later is no part of a run that an undo takes back.
 */
export function changeOf(ctx: Context, memory: Memory, target: Version | "archived" | undefined, review: boolean): Change | Kept {
  const keep = (reason: KeptReason): Kept => ({ memory, reason });
  if (!target) return keep("hidden");
  const isGone = target === "archived";
  if (memory.redaction ?? (isGone ? undefined : target.redaction)) return keep("unreadable");
  const { actorId, tool } = isGone ? { actorId: memory.updatedBy, tool: memory.updatedTool } : (target.author ?? target);
  const next = { ...followingVersion(ctx, memory, isGone ? { archivedAt: ctx.now } : target.state), updatedBy: actorId, updatedTool: tool };
  if (isExpired(next, ctx.now)) return keep("expired");
  if (!mayChangeVisibility(ctx.principal, memory, next.visibility) || !mayExpire(ctx.principal, memory, next.expiresAt)) return keep("visibility");
  if (review && !sameState({ ...next, ...withoutReview(ctx.principal, memory, next) }, next)) return keep("review");
  return { memory, next, restored: isGone ? null : target.version };
}

/** The name that a memory takes by being written so. */
const nameOf = ({ key, namespace, visibility, ownerId, archivedAt }: Memory) => (key === null || archivedAt !== null ? undefined : { visibilityKey: visibilityKeyOf(visibility, ownerId), namespace, key });

/**
 * The changes in an order in which each finds its key free, and those whose key another memory keeps; of several that want one
 * key, the oldest memory gets it. Memories that would have to take each other's keys at the same moment stay, too. `expired`: they hold such keys and are to be purged before.
 */
export async function inOrderOfKeys(ctx: Context, considered: readonly (Change | Kept)[]): Promise<{ changes: Change[]; kept: Kept[]; expired: Memory[] }> {
  const changes = considered.filter((one) => "next" in one);
  const named = changes.flatMap(({ next }) => nameOf(next) ?? []);
  const found = named.length === 0 ? [] : await ctx.memories.lookupMany(ctx.principal, { ids: [], named });
  const expired = found.filter((memory) => isExpired(memory, ctx.now));
  const holders = new Map(found.flatMap((memory) => (isExpired(memory, ctx.now) ? [] : [[canonical(nameOf(memory)), memory.id]])));
  const ordered: Change[] = [];
  let waiting = changes.toSorted((a, b) => (a.memory.id < b.memory.id ? -1 : 1));
  for (let before = -1; before !== ordered.length; ) {
    before = ordered.length;
    waiting = waiting.filter((change) => {
      const name = nameOf(change.next);
      const holder = name && holders.get(canonical(name));
      if (holder !== undefined && holder !== change.memory.id) return true;
      const left = nameOf(change.memory);
      if (left && holders.get(canonical(left)) === change.memory.id) holders.delete(canonical(left));
      if (name) holders.set(canonical(name), change.memory.id);
      ordered.push(change);
      return false;
    });
  }
  const kept = considered.filter((one) => "reason" in one);
  return { changes: ordered, kept: [...kept, ...waiting.map(({ memory }) => ({ memory, reason: "key" as const }))], expired };
}

/** Each transaction together with the record of what it did. @throws WriteConflict */
export async function writeRun(ctx: Context, run: string, action: "revert" | "undo", { changes, expired }: { changes: readonly Change[]; expired: Memory[] }): Promise<void> {
  if (expired.length > 0) await purge(ctx, expired);
  await commitAll(ctx.writer, ctx.principal, ctx, changes.map(({ memory, next, restored }) => ({ memory: next, action, before: memory, reversion: { run, restored } })));
}
