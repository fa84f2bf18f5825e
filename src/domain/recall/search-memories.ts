import type { Context } from "../context.ts";
import { defined } from "../defined.ts";
import type { Tie } from "../graph/graph-store.ts";
import { statesOf } from "./lookup.ts";
import { matcherOf } from "../memories/memory-filters.ts";
import { happenedAt, type Memory } from "../memories/memory.ts";
import type { RecallInput } from "./recall.ts";
import type { MemoryFilter, PublicPlace, RecallFound } from "../memories/memory-store.ts";
import type { SearchAnswer } from "./retrievers/text-retriever.ts";
import { asFound } from "../secrets/redaction.ts";
import type { Candidate } from "./selection/candidate.ts";
import type { Ranked } from "./selection/select-results.ts";
import { matchAliases, aliasBits } from "./retrievers/alias-matching.ts";
import { vectorKindsOf } from "./retrievers/graph-retriever.ts";
import { conceptsOf, graphHitsOf, nearHitsOf } from "./retrievers/concepts.ts";
import type { FusionCandidate, Place } from "./ranking/candidates.ts";
import { rank } from "./ranking/rank.ts";
import { byTime, timeAskedFor } from "./time-question.ts";
import { Legs } from "./retrievers/legs.ts";
import { queryTerms } from "../text/query-terms.ts";
import type { Span } from "../text/time-calendar.ts";
import type { HitTrace, LegReports } from "./presentation/receipt.ts";
import { blend, labelled, passageOf, rerankable, shortened } from "./ranking/rerank.ts";
import { heldBy, weightOf, type Question } from "./ranking/relevance.ts";
import { isAnsweredByWords, matchable } from "./ranking/word-match.ts";
import { foundInOrder, retrieve, type RetrievalRequest, type RetrievalSources } from "./retrieve.ts";
import { similarityOf } from "../embedding/similarity-scale.ts";
import { cosine } from "../embedding/unit-vector.ts";
import type { VectorHit } from "../embedding/vector-index.ts";
import { matchedCharacters, sourceWeights, usualHalfLife } from "./weights.ts";

export interface Searched {
  question: Question;
  /** Best first. */
  ranked: (Ranked & { trace: HitTrace })[];
  /** Entities and relationships that match, as candidates beside the memories. */
  concepts: Candidate[];
  /** Links of the best memories. */
  ties: Tie[];
  legs: LegReports;
  /** The question asks for what happened then, and that is all of `ranked`. */
  happened: Span | undefined;
  /** The state of the team and its organization that was searched; undefined when nobody vouches for it. */
  generation: string | undefined;
  /** Public memories of other teams of the organization are missing. */
  withoutOthers: boolean;
  /** Other teams of the organization have something public. */
  others: boolean;
}

/** How long reranking may take, ms. It may only make an answer better. */
const rerankMs = 800;
const wordMatchMs = 300;

/** Retrieves candidates where the memories are and ranks them here; nothing writes, and no model is asked to think. */
export async function searchMemories(ctx: Context, text: string, input: RecallInput): Promise<Searched> {
  const { mode = "hybrid", without = [], filter = {}, limit, asOf, vector, graphDepth } = input;
  const happened = mode === "hybrid" && asOf === undefined && vector === undefined ? timeAskedFor(text, ctx.now) : undefined;
  const request: RetrievalRequest = { text, terms: happened ? [] : queryTerms(text), mode, without, filter, limit, ...defined({ asOf, vector, graphDepth, happened }) };
  const gathered = await gather(ctx, request);
  const { question, hits, found, legs, memories } = gathered;
  const ranked = happened ? byTime(text, hits) : rank(question, hits, { now: ctx.now, similarityOf: similarityOf(found.scale), halfLife: ctx.recencyHalfLife ?? usualHalfLife, explain: input.receipt ?? false });
  return {
    question,
    ranked: happened ? ranked : await reranked(ctx, request, legs, question, ranked),
    happened,
    // On the scale of the memories, beside which they stand.
    concepts: conceptsOf(found.expanded, memories).map((concept) => ({ ...concept, score: concept.score * (ranked[0]?.score ?? 1) })),
    ties: found.expanded.ties,
    legs: legs.reports,
    generation: found.generation,
    withoutOthers: gathered.withoutOthers,
    others: found.others,
  };
}

export interface Gathered {
  question: Question;
  /** Every memory that a leg found, with all that is known of how. */
  hits: FusionCandidate[];
  memories: Memory[];
  found: RecallFound;
  legs: Legs;
  withoutOthers: boolean;
}

/** The candidates of a search, before they are ranked. */
export async function gather(ctx: Context, request: RetrievalRequest): Promise<Gathered> {
  const found = (await ctx.index.recall(ctx.principal, ctx.now, request)) ?? (await recallFromTruth(ctx, request));
  const gathered = evidenceOf(ctx, request, found, await candidatesOf(ctx, request, found));
  return { ...gathered, hits: await withWordMatch(ctx, request, gathered) };
}

/** The memories that a retrieval led to, by the name of the hit (`nameOf`). */
interface Candidates {
  byName: Map<string, Memory>;
  withoutOthers: boolean;
}

async function candidatesOf(ctx: Context, { asOf }: RetrievalRequest, { rows, answer, nearest, withoutOthers }: RecallFound): Promise<Candidates> {
  const byName = new Map<string, Memory>(rows);
  if (asOf !== undefined) {
    const past = await statesOf(ctx, answer.hits.flatMap(({ id, place }) => (place ? [] : [id])), asOf);
    // A query does not name a secret: its content takes no part in the ranking, nor is it shown.
    for (const memory of past) byName.set(memory.id, asFound(memory));
    return { byName, withoutOthers };
  }
  const elsewhere = new Map([...answer.hits.flatMap(({ place }) => place ?? []), ...nearest.flatMap(placeOf)].map((place) => [nameOf(place.id, place), place]));
  if (elsewhere.size === 0) return { byName, withoutOthers };
  try {
    const foreign = await ctx.memories.hydratePublic(ctx.principal, ctx.now, [...elsewhere.values()]);
    for (const memory of foreign) byName.set(nameOf(memory.id, memory), asFound(memory));
    return { byName, withoutOthers };
  } catch (error) {
    // Another team's shard, or the directory, is no reason to withhold one's own.
    ctx.report("search.organization", error);
    return { byName, withoutOthers: true };
  }
}

function evidenceOf(ctx: Context, request: RetrievalRequest, found: RecallFound, { byName, withoutOthers }: Candidates): Gathered {
  const { answer, expanded } = found;
  const { text: asked, terms } = request;
  const legs = new Legs((leg, error) => ctx.report(`search.${leg}`, error), found.legs);
  const text = places(answer.hits.map(({ id, place, score }) => ({ id: nameOf(id, place), score })));
  const byVector = places(found.nearest.flatMap((hit) => (hit.kind === "memory" ? [{ id: nameOf(hit.id, hit), score: hit.similarity }] : [])));
  legs.recount("memory_text", confirmed(text, byName));
  legs.recount("memory_vector", confirmed(byVector, byName));
  const compared = found.similarities.map(([id, score]) => ({ id, score }));
  const vector = places([...[...byVector].map(([id, { score }]) => ({ id, score })), ...compared].sort((a, b) => b.score - a.score));
  const aliasMatches = matchAliases(asked, terms, expanded.entities);
  const graphHits = graphHitsOf(expanded, aliasMatches);
  const told = nearHitsOf(expanded);
  // An id that one's own team holds means one's own memory. From here on no two memories of an answer have the same id.
  const ownIds = new Set([...text.keys(), ...vector.keys(), ...graphHits.keys(), ...told.keys()]);
  const byId = new Map([...byName].flatMap(([name, memory]) => (name === memory.id || !ownIds.has(memory.id) ? [[memory.id, { name, memory }] as const] : [])));
  const memories = [...byId.values()].map(({ memory }) => memory);

  const question = questionOf(request, answer);
  const [held, matches] = [heldBy(question), matcherOf(request.filter)];
  const bits = new Map(answer.hits.map(({ id, place, ownTerms, contextTerms }) => [nameOf(id, place), { ownTerms, contextTerms }]));
  // A vector from before a memory became secret finds it no more.
  const byMeaning = ({ sensitivity }: Memory) => (sensitivity === "secret" ? [] : [vector, told]);
  const isFound = (name: string, memory: Memory): boolean => [text, graphHits, ...byMeaning(memory)].some((leg) => leg.has(name));
  const hits = [...byId.values()].filter(({ name, memory }) => isFound(name, memory) && matches(memory)).map(({ name, memory }): FusionCandidate => {
    const { ownTerms: indexed, contextTerms = 0 } = bits.get(name) ?? {};
    const { all, together } = held(memory, indexed);
    const same = aliasBits(aliasMatches, all, memory);
    return {
      memory,
      evidence: { ownTerms: (together | same) >>> 0, allTerms: (all | same) >>> 0, contextTerms },
      aliasBoost: sourceWeights.entity * weightOf(question, same),
      ...placed("text", text.get(name)),
      ...placed("vector", vector.get(name)),
      ...placed("near", told.get(name)),
      ...placed("graph", graphHits.get(name)),
    };
  });
  return { question, hits, memories, found, legs, withoutOthers };
}

/** The words of the question; a slip is taken for what was meant. Without the text leg every word weighs the same. */
const questionOf = ({ text, terms: asked }: RetrievalRequest, { terms, weights, rarest }: SearchAnswer): Question => ({
  text,
  terms: asked.map(({ word, term }, i) => ({ word, term: terms[i] ?? term })),
  weights: weights.length > 0 ? weights : asked.map(() => 1),
  rarest: rarest || 1,
});

/** Where no memory holds the words of the question, how near its own words are to them. */
async function withWordMatch(ctx: Context, request: RetrievalRequest, { question, hits, legs }: Gathered): Promise<FusionCandidate[]> {
  const { wordMatcher } = ctx;
  if (!wordMatcher) return hits;
  const compared = request.text === "" || request.happened || vectorKindsOf(request).length === 0 || isAnsweredByWords(question, hits) ? [] : matchable(hits);
  if (compared.length < 2) {
    legs.skip("word_match");
    return hits;
  }
  const work = (signal: AbortSignal): Promise<number[]> => wordMatcher.score(shortened(request.text), compared.map(({ memory }) => labelled(memory, memory.content).slice(0, matchedCharacters)), signal);
  const scores = await legs.run("word_match", wordMatchMs, work, [], ({ length }) => length);
  const met = new Map(compared.map((hit, i) => [hit, scores[i]]));
  return hits.map((hit) => {
    const wordMatch = met.get(hit);
    return wordMatch === undefined ? hit : { ...hit, wordMatch };
  });
}

/** Before anything is cut off. Without the model the ranking is that of words, vectors and names. */
async function reranked(ctx: Context, { text, without }: RetrievalRequest, legs: Legs, question: Question, ranked: Searched["ranked"]): Promise<Searched["ranked"]> {
  const { reranker } = ctx;
  const read = rerankable(ranked);
  if (!reranker) return ranked;
  if (text === "" || without.includes("rerank") || read.length < 2) {
    legs.skip("rerank");
    return ranked;
  }
  const passages = read.map(({ memory }) => passageOf(memory, question));
  const work = (signal: AbortSignal): Promise<number[]> => reranker.score(shortened(text), passages, signal);
  const scores = await legs.run("rerank", rerankMs, work, [], ({ length }) => length);
  return scores.length > 0 ? blend(question, ranked, read, scores) : ranked;
}

/**
 * Without the team's object: Vectorize, the graph and the rows of D1 still answer, words do not, and the answer says so. Nothing
 * vouches for its generation, so it is not kept.
 */
async function recallFromTruth(ctx: Context, request: RetrievalRequest): Promise<RecallFound> {
  const { principal, now, memories, graph, semantic } = ctx;
  const sources: RetrievalSources<Memory> = {
    async text({ happened, filter, limit }) {
      if (!happened) throw new Error("The team's object is out of reach");
      const { items } = await memories.list(principal, now, { ...filter, ...within(filter, happened) }, { below: undefined, limit });
      return foundInOrder(items.toSorted((a, b) => happenedAt(b) - happenedAt(a)).map(({ id }) => id));
    },
    nearest: (text, options) => semantic.nearest(principal, now, text, options),
    expand: (asked) => graph.expand(principal, now, asked),
    async rows(ids, compared) {
      const { memories: found, vectors } = await memories.hydrate(principal, now, ids, compared && { space: compared.query.space, ids: compared.ids });
      return {
        rows: new Map(found.map((memory) => [memory.id, asFound(memory)])),
        similarities: compared ? [...vectors].map(([id, values]) => [id, cosine(compared.query.values, values)]) : [],
      };
    },
  };
  return { ...(await retrieve(sources, request, ctx.report)), generation: undefined, withoutOthers: true, others: false };
}

/** The span as filters, within those that the caller set. */
const within = ({ occurredAfter, occurredBefore }: MemoryFilter, { from, to }: Span): MemoryFilter => ({
  occurredAfter: Math.max(from, occurredAfter ?? from), occurredBefore: Math.min(to, occurredBefore ?? to),
});

/** Names a memory among those that the legs bring: one's own by its id, another team's by its team too. */
const nameOf = (id: string, place?: { teamId?: string | undefined }): string => (place?.teamId === undefined ? id : `${place.teamId}/${id}`);

const places = (ranked: { id: string; score: number }[]): Map<string, Place> => new Map(ranked.map(({ id, score }, i) => [id, { rank: i + 1, score }]));

const confirmed = (places: ReadonlyMap<string, Place>, byName: ReadonlyMap<string, Memory>): number => [...places.keys()].filter((name) => byName.has(name)).length;

const placed = <K extends string, P extends Place>(leg: K, place: P | undefined): Partial<Record<K, P>> => (place ? ({ [leg]: place } as Record<K, P>) : {});

const placeOf = ({ id, teamId, shard }: VectorHit): PublicPlace[] => (teamId !== undefined && shard !== undefined ? [{ id, teamId, shard }] : []);
