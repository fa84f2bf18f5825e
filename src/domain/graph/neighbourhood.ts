import type { Context } from "../context.ts";
import { noMemoryWithId } from "../errors.ts";
import type { Memory } from "../memories/memory.ts";
import type { MemoryFilter } from "../memories/memory-store.ts";
import { requireScope } from "../tenancy/principal.ts";
import { withSuccessors } from "../recall/selection/succession.ts";
import { asFound } from "../secrets/redaction.ts";
import type { MemoryLink } from "./graph.ts";
import type { Step } from "./graph-store.ts";

export interface Neighbour {
  memory: Memory;
  /** Steps from the nearest seed; 0 for a seed. */
  distance: number;
  /** 0–1: product of the strengths of the steps. */
  strength: number;
  /** The last step that led here. */
  via?: Step["via"];
}

export interface Neighbourhood {
  /** Seeds first, then the nearest. */
  nodes: Neighbour[];
  /** Links whose ends are both among the nodes. */
  links: MemoryLink[];
}

const breadth = 8;

/** The memories where somebody wants a walk to start. @throws MEMORY_NOT_FOUND when one is not there, or archived */
export async function seedsNamed({ memories, principal, now }: Context, refs: readonly (string | number)[]): Promise<Memory[]> {
  return seedsOf(refs, await Promise.all(refs.map((ref) => memories.get(principal, now, ref))));
}

/** The same of memories that were read already. */
export function seedsOf(refs: readonly (string | number)[], named: readonly (Memory | undefined)[]): Memory[] {
  const missing = refs.filter((_, i) => named[i]?.archivedAt !== null);
  if (missing.length > 0) throw noMemoryWithId(missing.join(", "), "Recall or list to find the ids.");
  return named as Memory[];
}

interface Walk {
  seeds: readonly Memory[];
  depth: number;
  limit: number;
  /** The walk meets only memories that this lets through. */
  within?: MemoryFilter;
}

/**
 * The memories around others, over links and entities that both name, up to `depth` steps (1–3). Archived memories and secrets
 * are no part of it, and lead nowhere: a seed that is archived meanwhile stands alone.
 */
export async function neighbourhood(ctx: Context, { seeds, depth, limit, within }: Walk): Promise<Neighbourhood> {
  requireScope(ctx.principal, "memory:read");
  const { graph, memories, principal, now } = ctx;
  const start = [...new Map(seeds.map((memory) => [memory.id, asFound(memory)])).values()];
  const walked = await graph.walk(principal, now, start.map(({ id }) => id), { depth, breadth, limit }, within);
  const byId = new Map((await memories.hydrate(principal, now, walked.map(({ memoryId }) => memoryId))).memories.map((memory) => [memory.id, memory]));
  const around = walked.flatMap(({ memoryId, distance, strength, path }): Neighbour[] => {
    const memory = byId.get(memoryId);
    const via = path.at(-1)?.via;
    return memory && memory.sensitivity !== "secret" ? [{ memory, distance, strength, ...(via ? { via } : {}) }] : [];
  });
  const found = [...start.map((memory): Neighbour => ({ memory, distance: 0, strength: 1 })), ...around];
  const shown = await withSuccessors(ctx, found.map(({ memory }) => memory));
  const nodes = found.map((node, i) => ({ ...node, memory: shown[i] as Memory }));
  return { nodes, links: await linksAmong(ctx, nodes.map(({ memory }) => memory)) };
}

/** Links whose ends are both among the memories. */
export async function linksAmong(ctx: Context, memories: readonly Memory[]): Promise<MemoryLink[]> {
  const ids = memories.map(({ id }) => id);
  if (ids.length < 2) return [];
  const among = new Set(ids);
  return (await ctx.graph.links(ctx.principal, ctx.now, ids)).filter(({ source, target }) => among.has(source) && among.has(target));
}
