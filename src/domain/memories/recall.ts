import type { Context } from "../context.ts";
import { invalid } from "../errors.ts";
import type { MemoryFilter, SearchHit } from "../ports.ts";
import { estimateTokens } from "../search/tokens.ts";
import { requireScope } from "../tenancy/principal.ts";
import type { Memory } from "./memory.ts";

export interface RecallInput {
  id?: string | number;
  /** Exact, or with `*` for any characters. */
  key?: string;
  query?: string;
  filter?: MemoryFilter;
  limit: number;
  /** Upper bound for the text of all memories returned, in estimated o200k tokens. */
  maxTokens?: number;
  /** 0–1; 0 returns whatever matches. */
  minRelevance: number;
  /** What was believed at this instant, ms since the epoch. */
  asOf?: number;
}

export interface Recalled {
  memory: Memory;
  /** 0–1 for a text query, undefined for a look-up. */
  relevance?: number;
  /** Set when only the beginning of the content fitted into the budget. */
  truncated: boolean;
}

export interface RecallOutcome {
  items: Recalled[];
  /** How many were found before `limit` and budget were applied; a search stops counting at 100. */
  totalFound: number;
  tokens: number;
}

/** Candidates per search: enough for filters that only the truth can apply and for a full `limit`. */
const maxCandidates = 100;
const spareCandidates = 3;

export async function recall(ctx: Context, input: RecallInput): Promise<RecallOutcome> {
  requireScope(ctx.principal, "memory:read");
  const found = await find(ctx, input);
  const relevant = found.filter(({ relevance }) => relevance === undefined || relevance >= input.minRelevance);
  const { items, tokens } = pack(relevant.slice(0, input.limit), input.maxTokens);
  ctx.noteAccess(items.filter(({ memory }) => memory.teamId === ctx.principal.teamId).map(({ memory }) => memory.id));
  return { items, tokens, totalFound: relevant.length };
}

type Found = Omit<Recalled, "truncated">;

async function find(ctx: Context, input: RecallInput): Promise<Found[]> {
  if (input.id !== undefined) return atInstant(ctx, await byId(ctx, input.id), input.asOf);
  if (input.key !== undefined) return atInstant(ctx, await byKey(ctx, input.key, input), input.asOf);
  if (input.query !== undefined) return byText(ctx, input.query, input);
  if (input.filter && Object.keys(input.filter).length > 0) {
    const page = await ctx.memories.list(ctx.principal, ctx.now, input.filter, { below: undefined, limit: maxCandidates });
    return atInstant(ctx, page.items, input.asOf);
  }
  throw invalid("Neither id, key, query nor filters were given.", "Say what to recall: a query in words, a key (with * as wildcard), or an id.");
}

async function byId(ctx: Context, id: string | number): Promise<Memory[]> {
  const own = await ctx.memories.get(ctx.principal, ctx.now, id);
  if (own) return own.archivedAt === null ? [own] : [];
  if (typeof id === "number") return [];
  const place = await ctx.index.publicById(ctx.principal, ctx.now, id);
  return place ? ctx.memories.hydratePublic(ctx.principal, ctx.now, [place]) : [];
}

async function byKey(ctx: Context, key: string, input: RecallInput): Promise<Memory[]> {
  const filter = input.filter ?? {};
  if (key.includes("*")) return ctx.memories.byKeyPattern(ctx.principal, ctx.now, key, filter, maxCandidates);
  const own = await ctx.memories.byKey(ctx.principal, ctx.now, key, filter);
  if (own.length > 0 || Object.keys(filter).length > 0) return own;
  const places = await ctx.index.publicByKey(ctx.principal, ctx.now, key);
  return places.length > 0 ? ctx.memories.hydratePublic(ctx.principal, ctx.now, places) : [];
}

async function byText(ctx: Context, text: string, input: RecallInput): Promise<Found[]> {
  const query = {
    text,
    filter: input.filter ?? {},
    limit: maxCandidates,
    ...(input.asOf === undefined ? {} : { asOf: input.asOf }),
  };
  let answer = await ctx.index.search(ctx.principal, ctx.now, query);
  // Candidates beyond what can be returned are not worth a read; a few spare ones stand in for those that are gone.
  const worth = (hits: SearchHit[]) => hits.slice(0, Math.min(maxCandidates, input.limit + spareCandidates));
  let found = await hydrate(ctx, worth(answer.hits), input.asOf);
  if (found.seq > answer.appliedSeq) {
    // The index missed a change that the truth has: repair it, then ask once more.
    await ctx.index.catchUp(ctx.principal, found.seq);
    answer = await ctx.index.search(ctx.principal, ctx.now, query);
    found = await hydrate(ctx, worth(answer.hits), input.asOf);
  }
  return found.items;
}

async function hydrate(ctx: Context, hits: SearchHit[], asOf: number | undefined): Promise<{ items: Found[]; seq: number }> {
  const own = hits.filter((hit) => !hit.place).map((hit) => hit.id);
  const places = hits.flatMap((hit) => hit.place ?? []);
  const [mine, foreign] = await Promise.all([
    ctx.memories.hydrate(ctx.principal, ctx.now, asOf === undefined ? own : []),
    places.length > 0 && asOf === undefined ? ctx.memories.hydratePublic(ctx.principal, ctx.now, places) : [],
  ]);
  const past = asOf === undefined ? [] : await statesOf(ctx, own, asOf);
  const byId = new Map([...mine.memories, ...foreign, ...past].map((memory) => [memory.id, memory]));
  const items = hits.flatMap((hit) => {
    const memory = byId.get(hit.id);
    return memory ? [{ memory, relevance: relevanceOf(hit.score) }] : [];
  });
  return { items, seq: mine.seq };
}

/**
 * BM25 has no upper bound; this maps it to 0–1 keeping the order. Half is reached at 6, about what two
 * uncommon words of a question contribute when a memory holds both.
 */
const relevanceOf = (score: number): number => score / (score + 6);

async function atInstant(ctx: Context, memories: Memory[], asOf: number | undefined): Promise<Found[]> {
  if (asOf === undefined) return memories.map((memory) => ({ memory }));
  const past = await statesOf(ctx, memories.map((memory) => memory.id), asOf);
  return past.map((memory) => ({ memory }));
}

async function statesOf(ctx: Context, ids: string[], asOf: number): Promise<Memory[]> {
  if (ids.length === 0) return [];
  const states = await ctx.memories.statesAt(ctx.principal, ctx.now, asOf, ids);
  const present = await Promise.all(states.map(({ id }) => ctx.memories.get(ctx.principal, ctx.now, id)));
  return states.flatMap(({ state, version }, i) => (present[i] ? [{ ...present[i], ...state, version }] : []));
}

/** What a memory costs beyond its text: id, key, dates and scores as the tools render them. */
const overheadTokens = 60;

/** Fills the budget in rank order; the first that does not fit is cut to a preview, the rest are left out. */
function pack(found: Found[], maxTokens: number | undefined): { items: Recalled[]; tokens: number } {
  const items: Recalled[] = [];
  let tokens = 0;
  for (const entry of found) {
    const cost = estimateTokens(entry.memory.content) + overheadTokens;
    if (maxTokens === undefined || tokens + cost <= maxTokens) {
      items.push({ ...entry, truncated: false });
      tokens += cost;
      continue;
    }
    const room = maxTokens - tokens - overheadTokens;
    if (room >= 20) {
      const content = cutTo(entry.memory.content, room);
      items.push({ ...entry, memory: { ...entry.memory, content, value: null }, truncated: true });
      tokens += estimateTokens(content) + overheadTokens;
    }
    break;
  }
  return { items, tokens };
}

/** The longest beginning that fits, ending in an ellipsis, never inside a surrogate pair. */
export function cutTo(text: string, tokens: number): string {
  if (estimateTokens(text) <= tokens) return text;
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (estimateTokens(`${text.slice(0, middle)}…`) <= tokens) low = middle;
    else high = middle - 1;
  }
  const cut = text.slice(0, low);
  return `${/[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}
