import type { Context } from "../context.ts";
import { invalid } from "../errors.ts";
import type { MemoryFilter } from "../ports.ts";
import { asVersion, type Memory } from "./memory.ts";

export interface LookUp {
  id?: string | number;
  /** Exact, or with `*` for any characters. */
  key?: string;
  filter?: MemoryFilter;
  /** What was believed at this instant, ms since the epoch. */
  asOf?: number;
}

/** The most that one look-up answers. */
const maxFound = 100;

/** Memories by what they are called or marked with; one's own before those of others. */
export async function lookUp(ctx: Context, { id, key, filter = {}, asOf }: LookUp): Promise<Memory[]> {
  if (id !== undefined) return asOf === undefined ? byId(ctx, id) : byIdAt(ctx, id, asOf);
  if (key === undefined && Object.keys(filter).length === 0) {
    throw invalid("Neither id, key, query nor filters were given.", "Say what to recall: a query in words, a key (with * as wildcard), or an id.");
  }
  if (asOf !== undefined) return byKeyAt(ctx, key, filter, asOf);
  if (key !== undefined) return byKey(ctx, key, filter);
  return (await ctx.memories.list(ctx.principal, ctx.now, filter, { below: undefined, limit: maxFound })).items;
}

async function byId(ctx: Context, id: string | number): Promise<Memory[]> {
  const own = await ctx.memories.get(ctx.principal, ctx.now, id);
  if (own) return own.archivedAt === null ? [own] : [];
  if (typeof id === "number") return [];
  const place = await ctx.index.publicById(ctx.principal, ctx.now, id);
  return place ? ctx.memories.hydratePublic(ctx.principal, ctx.now, [place]) : [];
}

async function byIdAt(ctx: Context, id: string | number, asOf: number): Promise<Memory[]> {
  const own = await ctx.memories.get(ctx.principal, ctx.now, id);
  return own ? statesOf(ctx, [own.id], asOf) : [];
}

async function byKey(ctx: Context, key: string, filter: MemoryFilter): Promise<Memory[]> {
  if (key.includes("*")) return ctx.memories.byKeyPattern(ctx.principal, ctx.now, key, filter, maxFound);
  const own = await ctx.memories.byKey(ctx.principal, ctx.now, key, filter);
  if (own.length > 0 || Object.keys(filter).length > 0) return own;
  const places = await ctx.index.publicByKey(ctx.principal, ctx.now, key);
  return places.length > 0 ? ctx.memories.hydratePublic(ctx.principal, ctx.now, places) : [];
}

/** The key may have had another holder then, so the past is asked of the index, which knows it by instant. */
async function byKeyAt(ctx: Context, key: string | undefined, filter: MemoryFilter, asOf: number): Promise<Memory[]> {
  const ask = () => ctx.index.lookUpAt(ctx.principal, asOf, { filter, limit: maxFound, ...(key === undefined ? {} : { key }) });
  const { ids, appliedSeq } = await ask();
  const { seq } = await ctx.memories.hydrate(ctx.principal, ctx.now, []);
  if (seq <= appliedSeq) return statesOf(ctx, ids, asOf);
  await ctx.index.catchUp(ctx.principal, seq);
  return statesOf(ctx, (await ask()).ids, asOf);
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
