import type { Context } from "../context.ts";
import { citedTogether, mostCitations } from "./citations.ts";
import { enriched, givenIn } from "./enriched.ts";
import { sameState, canonical, isExpired, type Memory, type MemoryState, visibilityKeyOf } from "./memory.ts";
import { asSaid, givenShape, initialState, type GivenState } from "./memory-fields.ts";
import type { MemoryWrite } from "./memory-store.ts";
import type { Undefinable } from "../defined.ts";
import { isSameStatement } from "./same-statement.ts";
import { followingVersion } from "./versions.ts";
import { plainerOf } from "./wording.ts";

/** A memory that says what was to be stored, and what it is to become; no write where that adds nothing to it. */
export interface Merge {
  into: Memory;
  write: MemoryWrite | undefined;
}

/**
 * The first of the memories with these ids that states what `fresh` does to the same readers and can take it in without losing anything. Its
 * next version has the plainer of the two wordings, and its history shows who said it when with which tool. `given`: what the call
 * mentions; what it does not mention says nothing.
 */
export async function mergeInto(ctx: Context, ids: readonly string[], fresh: MemoryState, given: Undefinable<GivenState>): Promise<Merge | undefined> {
  for (const id of ids) {
    const into = await ctx.memories.get(ctx.principal, ctx.now, id);
    if (into?.id !== id || into.redaction || into.teamId !== ctx.principal.teamId || isExpired(into, ctx.now) || !hasSamePlace(into, fresh) || !isSameStatement(into, fresh)) continue;
    const state = mergedState(into, fresh, given);
    if (!state) continue;
    const next = enriched(followingVersion(ctx, into, state), { before: into, given: givenIn(given) });
    const isSaidAgain = sameState(into, next) && into.updatedBy === ctx.principal.userId && into.updatedTool === ctx.tool;
    return { into, write: isSaidAgain ? undefined : { memory: next, action: "merge", before: into } };
  }
  return undefined;
}

/** What agents of two roles say each by itself is two memories: taken into one, it would leave the view of the other. */
const hasSamePlace = (into: MemoryState, fresh: MemoryState): boolean =>
  into.namespace === fresh.namespace && into.agentId === fresh.agentId && into.visibility === fresh.visibility && visibilityKeyOf(into.visibility, into.ownerId) === visibilityKeyOf(fresh.visibility, fresh.ownerId);

/** Undefined where the two differ in something of which a memory has only one. What is derived of either says nothing. */
function mergedState(whole: Memory, next: MemoryState, given: Undefinable<GivenState>): Partial<MemoryState> | undefined {
  const [into, fresh] = [asSaid(whole), asSaid(next)];
  const isOther = <F extends "type" | "tier">(field: F): boolean => given[field] !== undefined && into[field] !== fresh[field];
  const differs = Object.entries(fresh.metadata).some(([name, value]) => name in into.metadata && canonical(into.metadata[name]) !== canonical(value));
  if (differs || (isOther("type") && into.type !== initialState.type) || isOther("tier")) return undefined;
  const [tags, keywords, relatedFiles] = [union(into.tags, fresh.tags), union(into.keywords, fresh.keywords), union(into.relatedFiles, fresh.relatedFiles)];
  const [metadata, citations] = [{ ...into.metadata, ...fresh.metadata }, citedTogether(fresh.citations, into.citations)];
  const fits = givenShape.tags.safeParse(tags).success && givenShape.keywords.safeParse(keywords).success && givenShape.related_files.safeParse(relatedFiles).success;
  if (!fits || !givenShape.metadata.safeParse(metadata).success || citations.length > mostCitations) return undefined;
  const { content, compressed, compressionRatio } = plainerOf(into.content, fresh.content) === fresh.content ? fresh : into;
  const isDerived = whole.enrichment?.fields.includes("importance");
  return {
    ...(content === into.content ? {} : { content, compressed, compressionRatio }), tags, keywords, relatedFiles, metadata, citations,
    summary: fresh.summary ?? into.summary,
    runId: fresh.runId ?? into.runId,
    type: given.type === undefined ? into.type : fresh.type,
    importance: given.importance === undefined ? into.importance : isDerived ? fresh.importance : Math.max(into.importance, fresh.importance),
    confidence: given.confidence === undefined ? into.confidence : Math.max(into.confidence, fresh.confidence),
    expiresAt: into.expiresAt === null || fresh.expiresAt === null ? null : Math.max(into.expiresAt, fresh.expiresAt),
  };
}

const union = (some: readonly string[], others: readonly string[]): string[] => [...new Set([...some, ...others])];
