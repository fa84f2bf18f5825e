import type { Context } from "../context.ts";
import type { GraphStats } from "../graph/graph-store.ts";
import { unknownCursor } from "../errors.ts";
import type { MemoryFilter, TeamStats } from "./memory-store.ts";
import { withSuccessors } from "../recall/selection/succession.ts";
import { requireScope } from "../tenancy/principal.ts";
import type { Memory } from "./memory.ts";

type IndexStats = Awaited<ReturnType<Context["index"]["stats"]>>;

export interface ListInput {
  filter?: MemoryFilter | undefined;
  /** Key pattern with `*`. */
  keyPattern?: string | undefined;
  cursor?: string | undefined;
  /** So many of the newest are left out. */
  offset?: number | undefined;
  limit: number;
  archived?: boolean | undefined;
  /** Newest first, or the most important, of equal ones the newest, first; the latter has one page. */
  order?: "recent" | "importance" | undefined;
  /** Leaves messages of conversations out, unless a namespace, a tag or a key is asked for. */
  withoutMessages?: boolean | undefined;
  /** So many characters of each content the caller shows. What it shows whole is remembered for the loop guard. */
  shown?: number | undefined;
}

export interface ListOutcome {
  memories: Memory[];
  nextCursor?: string | undefined;
}

/**
 * The team's memories that the caller may see. Pages follow the order of creation, which never
 * changes: writes between two pages neither repeat nor hide an entry.
 */
export async function list(ctx: Context, input: ListInput): Promise<ListOutcome> {
  requireScope(ctx.principal, "memory:read");
  const outcome = await listed(ctx, input);
  ctx.reading?.drew(outcome.memories);
  ctx.recalled?.note(ctx.now, outcome.memories.filter(({ content }) => content.length <= (input.shown ?? -1)));
  return outcome;
}

async function listed(ctx: Context, input: ListInput): Promise<ListOutcome> {
  const { filter = {}, limit } = input;
  const below = input.cursor === undefined ? undefined : requireCursor(input.cursor);
  if (input.keyPattern !== undefined) {
    const found = await ctx.memories.byKeyPattern(ctx.principal, ctx.now, input.keyPattern, filter, limit + 1, input.archived, below);
    return { memories: await withSuccessors(ctx, found.slice(0, limit)), nextCursor: found.length > limit ? found[limit - 1]?.id : undefined };
  }
  const page = await ctx.memories.list(ctx.principal, ctx.now, filter, {
    below,
    limit,
    offset: input.offset,
    archived: input.archived,
    order: input.order,
    withoutMessages: input.withoutMessages && namesNoPlace(filter),
  });
  return { memories: await withSuccessors(ctx, page.items), nextCursor: input.order === "importance" ? undefined : page.next };
}

/** What was said in conversations is a record, which is found by its words, its key and its place, and would bury what is remembered. */
const namesNoPlace = ({ namespaces, tags }: MemoryFilter): boolean => namespaces === undefined && tags === undefined;

/** The cursor is the id of the last memory shown: ids sort by creation and say nothing of what others wrote. */
export function requireCursor(cursor: string): string {
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(cursor)) {
    throw unknownCursor();
  }
  return cursor;
}

/** Counts of what the caller may see, and the filter lets through. When others write what the caller may not see, nothing moves but percentages of the whole team's storage. */
export async function stats(ctx: Context, filter: MemoryFilter = {}): Promise<TeamStats & { graph?: GraphStats; index?: IndexStats }> {
  const { principal, now } = ctx;
  requireScope(principal, "memory:read");
  // The rest is as good without one of them.
  const unless = <T>(event: string, asked: Promise<T>): Promise<T | undefined> => asked.catch((error: unknown) => void ctx.report(event, error));
  const [team, graph, index] = await Promise.all([
    ctx.memories.stats(principal, now, filter),
    unless("stats.graph", ctx.graph.stats(principal, now)),
    unless("stats.index", ctx.index.stats(principal)),
  ]);
  return { ...team, ...(graph ? { graph } : {}), ...(index ? { index } : {}) };
}
