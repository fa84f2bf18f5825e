import type { Context } from "../context.ts";
import { DomainError, notFound } from "../errors.ts";
import { linkMemory, unlinkMemory } from "../graph/link.ts";
import { successorsOf, withSuccessor, withSuccessors } from "../recall/selection/succession.ts";
import { assertReadable } from "../secrets/redaction.ts";
import { isTeamAdmin, requireScope } from "../tenancy/principal.ts";
import { requireAction } from "../tenancy/roles.ts";
import { isExpired, type Memory, type MemoryState } from "./memory.ts";
import { maySee } from "./policy.ts";
import { retryOnConflict } from "./retry-on-conflict.ts";
import { followingVersion } from "./versions.ts";
import { freeKey } from "./revise.ts";
import type { LinkChanges, Proposal, ProposalState } from "./proposal-store.ts";
import { noteSecrets } from "./secret-reading.ts";

export interface ProposedMemory {
  proposal: Proposal;
  /** The memory now, and as it is proposed. Absent when what they say is not for the caller to see. */
  memory: Memory | undefined;
  wanted: MemoryState | undefined;
  /** The memory has changed since it was proposed, so that it can only be refused. */
  outdated: boolean;
}

/** Restoring is a change of an archived memory; sharing one is none. */
function isOutdated(ctx: Context, { state, version, proposed, links }: Proposal, memory: Memory): boolean {
  if (state !== "pending") return false;
  return memory.version !== version || (memory.archivedAt !== null && !proposed && !links) || (proposed !== null && isExpired(proposed, ctx.now));
}

const wantedState = ({ proposed, visibility }: Proposal, memory: Memory): MemoryState => proposed ?? { ...memory, visibility };

/**
 * The queue; who decides nothing in it sees their own proposals. A private memory, and what was proposed of it, is shown only
 * as it was proposed, and while it is.
 */
export async function listProposals(ctx: Context, input: { state: ProposalState; below?: string | undefined; limit: number }): Promise<ProposedMemory[]> {
  requireAction(ctx.principal, "see the team");
  const proposedBy = isTeamAdmin(ctx.principal) ? undefined : ctx.principal.userId;
  const found = await ctx.proposals.list(ctx.principal, ctx.now, { ...input, below: input.below, proposedBy });
  const listed = found.map(({ proposal, memory }) => {
    const outdated = isOutdated(ctx, proposal, memory);
    const shown = maySee(ctx.principal, memory) || (proposal.state === "pending" && !outdated);
    return { proposal, memory: shown ? memory : undefined, wanted: shown ? wantedState(proposal, memory) : undefined, outdated };
  });
  const [present, proposed] = await Promise.all([
    successorsOf(ctx, listed.flatMap(({ memory }) => memory ?? [])),
    successorsOf(ctx, listed.flatMap(({ memory, wanted }) => (memory && wanted ? { ...memory, ...wanted } : []))),
  ]);
  await noteSecrets(ctx, listed.flatMap(({ memory, wanted }) => (memory ? { ...memory, ...(wanted?.sensitivity === "secret" ? { sensitivity: "secret" as const } : {}) } : [])));
  // What takes its place is named only to whom may see that one, in what it is as in what it is to be.
  return listed.map(({ memory, wanted, ...one }) => ({ ...one, memory: memory && withSuccessor(memory, present), wanted: memory && wanted && withSuccessor({ ...memory, ...wanted }, proposed) }));
}

/** How many wait, of those that the caller is shown. */
export async function waitingProposals(ctx: Context): Promise<number> {
  requireAction(ctx.principal, "see the team");
  const { team, mine } = await ctx.proposals.waiting(ctx.principal, ctx.now, []);
  return isTeamAdmin(ctx.principal) ? team : mine;
}

/** Others see the memory as proposed from now on, in the name of who wrote it. The links that it had while it was private wait for a review of their own. */
export async function acceptProposal(ctx: Context, input: { id: string }): Promise<Memory> {
  requireAction(ctx.principal, "decide proposals");
  const { accepted, links } = await retryOnConflict("this memory", async (attempt) => {
    const found = await ctx.proposals.find(ctx.principal, ctx.now, input.id);
    if (!found) throw noSuchProposal();
    const { memory } = found;
    const [proposal] = assertReadable([found.proposal]) as [Proposal];
    if (proposal.state !== "pending") throw decided();
    if (isOutdated(ctx, proposal, memory)) {
      throw new DomainError("CONFLICT", "The memory has changed since it was proposed.", { hint: "Refuse it, or wait until it is proposed again as it is now." });
    }
    // Asked before the change is committed: what follows it would fail without.
    if (proposal.links) requireScope(ctx.principal, "memory:write");
    const links = proposal.links && (await linkable(ctx, proposal.links));
    const { proposed, proposedBy, tool } = proposal;
    const author = proposed ? { updatedBy: proposedBy, updatedTool: tool } : { updatedBy: memory.updatedBy, updatedTool: memory.updatedTool };
    const next = { ...followingVersion(ctx, memory, wantedState(proposal, memory)), ...author };
    if (attempt > 0) await freeKey(ctx, memory, next);
    const action = proposed || links ? "accept" : "share";
    const [accepted] = await ctx.writer.commit(ctx.principal, ctx, [{ memory: next, action, before: memory, proposal: proposal.id }]);
    return { accepted: accepted as Memory, links };
  });
  if (links) {
    await linkMemory(ctx, accepted, links.add);
    await unlinkMemory(ctx, accepted, links.remove);
  }
  return (await withSuccessors(ctx, [accepted]))[0] as Memory;
}

/** A link to a memory that is gone is gone, too, and none can be made to it. */
async function linkable(ctx: Context, { add, remove }: LinkChanges): Promise<LinkChanges> {
  const ends = [...add, ...remove].map(({ to }) => to);
  const here = new Set((await ctx.memories.lookupMany(ctx.principal, { ids: ends, named: [] })).flatMap((end) => (isExpired(end, ctx.now) ? [] : end.id)));
  if (add.some(({ to }) => !here.has(to))) {
    throw new DomainError("CONFLICT", "A memory that it would be linked to is gone.", { hint: "Refuse it, or wait until it is proposed again without that link." });
  }
  return { add, remove: remove.filter(({ to }) => here.has(to)) };
}

/** The memory stays as it was; who proposed it sees that it was refused. */
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

const noSuchProposal = (): DomainError => notFound("There is no proposal with this id.", "List the proposals to see their ids.");
const decided = (): DomainError => new DomainError("CONFLICT", "This proposal is decided already.", { hint: "List the proposals to see how." });
