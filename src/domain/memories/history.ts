import type { Context } from "../context.ts";
import { noMemoryWithId } from "../errors.ts";
import { requireScope } from "../tenancy/principal.ts";
import type { Memory, Version } from "./memory.ts";
import { resolveOne, type Reference } from "./resolve.ts";

export interface HistoryOutcome {
  memory: Memory;
  /** Newest first, each with the one before it where the caller sees that. */
  entries: { version: Version; before: Version | undefined }[];
  /** All that the caller sees, shown or not. */
  total: number;
}

/**
 * The versions of one memory that the caller may see, archived ones too. Versions in which it was somebody's private memory, a secret or
 * in quarantine are left out: what was kept back then is not told by the past. @throws MEMORY_NOT_FOUND
 */
export async function historyOf(ctx: Context, { target, limit, before = Infinity }: { target: Reference & { id: string | number }; limit: number; /** Only versions before this one. */ before?: number | undefined }): Promise<HistoryOutcome> {
  requireScope(ctx.principal, "memory:read");
  const memory = await resolveOne(ctx, target);
  if (memory.quarantine) throw noMemoryWithId(target.id);
  const chain = (await ctx.memories.history(ctx.principal, ctx.now, [memory.id], { secrets: "omit" })).get(memory.id) ?? [];
  const seen = memory.sensitivity === "secret" ? [] : chain.filter(({ state }) => state.quarantine === null);
  const entries = seen.map((version, i) => ({ version, before: seen[i - 1]?.version === version.version - 1 ? seen[i - 1] : undefined })).reverse();
  return { memory, entries: entries.filter(({ version }) => version.version < before).slice(0, limit), total: entries.length };
}
