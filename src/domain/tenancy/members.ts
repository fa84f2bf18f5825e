import { DomainError, forbidden, invalid, notFound } from "../errors.ts";
import { requireFreshCredential } from "./fresh-sign-in.ts";
import type { Role } from "./principal.ts";
import { mayChangeRole, mayRemove, requireAction } from "./roles.ts";
import { auditOf, requireDone, type TenantContext } from "./teams.ts";
import type { Member } from "./tenant-store.ts";

export async function listMembers(ctx: TenantContext): Promise<Member[]> {
  requireAction(ctx.principal, "see the team");
  return ctx.tenants.listMembers(ctx.principal);
}

/** Holds from the member's next request on. Nobody is raised above the caller, nobody above the caller is touched, and an owner stays. */
export async function changeRole(ctx: TenantContext, input: { userId: string; role: Role }): Promise<{ changed: boolean }> {
  requireAction(ctx.principal, "manage members");
  const member = await requireMember(ctx, input.userId);
  if (!mayChangeRole(ctx.principal.role, member.role, input.role)) {
    throw forbidden(`As ${ctx.principal.role} you may not make this ${member.role} ${input.role}.`, "Ask an owner of the team.");
  }
  if (member.role === input.role) return { changed: false };
  // An owner may do everything that handing the team over allows.
  if (input.role === "owner") requireFreshCredential(ctx.principal.credential, ctx.now);
  const change = { userId: member.userId, from: member.role, to: input.role };
  const changed = await ctx.tenants.changeRole(ctx.principal, change, auditOf(ctx, `member.role.${input.role}`, member.userId));
  if (!changed) await requireAnotherOwner(ctx, member);
  requireDone(changed);
  return { changed };
}

/** Their keys and grants for the team end with it; their private memories stay, unseen, and are theirs again if they come back. */
export async function removeMember(ctx: TenantContext, input: { userId: string }): Promise<void> {
  if (input.userId === ctx.principal.userId) return leaveTeam(ctx);
  requireAction(ctx.principal, "manage members");
  const member = await requireMember(ctx, input.userId);
  if (!mayRemove(ctx.principal.role, member.role)) throw forbidden(`As ${ctx.principal.role} you may not remove an ${member.role}.`, "Ask an owner of the team.");
  const removed = await ctx.tenants.removeMember(ctx.principal, member, auditOf(ctx, "member.remove", member.userId));
  if (!removed) await requireAnotherOwner(ctx, member);
  requireDone(removed);
}

export async function leaveTeam(ctx: TenantContext): Promise<void> {
  requireAction(ctx.principal, "leave the team");
  const { userId, role } = ctx.principal;
  const left = await ctx.tenants.removeMember(ctx.principal, { userId, role }, auditOf(ctx, "member.leave", userId));
  if (!left) await requireAnotherOwner(ctx, { userId, role });
  requireDone(left);
}

/** The member becomes owner, the caller an admin. */
export async function transferOwnership(ctx: TenantContext, input: { userId: string }): Promise<void> {
  requireAction(ctx.principal, "hand over the team");
  requireFreshCredential(ctx.principal.credential, ctx.now);
  if (input.userId === ctx.principal.userId) throw invalid("You own the team already.", "Name another member.");
  const member = await requireMember(ctx, input.userId);
  requireDone(await ctx.tenants.transferOwnership(ctx.principal, member.userId, auditOf(ctx, "member.transfer", member.userId)));
}

async function requireMember(ctx: TenantContext, userId: string): Promise<Member> {
  const member = await ctx.tenants.findMember(ctx.principal, userId);
  if (!member) throw notFound("The team has no such member.", "List the members to see their ids.");
  return member;
}

/** @throws when the reason why nothing was done is that the team would have been left without an owner */
async function requireAnotherOwner(ctx: TenantContext, member: Pick<Member, "userId" | "role">): Promise<void> {
  if (member.role !== "owner") return;
  const members = await ctx.tenants.listMembers(ctx.principal);
  if (members.some(({ userId, role }) => role === "owner" && userId !== member.userId)) return;
  throw new DomainError("CONFLICT", "A team always has an owner, and this is the last one.", { hint: "Transfer ownership to another member first, or delete the team." });
}
