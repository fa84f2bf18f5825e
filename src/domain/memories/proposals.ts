import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { isTeamAdmin } from "../tenancy/principal.ts";
import { requireAction } from "../tenancy/roles.ts";
import type { Memory } from "./memory.ts";
import { maySee } from "./policy.ts";
import { untilWon } from "./race.ts";
import { followingVersion } from "./remember.ts";
import { freeKey } from "./revise.ts";
import type { Proposal, ProposalState } from "./review-ports.ts";

export interface ProposedMemory {
  proposal: Proposal;
  /** Absent when what it says now is not for the caller to see. */
  memory: Memory | undefined;
  /** The memory has changed since it was proposed, so that it can only be refused. */
  outdated: boolean;
}

const isOutdated = (proposal: Proposal, memory: Memory): boolean =>
  proposal.state === "pending" && (memory.version !== proposal.version || memory.archivedAt !== null);

/** The queue; for who decides nothing in it, their own proposals. What is private is shown only as it was proposed, and while it is. */
export async function listProposals(ctx: Context, input: { state: ProposalState; below?: string; limit: number }): Promise<ProposedMemory[]> {
  requireAction(ctx.principal, "see the team");
  const proposedBy = isTeamAdmin(ctx.principal) ? undefined : ctx.principal.userId;
  const found = await ctx.proposals.list(ctx.principal, ctx.now, { ...input, below: input.below, proposedBy });
  return found.map(({ proposal, memory }) => {
    const outdated = isOutdated(proposal, memory);
    const shown = maySee(ctx.principal, memory) || (proposal.state === "pending" && !outdated);
    return { proposal, memory: shown ? memory : undefined, outdated };
  });
}

/** Others see the memory from now on, in the name of who wrote it. */
export async function acceptProposal(ctx: Context, input: { id: string }): Promise<Memory> {
  requireAction(ctx.principal, "decide proposals");
  return untilWon("this memory", async (attempt) => {
    const found = await ctx.proposals.find(ctx.principal, ctx.now, input.id);
    if (!found) throw noSuchProposal();
    const { proposal, memory } = found;
    if (proposal.state !== "pending") throw decided();
    if (isOutdated(proposal, memory)) {
      throw new DomainError("CONFLICT", "The memory has changed since it was proposed.", { mend: "Refuse it, or wait until it is proposed again as it is now." });
    }
    const { updatedBy, updatedTool } = memory;
    const next = { ...followingVersion(ctx, memory, { visibility: proposal.visibility }), updatedBy, updatedTool };
    if (attempt > 0) await freeKey(ctx, memory, next);
    const [shared] = await ctx.memories.commit(ctx.principal, ctx, [{ memory: next, action: "share", before: memory, proposal: proposal.id }]);
    await ctx.index.apply(ctx.principal, [shared as Memory]);
    return shared as Memory;
  });
}

/** The memory stays as private as it was; who proposed it sees that it was refused. */
export async function refuseProposal(ctx: Context, input: { id: string }): Promise<void> {
  requireAction(ctx.principal, "decide proposals");
  if (await ctx.proposals.refuse(ctx.principal, ctx, input.id)) return;
  throw (await ctx.proposals.find(ctx.principal, ctx.now, input.id)) ? decided() : noSuchProposal();
}

export async function reviewSetting(ctx: Context): Promise<{ required: boolean }> {
  requireAction(ctx.principal, "see the team");
  return { required: await ctx.proposals.reviewRequired(ctx.principal) };
}

/** Turned off, it leaves what waits in the queue. */
export async function setReview(ctx: Context, input: { required: boolean }): Promise<void> {
  requireAction(ctx.principal, "set the review");
  await ctx.proposals.setReview(ctx.principal, ctx, input.required);
}

const noSuchProposal = (): DomainError => new DomainError("MEMORY_NOT_FOUND", "There is no proposal with this id.", { mend: "List the proposals to see their ids." });
const decided = (): DomainError => new DomainError("CONFLICT", "This proposal is decided already.", { mend: "List the proposals to see how." });
