import type { Context } from "../context.ts";
import type { RetrievalRequest } from "../recall/retrieve.ts";
import { shareOf } from "../recall/ranking/word-match.ts";
import type { SearchIndex } from "../recall/retrievers/text-retriever.ts";
import { queryTerms, type QueryTerm } from "../text/query-terms.ts";
import { tryWithTimeout } from "../timeout.ts";
import { isSameProject } from "../project.ts";
import { topicOf, type Memory, type MemoryState } from "./memory.ts";
import type { RecallFound } from "./memory-store.ts";
import type { RememberOutcome } from "./remember.ts";

/** The most that one answer names. */
const maxSimilar = 3;

/** How long the answer of a write waits for this after the commit, ms; the search begins before it. */
export const lateMs = 150;

/** In telling words: fewer are a value such as "in progress", and one word in common is nothing. */
export const shortestText = 4;
const leastShared = 2;

/**
 * Share of the telling words of both texts, weighed by their rarity, that both hold. Of 640 notes of four teams, stored one
 * after another, 4% reach it, most of them a newer state of an older note; of 40 notes said again or changed, all do.
 */
const threshold = 0.17;

type New = Pick<MemoryState, "content"> & Partial<Pick<MemoryState, "value" | "sensitivity" | "namespace">>;

/** Memories that a new one may repeat or contradict, most similar first. */
export type Similar = (stored: RememberOutcome) => Promise<Memory[]>;

const none: Similar = () => Promise.resolve([]);

/**
 * Looks for what is like a text about to be stored, by one search for its telling words in the team's object, while the write
 * goes on. Structured values are data, which may be alike in two places, and the words of a secret are not looked up. Never fails.
 */
export function similarTo(ctx: Context, fresh: New): Similar {
  const terms = queryTerms(fresh.content);
  const isLookedUp = fresh.value == null && fresh.sensitivity !== "secret" && terms.length >= shortestText && ctx.principal.scopes.includes("memory:read");
  if (!isLookedUp) return none;
  const request: RetrievalRequest = { text: "", terms, mode: "text", without: ["neighbours"], filter: {}, limit: 1 };
  const asked = ctx.index.recallOwn(ctx.principal, ctx.now, request).catch((error: unknown) => void ctx.report("similar", error));
  return async ({ memory, outcome, replayed }) => {
    if (replayed || memory.sensitivity === "secret" || (outcome !== "created" && outcome !== "updated")) return [];
    const found = await tryWithTimeout(lateMs, asked);
    return found ? alike(memory, terms, found) : [];
  };
}

/** Present memories of one's own team that are like one that is stored, most similar first; none while the team's object is away. */
export async function similarMemories(ctx: Pick<Context, "principal" | "now"> & { index: Pick<SearchIndex, "recallOwn"> }, memory: Memory, most: number): Promise<Memory[]> {
  const terms = queryTerms(memory.content);
  if (terms.length < leastShared) return [];
  const request: RetrievalRequest = { text: "", terms, mode: "text", without: ["neighbours"], filter: {}, limit: most };
  const found = await ctx.index.recallOwn(ctx.principal, ctx.now, request);
  return found ? alike(memory, terms, found, most) : [];
}

/** Whether a memory of one's own team may say the text already. What is too short to be compared, or cannot be compared now, counts as said. */
export async function mayBeSaid(ctx: Context, said: Pick<MemoryState, "content" | "namespace">): Promise<boolean> {
  const terms = queryTerms(said.content);
  if (terms.length < shortestText) return true;
  const request: RetrievalRequest = { text: "", terms, mode: "text", without: ["neighbours"], filter: {}, limit: maxSimilar };
  const found = await ctx.index.recallOwn(ctx.principal, ctx.now, request).catch((error: unknown) => void ctx.report("similar", error));
  return !found || alike(said, terms, found).length > 0;
}

/** Whether two memories have one name: one's own and the team's, or the organization's. */
export const isTwin = (memory: Memory, { key, namespace }: Partial<Pick<Memory, "key" | "namespace">>): boolean =>
  memory.key !== null && memory.key === key && memory.namespace === namespace;

function alike(stored: Pick<Memory, "namespace"> & { id?: string; key?: string | null }, terms: readonly QueryTerm[], { answer, rows }: Pick<RecallFound, "answer" | "rows">, most = maxSimilar): Memory[] {
  const weights = new Map(terms.map(({ term }, i) => [term, Math.min(answer.weights[i] ?? 0, answer.rarest)]));
  const heldBy = new Map(answer.hits.map(({ id, ownTerms }) => [id, ownTerms]));
  // To read the words of a text takes longer than all else; most hold too few of the terms to be like it, which the index has told already.
  const asked = { weights: [...weights.values()] };
  const mayShare = ({ id }: Memory): boolean => shareOf(asked, heldBy.get(id) ?? 0) >= threshold;
  return [...rows.values()]
    .filter((memory) => memory.id !== stored.id && memory.sensitivity !== "secret" && memory.redaction === undefined && isNear(memory.namespace, stored.namespace))
    .map((memory) => ({ memory, share: isTwin(memory, stored) ? 1 : mayShare(memory) ? sharedBy(weights, memory.content) : 0 }))
    .filter(({ share }) => share >= threshold)
    .sort((a, b) => b.share - a.share)
    .slice(0, most)
    .map(({ memory }) => memory);
}

/** The other's own words are taken to be as rare as these are: their weights are not known. */
function sharedBy(weights: ReadonlyMap<string, number>, other: string): number {
  const all = total([...weights.values()]);
  const theirs = queryTerms(other).map(({ term }) => term);
  const shared = theirs.flatMap((term) => weights.get(term) ?? []);
  if (shared.length < leastShared || all === 0) return 0;
  return total(shared) / (all + (theirs.length - shared.length) * (all / weights.size));
}

const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** What is said of one project is another fact in another one. */
const isNear = (place: string, other: string): boolean => place === other || topicOf(place) === "" || topicOf(other) === "" || isSameProject(topicOf(place), topicOf(other));
