import type { Context } from "../context.ts";
import { DomainError, invalid } from "../errors.ts";
import { WriteConflict } from "./write-conflict.ts";
import { assertReadable } from "../secrets/redaction.ts";
import { isTeamAdmin, type Principal } from "../tenancy/principal.ts";
import { type Memory, type MemoryState, sameState, stateOf, visibilities, type Visibility } from "./memory.ts";
import { type LinkChanges, mostLinks, mostWaiting, type Proposal, type Wish } from "./proposal-store.ts";

/** Whether more people would see it. */
export const isWider = (to: Visibility, from: Visibility): boolean => visibilities.indexOf(to) > visibilities.indexOf(from);

/** Whether an admin looks first at what the caller changes for others: the team asked for it, and the caller is no admin. */
export const isReviewed = async (ctx: Context): Promise<boolean> => !isTeamAdmin(ctx.principal) && ctx.proposals.reviewRequired(ctx.principal);

/**
 * The part of a change that needs no review: all of it in what nobody else sees, before and after; of what others see, only
 * what shows them less. An owner narrows who sees a memory, and archives it, at once: whoever may erase it gains nothing by
 * archiving it, and a text that should not have been shared must not stay until an admin has time.
 */
export function withoutReview(principal: Principal, current: Memory | undefined, wanted: MemoryState): MemoryState {
  if (!current || current.visibility === "private") return { ...stateOf(wanted), visibility: "private" };
  if (wanted.visibility === "private") return stateOf(wanted);
  const visibility = isWider(wanted.visibility, current.visibility) ? current.visibility : wanted.visibility;
  const archivedAt = current.ownerId === principal.userId ? (current.archivedAt ?? wanted.archivedAt) : current.archivedAt;
  return { ...stateOf(current), visibility, archivedAt };
}

/** Asked before anything is written. @throws CONFLICT */
export async function requireRoom(ctx: Context, memoryIds: string[]): Promise<void> {
  const { mine, team } = await ctx.proposals.waiting(ctx.principal, ctx.now, memoryIds);
  const full = (whose: string, most: number): DomainError =>
    new DomainError("CONFLICT", `No more than ${most} proposals ${whose} wait for a review at once.`, { hint: "Ask an admin of the team to decide what waits, then try again, with fewer at once if they are many." });
  if (mine + memoryIds.length > mostWaiting.person) throw full("of one person", mostWaiting.person);
  if (team + memoryIds.length > mostWaiting.team) throw full("of one team", mostWaiting.team);
}

/** A memory as it is, and as the caller wants it to be. */
export interface Wanted {
  memory: Memory;
  state: MemoryState;
  links?: LinkChanges;
}

/** Asks for what was wanted and not done; nothing of memories that are as wanted. */
export async function propose(ctx: Context, wanted: Wanted[]): Promise<Proposal[]> {
  const wishes = wanted.flatMap(({ memory, state, links = null }): Wish[] => {
    const { visibility } = state;
    if (visibility === "private" || (sameState(memory, state) && !links)) return [];
    const proposed = sameState({ ...memory, visibility }, state) ? null : stateOf(state);
    return [{ memory, visibility, proposed, links }];
  });
  return wishes.length === 0 ? [] : ctx.proposals.propose(ctx.principal, ctx, wishes);
}

/** Leaves the memory as it is. @throws WriteRace when it has changed */
export async function proposeOnly(ctx: Context, memory: Memory, state: MemoryState): Promise<{ outcome: "proposed" | "unchanged"; memory: Memory; proposal: Proposal }> {
  const [proposal] = await propose(ctx, [{ memory, state }]);
  if (!proposal) throw new WriteConflict();
  return { outcome: proposal.state === "pending" ? "proposed" : "unchanged", memory, proposal };
}

/** Adds links to what the caller has proposed for this version of the memory. */
export async function proposeLinks(ctx: Context, memory: Memory, links: LinkChanges): Promise<Proposal | undefined> {
  await requireRoom(ctx, [memory.id]);
  const [mine] = assertReadable((await ctx.proposals.own(ctx.principal, [memory.id])).filter(({ state, version }) => state === "pending" && version === memory.version));
  const state = mine?.proposed ?? { ...memory, visibility: mine?.visibility ?? memory.visibility };
  const merged = mergeLinks(mine?.links ?? { add: [], remove: [] }, links);
  if (merged.add.length + merged.remove.length > mostLinks) {
    throw invalid(`More than ${mostLinks} links of one memory would wait for a review.`, "Ask an admin of the team to decide what waits, then add the others.");
  }
  return (await propose(ctx, [{ memory, state, links: merged }]))[0];
}

/** A later change of a link takes the place of an earlier one. */
function mergeLinks(earlier: LinkChanges, later: LinkChanges): LinkChanges {
  const changed = [...later.add, ...later.remove];
  const isKept = (link: { to: string; type?: string | undefined }): boolean =>
    !changed.some(({ to, type }) => to === link.to && (type === undefined || type === link.type));
  return { add: [...earlier.add.filter(isKept), ...later.add], remove: [...earlier.remove.filter(isKept), ...later.remove] };
}
