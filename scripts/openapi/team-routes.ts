import { preferencesPatch } from "../../src/domain/tenancy/preferences.ts";
import * as account from "../../src/http/routes/account.ts";
import * as alerts from "../../src/http/routes/alerts.ts";
import * as audit from "../../src/http/routes/audit.ts";
import * as events from "../../src/http/routes/events.ts";
import { asked } from "../../src/http/routes/export.ts";
import * as invitations from "../../src/http/routes/invitations.ts";
import * as keys from "../../src/http/routes/keys.ts";
import * as teams from "../../src/http/routes/teams.ts";
import * as answer from "./answers.ts";
import { admin, read, readAndAdmin, type Route, type Routes } from "./route.ts";

/** Keys have the same routes by themselves, of the key's team, and below a team. */
const keyRoutes = (at: string, suffix: string, by?: "key"): Record<string, Route> => {
  const routes: Record<string, Route> = {
    [`GET ${at}`]: { id: `listKeys${suffix}`, says: "API keys: one's own, for admins all of the team", needs: admin, answer: answer.keys },
    [`POST ${at}`]: { id: `createKey${suffix}`, says: "A new API key, whose token is shown this once", needs: admin, body: keys.creation, status: 201, answer: answer.newKey, refuses: [409] },
    [`POST ${at}/:keyId/rotate`]: { id: `rotateKey${suffix}`, says: "A successor of an API key; the old one works until the grace is over", needs: admin, body: keys.rotation, status: 201, answer: answer.rotatedKey, refuses: [409] },
    [`DELETE ${at}/:keyId`]: { id: `revokeKey${suffix}`, says: "Revokes an API key, from the next request on", needs: admin, answer: answer.revoked },
  };
  return by === undefined ? routes : Object.fromEntries(Object.entries(routes).map(([name, route]) => [name, { ...route, by }]));
};

/** Teams, people and what is written down about them. */
export const teamRoutes: Routes = {
  ...keyRoutes("/v1/keys", "", "key"),
  ...keyRoutes("/v1/teams/:team/keys", "OfTeam"),

  "GET /v1/teams": { id: "listTeams", says: "The team of the key, or all of the person's", needs: read, answer: answer.teams },
  "POST /v1/teams": { id: "createTeam", says: "Another team beside one that you own", needs: admin, body: teams.newTeam, status: 201, answer: answer.newTeam, refuses: [404] },
  "POST /v1/organizations": { id: "createOrganization", says: "An organization of your own, with a team", needs: "person", body: teams.newOrganization, status: 201, answer: answer.newOrganization },
  "GET /v1/teams/:team": { id: "getTeam", says: "One team", needs: read, answer: answer.oneTeam },
  "PATCH /v1/teams/:team": { id: "renameTeam", says: "Renames the team", needs: readAndAdmin, body: teams.renaming, answer: answer.oneTeam },
  "DELETE /v1/teams/:team": { id: "deleteTeam", says: "Deletes the team: nobody gets in at once, and it is erased after 30 days", needs: admin, answer: answer.deletedTeam, refuses: [409] },
  "POST /v1/teams/:team/restore": { id: "restoreTeam", says: "Takes the deletion of a team back; an owner does, signed in with a browser", needs: "person", answer: answer.restored },
  "PATCH /v1/teams/:team/organization": { id: "renameOrganization", says: "Renames the team's organization", needs: readAndAdmin, body: teams.renaming, answer: answer.oneTeam },
  "DELETE /v1/teams/:team/organization": { id: "deleteOrganization", says: "Deletes the organization with all its teams", needs: admin, answer: answer.deletedTeam, refuses: [409] },
  "POST /v1/teams/:team/organization/restore": { id: "restoreOrganization", says: "Takes the deletion of an organization back", needs: "person", answer: answer.restored },
  "GET /v1/teams/:team/members": { id: "listMembers", says: "Who is in the team", needs: read, answer: answer.members },
  "PATCH /v1/teams/:team/members/:user": { id: "changeRole", says: "Changes the role of a member", needs: admin, body: teams.roleChange, answer: answer.changed, refuses: [409] },
  "DELETE /v1/teams/:team/members/:user": { id: "removeMember", says: "Removes a member, or leaves the team", needs: admin, answer: answer.removed, refuses: [409] },
  "POST /v1/teams/:team/transfer": { id: "transferTeam", says: "Hands the team over to another member", needs: admin, body: teams.transfer, answer: answer.transferred, refuses: [409] },
  "POST /v1/teams/:team/data-key/rotate": { id: "rotateDataKey", says: "A new key for the team's secrets; what is sealed with the old one is sealed anew within minutes", needs: admin, status: 202, answer: answer.rotatedDataKey },

  "GET /v1/teams/:team/invitations": { id: "listInvitations", says: "Invitations that are open", needs: admin, answer: answer.invitations },
  "POST /v1/teams/:team/invitations": { id: "invite", says: "A link with a role, for one person", needs: admin, body: invitations.creation, status: 201, answer: answer.newInvitation, refuses: [409] },
  "DELETE /v1/teams/:team/invitations/:id": { id: "revokeInvitation", says: "Revokes an invitation", needs: admin, answer: answer.revoked },
  "POST /v1/invitations/accept": { id: "acceptInvitation", says: "Joins the team of an invitation", needs: "person", body: invitations.acceptance, answer: answer.joined, refuses: [404] },

  "GET /v1/account": { id: "getAccount", says: "Your account, and what deleting it would do", needs: "person", answer: answer.account },
  "DELETE /v1/account": { id: "deleteAccount", says: "Deletes your account; there is no way back", needs: "person", body: account.deletion, answer: answer.deleted, refuses: [409] },
  "GET /v1/account/preferences": { id: "getPreferences", says: "Your preferences in all clients and teams", needs: "person", answer: answer.preferences },
  "PATCH /v1/account/preferences": { id: "changePreferences", says: "A merge patch (RFC 7396) of your preferences", needs: "person", body: preferencesPatch, answer: answer.preferences },
  "GET /v1/account/audit": { id: "getAccountAudit", says: "What happened with your account", needs: "person", query: audit.paged, answer: answer.audit },

  "GET /v1/teams/:team/audit": { id: "getAudit", says: "Who did what in the team, newest first", needs: admin, query: audit.paged, answer: answer.audit },
  "GET /v1/teams/:team/audit/export": { id: "exportAudit", says: "The same, whole; costs ten requests", needs: admin, query: audit.filter, answer: "application/x-ndjson" },
  "GET /v1/teams/:team/organization/audit": { id: "getOrganizationAudit", says: "The same of all teams of the organization, for its owners", needs: "person", query: audit.paged, answer: answer.audit },
  "GET /v1/teams/:team/organization/audit/export": { id: "exportOrganizationAudit", says: "The same, whole; costs ten requests", needs: "person", query: audit.filter, answer: "application/x-ndjson" },
  "GET /v1/teams/:team/alerts": { id: "listAlerts", says: "What looks unusual", needs: admin, query: alerts.listing, answer: answer.alerts },
  "POST /v1/teams/:team/alerts/:id/acknowledge": { id: "acknowledgeAlert", says: "Somebody has looked at the alert", needs: admin, answer: answer.acknowledged },

  "GET /v1/events": {
    id: "streamEvents", says: "The team's events: as server-sent events where they are accepted, else a page of those after Last-Event-ID", needs: read,
    query: events.query, headers: { "Last-Event-ID": "the last event that was heard" }, answer: answer.events, alternative: "text/event-stream", refuses: [404],
  },
  "GET /v1/teams/:team/export": { id: "exportTeam", says: "Everything you may see in the team, with its history; secrets take memory:admin. Costs ten requests", needs: read, query: asked, answer: "application/x-ndjson" },
  "GET /metrics": { id: "getMetrics", says: "What calls prevented, for Prometheus", needs: admin, by: "key", answer: "text/plain" },
  "GET /health": { id: "getHealth", says: "Whether the server answers", needs: "nobody", answer: answer.health },
  "GET /.well-known/jwks.json": { id: "getKeySet", says: "The public keys that prove this server's Memory Passports", needs: "nobody", answer: answer.keySet },
};
