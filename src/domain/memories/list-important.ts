import type { Context } from "../context.ts";
import { list, type ListInput } from "./list.ts";
import type { Memory } from "./memory.ts";

/** Levels of importance that are asked one after another, until there are enough: a tenth of the scale each. */
const levels = [1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0];

/** The most important memories that the caller may see, of equal ones the newest first; exact to a tenth of the scale. */
export async function listImportant(ctx: Context, { filter = {}, limit, shown }: Pick<ListInput, "filter" | "limit" | "shown">): Promise<Memory[]> {
  const found = new Map<string, Memory>();
  const least = filter.minImportance ?? 0;
  for (const level of [...levels.filter((one) => one > least), least]) {
    const { memories } = await list(ctx, { filter: { ...filter, minImportance: level }, limit, shown });
    for (const memory of memories) found.set(memory.id, memory);
    if (memories.length >= limit) break;
  }
  // Ids ascend with time (UUIDv7).
  return [...found.values()].sort((a, b) => b.importance - a.importance || (a.id < b.id ? 1 : -1)).slice(0, limit);
}
