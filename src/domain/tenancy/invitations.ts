import { DomainError, forbidden, invalid, notFound } from "../errors.ts";
import { sha256Hex } from "../hash.ts";
import { uuidv7 } from "../ids.ts";
import { requireFreshCredential } from "./fresh-sign-in.ts";
import { auditedFailuresPerMinute } from "./keys.ts";
import { type Role, roles } from "./principal.ts";
import { mayGive, requireAction } from "./roles.ts";
import type { Person } from "./sign-in-store.ts";
import { auditOf, type PersonContext, type TenantContext } from "./teams.ts";
import type { Invitation, InvitationStore, OpenInvitation } from "./tenant-store.ts";
import { newToken, tokenHashOf } from "./web-session.ts";

export const defaultInvitationDays = 7;
export const maxInvitationDays = 30;
/** Far more than anybody sends at a time; it only stops a loop. */
const maxOpen = 200;
const dayMs = 86_400_000;

export interface Inviting extends TenantContext {
  invitations: InvitationStore;
  /** Of a page that makes one invitation, however often it asks; nobody else knows it. */
  seed?: string | undefined;
}

/** A link into the team, for one person, with a role no higher than the inviter's. The token is in no store and is never shown again. */
export async function invite(ctx: Inviting, input: { role: Role; expiresInDays?: number }): Promise<{ token: string; invitation: Invitation }> {
  const { principal, now } = ctx;
  requireAction(principal, "manage invitations");
  if (!mayGive(principal.role, input.role)) throw forbidden(`As ${principal.role} you may not invite an ${input.role}.`, "Ask an owner of the team.");
  if (input.role === "owner") requireFreshCredential(principal.credential, now);
  const days = input.expiresInDays ?? defaultInvitationDays;
  if (!Number.isInteger(days) || days < 1 || days > maxInvitationDays) throw invalid(`expires_in_days is a whole number from 1 to ${maxInvitationDays}.`);
  const token = ctx.seed === undefined ? newToken() : (await sha256Hex(ctx.seed)).slice(0, 43);
  const { teamId, userId } = principal;
  const wanted: Invitation = { id: uuidv7(now), teamId, role: input.role, invitedBy: userId, createdAt: now, expiresAt: now + days * dayMs };
  const stored = { ...wanted, tokenHash: await sha256Hex(token) };
  const invitation = await ctx.invitations.insertInvitation(principal, stored, maxOpen, auditOf(ctx, "invitation.create", wanted.id));
  if (!invitation) {
    const before = ctx.seed === undefined ? "" : ", this form has made an invitation that is used or revoked";
    throw new DomainError("CONFLICT", `Nobody can be invited now: this is somebody's own team, it has ${maxOpen} open invitations${before}, or your role has changed.`, {
      hint: "Create a team to share, or revoke invitations that are not needed.",
    });
  }
  return { token, invitation };
}

export async function listInvitations(ctx: Inviting): Promise<Invitation[]> {
  requireAction(ctx.principal, "manage invitations");
  return ctx.invitations.listInvitations(ctx.principal, ctx.now);
}

/** Revoking one that cannot be accepted any more is no error. */
export async function revokeInvitation(ctx: Inviting, input: { id: string }): Promise<{ revoked: boolean }> {
  requireAction(ctx.principal, "manage invitations");
  return { revoked: await ctx.invitations.revokeInvitation(ctx.principal, input.id, auditOf(ctx, "invitation.revoke", input.id)) };
}

/** Shows an invitation before it is accepted. */
export async function readInvitation(invitations: InvitationStore, token: string | undefined, now: number): Promise<OpenInvitation | undefined> {
  const tokenHash = await tokenHashOf(token);
  const found = tokenHash === undefined ? undefined : await invitations.findInvitation(tokenHash, now);
  return found && mayGive(found.inviterRole, found.role) ? found : undefined;
}

/** Makes the person a member, once; who asks again, such as by a second press of the button, is in. One answer for every reason why a link does not. */
export async function acceptInvitation(
  ctx: Omit<PersonContext, "person"> & { person: Pick<Person, "userId">; invitations: InvitationStore },
  input: { token: string | undefined },
): Promise<{ teamId: string; joined: boolean }> {
  const { now, person, invitations } = ctx;
  const tokenHash = await tokenHashOf(input.token);
  const from = { ...ctx.from, at: now, userId: person.userId };
  if (tokenHash !== undefined) {
    const found = await invitations.findInvitation(tokenHash, now);
    if (found) {
      const inviters = roles.filter((role) => mayGive(role, found.role));
      const taken = await invitations.acceptInvitation(person, tokenHash, inviters, { ...from, action: "invitation.accept", success: true, teamId: found.teamId, subject: person.userId });
      if (taken) return taken;
    }
    const teamId = await invitations.acceptedBefore(person, tokenHash);
    if (teamId !== undefined) return { teamId, joined: false };
  }
  await invitations.auditFailure({ ...from, action: "invitation.refused", success: false, subject: person.userId }, auditedFailuresPerMinute);
  throw notFound("This invitation cannot be accepted. It may be used, expired, revoked or mistyped.", "Ask for a new one.");
}
