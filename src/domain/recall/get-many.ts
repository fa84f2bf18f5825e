import type { Context } from "../context.ts";
import type { Memory } from "../memories/memory.ts";
import { cachedRecall } from "./cache/cached-recall.ts";

/** Memories by id or alias, whole, in the order asked; `missing` names those that are not there for the caller. */
export async function getMany(ctx: Context, refs: readonly (string | number)[]): Promise<{ memories: Memory[]; missing: (string | number)[] }> {
  const found = await Promise.all([...new Set(refs)].map(async (id) => ({ id, memory: (await cachedRecall(ctx, { id, limit: 1 }, "many")).items[0]?.memory })));
  const memories = found.flatMap(({ memory }) => memory ?? []);
  // The same memory may be named twice, by its id and by its alias.
  return { memories: [...new Map(memories.map((memory) => [memory.id, memory])).values()], missing: found.flatMap(({ id, memory }) => (memory ? [] : [id])) };
}
