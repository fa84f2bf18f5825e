import { DomainError, invalid } from "../errors.ts";
import { named } from "../frame.ts";
import type { DeletionStore, TeamFate } from "./deletion-store.ts";
import { requireFreshCredential, requireFreshSignIn } from "./fresh-sign-in.ts";
import type { AuditEntry } from "./audit-entry.ts";
import { requireAction } from "./roles.ts";
import type { SignedIn } from "./sign-in-store.ts";
import { auditOf, type PersonContext, type TenantContext } from "./teams.ts";

const dayMs = 86_400_000;
/** So long a deleted team or organization can be restored. */
export const graceMs = 30 * dayMs;
/** The confirmation that a person sends to delete their account, so that no mistaken call does. */
export const accountConfirmation = "delete my account";

type Deleting = TenantContext & { deletion: DeletionStore };
type Leaving = PersonContext & { deletion: DeletionStore };

/** Nobody gets in from now on; after the grace everything of it is erased. */
export async function deleteTeam(ctx: Deleting): Promise<{ eraseAt: number }> {
  requireAction(ctx.principal, "delete the team");
  requireFreshCredential(ctx.principal.credential, ctx.now);
  const eraseAt = ctx.now + graceMs;
  const done = await ctx.deletion.deleteTeam(ctx.principal, eraseAt, auditOf(ctx, "team.delete", ctx.principal.teamId));
  if (!done) throw new DomainError("CONFLICT", "This team cannot be deleted: it is somebody's own, which goes with their account, or your role has changed.");
  return { eraseAt };
}

export async function restoreTeam(ctx: Deleting): Promise<void> {
  requireAction(ctx.principal, "delete the team");
  if (!(await ctx.deletion.restoreTeam(ctx.principal, auditOf(ctx, "team.restore", ctx.principal.teamId)))) throw notDeleted();
}

/** All teams of the organization, of which the caller must own every one. */
export async function deleteOrganization(ctx: Deleting): Promise<{ eraseAt: number }> {
  requireAction(ctx.principal, "manage the organization");
  requireFreshCredential(ctx.principal.credential, ctx.now);
  const eraseAt = ctx.now + graceMs;
  const done = await ctx.deletion.deleteOrganization(ctx.principal, eraseAt, auditOf(ctx, "organization.delete", ctx.principal.organizationId));
  if (!done) throw new DomainError("CONFLICT", "This organization has a team that you do not own, or it is somebody's own.", { hint: "Ask the owners of its other teams to delete or hand over theirs first." });
  return { eraseAt };
}

export async function restoreOrganization(ctx: Deleting): Promise<void> {
  requireAction(ctx.principal, "manage the organization");
  if (!(await ctx.deletion.restoreOrganization(ctx.principal, auditOf(ctx, "organization.restore", ctx.principal.organizationId)))) throw notDeleted();
}

/** What deleting the account would do to each team of the person. */
export const accountFates = (ctx: Leaving): Promise<TeamFate[]> => ctx.deletion.fates(ctx.person);

/**
 * The person is signed out everywhere at once, and erased within minutes: their private memories in every team, the teams
 * that nobody else is in, and all by which they could be known. What they shared stays with its team, under an id that no
 * name belongs to any more. There is no way back.
 */
export async function deleteAccount(ctx: Leaving & Pick<SignedIn, "session">, input: { confirm: string }): Promise<void> {
  requireFreshSignIn(ctx.session.createdAt, ctx.now);
  if (input.confirm !== accountConfirmation) throw invalid(`Nothing was deleted. Send confirm: "${accountConfirmation}".`, "Export what you want to keep first.");
  const { userId } = ctx.person;
  const audit: AuditEntry = { ...ctx.from, at: ctx.now, action: "account.delete", success: true, userId, subject: userId };
  if (await ctx.deletion.deleteAccount(ctx.person, audit)) return;
  const blocking = (await ctx.deletion.fates(ctx.person)).filter(({ fate }) => fate === "blocks");
  throw new DomainError("CONFLICT", `Others are in a team whose last owner you are: ${blocking.map(({ name }) => named(name)).join(", ")}.`, {
    hint: "Transfer ownership of it, or delete the team, and delete your account then.",
    details: { teams: blocking.map(({ id }) => id) },
  });
}

const notDeleted = (): DomainError => new DomainError("CONFLICT", "It is not deleted, or cannot be restored any more.");
