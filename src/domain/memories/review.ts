import type { Context } from "../context.ts";
import { isTeamAdmin } from "../tenancy/principal.ts";
import { type Memory, visibilities, type Visibility } from "./memory.ts";
import type { Proposal } from "./review-ports.ts";

/** Whether more people would see it. */
export const isWider = (to: Visibility, from: Visibility): boolean => visibilities.indexOf(to) > visibilities.indexOf(from);

/**
 * Whether what the caller wants to be seen by others must be looked at first: the team asked for it, and the caller is not
 * one of those who look. Revising what others see already is not held back: every version is kept.
 */
export const isReviewed = async (ctx: Context, wanted: Visibility): Promise<boolean> =>
  wanted !== "private" && !isTeamAdmin(ctx.principal) && ctx.proposals.reviewRequired(ctx.principal);

/** Asks for what was wanted and not done; nothing when the memory is as visible as that. */
export async function proposeWider(ctx: Context, wanted: { memory: Memory; visibility: Visibility }[]): Promise<Proposal[]> {
  const wishes = wanted.flatMap(({ memory, visibility }) =>
    visibility !== "private" && isWider(visibility, memory.visibility) ? { memoryId: memory.id, version: memory.version, visibility } : [],
  );
  return wishes.length === 0 ? [] : ctx.proposals.propose(ctx.principal, ctx, wishes);
}
