import type { Context } from "../context.ts";
import { invalid } from "../errors.ts";
import type { MemoryFilter, SearchAnswer, SearchHit } from "../ports.ts";
import { finish, type SearchReport } from "../search/answer.ts";
import type { Rendering } from "../search/budget.ts";
import { choose, type Ranked } from "../search/choose.ts";
import { degradedBy } from "../search/degraded.ts";
import { queryTerms } from "../search/query-terms.ts";
import type { HitTrace, Receipt } from "../search/receipt.ts";
import { emptySlice, relate, type Related } from "../search/related.ts";
import { requireScope } from "../tenancy/principal.ts";
import { asVersion, type Memory } from "./memory.ts";

export interface RecallInput {
  id?: string | number;
  /** Exact, or with `*` for any characters. */
  key?: string;
  query?: string;
  filter?: MemoryFilter;
  limit: number;
  /** Upper bound for the answer in o200k tokens. */
  maxTokens?: number;
  /** How the caller will show the answer; without it there is neither budget nor receipt. */
  rendering?: Rendering;
  /** 0–1; 0 returns whatever matches. Left out, a query returns what probably was asked for, and a look-up everything. */
  minRelevance?: number;
  mode?: SearchMode;
  /** Parts of the search to do without. */
  without?: readonly SearchPart[];
  /** Say how the answer came about. */
  receipt?: boolean;
  /** What was believed at this instant, ms since the epoch. */
  asOf?: number;
}

export const searchModes = ["text", "vector", "hybrid"] as const;
export type SearchMode = (typeof searchModes)[number];

export const searchParts = ["vector", "entities", "relationships", "graph", "neighbours", "rerank", "diversity", "dedupe"] as const;
export type SearchPart = (typeof searchParts)[number];

/** Relevance that a query asks for when the caller names none. */
export const defaultMinRelevance = 0;

export interface Recalled {
  memory: Memory;
  /** 0–1 for a text query, undefined for a look-up. */
  relevance?: number;
  /** Set when only a part of the content fitted into the budget; `value`, `summary` and `metadata` are left out then. */
  truncated: boolean;
  /** What the whole takes, when truncated. */
  tokensTotal?: number;
  /** At most two. */
  related?: Related[];
}

export interface RecallOutcome {
  items: Recalled[];
  /** How many were found before `limit` and budget were applied; a search looks for little more than `limit`. */
  totalFound: number;
  /** Ids of what did not fit into the budget at all, best first, as far as they fit. */
  more: string[];
  /** What the answer had to do without, in words. */
  degraded: string[];
  receipt?: Receipt;
}

/** The most that one call looks at. */
const maxCandidates = 100;
const spareCandidates = 3;

export async function recall(ctx: Context, input: RecallInput): Promise<RecallOutcome> {
  requireScope(ctx.principal, "memory:read");
  const started = performance.now();
  const found = await find(ctx, input);
  const outcome = answer(found, input, performance.now() - started);
  ctx.noteAccess(outcome.items.filter(({ memory }) => memory.teamId === ctx.principal.teamId).map(({ memory }) => memory.id));
  return outcome;
}

function answer(found: Found[], input: RecallInput, ms: number): RecallOutcome {
  const isSearch = input.query !== undefined && input.key === undefined && input.id === undefined;
  const terms = isSearch ? queryTerms(input.query as string) : [];
  const ranked = found.map((entry): Ranked => ({ memory: entry.memory, relevance: entry.relevance ?? 1, score: entry.relevance ?? 1 }));
  const minRelevance = input.minRelevance ?? (isSearch ? defaultMinRelevance : 0);
  const { chosen, attached, drops, found: total } = isSearch
    ? choose(ranked, [], { limit: input.limit, minRelevance, without: new Set(input.without) })
    : { chosen: ranked.slice(0, input.limit), attached: new Map(), drops: [], found: ranked.length };
  const related = relate(chosen.map(({ memory }) => memory.id), emptySlice, attached);
  const legs = isSearch ? { memory_text: { status: "ok" as const, ms, candidates: found.length } } : {};
  const whole = ({ memory, relevance }: Ranked): Recalled => ({ memory, ...(isSearch ? { relevance } : {}), truncated: false });
  const items = chosen.map((entry) => {
    const near = related.get(entry.memory.id);
    return { ...whole(entry), ...(near ? { related: near } : {}) };
  });
  const report: SearchReport = { mode: "text", legs, cache: "off", traces: tracesOf(ranked), drops, unshaped: ranked.slice(0, input.limit).map(whole) };
  return finish({ items, totalFound: total, more: [], degraded: degradedBy(legs) }, report, { ...input, receipt: input.receipt ?? false, terms });
}

const tracesOf = (ranked: Ranked[]): Map<string, HitTrace> =>
  new Map(
    ranked.map(({ memory, score }, i) => [
      memory.id,
      { id: memory.id, score, parts: { text: score }, legs: { memory_text: { rank: i + 1, score } }, matched: [] },
    ]),
  );

type Found = Omit<Recalled, "truncated">;

async function find(ctx: Context, input: RecallInput): Promise<Found[]> {
  const { asOf, filter = {} } = input;
  if (input.id !== undefined) return asOf === undefined ? present(await byId(ctx, input.id)) : byIdAt(ctx, input.id, asOf);
  if (input.query !== undefined && input.key === undefined) return byText(ctx, input.query, input);
  if (input.key === undefined && Object.keys(filter).length === 0) {
    throw invalid("Neither id, key, query nor filters were given.", "Say what to recall: a query in words, a key (with * as wildcard), or an id.");
  }
  if (asOf !== undefined) return byIndex(ctx, asOf, () => ctx.index.lookUpAt(ctx.principal, asOf, { filter, limit: maxCandidates, ...(input.key === undefined ? {} : { key: input.key }) }));
  if (input.key !== undefined) return present(await byKey(ctx, input.key, filter));
  return present((await ctx.memories.list(ctx.principal, ctx.now, filter, { below: undefined, limit: maxCandidates })).items);
}

const present = (memories: Memory[]): Found[] => memories.map((memory) => ({ memory }));

async function byId(ctx: Context, id: string | number): Promise<Memory[]> {
  const own = await ctx.memories.get(ctx.principal, ctx.now, id);
  if (own) return own.archivedAt === null ? [own] : [];
  if (typeof id === "number") return [];
  const place = await ctx.index.publicById(ctx.principal, ctx.now, id);
  return place ? ctx.memories.hydratePublic(ctx.principal, ctx.now, [place]) : [];
}

async function byIdAt(ctx: Context, id: string | number, asOf: number): Promise<Found[]> {
  const own = await ctx.memories.get(ctx.principal, ctx.now, id);
  return own ? present(await statesOf(ctx, [own.id], asOf)) : [];
}

async function byKey(ctx: Context, key: string, filter: MemoryFilter): Promise<Memory[]> {
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
    // A few spare ones stand in for those that the truth does not confirm.
    limit: Math.min(maxCandidates, input.limit + spareCandidates),
    ...(input.asOf === undefined ? {} : { asOf: input.asOf }),
  };
  return byIndex(ctx, input.asOf, () => ctx.index.search(ctx.principal, ctx.now, query));
}

/** What the index answers, as the truth confirms it. */
async function byIndex(ctx: Context, asOf: number | undefined, ask: () => Promise<SearchAnswer>): Promise<Found[]> {
  const answer = await ask();
  const found = await hydrate(ctx, answer.hits, asOf);
  if (found.seq <= answer.appliedSeq) return found.items;
  // The index missed a change that the truth has: repair it, then ask once more.
  await ctx.index.catchUp(ctx.principal, found.seq);
  return (await hydrate(ctx, (await ask()).hits, asOf)).items;
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
    return memory ? [{ memory, ...(hit.score === undefined ? {} : { relevance: relevanceOf(hit.score) }) }] : [];
  });
  return { items, seq: mine.seq };
}

/**
 * BM25 has no upper bound; this maps it to 0–1 keeping the order. Half is reached at 6, about what two
 * uncommon words of a question contribute when a memory holds both.
 */
const relevanceOf = (score: number): number => score / (score + 6);

/** The memories as they were, in the order of the ids; those the caller may not see, then or now, are left out. */
async function statesOf(ctx: Context, ids: string[], asOf: number): Promise<Memory[]> {
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
