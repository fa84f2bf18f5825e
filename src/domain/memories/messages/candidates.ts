import type { Context } from "../../context.ts";
import type { RetrievalRequest } from "../../recall/retrieve.ts";
import { mayRead } from "../../tenancy/principal.ts";
import { queryTerms } from "../../text/query-terms.ts";
import { isComparable } from "../consolidation-pairs.ts";
import type { GivenState } from "../memory-fields.ts";
import { initialState } from "../memory-fields.ts";
import type { Memory } from "../memory.ts";

/** Of one fact, of all of them together, and how many searches run at once. */
const most = { perFact: 6, all: 100, atOnce: 8 } as const;

/** By the run that they are of: that of the facts, which facts change, end and repeat, or another, of which facts take the place. */
export interface Candidates {
  sameRun: Memory[];
  otherRuns: Memory[];
}

/**
 * The memories that facts are decided against: found by the facts' words, the caller's own, of just the scope that the facts
 * go into (namespace, visibility and agent), in force, and neither secret, masked nor quarantined. What lasts and what expires stay
 * apart, and what expires is there for as long as the facts are to be. Whoever may not read finds none.
 */
export async function candidatesFor(ctx: Context, facts: readonly string[], state: GivenState): Promise<Candidates> {
  if (!mayRead(ctx.principal)) return { sameRun: [], otherRuns: [] };
  const { namespace = initialState.namespace, visibility = initialState.visibility, agentId = null, runId = null, expiresAt = null } = state;
  const isOfScope = (memory: Memory): boolean =>
    isComparable(ctx, memory) && memory.ownerId === ctx.principal.userId && memory.namespace === namespace && memory.visibility === visibility && memory.agentId === agentId &&
    (memory.validFrom ?? 0) <= ctx.now && (memory.expiresAt === null) === (expiresAt === null) && (memory.expiresAt ?? 0) >= (expiresAt ?? 0) && !memory.key?.startsWith("messages.");
  const found = new Map<string, Memory>();
  for (let at = 0; at < facts.length && found.size < most.all; at += most.atOnce) {
    const pages = await Promise.all(facts.slice(at, at + most.atOnce).map((fact) => search(ctx, fact, { namespaces: [namespace], visibility })));
    for (const memory of pages.flatMap((page) => page.filter(isOfScope).slice(0, most.perFact))) found.set(memory.id, memory);
  }
  const { same = [], other = [] } = Object.groupBy([...found.values()].slice(0, most.all), (memory) => (memory.runId === runId ? "same" : "other"));
  return { sameRun: same, otherRuns: other };
}

/** By words; most of them first. If they cannot be searched, the facts are added: rather a repeat than a lost one. */
async function search(ctx: Context, fact: string, filter: RetrievalRequest["filter"]): Promise<Memory[]> {
  const request: RetrievalRequest = { text: "", terms: queryTerms(fact), mode: "text", without: ["neighbours"], filter, limit: most.perFact };
  const found = await ctx.index.recallOwn(ctx.principal, ctx.now, request).catch((error: unknown) => void ctx.report("messages", error));
  return found ? found.answer.hits.flatMap(({ id, place }) => (place ? [] : (found.rows.get(id) ?? []))) : [];
}
