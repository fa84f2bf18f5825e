import { describe, expect, test } from "vitest";
import { routes } from "../../scripts/openapi/routes.ts";
import { type Scope, scopes } from "../../src/domain/tenancy/principal.ts";
import { catalogue } from "../../src/tools/catalogue.ts";
import { addMember, keyFor, newTenant } from "../domain/tenancy/tenant.ts";
import { callTool } from "../support/mcp.ts";
import { refusalsIn } from "../support/refusals.ts";
import { directoryRows, memoryRows } from "../support/rows.ts";
import { send } from "./raw.ts";
import { allRoutes, bodies, isRest, isUnsafe, methodOf, pathOf, restRoutes, sampleTool } from "./route-samples.ts";

/** What a key must be granted, for each route of the REST interface; `person`: no key will do. */
const needs: Record<string, Scope | "person"> = {
  "GET /v1/account": "person",
  "DELETE /v1/account": "person",
  "GET /v1/account/preferences": "person",
  "PATCH /v1/account/preferences": "person",
  "GET /v1/account/audit": "person",
  "POST /v1/organizations": "person",
  "POST /v1/invitations/accept": "person",
  "GET /v1/teams/:team/organization/audit": "person",
  "GET /v1/teams/:team/organization/audit/export": "person",
  "GET /v1/events": "memory:read",
  "GET /v1/teams": "memory:read",
  "GET /v1/teams/:team": "memory:read",
  "GET /v1/teams/:team/members": "memory:read",
  "GET /v1/teams/:team/export": "memory:read",
  "GET /v1/teams/:team/review": "memory:read",
  "GET /v1/teams/:team/guard": "memory:read",
  "GET /v1/teams/:team/quarantine": "memory:read",
  "GET /v1/teams/:team/proposals": "memory:read",
  "GET /v1/teams/:team/health": "memory:read",
  "GET /v1/teams/:team/stats": "memory:read",
  "GET /v1/teams/:team/reverts": "memory:read",
  "GET /v1/teams/:team/intelligence": "memory:admin",
  "GET /v1/teams/:team/evolution": "memory:read",
  "GET /v1/teams/:team/runs": "memory:read",
  "GET /v1/teams/:team/runs/events": "memory:read",
  "GET /v1/teams/:team/runs/:run": "memory:read",
  "GET /v1/teams/:team/jobs": "memory:read",
  "GET /v1/teams/:team/jobs/:job": "memory:read",
  "GET /v1/teams/:team/jobs/:job/result": "memory:read",
  "GET /v1/teams/:team/sessions": "memory:read",
  "GET /v1/teams/:team/sessions/:session": "memory:read",
  "GET /v1/teams/:team/sessions/:session/turns": "memory:read",
  "GET /v1/teams/:team/passport-issuers": "memory:read",
  "GET /v1/teams/:team/workflows/steps": "memory:read",
  "GET /v1/teams/:team/alerts": "memory:admin",
  "GET /v1/teams/:team/audit": "memory:admin",
  "GET /v1/teams/:team/audit/export": "memory:admin",
  "GET /v1/teams/:team/invitations": "memory:admin",
  "GET /v1/teams/:team/keys": "memory:admin",
  "GET /v1/keys": "memory:admin",
  ...Object.fromEntries(
    Object.keys(bodies).filter((route) => route.includes(" /v1/") && !/account|organizations|invitations\/accept/.test(route)).map((route) => [route, "memory:admin" as const]),
  ),
  "POST /v1/teams/:team/tools/:tool": "memory:write",
  "POST /v1/teams/:team/quarantine/:id/release": "memory:write",
  "POST /v1/teams/:team/quarantine/:id/discard": "memory:write",
  "POST /v1/teams/:team/health": "memory:write",
  "POST /v1/teams/:team/reverts": "memory:write",
  "POST /v1/teams/:team/consolidations": "memory:write",
  "POST /v1/teams/:team/runs/:run/undo": "memory:write",
  "POST /v1/teams/:team/jobs/import": "memory:write",
  "POST /v1/teams/:team/jobs/export": "memory:write",
  "POST /v1/teams/:team/jobs/:job/cancel": "memory:write",
  "POST /v1/teams/:team/sessions": "memory:write",
  "DELETE /v1/teams/:team/sessions/:session": "memory:write",
  "POST /v1/teams/:team/sessions/:session/turns": "memory:write",
  "POST /v1/teams/:team/sessions/:session/passport": "memory:write",
  "DELETE /v1/teams/:team/passport-issuers/:issuer": "memory:write",
  "POST /v1/teams/:team/workflows/steps": "memory:write",
  "DELETE /v1/teams/:team/workflows/steps": "memory:write",
};

/** Their answers show the team. */
const alsoReading = new Set(["POST /v1/teams/:team/health", "POST /v1/teams/:team/jobs/export", "POST /v1/teams/:team/reverts", "POST /v1/teams/:team/consolidations", "POST /v1/teams/:team/runs/:run/undo", "POST /v1/teams/:team/sessions/:session/passport", "PATCH /v1/teams/:team", "PATCH /v1/teams/:team/organization"]);

/** Of a team that is not deleted there is nothing to restore, so no key comes as far as its scopes. */
const forNobodysKey = new Set(["POST /v1/teams/:team/restore", "POST /v1/teams/:team/organization/restore"]);

/** Of a tool, the audit names the tool, as where it is called over MCP. */
const subjectOf = (route: string): string => (route.endsWith("/tools/:tool") ? sampleTool : route);

const scoped = restRoutes.flatMap((route) => {
  const scope = needs[route];
  if (scope === undefined || scope === "person" || forNobodysKey.has(route)) return [];
  return [scope, ...(alsoReading.has(route) ? ["memory:read" as const] : [])].map((each) => ({ route, scope: each }));
});
const routesOfKeys = [...new Set(scoped.map(({ route }) => route))];
const neededBy = (route: string): Scope[] => scoped.filter((each) => each.route === route).map(({ scope }) => scope);

/** A team with something in it that could be read or changed, and the owner's way to ask. */
async function world() {
  const tenant = await newTenant();
  const user = await addMember(tenant.teamId, "member");
  const { token } = await keyFor(tenant, tenant.ownerId);
  await callTool(token, "omn_store_memory", { key: "billing", content: "PostgreSQL", metadata: { scope: "shared" } });
  const spare = await keyFor(tenant, tenant.ownerId, ["memory:admin"]);
  const ask = (route: string, key: string): Promise<Response> =>
    send({ token: key, method: methodOf(route), path: pathOf(route, { team: tenant.teamId, user, keyId: spare.keyId }), body: bodies[route] ?? "" });
  return { tenant, ask, key: (granted: readonly Scope[]) => keyFor(tenant, tenant.ownerId, granted) };
}

describe("a key with the wrong scope on every route of the REST interface [S17] [A13]", () => {
  test("each is in the table, and what changes something has a sample", () => {
    expect(Object.keys(needs).sort()).toEqual(restRoutes);
    for (const route of restRoutes.filter(isUnsafe)) expect(bodies, route).toHaveProperty([route]);
  });

  test("the OpenAPI document names each with the same scopes, and nothing that is no route [A16]", () => {
    const told = Object.entries(routes).map(([route, { needs: asked }]): [route: string, needs: unknown] => [route, typeof asked === "string" ? asked : [...asked].sort()]);
    const isTool = (route: string): boolean => route.includes("/tools/");
    const expected = restRoutes.filter((route) => !isTool(route)).map((route) => [route, needs[route] === "person" || forNobodysKey.has(route) ? "person" : neededBy(route).sort()]);
    expect(told.filter(([route]) => isRest(route) && !isTool(route)).sort()).toEqual(expected);
    expect(allRoutes).toEqual(expect.arrayContaining(told.map(([route]) => route).filter((route) => !isTool(route))));
    // One route of the server, and a path of the document for each tool.
    expect(told.filter(([route]) => isTool(route))).toEqual(catalogue.map(({ name, scope }) => [`POST /v1/teams/:team/tools/${name}`, scope === null ? [] : [scope]]));
  });

  test.each(scoped)("$route without $scope: refused, nothing told or changed, the refusal audited", async ({ route, scope }) => {
    const { tenant, ask, key } = await world();
    const { token, keyId } = await key(scopes.filter((other) => other !== scope));
    const before = [await directoryRows(), await memoryRows(tenant.teamId)];
    const answer = await ask(route, token);
    const text = await answer.text();
    expect([answer.status, JSON.parse(text)]).toMatchObject([403, { error: { code: "PERMISSION_DENIED", message: expect.stringContaining(`lacks the scope ${scope}`) as string } }]);
    expect(text).not.toMatch(/PostgreSQL|Acme|omn_/);
    expect([await directoryRows(), await memoryRows(tenant.teamId)]).toEqual(before);
    expect(await refusalsIn(tenant.teamId, 1)).toEqual([{ subject: subjectOf(route), user_id: tenant.ownerId, credential_id: keyId }]);
  });

  test.each(routesOfKeys)("%s asks for no more than it needs", async (route) => {
    const { ask, key } = await world();
    const answer = await ask(route, (await key(neededBy(route))).token);
    expect([200, 201, 202, 404], await answer.text()).toContain(answer.status);
  });

  test.each(restRoutes.filter((route) => needs[route] === "person"))("%s is for a person: no key will do, and the attempt is audited", async (route) => {
    const { tenant, ask, key } = await world();
    const { token, keyId } = await key(scopes);
    const before = await directoryRows();
    const answer = await ask(route, token);
    expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining("An API key is for one team")]);
    expect(await directoryRows()).toEqual(before);
    expect(await refusalsIn(tenant.teamId, 1)).toMatchObject([{ subject: route, credential_id: keyId }]);
  });
});
