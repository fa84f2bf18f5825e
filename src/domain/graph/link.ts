import * as z from "zod";
import type { Context } from "../context.ts";
import { invalid } from "../errors.ts";
import { linkEvents } from "../events/work-events.ts";
import * as field from "../memories/fields.ts";
import { visibilityKeyOf, type Memory } from "../memories/memory.ts";
import { requireEdit } from "../memories/policy.ts";
import { retryOnConflict } from "../memories/retry-on-conflict.ts";
import { refusedTexts } from "../memories/quarantine.ts";
import { resolveOne } from "../memories/resolve.ts";
import { isReviewed, proposeLinks } from "../memories/review.ts";
import type { Proposal } from "../memories/proposal-store.ts";
import { type LinkMaker, linkTypes, type MemoryLink } from "./graph.ts";
import type { NewLink } from "./graph-store.ts";
import { markSuperseded, unmarkSuperseded } from "./supersession.ts";

/** Id, alias or key of the other memory. */
const to = z.union([field.memoryRef, field.key], { error: "must be the id, the integer alias or the key of a memory" });
const mostLinks = 50;

/** Links of one memory, as callers give them. */
export const linkInput = z
  .array(
    z.strictObject({
      to,
      type: z.enum(linkTypes),
      strength: field.fraction.default(1),
      reason: field.phrase("reason", 500).default(""),
    }),
  )
  .max(mostLinks, `at most ${mostLinks} links`);
export type LinkInput = z.output<typeof linkInput>;

/** Links to take away; without a type, those of any type. */
export const unlinkInput = z.array(z.strictObject({ to, type: z.enum(linkTypes).optional() })).max(mostLinks, `at most ${mostLinks} links`);
export type UnlinkInput = z.output<typeof unlinkInput>;

/** The memories that links lead to, in their order. Asked before anything is written. @throws MEMORY_NOT_FOUND; VALIDATION_ERROR */
export async function resolveEnds(ctx: Context, links: readonly { to: string | number; reason?: string }[]): Promise<Memory[]> {
  await requirePlainReasons(ctx, links);
  return Promise.all(links.map(({ to }) => resolveOne(ctx, typeof to === "string" && !z.uuid().safeParse(to).success ? { key: to } : { id: to })));
}

/** A reason is shown beside memories. */
async function requirePlainReasons(ctx: Context, links: readonly { reason?: string }[]): Promise<void> {
  const refused = await refusedTexts(ctx, links.map(({ reason = "" }) => reason));
  if (refused.length === 0) return;
  throw invalid("The reason of a link holds a secret or reads like instructions for a model.", "Say in other words why the memories belong together, or leave the reason out. Nothing was written.");
}

/**
 * Ties a memory, in the version that the caller has seen, to others. A link that exists gets the new strength and reason;
 * circles are allowed. Answers the proposal when some of the links wait for a review.
 */
export async function linkMemory(ctx: Context, source: Memory, links: LinkInput, madeBy: LinkMaker = "said"): Promise<Proposal | undefined> {
  if (links.length === 0) return undefined;
  return retryOnConflict("these memories", async (attempt) => {
    const current = attempt === 0 ? source : await resolveOne(ctx, { id: source.id });
    requireEdit(ctx.principal, current);
    const targets = await resolveEnds(ctx, links);
    if (targets.some(({ id }) => id === source.id)) throw invalid("A memory cannot be linked to itself.", "Give another memory as `to`.");
    const wanted = links.map(({ type, strength, reason }, i) => ({
      source: source.id, target: (targets[i] as Memory).id, type, strength, reason, madeBy, sourceVersion: current.version, targetVersion: targets[i]?.version,
    }));
    const held = await reviewedLinks(ctx, [current, ...targets], wanted);
    const free = wanted.filter((link) => !held.includes(link));
    if (free.length > 0) {
      await ctx.graph.link(ctx.principal, ctx, free);
      await tellIndex(ctx, targets.map((target) => ({ source: current, target })));
      if (madeBy === "said") await markSuperseded(ctx, current, targets, free);
    }
    if (held.length === 0) return undefined;
    return proposeLinks(ctx, current, { add: held.map(({ target, type, strength, reason }) => ({ to: target, type, strength, reason })), remove: [] });
  });
}

/** Answers the proposal when some of it waits for a review. */
export async function unlinkMemory(ctx: Context, source: Memory, links: UnlinkInput): Promise<Proposal | undefined> {
  if (links.length === 0) return undefined;
  requireEdit(ctx.principal, source);
  return retryOnConflict("these memories", () => unlinked(ctx, source, links));
}

async function unlinked(ctx: Context, source: Memory, links: UnlinkInput): Promise<Proposal | undefined> {
  const targets = await resolveEnds(ctx, links);
  const wanted = links.map(({ type }, i) => ({ source: source.id, target: (targets[i] as Memory).id, type }));
  const shared = sharedIds([source, ...targets]);
  const review = shared.has(source.id) && wanted.some(({ target }) => shared.has(target)) && (await isReviewed(ctx));
  const present = review ? await ctx.graph.links(ctx.principal, ctx.now, [source.id]) : [];
  const isThere = (link: (typeof wanted)[number]): boolean => present.some((one) => sameEnds(one, link) && (link.type === undefined || one.type === link.type));
  const held = wanted.filter((link) => shared.has(link.target) && isThere(link));
  const free = wanted.filter((link) => !held.includes(link));
  if (free.length > 0 && (await ctx.graph.unlink(ctx.principal, ctx, free)) > 0) await tellIndex(ctx, targets.map((target) => ({ source, target })));
  await unmarkSuperseded(ctx, source, targets, free);
  if (held.length === 0) return undefined;
  return proposeLinks(ctx, source, { add: [], remove: held.map(({ target, type }) => ({ to: target, type })) });
}

const sameEnds = (a: { source: string; target: string }, b: { source: string; target: string }): boolean => a.source === b.source && a.target === b.target;
const sharedIds = (memories: readonly Memory[]): Set<string> => new Set(memories.flatMap(({ id, visibility }) => (visibility === "private" ? [] : id)));

/** The links that wait for a review: others see a link when they see both of its ends. One that is there already changes nothing. */
export async function reviewedLinks<T extends NewLink>(ctx: Context, ends: readonly Memory[], links: readonly T[]): Promise<T[]> {
  const shared = sharedIds(ends);
  const seen = links.filter(({ source, target }) => shared.has(source) && shared.has(target));
  if (seen.length === 0 || !(await isReviewed(ctx))) return [];
  const present = await ctx.graph.links(ctx.principal, ctx.now, [...new Set(seen.map(({ source }) => source))]);
  const isSame = (link: T) => (one: MemoryLink): boolean => sameEnds(one, link) && one.type === link.type && one.strength === link.strength && one.reason === link.reason;
  return seen.filter((link) => !present.some(isSame(link)));
}

/** Answers kept by those who see a link, which is who sees both ends, hold no longer; they hear of it, and the index reads the links anew. */
export async function tellIndex(ctx: Context, links: readonly { source: Memory; target: Memory }[]): Promise<void> {
  const changes = links.flatMap(({ source, target }) => {
    const visibilityKey = visibilityKeyOf(source.visibility, source.ownerId) || visibilityKeyOf(target.visibility, target.ownerId);
    return [source, target].map(({ id }) => ({ visibilityKey, memoryId: id }));
  });
  await ctx.index.changed(ctx.principal, changes, linkEvents(ctx, links));
}
