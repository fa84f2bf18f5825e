import type { Context } from "../context.ts";
import { requireScope } from "../tenancy/principal.ts";
import type { Memory } from "./memory.ts";
import { waiting } from "./quarantine.ts";

const day = 86_400_000;
/** Neither read nor changed for so long, and of no more than usual importance. */
const staleAfter = 180 * day;

/** What may be wrong with the memories that the caller may see (users 12, report card). Nothing is changed by looking. */
export interface Health {
  /** What is kept back of the caller, newest first. */
  quarantined: Memory[];
  /** Memories that say the same in the same namespace, oldest first. */
  duplicates: Memory[][];
  /** Least read first. */
  stale: Memory[];
}

/** Groups of duplicates, and memories of the others, that one answer names. */
const most = 20;

export async function health(ctx: Context): Promise<Health> {
  requireScope(ctx.principal, "memory:read");
  const { principal, now, memories } = ctx;
  const [quarantined, duplicates, stale] = await Promise.all([
    waiting(ctx),
    memories.duplicates(principal, now, most),
    memories.stale(principal, now, { before: now - staleAfter, limit: most }),
  ]);
  return { quarantined, duplicates, stale };
}
