import type { Context } from "../context.ts";
import { statesOf } from "../memories/look-up.ts";
import type { Memory } from "../memories/memory.ts";
import type { RecallInput, SearchPart } from "../memories/recall.ts";
import type { PublicPlace, SearchAnswer, SearchHit } from "../ports.ts";
import type { Ranked } from "./choose.ts";
import { fuse, type Found } from "./fuse.ts";
import { Legs } from "./legs.ts";
import { queryTerms } from "./query-terms.ts";
import type { HitTrace, LegReports } from "./receipt.ts";
import type { Question } from "./relevance.ts";

export interface Searched {
  question: Question;
  /** Best first. */
  ranked: (Ranked & { trace: HitTrace })[];
  legs: LegReports;
}

/** The most that one search looks at. */
const maxCandidates = 100;
/** Stand in for those that the truth does not confirm, and for repeats. */
const spareCandidates = 10;

/** Half of a memory's recency is gone after so long, ms. */
const halfLife = 90 * 24 * 60 * 60 * 1_000;

/** What answers a question, from all legs at once; nothing here writes, and no model is asked to think. */
export async function searchMemories(ctx: Context, text: string, input: RecallInput): Promise<Searched> {
  const without = new Set<SearchPart>(input.without);
  const terms = queryTerms(text);
  const legs = new Legs((leg, error) => ctx.report(`search.${leg}`, error));
  const limit = Math.min(maxCandidates, input.limit + spareCandidates);
  const query = {
    terms: terms.map(({ term }) => term),
    neighbours: !without.has("neighbours"),
    filter: input.filter ?? {},
    limit,
    ...(input.asOf === undefined ? {} : { asOf: input.asOf }),
  };
  const textual = async (): Promise<SearchAnswer> => ctx.index.search(ctx.principal, ctx.now, query);

  let answer = await textual();
  let hydrated = await hydrate(ctx, answer.hits, input.asOf);
  if (hydrated.seq > answer.appliedSeq) {
    // The index missed a change that the truth has: repair it, then ask once more.
    await ctx.index.catchUp(ctx.principal, hydrated.seq);
    answer = await textual();
    hydrated = await hydrate(ctx, answer.hits, input.asOf);
  }
  legs.reports.memory_text = { status: "ok", ms: 0, candidates: answer.hits.length };
  const question: Question = { text, terms: terms.map(({ word }, i) => ({ word, term: answer.terms[i] as string })), weights: answer.weights, rarest: answer.rarest };
  const found = answer.hits.flatMap((hit, i): Found[] => {
    const memory = hydrated.byId.get(hit.id);
    return memory ? [{ memory, evidence: { own: hit.own, lent: hit.lent }, text: { rank: i + 1, score: hit.score } }] : [];
  });
  return { question, ranked: fuse(question, found, { vectorWeight: 0, now: ctx.now, halfLife }), legs: legs.reports };
}

interface Hydrated {
  byId: Map<string, Memory>;
  /** The team's newest change. */
  seq: number;
}

/** The hits as the truth has them; what it does not confirm, or the caller may not see, is missing. */
async function hydrate(ctx: Context, hits: Pick<SearchHit, "id" | "place">[], asOf: number | undefined): Promise<Hydrated> {
  const own = hits.filter(({ place }) => !place).map(({ id }) => id);
  const places = hits.flatMap(({ place }): PublicPlace[] => (place ? [place] : []));
  const [mine, foreign, past] = await Promise.all([
    ctx.memories.hydrate(ctx.principal, ctx.now, asOf === undefined ? own : []),
    places.length > 0 && asOf === undefined ? ctx.memories.hydratePublic(ctx.principal, ctx.now, places) : [],
    asOf === undefined ? [] : statesOf(ctx, own, asOf),
  ]);
  return { byId: new Map([...mine.memories, ...foreign, ...past].map((memory) => [memory.id, memory])), seq: mine.seq };
}
