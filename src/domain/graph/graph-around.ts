import type { Context } from "../context.ts";
import { invalid } from "../errors.ts";
import { matcherOf } from "../memories/memory-filters.ts";
import type { Memory } from "../memories/memory.ts";
import type { MemoryFilter } from "../memories/memory-store.ts";
import { resolveOne } from "../memories/resolve.ts";
import { requireScope } from "../tenancy/principal.ts";
import { queryTerms } from "../text/query-terms.ts";
import type { Entity, Relationship } from "./graph.ts";
import { neighbourhood, seedsOf, type Neighbourhood } from "./neighbourhood.ts";

export interface GraphAround extends Neighbourhood {
  /** Each with those of the memories that name it, most named first. */
  entities: { entity: Entity; memories: string[] }[];
  relationships: Relationship[];
}

export interface GraphQuestion {
  memory: string | number | undefined;
  /** The memories that name it are where the walk starts. */
  entity: string | undefined;
  /** Only memories that this lets through. */
  within: MemoryFilter;
  depth: number;
  limit: number;
}

const mostSeeds = 10;
/** Of the memories that name an entity, so many are looked at for those that the filter lets through. */
const mostLooked = 200;
const mostEntities = 3;
const mostNamed = 50;

const nothing: GraphAround = { nodes: [], links: [], entities: [], relationships: [] };

/** What the memories around one memory, or around an entity, name and state. @throws MEMORY_NOT_FOUND */
export async function graphAround(ctx: Context, { memory, entity, within, depth, limit }: GraphQuestion): Promise<GraphAround> {
  const { graph, principal, now } = ctx;
  requireScope(principal, "memory:read");
  if ((memory === undefined) === (entity === undefined)) throw invalid("The start of the walk is one of memory_id and entity.", "Give one of them.");
  const seeds = memory !== undefined ? seedsOf([memory], [await resolveOne(ctx, { id: memory, within })]) : await memoriesNaming(ctx, entity as string, within);
  if (seeds.length === 0) return nothing;
  const walked = await neighbourhood(ctx, { seeds, depth, limit, within });
  const nodes = walked.nodes.slice(0, limit);
  const ids = nodes.map(({ memory: { id } }) => id);
  const shown = new Set(ids);
  const [named, relationships] = await Promise.all([graph.entitiesOf(principal, now, ids), graph.relationshipsOf(principal, now, ids, mostNamed)]);
  return {
    nodes,
    links: walked.links.filter(({ source, target }) => shown.has(source) && shown.has(target)),
    entities: grouped(named),
    relationships,
  };
}

async function memoriesNaming({ graph, memories, principal, now }: Context, entity: string, within: MemoryFilter): Promise<Memory[]> {
  const terms = queryTerms(entity).map(({ term }) => term);
  const found = terms.length === 0 ? [] : await graph.findEntities(principal, now, terms, mostEntities);
  if (found.length === 0) return [];
  const ids = await graph.memoriesOf(principal, now, found.map(({ item }) => item.id), Object.keys(within).length === 0 ? mostSeeds : mostLooked);
  return (await memories.hydrate(principal, now, ids)).memories.filter(matcherOf(within)).slice(0, mostSeeds);
}

function grouped(named: ReadonlyMap<string, Entity[]>): GraphAround["entities"] {
  const byId = new Map<string, GraphAround["entities"][number]>();
  for (const [memoryId, entities] of named) {
    for (const entity of entities) {
      const known = byId.get(entity.id);
      if (known) known.memories.push(memoryId);
      else byId.set(entity.id, { entity, memories: [memoryId] });
    }
  }
  return [...byId.values()].sort((a, b) => b.memories.length - a.memories.length).slice(0, mostNamed);
}
