import type { Context } from "../context.ts";
import { requireScope } from "../tenancy/principal.ts";

/** In decimals: of a unit vector the next ones say nothing. */
const precision = 1e5;

/** The vectors of memories as they are stored, by id; what has none yet, or is secret, is left out. */
export async function embeddingsOf(ctx: Context, ids: string[]): Promise<Map<string, number[]>> {
  requireScope(ctx.principal, "memory:read");
  if (ids.length === 0) return new Map();
  const { space } = await ctx.semantic.embedder(ctx.principal, ctx.now);
  const { memories, vectors } = await ctx.memories.hydrate(ctx.principal, ctx.now, ids, { space, ids });
  const open = memories.filter(({ sensitivity }) => sensitivity === "normal");
  return new Map(open.flatMap(({ id }) => {
    const vector = vectors.get(id);
    return vector ? [[id, Array.from(vector, (value) => Math.round(value * precision) / precision)] as const] : [];
  }));
}
