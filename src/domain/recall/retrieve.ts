import { defined } from "../defined.ts";
import { type Expanded, type Expansion, nothingFound } from "../graph/graph-store.ts";
import type { SearchMode, SearchFeature } from "./recall.ts";
import type { MemoryFilter } from "../memories/memory-store.ts";
import type { SearchAnswer, SearchQuery } from "./retrievers/text-retriever.ts";
import { matchAliases } from "./retrievers/alias-matching.ts";
import { graphHitsOf, nearHitsOf, nearConceptsOf } from "./retrievers/concepts.ts";
import { askGraph, vectorKindsOf } from "./retrievers/graph-retriever.ts";
import { Legs } from "./retrievers/legs.ts";
import { idsByExpansion, type QueryExpander } from "./retrievers/query-expansion.ts";
import { termOf, type QueryTerm } from "../text/query-terms.ts";
import type { Span } from "../text/time-calendar.ts";
import type { LegReports } from "./presentation/receipt.ts";
import type { Nearest } from "./retrievers/vector-retriever.ts";
import type { SimilarityScale } from "../embedding/similarity-scale.ts";
import type { VectorHit, VectorKind } from "../embedding/vector-index.ts";
import { typesAskedFor } from "./time-question.ts";
import { leastCandidates, maxCandidates, maxCompared, spareCandidates } from "./weights.ts";

/** A query as it travels to where the memories are; plain data. */
export interface RetrievalRequest {
  text: string;
  terms: QueryTerm[];
  mode: SearchMode;
  without: readonly SearchFeature[];
  filter: MemoryFilter;
  /** How many results the caller wants; a retrieval looks at a few more. */
  limit: number;
  /** Search what was current at this instant (ms since the epoch) instead of now. */
  asOf?: number;
  /** The question asks for what happened then and for nothing else (`timeAskedFor`): words, vectors and graph take no part. */
  happened?: Span;
  /** The question as a unit vector of the serving space, where the caller gives it; otherwise the text is embedded. */
  vector?: number[];
  /** Most steps that the graph is followed from the best hits. */
  graphDepth?: number;
}

/** Everything that ranking needs, as the legs found it. `Row` is a memory, or its JSON where it is only passed on. */
export interface Retrieval<Row> {
  answer: SearchAnswer;
  /** Nearest first, of all kinds. */
  nearest: VectorHit[];
  /** What the similarities of `nearest` and `similarities` mean; undefined while nobody knows. */
  scale?: SimilarityScale;
  /** Cosine to the query of memories that words found and the vector leg did not bring, by id. */
  similarities: [id: string, cosine: number][];
  expanded: Expanded;
  /** The candidates as the caller may see them, by id. A hit without a row is gone, or hidden from the caller. */
  rows: Map<string, Row>;
  legs: LegReports;
}

/** Where the legs look; each method may fail or be late without breaking the answer, but for `rows`. */
export interface RetrievalSources<Row> {
  text(query: SearchQuery): Promise<SearchAnswer>;
  /** Where the words that people say in place of others are known. */
  expander?: QueryExpander | undefined;
  nearest(text: string, options: { kinds: VectorKind[]; limit: number; signal: AbortSignal; vector?: number[] | undefined }): Promise<Nearest>;
  expand(asked: Expansion): Promise<Expanded>;
  /** Present, visible, unexpired memories by id, with the cosine of those in `compared` to the query. */
  rows(ids: string[], compared?: { query: NonNullable<Nearest["asked"]>; ids: string[] }): Promise<{ rows: Map<string, Row>; similarities: [string, number][] }>;
}

/** How long a leg may take, ms. The text leg is the floor of every answer; the others may only make it better. */
const deadlines = { text: 5_000, vector: 1_500 } as const;

export const noText: SearchAnswer = { hits: [], weights: [], terms: [], rarest: 0 };
/** Found by when they happened: no word of them matches. */
export const foundInOrder = (ids: readonly string[]): SearchAnswer => ({ ...noText, hits: ids.map((id) => ({ id, score: 1, ownTerms: 0, contextTerms: 0 })) });
const noVectors: Nearest = { hits: [] };

/** Whether public memories of other teams may be among the answers: of those only the present is searched. */
export const findsPublic = ({ filter, asOf }: { filter?: MemoryFilter | undefined; asOf?: number | undefined }): boolean => asOf === undefined && (filter?.visibility ?? "public") === "public";

export const candidateLimit = (limit: number): number => Math.min(maxCandidates, Math.max(leastCandidates, limit + spareCandidates));

/** What the text index is asked. */
export const textQueryOf = ({ terms, without, filter, limit, asOf, happened }: RetrievalRequest): SearchQuery => ({
  terms: terms.map(({ term }) => term), neighbours: !without.includes("neighbours"), filter, limit: candidateLimit(limit), ...defined({ asOf, happened }),
});

/** Runs the text, vector and graph legs over one place and fetches the rows that they lead to. Writes nothing. */
export async function retrieve<Row>(sources: RetrievalSources<Row>, request: RetrievalRequest, report: (event: string, error: unknown) => void): Promise<Retrieval<Row>> {
  const legs = new Legs((leg, error) => report(`search.${leg}`, error));
  if (request.happened) return happenedIn(sources, request, legs);
  const answering = textOf(sources, request, legs);
  const [{ hits: nearest, asked, scale }, answer, byExpansion] = await Promise.all([nearestOf(sources, request, legs), answering, answering.then((found) => expandedOf(sources, request, legs, found))]);
  const near = nearConceptsOf(nearest);
  const byVector = new Set(nearest.flatMap(({ kind, id, teamId }) => (kind === "memory" && teamId === undefined ? [id] : [])));
  const byText = answer.hits.flatMap(({ id, place }) => (place ? [] : [id]));
  const wanted = new Set([...byText, ...byVector, ...byExpansion]);
  const expanded = await askGraph(sources, legs, request, { terms: request.terms.map(({ term }) => term), hits: answer.hits, near, hasRoom: wanted.size < request.limit });
  for (const id of nearHitsOf(expanded).keys()) wanted.add(id);
  // The vector leg says nothing about memories that it did not bring. Comparing those that words found: LoCoMo R@5 68.7 -> 69.4,
  // MRR 54.3 -> 54.9, default recall 65.1 -> 66.6 (100 neighbours of Vectorize instead of 35: 69.1, 54.7, 65.4).
  const compared = asked && { query: asked, ids: [...new Set([...byText.filter((id) => !byVector.has(id)).slice(0, maxCompared), ...byExpansion.filter((id) => !byVector.has(id))])] };
  // Rows are of the present: whoever asks for the past reads the states of what words found.
  const { rows, similarities } = request.asOf === undefined ? await sources.rows([...wanted], compared) : { rows: new Map<string, Row>(), similarities: [] };
  // Memories that only the graph leads to come after those that match, and are fetched where there is room for them. A memory
  // about an entity that the query names by an alias does match.
  const called = matchAliases(request.text, request.terms, expanded.entities);
  const isCalled = new Set(called.flatMap(({ entity }) => entity.sourceMemories));
  const led = [...graphHitsOf(expanded, called).keys()].filter((id) => !rows.has(id) && (isCalled.has(id) || rows.size < request.limit));
  if (led.length > 0) for (const [id, row] of (await sources.rows(led)).rows) rows.set(id, row);
  return { answer, nearest, ...(scale ? { scale } : {}), similarities, expanded, rows, legs: legs.reports };
}

/** What happened at a time, in place of what matches. */
async function happenedIn<Row>(sources: RetrievalSources<Row>, request: RetrievalRequest, legs: Legs): Promise<Retrieval<Row>> {
  const answer = await legs.run("memory_text", deadlines.text, () => newestOf(sources, request), noText, ({ hits }) => hits.length);
  const { rows } = await sources.rows(answer.hits.map(({ id }) => id));
  return { answer, nearest: [], similarities: [], expanded: nothingFound(), rows, legs: legs.reports };
}

/** The newest of a time, and what is older and of a type that the question asks for, such as decisions. */
async function newestOf<Row>({ text }: RetrievalSources<Row>, request: RetrievalRequest): Promise<SearchAnswer> {
  const query = textQueryOf(request);
  const newest = await text(query);
  if (newest.hits.length < query.limit || request.filter.type !== undefined) return newest;
  const known = new Set(newest.hits.map(({ id }) => id));
  const ofTypes = await Promise.all(typesAskedFor(request.text).map((type) => text({ ...query, filter: { ...query.filter, type } })));
  return { ...newest, hits: [...newest.hits, ...ofTypes.flatMap(({ hits }) => hits).filter(({ id }) => !known.has(id))] };
}

async function textOf<Row>(sources: RetrievalSources<Row>, request: RetrievalRequest, legs: Legs): Promise<SearchAnswer> {
  const { mode, asOf } = request;
  // Vectors have no past: words answer for it.
  if (mode === "vector" && asOf === undefined) {
    legs.skip("memory_text");
    return noText;
  }
  return legs.run("memory_text", deadlines.text, () => sources.text(textQueryOf(request)), noText, ({ hits }) => hits.length);
}

/** What it finds is compared by meaning, without which nothing tells how near other words are. */
async function expandedOf<Row>(sources: RetrievalSources<Row>, request: RetrievalRequest, legs: Legs, answer: SearchAnswer): Promise<string[]> {
  const isOn = request.mode === "hybrid" && !request.without.includes("expansion") && vectorKindsOf(request).length > 0;
  const expander = isOn ? sources.expander : undefined;
  const search = async (words: string[]): Promise<string[]> => {
    const { hits } = await sources.text({ ...textQueryOf(request), terms: [...new Set(words.map(termOf))], neighbours: false });
    return hits.flatMap(({ id, place }) => (place ? [] : [id]));
  };
  return idsByExpansion({ expander, search }, legs, request.text, answer);
}

async function nearestOf<Row>(sources: RetrievalSources<Row>, request: RetrievalRequest, legs: Legs): Promise<Nearest> {
  const kinds = vectorKindsOf(request);
  if (kinds.length === 0) {
    legs.skip("memory_vector");
    return noVectors;
  }
  const limit = candidateLimit(request.limit);
  const countMemories = ({ hits }: Nearest): number => hits.filter(({ kind }) => kind === "memory").length;
  return legs.run("memory_vector", deadlines.vector, (signal) => sources.nearest(request.text, { kinds, limit, signal, vector: request.vector }), noVectors, countMemories);
}
