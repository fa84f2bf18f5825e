import { DomainError, invalid, notFound } from "../errors.ts";
import { uuidv7 } from "../ids.ts";
import type { AuditAction, AuditEntry, CallOrigin } from "./audit-entry.ts";
import { type Principal, scopes } from "./principal.ts";
import { requireAction } from "./roles.ts";
import type { Person, WebSession } from "./sign-in-store.ts";
import type { NewTeam, TeamSummary, TenantStore } from "./tenant-store.ts";

export const maxNameLength = 100;

/** A person in one team who manages it. */
export interface TenantContext {
  principal: Principal;
  /** ms since the epoch. */
  now: number;
  tenants: TenantStore;
  from?: CallOrigin;
}

/** A person who is signed in, whatever team they are in. */
export interface PersonContext extends Omit<TenantContext, "principal"> {
  person: Person;
}

/** The person with all that they may do in the team. `undefined`, whether or not there is such a team, when they are not in it. */
export async function principalIn(
  tenants: Pick<TenantStore, "membership" | "membershipInDeletedTeam">,
  { person, session }: { person: Pick<Person, "userId">; session: Pick<WebSession, "id" | "createdAt"> },
  teamId: string,
  deleted?: { now: number },
): Promise<Principal | undefined> {
  const membership = deleted ? await tenants.membershipInDeletedTeam(person, teamId, deleted.now) : await tenants.membership(person, teamId);
  return membership && { ...membership, userId: person.userId, teamId, scopes, credential: { kind: "web-session", id: session.id, signedInAt: session.createdAt } };
}

export const listTeams = (ctx: PersonContext): Promise<TeamSummary[]> => ctx.tenants.listTeams(ctx.person, ctx.now);

/** The one team that the principal is in. */
export async function showTeam(ctx: TenantContext): Promise<TeamSummary> {
  requireAction(ctx.principal, "see the team");
  const team = (await ctx.tenants.listTeams(ctx.principal, ctx.now)).find(({ id }) => id === ctx.principal.teamId);
  if (!team) throw noSuchTeam();
  return team;
}

/** An organization of one's own, with a first team. */
export async function createOrganization(ctx: PersonContext, input: { name: string; team?: string | undefined }): Promise<{ organization: NewTeam; team: NewTeam }> {
  const organization = { id: uuidv7(ctx.now), name: requireName(input.name) };
  const team = { id: uuidv7(ctx.now), name: requireName(input.team ?? input.name) };
  const { userId } = ctx.person;
  const audit: AuditEntry = { ...ctx.from, at: ctx.now, action: "organization.create", success: true, organizationId: organization.id, teamId: team.id, userId, subject: organization.id };
  await ctx.tenants.insertOrganization(ctx.person, organization, team, audit);
  return { organization, team };
}

/** Another team in the organization. Owners of any of its teams may create one. */
export async function createTeam(ctx: TenantContext, input: { name: string }): Promise<NewTeam> {
  requireAction(ctx.principal, "create teams");
  const team = { id: uuidv7(ctx.now), name: requireName(input.name) };
  requireDone(await ctx.tenants.insertTeam(ctx.principal, team, { ...auditOf(ctx, "team.create", team.id), teamId: team.id }));
  return team;
}

export async function renameTeam(ctx: TenantContext, input: { name: string }): Promise<void> {
  requireAction(ctx.principal, "rename the team");
  requireDone(await ctx.tenants.renameTeam(ctx.principal, requireName(input.name), auditOf(ctx, "team.rename", ctx.principal.teamId)));
}

export async function renameOrganization(ctx: TenantContext, input: { name: string }): Promise<void> {
  requireAction(ctx.principal, "manage the organization");
  requireDone(await ctx.tenants.renameOrganization(ctx.principal, requireName(input.name), auditOf(ctx, "organization.rename", ctx.principal.organizationId)));
}

/**
 * Nobody who signs in is without a team: who is in none gets one of their own. Asked again, or by several at once, it does
 * nothing more.
 */
export async function ensurePersonalTeam(ctx: PersonContext): Promise<{ created: boolean }> {
  const name = ctx.person.name.trim().slice(0, maxNameLength) || "Personal";
  const organization = { id: uuidv7(ctx.now), name };
  const team = { id: uuidv7(ctx.now), name };
  const { userId } = ctx.person;
  const audit: AuditEntry = { ...ctx.from, at: ctx.now, action: "team.create", success: true, organizationId: organization.id, teamId: team.id, userId, subject: team.id };
  return { created: await ctx.tenants.insertPersonalTeam(ctx.person, organization, team, audit) };
}

export function auditOf(ctx: Pick<TenantContext, "principal" | "now" | "from">, action: AuditAction, subject: string): AuditEntry {
  const { organizationId, teamId, userId, credential } = ctx.principal;
  return { ...ctx.from, at: ctx.now, action, success: true, organizationId, teamId, userId, subject, credentialId: credential.id };
}

/** The role in which the caller acted is not theirs any more, or what they acted on has changed. */
export function requireDone(done: boolean): void {
  if (!done) throw new DomainError("CONFLICT", "The team changed in the meantime; nothing was done.", { hint: "Look again, and repeat what is still wanted." });
}

/** The same for a team that is not there and for one that the caller is not in. */
export const noSuchTeam = (): DomainError => notFound("You are in no team with this id.", "List your teams to see their ids.");

function requireName(name: string): string {
  const trimmed = name.trim();
  if (trimmed.length === 0 || trimmed.length > maxNameLength) throw invalid(`A name has 1 to ${maxNameLength} characters.`);
  return trimmed;
}
