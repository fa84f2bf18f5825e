import type { Context } from "../context.ts";
import type { LikenessAnswer, LikenessQuery, SearchIndex } from "../recall/retrievers/text-retriever.ts";
import { queryTerms, type QueryTerm } from "../text/query-terms.ts";
import { isSameProject } from "../project.ts";
import { topicOf, type Memory, type MemoryState } from "./memory.ts";
import type { AskedBeside } from "./memory-store.ts";
import type { RememberOutcome } from "./remember.ts";

/** The most that one answer names. */
const maxSimilar = 3;

/** In telling words: fewer are a value such as "in progress", and one word in common is nothing. */
const shortestText = 4;
const leastShared = 2;

/**
 * Share of the telling words of both texts, weighed by their rarity, that both hold. Of 640 notes of four teams, stored one
 * after another, 4% reach it, most of them a newer state of an older note; of 40 notes said again or changed, all do.
 */
const threshold = 0.17;

type New = Pick<MemoryState, "content"> & Partial<Pick<MemoryState, "value" | "sensitivity" | "namespace" | "key">>;

/** Memories that a new one may repeat or contradict. */
export interface Similar {
  /** For the write (`remember`); undefined where nothing is looked up. */
  beside: AskedBeside | undefined;
  /** Most similar first. */
  to(stored: RememberOutcome): Memory[];
}

/**
 * Looks for what is like a text about to be stored, by one search for its telling words in the team's object, while the truth
 * commits. Structured values are data, which may be alike in two places, and the words of a secret or of a short text are not
 * looked up, only what has its key in another scope: else somebody who means to change that one makes a copy and never learns it.
 * `mayName`: which of them the caller is to be told of.
 */
export function similarTo({ principal }: Context, fresh: New, mayName: (memory: Memory) => boolean = () => true): Similar {
  const words = fresh.sensitivity === "secret" ? [] : queryTerms(fresh.content);
  const terms = words.length < shortestText ? [] : words;
  const isLookedUp = fresh.value == null && (terms.length > 0 || fresh.key != null) && principal.scopes.includes("memory:read");
  let found: LikenessAnswer | undefined;
  return {
    beside: isLookedUp ? { query: likenessOf(terms), found: (answer) => void (found = answer) } : undefined,
    to: ({ memory, outcome, replayed }) =>
      found && !replayed && (outcome === "created" || outcome === "updated") ? alike(memory, terms, { ...found, rows: found.rows.filter(mayName) }) : [],
  };
}

const likenessOf = (terms: readonly QueryTerm[]): LikenessQuery => ({ terms: terms.map(({ term }) => term), share: threshold });

/** Present memories of one's own team that are like one that is stored, most similar first; none while the team's object is away. */
export async function similarMemories({ index, principal, now }: Pick<Context, "principal" | "now"> & { index: Pick<SearchIndex, "alike"> }, memory: Memory, most: number): Promise<Memory[]> {
  const terms = queryTerms(memory.content);
  if (terms.length < leastShared) return [];
  const found = await index.alike(principal, now, likenessOf(terms), memory);
  return found ? alike(memory, terms, found, most) : [];
}

/** Whether a memory of one's own team may say the text already. What is too short to be compared, or cannot be compared now, counts as said. */
export async function mayBeSaid(ctx: Context, said: Pick<MemoryState, "content" | "namespace">): Promise<boolean> {
  const terms = queryTerms(said.content);
  if (terms.length < shortestText) return true;
  const found = await ctx.index.alike(ctx.principal, ctx.now, likenessOf(terms), {}).catch((error: unknown) => void ctx.report("similar", error));
  return !found || alike(said, terms, found).length > 0;
}

/** Whether two memories have one name: one's own and the team's, or the organization's. */
export const isTwin = (memory: Memory, { key, namespace }: Partial<Pick<Memory, "key" | "namespace">>): boolean =>
  memory.key !== null && memory.key === key && memory.namespace === namespace;

function alike(stored: Pick<Memory, "namespace"> & Partial<Pick<Memory, "id" | "key" | "sensitivity">>, terms: readonly QueryTerm[], found: LikenessAnswer, most = maxSimilar): Memory[] {
  const weights = new Map(terms.map(({ term }, i) => [term, found.weights[i] ?? 0]));
  return found.rows
    .filter((memory) => memory.id !== stored.id && (isTwin(memory, stored) || (stored.sensitivity !== "secret" && memory.sensitivity !== "secret" && memory.redaction === undefined && isNear(memory.namespace, stored.namespace))))
    .map((memory) => ({ memory, share: sharedBy(weights, memory.content, isTwin(memory, stored)) }))
    .filter(({ share }) => share >= threshold)
    .sort((a, b) => b.share - a.share)
    .slice(0, most)
    .map(({ memory }) => memory);
}

/** The other's own words are taken to be as rare as these are: their weights are not known. Two with one name are alike whatever they say. */
function sharedBy(weights: ReadonlyMap<string, number>, other: string, isNamesake: boolean): number {
  const all = total([...weights.values()]);
  const theirs = queryTerms(other).map(({ term }) => term);
  const shared = theirs.flatMap((term) => weights.get(term) ?? []);
  if (isNamesake) return 1;
  if (shared.length < leastShared || all === 0) return 0;
  return total(shared) / (all + (theirs.length - shared.length) * (all / weights.size));
}

const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** What is said of one project is another fact in another one. */
const isNear = (place: string, other: string): boolean => place === other || topicOf(place) === "" || topicOf(other) === "" || isSameProject(topicOf(place), topicOf(other));
