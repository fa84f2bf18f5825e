import type { Context } from "../context.ts";
import type { MemoryFilter } from "../memories/memory-store.ts";
import { inShownForm } from "./presentation/shown-form.ts";
import { finish, type SearchReport } from "./presentation/answer.ts";
import type { Rendering } from "./presentation/budget.ts";
import { nearestFirst, type Place, preferred, stageIn } from "./selection/project.ts";
import { selectResults, type Ranked } from "./selection/select-results.ts";
import { degradedBy, ownOnly, ownPastOnly } from "./degraded.ts";
import type { Receipt } from "./presentation/receipt.ts";
import { asksForPast, successorsFirst, successorsOf, withSuccessor } from "./selection/succession.ts";
import { laterWords } from "./selection/later-word.ts";
import { inPlaceOf, relate, type Related } from "./selection/related.ts";
import { rarestAmong } from "./ranking/relevance.ts";
import { asksForSeveral } from "./ranking/several.ts";
import { searchMemories } from "./search-memories.ts";
import { type Shown, shownByDefault } from "./selection/certainty.ts";
import { type Part, together } from "./selection/together.ts";
import { partsOf } from "./question-parts.ts";
import { timeAskedFor } from "./time-question.ts";
import { few } from "./weights.ts";
import { requireScope } from "../tenancy/principal.ts";
import { lookUp } from "./lookup.ts";
import type { Span } from "../text/time-calendar.ts";
import { attributed, authorsOf } from "../memories/authorship.ts";
import type { CitedFile } from "../memories/citations.ts";
import { type Memory, namespaceOf } from "../memories/memory.ts";
import { noteSecrets } from "../memories/secret-reading.ts";

export interface RecallInput {
  id?: string | number | undefined;
  /** Exact, or with `*` for any characters. */
  key?: string | undefined;
  query?: string | undefined;
  filter?: MemoryFilter | undefined;
  limit: number;
  /** Upper bound for the answer in o200k tokens. */
  maxTokens?: number | undefined;
  /** How the caller will show the answer; without it there is neither budget nor receipt. */
  rendering?: Rendering | undefined;
  /** 0–1; 0 returns whatever matches. Left out, a query returns what probably was asked for, and a look-up everything. */
  minRelevance?: number | undefined;
  mode?: SearchMode | undefined;
  /** The query as a unit vector of the serving space, given by the caller. */
  vector?: number[] | undefined;
  /** Steps that the graph is followed from the best hits, 1 to 3; 1 unless said. */
  graphDepth?: number | undefined;
  /** Parts of the search to do without. */
  without?: readonly SearchFeature[] | undefined;
  /** Say how the answer came about. */
  receipt?: boolean | undefined;
  /** Of long memories that a query finds, only what they say of it; their ids lead to the whole. */
  passages?: boolean | undefined;
  /** Of long memories that are looked up the compressed form: always, or where the whole does not fit into the budget and the form does. */
  compressed?: "always" | "to fit" | undefined;
  /** Answers as of this instant, ms since the epoch. */
  asOf?: number | undefined;
  /** Where the question is asked: unless the filter names namespaces, what the session says goes first, then the project, and other projects last. */
  project?: string | undefined;
  session?: string | undefined;
}

export const searchModes = ["text", "vector", "hybrid"] as const;
export type SearchMode = (typeof searchModes)[number];

export const searchFeatures = ["vector", "entities", "relationships", "graph", "neighbours", "expansion", "rerank", "diversity", "dedupe"] as const;
export type SearchFeature = (typeof searchFeatures)[number];

export interface Recalled {
  memory: Memory;
  /** In words; absent when the reader wrote it. */
  author?: string;
  /** 0–1 for a text query, undefined for a look-up. */
  relevance?: number;
  /** Set when only a part of the content is shown: a passage, or what fitted into the budget; `value`, `summary` and `metadata` are left out then. */
  truncated: boolean;
  /** Tokens of the whole, when truncated. */
  tokensTotal?: number;
  /** Set when the content is the compressed form of a longer one, whose ratio the memory says. */
  tokensSaved?: number;
  /** At most two. */
  related?: Related[];
  /** It belongs to the project where the question was asked. */
  here?: boolean;
  /** Of the memory that probably says what holds now. */
  laterId?: string;
  /** What a search calls this memory and those that it names, by their ids: the team's numbers, which take a model five tokens where a UUID takes 26. */
  numbers?: Record<string, number>;
  /** What the client's files say of its citations, where it sent their hashes. */
  cited?: CitedFile[];
}

export interface RecallOutcome {
  items: Recalled[];
  /** How many were found before `limit` and budget were applied; a search looks for little more than `limit`. */
  totalFound: number;
  /** Ids of what did not fit into the budget at all, best first, as far as they fit. */
  more: string[];
  /** Set when long contents were cut to passages: what is truncated comes whole by its id. */
  passages?: true;
  /** Set when a compressed form is shown. */
  compressed?: true;
  /** Where the budget was too small: one that shows all, or the first when none fitted. In tokens. */
  needed?: number;
  /** The parts of the search that were missing, in words. */
  degraded: string[];
  /** Nothing is certain: the items are leads. */
  uncertain?: boolean;
  /** The parts of the question about which nothing is certain, where something is about others. */
  doubtful?: string[];
  /** The question asks for what happened at this time and for nothing else: the items are of it, newest first. */
  happened?: Span;
  /** Others were found that are less likely than what is shown; with `minRelevance` 0 they come too. */
  lessLikely?: true;
  receipt?: Receipt;
  /** Tokens of all that the answer was drawn from, whole (`domain/metrics`). */
  baseline?: number;
  /** When the first of the memories expires that a search looked at or names, ms since the epoch. */
  endsAt?: number;
  /** Of the state that was searched, where it is known: while it lasts, the same query has the same answer. */
  generation?: string;
}

export async function recall(ctx: Context, input: RecallInput): Promise<RecallOutcome> {
  requireScope(ctx.principal, "memory:read");
  const { query } = input;
  const outcome = query !== undefined && input.key === undefined && input.id === undefined ? await search(ctx, query, input) : await get(ctx, input);
  await noteSecrets(ctx, outcome.items.map(({ memory }) => memory));
  ctx.noteAccess(outcome.items.filter(({ memory }) => memory.teamId === ctx.principal.teamId).map(({ memory }) => memory.id));
  return outcome;
}

async function get(ctx: Context, input: RecallInput): Promise<RecallOutcome> {
  const { memories: found, inPlaceOf: archived, degraded } = await lookUp(ctx, input);
  const place = placeOf(input);
  const listed = (place === undefined ? found : nearestFirst(found, place)).slice(0, input.limit);
  const successors = await successorsOf(ctx, listed);
  const inOrder = asksForPast(input) ? listed : successorsFirst(listed.map((memory) => ({ memory, relevance: 1, score: 1 })), successors).map(({ memory }) => memory);
  const shown = inOrder.map((memory) => withSuccessor(memory, successors));
  const authorOf = await authorsOf(ctx, [...shown, ...successors.values(), ...(archived?.values() ?? [])]);
  const related = !asksForPast(input) && successors.size > 0 ? relate(shown.map(({ id }) => id), [], new Map(), authorOf, successors) : undefined;
  const items = shown.map((memory): Recalled => {
    const asked = archived?.get(memory.id);
    const near = asked ? [inPlaceOf(asked, authorOf)] : related?.get(memory.id);
    return inShownForm({ ...attributed(memory, authorOf), truncated: false, ...(near ? { related: near } : {}), ...hereIn(place, memory) }, input);
  });
  const report: SearchReport = { mode: "text", legs: {}, cache: "off", traces: new Map(), drops: [], unshaped: items, sources: shown };
  const compressed = items.some(({ tokensSaved }) => tokensSaved !== undefined) ? { compressed: true as const } : {};
  return finish({ items, totalFound: found.length, more: [], degraded, ...compressed }, report, { ...input, receipt: input.receipt ?? false, terms: [], stageOf: place && stageIn(place) });
}

async function search(ctx: Context, query: string, input: RecallInput): Promise<RecallOutcome> {
  const place = placeOf(input);
  const byPlace = place && stageIn(place);
  const parts = await Promise.all(questionsIn(ctx, query, input).map((part) => searchPart(ctx, part, input, place)));
  const { question, ranked, shown, firsts, doubtful = [], concepts, ties, legs, generation, withoutOthers, others, happened } = parts.length > 1 ? together(parts, input.limit, byPlace) : (parts[0] as Part);
  const stageOf = firsts ? (item: Pick<Ranked, "memory">): number => firsts.get(item.memory.id) ?? byPlace?.(item) ?? 0 : byPlace;
  const relevant = ranked.filter(({ relevance }) => relevance >= shown.minRelevance).map(({ memory }) => memory);
  // What was replaced since is what happened then all the same.
  const ofPast = asksForPast(input) || happened !== undefined;
  const successors = ofPast ? new Map<string, Memory>() : await successorsOf(ctx, relevant, ranked.map(({ memory }) => memory));
  const later = ofPast ? new Map<string, Memory>() : laterWords(query, ranked, shown.minRelevance);
  const first = new Map([...later, ...successors]);
  for (const [id, { id: newer }] of first) if (firsts?.has(id)) firsts.set(newer, firsts.get(id) as number);
  const current = successorsFirst(ranked, first, { filter: input.filter ?? {}, entry: (memory, replaced) => ({ ...replaced, memory, trace: { ...replaced.trace, id: memory.id } }) });
  const { selected: diverse, attached, drops, found: distinct } = selectResults(current, concepts, {
    stageOf,
    limit: shown.limit,
    minRelevance: shown.minRelevance,
    without: new Set(happened ? [...(input.without ?? []), "diversity"] : input.without),
  });
  const ordered = successorsFirst(diverse, first);
  const named = ofPast ? await successorsOf(ctx, ordered.map(({ memory }) => memory)) : successors;
  const selected = ordered.map((entry) => ({ ...entry, memory: withSuccessor(entry.memory, named) }));
  const authorOf = await authorsOf(ctx, [...selected.map(({ memory }) => memory), ...ties.map(({ other }) => other), ...successors.values()]);
  const related = relate(selected.map(({ memory }) => memory.id), ties, attached, authorOf, successors);
  const whole = ({ memory, relevance }: Ranked): Recalled => inShownForm({ memory, relevance, truncated: false }, {});
  const items = selected.map((entry) => {
    const near = related.get(entry.memory.id);
    const next = later.get(entry.memory.id);
    const numbers = numbersIn(ctx.principal.teamId, [entry.memory, next, named.get(entry.memory.id)]);
    return { ...attributed(entry.memory, authorOf), ...whole(entry), ...(near ? { related: near } : {}), ...hereIn(place, entry.memory), ...(next ? { laterId: next.id } : {}), numbers };
  });
  const report: SearchReport = {
    mode: input.mode ?? "hybrid",
    legs,
    cache: "off",
    traces: new Map(current.map(({ trace }) => [trace.id, trace])),
    drops,
    unshaped: ranked.slice(0, input.limit).map(whole),
    sources: ranked.slice(0, input.limit).map(({ memory }) => memory),
  };
  const without = [...(withoutOthers ? [ownOnly] : []), ...(input.asOf !== undefined && others ? [ownPastOnly] : [])];
  const uncertain = shown.uncertain ? (items.length > 0 ? { uncertain: true } : {}) : doubtful.length > 0 ? { doubtful } : {};
  const lessLikely = relevant.length < ranked.length || (shown.leads && distinct > items.length) ? { lessLikely: true as const } : {};
  const outcome = finish({ items, totalFound: shown.leads ? items.length : distinct, more: [], degraded: [...degradedBy(legs), ...without], ...uncertain, ...lessLikely, ...(happened ? { happened } : {}) }, report, {
    ...input,
    receipt: input.receipt ?? false,
    terms: question.terms.map(({ word }) => word),
    passagesOf: input.passages ? question : undefined,
    stageOf,
  });
  const endsAt = Math.min(...[...ranked.map(({ memory }) => memory), ...named.values(), ...ties.map(({ other }) => other)].map(({ expiresAt }) => expiresAt ?? Infinity));
  return generation === undefined ? outcome : { ...outcome, generation, endsAt };
}

/** A vector, and a time that is all that is asked for, are those of the whole question. */
function questionsIn({ now }: Context, query: string, { vector, mode = "hybrid" }: RecallInput): string[] {
  const parts = vector || mode === "vector" ? [query] : partsOf(query);
  return parts.length > 1 && [query, ...parts].some((part) => timeAskedFor(part, now)) ? [query] : parts;
}

async function searchPart(ctx: Context, query: string, input: RecallInput, place: Place | undefined): Promise<Part> {
  const { minRelevance, limit, mode = "hybrid" } = input;
  const searched = await searchMemories(ctx, query, input);
  const ranked = place === undefined ? searched.ranked : preferred(searched.ranked, place);
  const shown: Shown =
    minRelevance === undefined && !searched.happened
      ? shownByDefault(ranked, limit, mode, { isAmongFew: searched.question.rarest < rarestAmong(few.memories), asksSeveral: asksForSeveral(query) })
      : { minRelevance: minRelevance ?? 0, limit, uncertain: false, leads: false };
  return { ...searched, ranked, shown };
}

/** Other teams' memories have other teams' numbers. */
const numbersIn = (teamId: string, memories: readonly (Memory | undefined)[]): Record<string, number> =>
  Object.fromEntries(memories.flatMap((memory) => (memory?.teamId === teamId ? [[memory.id, memory.alias]] : [])));

const hereIn = (place: Place | undefined, { namespace }: Memory): Pick<Recalled, "here"> => (place !== undefined && namespace === namespaceOf(place.project) ? { here: true } : {});

/** The place whose memories go first: who names namespaces has said which are meant. */
const placeOf = ({ project, session, filter }: RecallInput): Place | undefined =>
  project === undefined || filter?.namespaces !== undefined ? undefined : { project, session };
