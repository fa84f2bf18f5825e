import type { Context } from "../context.ts";
import type { NearParts, Tie } from "../graph/ports.ts";
import { statesOf } from "../memories/look-up.ts";
import { matchesFilter } from "../memories/memory-filters.ts";
import type { Memory } from "../memories/memory.ts";
import type { RecallInput, SearchPart } from "../memories/recall.ts";
import type { Compared, Hydrated, PublicPlace, SearchAnswer } from "../ports.ts";
import { concealed } from "../secrets/withheld.ts";
import type { Basis } from "./basis.ts";
import type { Candidate } from "./candidate.ts";
import type { Ranked } from "./choose.ts";
import { calledIn, sameBits, type Called } from "./called.ts";
import { conceptsOf, drawnBy, nearBy, nearOf, sourceWeights } from "./concepts.ts";
import { fuse, type Found, type Place } from "./fuse.ts";
import { askGraph, vectorKindsOf } from "./graph-legs.ts";
import { Legs } from "./legs.ts";
import { queryTerms, type QueryTerm } from "./query-terms.ts";
import type { HitTrace, LegReports } from "./receipt.ts";
import { blend, passageOf, rerankable, shortened } from "./rerank.ts";
import { heldBits, heldTogether, weightOf, type Question } from "./relevance.ts";
import type { Nearest } from "./semantic.ts";
import { cosine } from "./unit-vector.ts";
import type { VectorHit } from "./vector-index.ts";

export interface Searched {
  question: Question;
  /** Best first. */
  ranked: (Ranked & { trace: HitTrace })[];
  /** Entities and relationships that match, as candidates beside the memories. */
  concepts: Candidate[];
  /** Links of the best memories. */
  ties: Tie[];
  legs: LegReports;
  /** What the search looked for, and at; undefined when it is not known in which state the indexes were. */
  basis: Basis | undefined;
  /** What other teams of the organization made public is missing. */
  withoutOthers: boolean;
}

/** The most that one search looks at. */
const maxCandidates = 100;
/** The vectors of so many may come with the hydration: of 1,024 dimensions they are 330 kB in hexadecimal. A limit of 10 needs 20. */
const maxCompared = 40;
/** Stand in for those that the truth does not confirm, and for repeats. */
const spareCandidates = 10;
/** How long a leg may take, ms. The text leg is the floor of every answer; the others may only make it better. */
const deadlines = { text: 5_000, vector: 1_500, rerank: 800 } as const;
/** For an index that missed changes: a few take milliseconds, a dropped one is read anew, which goes on after this. */
const catchUpMs = 10_000;

/** Half of a memory's recency is gone after so long, ms, where nothing else is configured: what a quarter of work is about. */
const usualHalfLife = 90 * 24 * 60 * 60 * 1_000;
/**
 * How far vectors are trusted beside words; see `npm run eval -- --variants` for what each leg is worth. At .2 LoCoMo gains
 * .3 points of R@5 and .2 of MRR, and PrecisionMemBench loses 1.3 of precision.
 */
const vectorWeight = 0.15;

const noText: SearchAnswer = { hits: [], weights: [], terms: [], rarest: 0, appliedSeq: Infinity };

/** What answers a question, from all legs at once; nothing here writes, and no model is asked to think. */
export async function searchMemories(ctx: Context, text: string, input: RecallInput): Promise<Searched> {
  const search = new Search(ctx, text, input);
  return search.run();
}

class Search {
  readonly #ctx: Context;
  readonly #text: string;
  readonly #input: RecallInput;
  readonly #terms: QueryTerm[];
  readonly #legs: Legs;
  readonly #limit: number;
  readonly #without: ReadonlySet<SearchPart>;
  #withoutOthers = false;

  constructor(ctx: Context, text: string, input: RecallInput) {
    this.#ctx = ctx;
    this.#text = text;
    this.#input = input;
    this.#terms = queryTerms(text);
    this.#legs = new Legs((leg, error) => ctx.report(`search.${leg}`, error));
    this.#limit = Math.min(maxCandidates, input.limit + spareCandidates);
    this.#without = new Set(input.without);
  }

  async run(caughtUp = false): Promise<Searched> {
    const [answer, { hits: nearby, asked }] = await Promise.all([this.#textual(), this.#nearest()]);
    const nearest = nearby.filter(({ kind }) => kind === "memory");
    const near = nearOf(nearby);
    this.#withoutOthers = answer.withoutOthers ?? false;
    const text = places(answer.hits.map(({ id, place, score }) => ({ id: nameOf(id, place), score })));
    const byVector = places(nearest.map((hit) => ({ id: nameOf(hit.id, hit), score: hit.similarity })));
    const elsewhere = [...answer.hits.flatMap(({ place }) => place ?? []), ...nearest.flatMap(placeOf)];
    // What is near by meaning costs no round trip of its own: its memories come with the others, what it is with the graph.
    const wanted = new Set([...text.keys(), ...byVector.keys()]);
    // A leg says nothing about what it did not bring. For what words brought, the hydration knows how near it is (LoCoMo: R@5
    // 68.7 -> 69.4, MRR 54.3 -> 54.9, default recall 65.1 -> 66.6; 100 neighbours of Vectorize instead of 35: 69.1, 54.7, 65.4).
    const ids = answer.hits.filter(({ id, place }) => !place && !byVector.has(id)).map(({ id }) => id).slice(0, maxCompared);
    const [{ byName, seq, vectors }, expanded] = await Promise.all([
      this.#hydrate(wanted, elsewhere, { told: near, ...(asked ? { compared: { space: asked.space, ids } } : {}) }),
      askGraph(this.#ctx, this.#legs, this.#input, { terms: this.#terms.map(({ term }) => term), hits: answer.hits, near, hasRoom: wanted.size < this.#input.limit }),
    ]);
    if (seq > answer.appliedSeq && !caughtUp) {
      // The index missed a change that the truth has: repair it, then ask once more.
      if (await this.#caughtUp(seq)) return this.run(true);
    }
    this.#legs.recount("memory_text", confirmed(text, byName));
    this.#legs.recount("memory_vector", confirmed(byVector, byName));
    const compared = asked ? [...vectors].map(([id, values]) => ({ id, score: cosine(asked.values, values) })) : [];
    const vector = places([...[...byVector].map(([id, { score }]) => ({ id, score })), ...compared].sort((a, b) => b.score - a.score));
    const called = calledIn(this.#text, this.#terms, expanded.entities);
    const drawn = drawnBy(expanded, called);
    const told = nearBy(expanded);
    // What only the graph leads to comes after what matches, and is fetched when there is room for it; what tells of something
    // that the question calls by another of its names does match.
    const isCalled = new Set(called.flatMap(({ entity }) => entity.sourceMemories));
    const missing = [...drawn.keys()].filter((id) => !byName.has(id) && (isCalled.has(id) || byName.size < this.#input.limit));
    if (missing.length > 0) {
      for (const [name, memory] of (await this.#hydrate(new Set(missing), [])).byName) byName.set(name, memory);
    }
    // An id that one's own team holds means one's own memory. From here on no two memories of an answer have the same id.
    const ownIds = new Set([...text.keys(), ...vector.keys(), ...drawn.keys(), ...told.keys()]);
    const byId = new Map([...byName].flatMap(([name, memory]) => (name === memory.id || !ownIds.has(memory.id) ? [[memory.id, { name, memory }] as const] : [])));
    const memories = [...byId.values()].map(({ memory }) => memory);

    const question = this.#question(answer);
    const bits = new Map(answer.hits.map(({ id, place, own, lent }) => [nameOf(id, place), { own, lent }]));
    // A vector from before a memory became secret finds it no more.
    const byMeaning = ({ sensitivity }: Memory) => (sensitivity === "secret" ? [] : [vector, told]);
    const isFound = (name: string, memory: Memory): boolean => [text, drawn, ...byMeaning(memory)].some((leg) => leg.has(name));
    // The text index filters while it searches, the other legs do not.
    const found = [...byId.values()].filter(({ name, memory }) => isFound(name, memory) && matchesFilter(memory, this.#input.filter ?? {})).map(({ name, memory }): Found => {
      const { own, lent } = bits.get(name) ?? { own: heldBits(question, memory), lent: 0 };
      const same = sameBits(called, own, memory);
      return {
        memory,
        evidence: { own: (heldTogether(question, memory, own) | same) >>> 0, lent },
        renamed: sourceWeights.entity * weightOf(question, same),
        ...placed("text", text.get(name)),
        ...placed("vector", vector.get(name)),
        ...placed("near", told.get(name)),
        ...placed("graph", drawn.get(name)),
      };
    });
    return {
      question,
      ranked: await this.#reranked(question, fuse(question, found, { vectorWeight, halfLife: this.#ctx.recencyHalfLife ?? usualHalfLife })),
      concepts: conceptsOf(expanded, memories),
      ties: expanded.ties,
      legs: this.#legs.reports,
      basis: this.#basis(question, [...byName.values()].map(({ id }) => id), expanded.ties, called),
      withoutOthers: this.#withoutOthers,
    };
  }

  #basis(question: Question, considered: Iterable<string>, ties: Tie[], called: Called[]): Basis | undefined {
    const { indexState } = this.#ctx;
    const terms = [...[...this.#terms, ...question.terms].map(({ term }) => term), ...called.flatMap(({ names }) => names.flat())];
    const ids = [...considered, ...ties.flatMap(({ source, target }) => [source, target])];
    return indexState && { terms: [...new Set(terms)], ids: [...new Set(ids)], documents: indexState.documents };
  }

  /** The words of the question; a slip is taken for what was meant. Without the text leg every word tells the same. */
  #question({ terms, weights, rarest }: SearchAnswer): Question {
    return {
      text: this.#text,
      terms: this.#terms.map(({ word, term }, i) => ({ word, term: terms[i] ?? term })),
      weights: weights.length > 0 ? weights : this.#terms.map(() => 1),
      rarest: rarest || 1,
    };
  }

  /** An index that cannot follow has still answered from before the change, and the answer says that it is not all. */
  async #caughtUp(seq: number): Promise<boolean> {
    const { index, principal } = this.#ctx;
    return this.#legs.run("memory_text", catchUpMs, () => index.catchUp(principal, seq).then(() => true), false, () => 0);
  }

  async #textual(): Promise<SearchAnswer> {
    const { index, indexState, principal, now } = this.#ctx;
    const { mode, filter = {}, asOf } = this.#input;
    // Vectors have no past: words answer for it.
    if (mode === "vector" && asOf === undefined) {
      this.#legs.skip("memory_text");
      return noText;
    }
    const query = {
      terms: this.#terms.map(({ term }) => term),
      neighbours: !this.#without.has("neighbours"),
      filter,
      limit: this.#limit,
      asOf,
    };
    return this.#legs.run("memory_text", deadlines.text, () => index.search(principal, now, query, indexState), noText, ({ hits }) => hits.length);
  }

  async #nearest(): Promise<Nearest> {
    const { semantic, indexState, principal, now } = this.#ctx;
    const kinds = vectorKindsOf(this.#input);
    if (kinds.length === 0) {
      this.#legs.skip("memory_vector");
      return { hits: [] };
    }
    return this.#legs.run(
      "memory_vector", deadlines.vector,
      (signal) => semantic.nearest(principal, now, this.#text, { kinds, limit: this.#limit, signal, state: indexState }),
      { hits: [] }, ({ hits }) => hits.filter(({ kind }) => kind === "memory").length,
    );
  }

  /** Before anything is cut off. Without the model the ranking is that of words, vectors and names. */
  async #reranked(question: Question, ranked: Searched["ranked"]): Promise<Searched["ranked"]> {
    const { reranker } = this.#ctx;
    const read = rerankable(ranked);
    if (!reranker) return ranked;
    if (this.#without.has("rerank") || read.length < 2) {
      this.#legs.skip("rerank");
      return ranked;
    }
    const passages = read.map(({ memory }) => passageOf(memory, question));
    const work = (signal: AbortSignal): Promise<number[]> => reranker.score(shortened(this.#text), passages, signal);
    const scores = await this.#legs.run("rerank", deadlines.rerank, work, [], ({ length }) => length);
    return scores.length > 0 ? blend(question, ranked, read, scores) : ranked;
  }

  /** As the truth has them; what it does not confirm, or the caller may not see, is missing. `seq` is the team's newest change. */
  async #hydrate(
    names: ReadonlySet<string>,
    places: PublicPlace[],
    { told, compared }: { told?: NearParts; compared?: Compared } = {},
  ): Promise<Omit<Hydrated, "memories"> & { byName: Map<string, Memory> }> {
    const { memories, principal, now } = this.#ctx;
    const { asOf } = this.#input;
    const elsewhere = new Map(places.map((place) => [nameOf(place.id, place), place]));
    const own = [...names].filter((name) => !elsewhere.has(name));
    // Another team's shard, or the directory, is no reason to withhold one's own.
    const unheard = (error: unknown): Memory[] => {
      this.#ctx.report("search.organization", error);
      this.#withoutOthers = true;
      return [];
    };
    const [mine, foreign, past] = await Promise.all([
      memories.hydrate(principal, now, asOf === undefined ? own : [], told, compared),
      elsewhere.size > 0 && asOf === undefined ? memories.hydratePublic(principal, now, [...elsewhere.values()]).catch(unheard) : [],
      asOf === undefined ? [] : statesOf(this.#ctx, own, asOf),
    ]);
    // A question does not name a secret: what it says takes no part in the ranking, nor is it shown.
    const found = [...mine.memories, ...foreign, ...past].map((memory) => (memory.sensitivity === "secret" ? concealed(memory) : memory));
    const named = (memory: Memory): string => nameOf(memory.id, memory.teamId === principal.teamId ? undefined : memory);
    return { byName: new Map(found.map((memory) => [named(memory), memory])), vectors: mine.vectors, seq: mine.seq };
  }
}

/** Names a memory among those that the legs bring: one's own by its id, another team's by its team too. */
const nameOf = (id: string, place?: { teamId?: string | undefined }): string => (place?.teamId === undefined ? id : `${place.teamId}/${id}`);

const places = (ranked: { id: string; score: number }[]): Map<string, Place> => new Map(ranked.map(({ id, score }, i) => [id, { rank: i + 1, score }]));

const confirmed = (places: ReadonlyMap<string, Place>, byName: ReadonlyMap<string, Memory>): number => [...places.keys()].filter((name) => byName.has(name)).length;

const placed = <K extends string, P extends Place>(leg: K, place: P | undefined): Partial<Record<K, P>> => (place ? ({ [leg]: place } as Record<K, P>) : {});

const placeOf = ({ id, teamId, shard }: VectorHit): PublicPlace[] => (teamId !== undefined && shard !== undefined ? [{ id, teamId, shard }] : []);
