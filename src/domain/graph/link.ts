import * as z from "zod";
import type { Context } from "../context.ts";
import { invalid } from "../errors.ts";
import * as field from "../memories/fields.ts";
import { homeOf, type Memory } from "../memories/memory.ts";
import { requireEdit } from "../memories/policy.ts";
import { untilWon } from "../memories/race.ts";
import { resolveOne } from "../memories/resolve.ts";
import { linkTypes } from "./graph.ts";

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

/** The memories that links lead to, in their order. Asked before anything is written. @throws MEMORY_NOT_FOUND */
export function resolveEnds(ctx: Context, links: readonly { to: string | number }[]): Promise<Memory[]> {
  return Promise.all(links.map(({ to }) => resolveOne(ctx, typeof to === "string" && !z.uuid().safeParse(to).success ? { key: to } : { id: to })));
}

/**
 * Ties a memory, in the version that the caller has seen, to others. A link that exists gets the new strength and reason;
 * circles are allowed.
 */
export async function linkMemory(ctx: Context, source: Memory, links: LinkInput): Promise<void> {
  if (links.length === 0) return;
  await untilWon("these memories", async (attempt) => {
    const current = attempt === 0 ? source : await resolveOne(ctx, { id: source.id });
    requireEdit(ctx.principal, current);
    const targets = await resolveEnds(ctx, links);
    if (targets.some(({ id }) => id === source.id)) throw invalid("A memory cannot be linked to itself.", "Give another memory as `to`.");
    await ctx.graph.link(
      ctx.principal,
      ctx,
      links.map(({ type, strength, reason }, i) => ({ source: source.id, target: (targets[i] as Memory).id, type, strength, reason, sourceVersion: current.version })),
    );
    await tell(ctx, current, targets);
  });
}

/** Answers how many links are gone. */
export async function unlinkMemory(ctx: Context, source: Memory, links: UnlinkInput): Promise<number> {
  if (links.length === 0) return 0;
  requireEdit(ctx.principal, source);
  const targets = await resolveEnds(ctx, links);
  const gone = await ctx.graph.unlink(
    ctx.principal,
    ctx,
    links.map(({ type }, i) => ({ source: source.id, target: (targets[i] as Memory).id, ...(type === undefined ? {} : { type }) })),
  );
  if (gone > 0) await tell(ctx, source, targets);
  return gone;
}

/** Answers kept by those who see a link, which is who sees both ends, hold no longer. */
async function tell(ctx: Context, source: Memory, targets: readonly Memory[]): Promise<void> {
  const changes = targets.flatMap((target) => {
    const home = homeOf(source.visibility, source.ownerId) || homeOf(target.visibility, target.ownerId);
    return [source, target].map(({ id }) => ({ home, memoryId: id }));
  });
  await ctx.index.changed(ctx.principal, changes);
}
