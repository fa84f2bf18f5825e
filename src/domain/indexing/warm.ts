import type { Context } from "../context.ts";
import { requireScope } from "../tenancy/principal.ts";
import { teamOf } from "../tenancy/team-ref.ts";

/**
 * Wakes the job that embeds what the team wrote, and answers how many memories of those that the caller may see and that changed
 * since the instant (ms since the epoch) wait for it (Kompanion document, warm_cache).
 */
export async function warmVectors(ctx: Context, { since }: { since: number }): Promise<{ queued: number }> {
  requireScope(ctx.principal, "memory:write");
  const { principal, now, memories, indexingQueue } = ctx;
  const queued = await memories.countUnembedded(principal, now, since);
  if (queued > 0) indexingQueue.enqueue(teamOf(principal));
  return { queued };
}
