import type { Context } from "hono";
import * as z from "zod";
import type { Services } from "../../app.ts";
import { forbidden, invalid } from "../../domain/errors.ts";
import { deleteOrganization, deleteTeam, restoreOrganization, restoreTeam } from "../../domain/tenancy/deletion.ts";
import { changeRole, listMembers, removeMember, transferOwnership } from "../../domain/tenancy/members.ts";
import { rotateDataKey } from "../../domain/secrets/rotation.ts";
import { roles } from "../../domain/tenancy/principal.ts";
import { nameProblem } from "../../domain/tenancy/shown-name.ts";
import { createOrganization, createTeam, listTeams, maxNameLength, noSuchTeam, renameOrganization, renameTeam, showTeam, type TenantContext } from "../../domain/tenancy/teams.ts";
import type { Member, TeamSummary } from "../../domain/tenancy/tenant-store.ts";
import { alertRoutes } from "./alerts.ts";
import { organizationAuditRoutes, teamAuditRoutes } from "./audit.ts";
import { parsed } from "./body.ts";
import { type RestEnv, callerInDeletedTeam, callerInTeam, callingPerson, findCaller } from "./caller.ts";
import { exportTeam } from "./export.ts";
import { intelligenceRoutes } from "./intelligence.ts";
import { teamInvitationRoutes } from "./invitations.ts";
import { teamKeyRoutes } from "./keys.ts";
import { proposalRoutes, reviewRoutes } from "./proposals.ts";
import { guardRoutes, quarantineRoutes } from "./quarantine.ts";
import { healthRoutes } from "./health.ts";
import { consolidationRoutes } from "./consolidations.ts";
import { revertRoutes } from "./reverts.ts";
import { jobRoutes } from "./jobs.ts";
import { curatorRoutes, evolutionRoutes, runRoutes } from "./runs.ts";
import { passportIssuerRoutes, sessionRoutes } from "./sessions.ts";
import { statsRoutes } from "./stats.ts";
import { iso } from "./wire.ts";
import { workflowRoutes } from "./workflows.ts";
import { Hono } from "../hono.ts";

const name = z.string().trim().min(1).max(maxNameLength).refine((value) => nameProblem(value, maxNameLength) === undefined, "has characters that nobody can see");
export const newTeam = z.strictObject({ name, organization_id: z.string().max(100).optional() });
export const newOrganization = z.strictObject({ name, team: name.optional() });
export const renaming = z.strictObject({ name });
export const roleChange = z.strictObject({ role: z.enum(roles) });
export const transfer = z.strictObject({ user_id: z.string().min(1).max(100) });

/** Teams and who is in them. A key sees the one team it is for, a browser those of its person. */
export function teamRoutes(services: Services): Hono<RestEnv> {
  const app = new Hono<RestEnv>();
  app.use(findCaller(services));
  const { deletion } = services;

  app.get("/", async (c) => {
    const teams = c.get("caller").kind === "key" ? [await showTeam(await callerInTeam(services, c))] : await listTeams(callingPerson(services, c));
    return c.json({ teams: teams.map(shownTeam) });
  });
  app.post("/", async (c) => {
    const input = await parsed(c.req.raw, newTeam);
    return c.json({ team: await createTeam(await callerBeside(services, c, input.organization_id), input) }, 201);
  });

  app.get("/:team", async (c) => c.json({ team: shownTeam(await showTeam(await callerInTeam(services, c))) }));
  app.patch("/:team", async (c) => {
    const ctx = await callerInTeam(services, c);
    // First, so that whoever may not see the answer has not changed anything.
    const team = await showTeam(ctx);
    const { name } = await parsed(c.req.raw, renaming);
    await renameTeam(ctx, { name });
    return c.json({ team: shownTeam({ ...team, name }) });
  });
  app.patch("/:team/organization", async (c) => {
    const ctx = await callerInTeam(services, c);
    const team = await showTeam(ctx);
    const { name } = await parsed(c.req.raw, renaming);
    await renameOrganization(ctx, { name });
    return c.json({ team: shownTeam({ ...team, organizationName: name }) });
  });

  app.delete("/:team", async (c) => {
    const { eraseAt } = await deleteTeam({ ...(await callerInTeam(services, c)), deletion });
    return c.json({ deleted: true, erase_at: iso(eraseAt) });
  });
  app.post("/:team/restore", async (c) => {
    await restoreTeam({ ...(await callerInDeletedTeam(services, c)), deletion });
    return c.json({ restored: true });
  });
  app.delete("/:team/organization", async (c) => {
    const { eraseAt } = await deleteOrganization({ ...(await callerInTeam(services, c)), deletion });
    return c.json({ deleted: true, erase_at: iso(eraseAt) });
  });
  app.post("/:team/organization/restore", async (c) => {
    await restoreOrganization({ ...(await callerInDeletedTeam(services, c)), deletion });
    return c.json({ restored: true });
  });
  app.get("/:team/export", exportTeam(services));

  app.route("/:team/alerts", alertRoutes(services));
  app.route("/:team/audit", teamAuditRoutes(services));
  app.route("/:team/organization/audit", organizationAuditRoutes(services));
  app.post("/:team/data-key/rotate", async (c) => {
    const { number } = await rotateDataKey({ ...(await callerInTeam(services, c)), secrets: services.secrets });
    return c.json({ rotated: true, data_key: number }, 202);
  });

  app.route("/:team/keys", teamKeyRoutes(services));
  app.route("/:team/invitations", teamInvitationRoutes(services));
  app.route("/:team/review", reviewRoutes(services));
  app.route("/:team/proposals", proposalRoutes(services));
  app.route("/:team/guard", guardRoutes(services));
  app.route("/:team/intelligence", intelligenceRoutes(services));
  app.route("/:team/quarantine", quarantineRoutes(services));
  app.route("/:team/health", healthRoutes(services));
  app.route("/:team/stats", statsRoutes(services));
  app.route("/:team/reverts", revertRoutes(services));
  app.route("/:team/consolidations", consolidationRoutes(services));
  app.route("/:team/evolution", evolutionRoutes(services));
  app.route("/:team/runs", runRoutes(services));
  app.route("/:team/curator", curatorRoutes(services));
  app.route("/:team/jobs", jobRoutes(services));
  app.route("/:team/sessions", sessionRoutes(services));
  app.route("/:team/passport-issuers", passportIssuerRoutes(services));
  app.route("/:team/workflows", workflowRoutes(services));

  app.get("/:team/members", async (c) => c.json({ members: (await listMembers(await callerInTeam(services, c))).map(shownMember) }));
  app.patch("/:team/members/:user", async (c) => {
    const { role } = await parsed(c.req.raw, roleChange);
    return c.json(await changeRole(await callerInTeam(services, c), { userId: c.req.param("user"), role }));
  });
  app.delete("/:team/members/:user", async (c) => {
    await removeMember(await callerInTeam(services, c), { userId: c.req.param("user") });
    return c.json({ removed: true });
  });
  app.post("/:team/transfer", async (c) => {
    const input = await parsed(c.req.raw, transfer);
    await transferOwnership(await callerInTeam(services, c), { userId: input.user_id });
    return c.json({ transferred: true });
  });
  return app;
}

/** The caller in a team of the organization that they own: the key's own, or one of the person's. */
async function callerBeside(services: Services, c: Context<RestEnv>, organizationId: string | undefined): Promise<TenantContext> {
  const caller = c.get("caller");
  if (caller.kind === "key") {
    if (organizationId !== undefined && organizationId !== caller.principal.organizationId) throw noSuchTeam();
    return callerInTeam(services, c);
  }
  const owned = (await listTeams(callingPerson(services, c))).filter(({ role, eraseAt }) => role === "owner" && eraseAt === null);
  const [beside, ...others] = owned.filter((team) => organizationId === undefined || team.organizationId === organizationId);
  if (!beside) throw forbidden("You own no team of this organization.", "Give organization_id of one of which you own a team, or create one.");
  if (others.some((team) => team.organizationId !== beside.organizationId)) throw invalid("You own teams of several organizations.", "Say which one is meant by organization_id.");
  return callerInTeam(services, c, beside.id);
}

/** Only for a person: a key is for one team. */
export function organizationRoutes(services: Services): Hono<RestEnv> {
  const app = new Hono<RestEnv>();
  app.use(findCaller(services));
  app.post("/", async (c) => {
    const { name, team } = await parsed(c.req.raw, newOrganization);
    return c.json(await createOrganization(callingPerson(services, c), { name, team }), 201);
  });
  return app;
}

const shownTeam = (team: TeamSummary): Record<string, unknown> => ({
  id: team.id,
  name: team.name,
  organization: { id: team.organizationId, name: team.organizationName },
  role: team.role,
  personal: team.personal,
  created_at: iso(team.createdAt),
  ...(team.eraseAt === null ? {} : { erase_at: iso(team.eraseAt) }),
});

const shownMember = ({ userId, name, role, joinedAt }: Member): Record<string, unknown> => ({ user_id: userId, name, role, joined_at: iso(joinedAt) });
