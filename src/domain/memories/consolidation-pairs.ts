import type { Context } from "../context.ts";
import type { GraphStore } from "../graph/graph-store.ts";
import { isMasked } from "../guard/mask.ts";
import type { Consolidation } from "../intelligence/answers.ts";
import type { Intelligence } from "../intelligence/intelligence.ts";
import type { SearchIndex } from "../recall/retrievers/text-retriever.ts";
import { isEnrichable } from "./enriched.ts";
import type { Memory } from "./memory.ts";
import { similarMemories } from "./similar.ts";
import { datedNoteOf, mayReplace, stateAt } from "./supersede.ts";

/** Two memories, and what a provider says of them. */
export interface JudgedPair {
  earlier: Memory;
  later: Memory;
  verdict: Exclude<Consolidation, { decision: "keep_both" }>;
  /** The one that stays, and the one that gives way. */
  kept: Memory;
  gone: Memory;
  by: string;
}

/** What it takes to judge pairs. */
export type PairContext = Pick<Context, "principal" | "now"> & { index: Pick<SearchIndex, "alike"> };

/** What it takes to find those of a page. */
export type PageContext = PairContext & { graph: Pick<GraphStore, "links"> };

/** Memories that one memory is compared with. */
const mostAlike = 6;
/** Searches of the team's index at once. */
const atOnce = 6;

/**
 * Whether a run may look at it: no secrets, nothing of doubtful origin, no structured values (two of them may be alike), nothing that
 * has been replaced already, and no other team's.
 */
export const isComparable = (ctx: PairContext, memory: Memory): boolean =>
  memory.teamId === ctx.principal.teamId && isEnrichable(memory) && memory.redaction === undefined && !isMasked(memory.content) && memory.archivedAt === null && memory.supersededBy === null && memory.validTo === null;

const firstPerson = /(?<!\p{L})(?:I|I'm|I've|my|mine|me|ich|mein|meine|meinen|mir|mich)(?!\p{L})|我(?!们)|私|僕/u;

/** The same audience and place: a text must not come before other eyes by being merged. "I" of two people is not one person. */
function isPairable(a: Memory, b: Memory): boolean {
  if (a.id === b.id || a.visibility !== b.visibility || a.namespace !== b.namespace || (a.visibility === "private" && a.ownerId !== b.ownerId)) return false;
  return a.updatedBy === b.updatedBy || !(firstPerson.test(a.content) || firstPerson.test(b.content));
}

/** A change of a tag makes no older fact a newer one: without a date of its own, a memory is later if it came when the other had its last change. */
const isSurelyBefore = (earlier: Memory, later: Memory): boolean =>
  [earlier, later].every(({ validFrom, occurredAt }) => (validFrom ?? occurredAt) !== null) || earlier.updatedAt <= later.createdAt;

/**
 * The pairs of a page that are to be settled, those that are surest first. Each pair is looked at once, from its younger memory, so a
 * walk over all pages sees every pair; the searches are those of the team's index, never all against all. Two of which a person said that
 * both stand are no pair.
 */
export async function judgePairs(ctx: PageContext, intelligence: Pick<Intelligence, "consolidate">, page: readonly Memory[]): Promise<JudgedPair[]> {
  const pairs: JudgedPair[] = [];
  for (let at = 0; at < page.length; at += atOnce) {
    const found = await Promise.all(page.slice(at, at + atOnce).map((memory) => judgeOne(ctx, intelligence, memory)));
    pairs.push(...found.flat());
  }
  if (pairs.length === 0) return [];
  const links = await ctx.graph.links(ctx.principal, ctx.now, pairs.map(({ gone }) => gone.id));
  const stands = ({ kept, gone }: JudgedPair): boolean => links.some(({ source, target, madeBy }) => madeBy === "person" && [source, target].includes(kept.id) && [source, target].includes(gone.id));
  return surestFirst(pairs.filter((pair) => !stands(pair)));
}

/** The same for memories that somebody names: each with each. */
export async function judgeNamed(ctx: PairContext, intelligence: Pick<Intelligence, "consolidate">, named: readonly Memory[]): Promise<JudgedPair[]> {
  const inOrder = named.filter((memory) => isComparable(ctx, memory)).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const pairs: JudgedPair[] = [];
  for (const [i, memory] of inOrder.entries()) pairs.push(...(await judgeWith(ctx, intelligence, memory, inOrder.slice(0, i))));
  return surestFirst(pairs);
}

const surestFirst = (pairs: readonly JudgedPair[]): JudgedPair[] => pairs.toSorted((a, b) => b.verdict.confidence - a.verdict.confidence || (a.gone.id < b.gone.id ? -1 : 1));

async function judgeOne(ctx: PairContext, intelligence: Pick<Intelligence, "consolidate">, memory: Memory): Promise<JudgedPair[]> {
  if (!isComparable(ctx, memory)) return [];
  return judgeWith(ctx, intelligence, memory, (await similarMemories(ctx, memory, mostAlike)).filter((other) => other.id < memory.id));
}

async function judgeWith(ctx: PairContext, intelligence: Pick<Intelligence, "consolidate">, memory: Memory, candidates: readonly Memory[]): Promise<JudgedPair[]> {
  const judged: JudgedPair[] = [];
  for (const other of candidates) {
    if (!isComparable(ctx, other) || !isPairable(memory, other)) continue;
    const [earlier, later] = stateAt(other) <= stateAt(memory) ? [other, memory] : [memory, other];
    const { answer, by } = await intelligence.consolidate(datedNoteOf(earlier), datedNoteOf(later));
    // What is outdated is so for agents of every role, but a repeat stands in the view of one of them alone.
    if (answer.decision === "keep_both" || (answer.decision === "merge" && earlier.agentId !== later.agentId)) continue;
    const [kept, gone] = (answer.decision === "merge" ? answer.into : answer.kept) === "first" ? [earlier, later] : [later, earlier];
    // Whatever a provider says, what is older does not supersede what is newer.
    if (!mayReplace(kept, gone, ctx.now) || (answer.decision === "supersede" && (kept !== later || stateAt(earlier) === stateAt(later)))) continue;
    const verdict = answer.decision === "supersede" && !isSurelyBefore(earlier, later) ? { ...answer, confidence: Math.min(answer.confidence, 0.5) } : answer;
    judged.push({ earlier, later, verdict, kept, gone, by });
  }
  return judged;
}
