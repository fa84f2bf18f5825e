import type { Context } from "../../context.ts";
import { matchesFilter } from "../../memories/memory-filters.ts";
import type { Memory } from "../../memories/memory.ts";
import type { MemoryFilter } from "../../memories/memory-store.ts";
import { asFound } from "../../secrets/redaction.ts";
import type { RecallInput } from "../recall.ts";
import type { Ranked } from "./select-results.ts";

/** Longer chains than this are followed no further. */
const longestChain = 8;

/**
 * What took the place of memories that were found, by the id of what was replaced: the last of a chain, as far as the reader may see
 * it. Costs nothing where nothing was replaced, otherwise a round trip for each step of the longest chain whose memories are not at hand.
 */
export async function successorsOf(ctx: Context, found: readonly Memory[], known: readonly Memory[] = found): Promise<Map<string, Memory>> {
  const replaced = found.filter(({ supersededBy }) => supersededBy !== null);
  const successors = new Map<string, Memory>();
  if (replaced.length === 0) return successors;
  const byId = new Map(known.map((memory) => [memory.id, memory]));
  const missing = new Set<string>();
  const endOf = (memory: Memory): { end: Memory; wanted?: string } => {
    const seen = new Set([memory.id]);
    let end = memory;
    while (end.supersededBy !== null && !seen.has(end.supersededBy)) {
      const next = byId.get(end.supersededBy);
      if (!next) return missing.has(end.supersededBy) ? { end } : { end, wanted: end.supersededBy };
      seen.add(next.id);
      end = next;
    }
    return { end };
  };
  for (let step = 0; step < longestChain; step += 1) {
    const wanted = [...new Set(replaced.flatMap((memory) => endOf(memory).wanted ?? []))];
    if (wanted.length === 0) break;
    const { memories } = await ctx.memories.hydrate(ctx.principal, ctx.now, wanted).catch((error: unknown) => {
      ctx.report("recall.successors", error);
      return { memories: [] };
    });
    for (const id of wanted) missing.add(id);
    for (const memory of memories) byId.set(memory.id, asFound(memory));
  }
  for (const memory of replaced) {
    const { end } = endOf(memory);
    if (end.id !== memory.id) successors.set(memory.id, end);
  }
  return successors;
}

/** Whether the question is about the past, in which what was replaced since is the answer. */
export const asksForPast = ({ asOf, filter }: Pick<RecallInput, "asOf" | "filter">): boolean => asOf !== undefined || filter?.validAt !== undefined;

/** As it is to be shown: with what stands in its place now. What is archived, erased or hidden replaces nothing, and its reason goes with it. */
export function withSuccessor<M extends Memory>(memory: M, successors: ReadonlyMap<string, Memory>): M {
  if (memory.supersededBy === null) return memory;
  const successor = successors.get(memory.id);
  return successor ? { ...memory, supersededBy: successor.id } : { ...memory, supersededBy: null, supersededReason: null };
}

/** Memories that no recall ranked, as they are to be shown. */
export async function withSuccessors<M extends Memory>(ctx: Context, memories: readonly M[]): Promise<M[]> {
  const successors = await successorsOf(ctx, memories);
  return memories.map((memory) => withSuccessor(memory, successors));
}

/**
 * The ranking with every successor before what it replaced, and as relevant: who asks for the one is answered by the other. With
 * `joining`, one that no leg found comes in, unless the question's filter excludes it.
 */
export function successorsFirst<R extends Ranked>(ranked: readonly R[], successors: ReadonlyMap<string, Memory>, joining?: { filter: MemoryFilter; entry(successor: Memory, replaced: R): R }): R[] {
  if (successors.size === 0) return [...ranked];
  const byId = new Map(ranked.map((entry) => [entry.memory.id, entry]));
  const ordered = new Map<string, R>();
  for (const entry of ranked) {
    const successor = successors.get(entry.memory.id);
    if (successor && !ordered.has(successor.id)) {
      const own = byId.get(successor.id) ?? (joining && matchesFilter(successor, joining.filter) ? joining.entry(successor, entry) : undefined);
      if (own) ordered.set(successor.id, { ...own, relevance: Math.max(own.relevance, entry.relevance), score: Math.max(own.score, entry.score) });
    }
    if (!ordered.has(entry.memory.id)) ordered.set(entry.memory.id, entry);
  }
  return [...ordered.values()];
}
