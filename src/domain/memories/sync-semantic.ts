import type { Context } from "../context.ts";
import { requireScope } from "../tenancy/principal.ts";
import { commitAll } from "./commit-all.ts";
import type { Memory } from "./memory.ts";
import { retryOnConflict } from "./retry-on-conflict.ts";
import { isReviewed } from "./review.ts";

export interface SyncOutcome {
  /** Memories that are semantic from now on. */
  synced: string[];
  /** What is episodic still, and what is semantic and waits for its vector. */
  pending: number;
}

/**
 * Moves the caller's own episodic memories to the semantic tier, oldest first (Kompanion document, sync_semantic). The write
 * wakes the pipeline, which embeds them. Secrets, expired and archived memories stay as they are; so does what a review would
 * have to see.
 */
export async function syncSemantic(ctx: Context, { maxBatch }: { maxBatch: number }): Promise<SyncOutcome> {
  requireScope(ctx.principal, "memory:write");
  const { principal, now, memories, writer } = ctx;
  // What others see they see changed after a review only.
  const which = { privateOnly: await isReviewed(ctx) };
  const synced = await retryOnConflict("these memories", async () => {
    const found = await memories.episodic(principal, now, { ...which, limit: maxBatch });
    await commitAll(writer, principal, ctx, found.map((before) => ({ memory: asSemantic(before), action: "update" as const, before })));
    return found.map(({ id }) => id);
  });
  return { synced, pending: await memories.countUnsynced(principal, now, which) };
}

/**
 * The next version, which says the same as before by the same author: the move neither makes a memory newer nor says who wrote it.
 * The instant moves by a millisecond, because two versions never share one.
 */
const asSemantic = (memory: Memory): Memory => ({ ...memory, tier: "semantic", version: memory.version + 1, updatedAt: memory.updatedAt + 1 });
