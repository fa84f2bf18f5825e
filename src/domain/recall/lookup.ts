import type { Context } from "../context.ts";
import { invalid } from "../errors.ts";
import type { MemoryFilter, MemoryName, PublicPlace } from "../memories/memory-store.ts";
import { ownOnly } from "./degraded.ts";
import { successorsOf } from "./selection/succession.ts";
import { matchesFilter } from "../memories/memory-filters.ts";
import { asFound, assertReadable } from "../secrets/redaction.ts";
import { asVersion, type Memory } from "../memories/memory.ts";

export interface LookUp {
  id?: string | number | undefined;
  /** Exact, or with `*` for any characters. */
  key?: string | undefined;
  filter?: MemoryFilter | undefined;
  /** Answers as of this instant, ms since the epoch. */
  asOf?: number | undefined;
}

export interface LookedUp {
  memories: Memory[];
  /** Archived memories that were asked for, by the id of what stands in their place and is among `memories`. */
  inPlaceOf?: Map<string, Memory>;
  /** Names the parts that could not be asked, in words. */
  degraded: string[];
}

/** The most that one look-up answers. */
const maxFound = 100;
/** How many archived memories of one key are looked at. */
const mostArchived = 5;

const noPast = "the index of the past is down: what had this key then cannot be told";

/** Memories by what they are called or marked with; one's own before those of others. */
export async function lookUp(ctx: Context, { id, key, filter = {}, asOf }: LookUp): Promise<LookedUp> {
  if (id !== undefined) return asOf === undefined ? byId(ctx, id) : byIdAt(ctx, id, asOf);
  if (key === undefined && Object.keys(filter).length === 0) {
    throw invalid("Neither id, key, query nor filters were given.", "Say what to recall: a query in words, a key (with * as wildcard), or an id.");
  }
  if (asOf !== undefined) return byKeyAt(ctx, key, filter, asOf);
  if (key !== undefined) return byKey(ctx, key, filter);
  return complete((await ctx.memories.list(ctx.principal, ctx.now, filter, { below: undefined, limit: maxFound })).items);
}

const complete = (memories: Memory[]): LookedUp => ({ memories: assertReadable(memories), degraded: [] });

/**
 * Present memories by exact name, one's own first; by id archived ones too. The team's object answers; D1 does where the object
 * cannot: it holds neither what is sealed of secrets nor the ids that memories had where they were imported from.
 */
export async function findNamed(ctx: Context, name: MemoryName): Promise<Memory[]> {
  const { index, memories, principal, now } = ctx;
  const found = await index.find(principal, now, name);
  if (found && found.length > 0 && found.every(({ sensitivity }) => sensitivity !== "secret")) return found;
  if ("key" in name) return memories.byKey(principal, now, name.key, name.filter);
  const memory = await memories.get(principal, now, name.id);
  return memory ? [memory] : [];
}

async function byId(ctx: Context, id: string | number): Promise<LookedUp> {
  const [own] = await findNamed(ctx, { id });
  if (own) return own.archivedAt === null ? complete([own]) : replacements(ctx, [own]);
  if (typeof id === "number") return complete([]);
  return ofOthers(ctx, ctx.index.publicById(ctx.principal, ctx.now, id));
}

async function byIdAt(ctx: Context, id: string | number, asOf: number): Promise<LookedUp> {
  const own = await ctx.memories.get(ctx.principal, ctx.now, id);
  return complete(own ? await statesOf(ctx, [own.id], asOf) : []);
}

async function byKey(ctx: Context, key: string, filter: MemoryFilter): Promise<LookedUp> {
  if (key.includes("*")) return complete(await ctx.memories.byKeyPattern(ctx.principal, ctx.now, key, filter, maxFound));
  const own = await findNamed(ctx, { key, filter });
  if (own.length > 0) return complete(own);
  const replaced = await replacements(ctx, await ctx.memories.byKeyPattern(ctx.principal, ctx.now, key, filter, mostArchived, true), filter);
  if (replaced.memories.length > 0 || Object.keys(filter).length > 0) return replaced;
  return ofOthers(ctx, ctx.index.publicByKey(ctx.principal, ctx.now, key));
}

/** What stands in the place of archived memories, as where they were merged into another one: whoever knows their names finds that. */
async function replacements(ctx: Context, archived: readonly Memory[], filter: MemoryFilter = {}): Promise<LookedUp> {
  const successors = await successorsOf(ctx, archived);
  const inPlaceOf = new Map<string, Memory>();
  const memories: Memory[] = [];
  for (const memory of archived) {
    const successor = successors.get(memory.id);
    if (!successor || inPlaceOf.has(successor.id) || !matchesFilter(successor, filter)) continue;
    inPlaceOf.set(successor.id, asFound(memory));
    memories.push(successor);
  }
  return { ...complete(memories), inPlaceOf };
}

/** Public memories of other teams, where the organization's index says they are. */
async function ofOthers(ctx: Context, asked: Promise<PublicPlace[]>): Promise<LookedUp> {
  const found = await asked
    .then((places) => (places.length > 0 ? ctx.memories.hydratePublic(ctx.principal, ctx.now, places) : []))
    .catch((error: unknown) => void ctx.report("look-up.organization", error));
  return found ? complete(found) : { memories: [], degraded: [ownOnly] };
}

/** The key may have had another holder then, so the past is asked of the index, which knows it by instant. */
async function byKeyAt(ctx: Context, key: string | undefined, filter: MemoryFilter, asOf: number): Promise<LookedUp> {
  const ids = await ctx.index.lookUpAt(ctx.principal, asOf, { filter, limit: maxFound, key }).catch((error: unknown) => {
    ctx.report("look-up.past", error);
    return undefined;
  });
  if (!ids) return { memories: [], degraded: [noPast] };
  const states = await statesOf(ctx, ids, asOf);
  const isNamed = key !== undefined && !key.includes("*");
  return complete(isNamed ? states : states.map(asFound));
}

/** The memories as they were, in the order of the ids; those the caller may not see, then or now, are left out. */
export async function statesOf(ctx: Context, ids: string[], asOf: number): Promise<Memory[]> {
  if (ids.length === 0) return [];
  const [states, memories] = await Promise.all([
    ctx.memories.statesAt(ctx.principal, ctx.now, asOf, ids),
    ctx.memories.lookupMany(ctx.principal, { ids, named: [] }),
  ]);
  const byId = new Map(memories.map((memory) => [memory.id, memory]));
  return states.flatMap(({ id, version }) => {
    const memory = byId.get(id);
    return memory ? [asVersion(memory, version)] : [];
  });
}
