import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { router } from "../../src/http/router.ts";
import { services } from "../domain/memories/world.ts";
import { addMember, keyFor, newTenant } from "../domain/tenancy/tenant.ts";
import { send } from "./raw.ts";

const routes = router(services, () => ({ fetch: () => Promise.reject(new Error("no session is asked")) })).routes;

/** Every way to change something by REST. */
const writing = [...new Set(routes.filter(({ method, path }) => path.startsWith("/v1/") && ["POST", "PUT", "PATCH", "DELETE"].includes(method)).map(({ method, path }) => `${method} ${path}`))];

/** A body that would do for an owner; every route has one here. */
const bodies: Record<string, unknown> = {
  "POST /v1/keys": { name: "more", scopes: ["memory:read"] },
  "POST /v1/keys/:keyId/rotate": {},
  "DELETE /v1/keys/:keyId": "",
  "POST /v1/teams": { name: "Mine" },
  "PATCH /v1/teams/:team": { name: "Mine" },
  "DELETE /v1/teams/:team": "",
  "POST /v1/teams/:team/restore": "",
  "PATCH /v1/teams/:team/organization": { name: "Mine" },
  "DELETE /v1/teams/:team/organization": "",
  "POST /v1/teams/:team/organization/restore": "",
  "POST /v1/teams/:team/keys": { name: "more", scopes: ["memory:read"] },
  "POST /v1/teams/:team/keys/:keyId/rotate": {},
  "DELETE /v1/teams/:team/keys/:keyId": "",
  "POST /v1/teams/:team/data-key/rotate": "",
  "POST /v1/teams/:team/invitations": { role: "viewer" },
  "DELETE /v1/teams/:team/invitations/:id": "",
  "PUT /v1/teams/:team/review": { required: true },
  "POST /v1/teams/:team/alerts/:id/acknowledge": "",
  "POST /v1/teams/:team/proposals/:id/accept": "",
  "POST /v1/teams/:team/proposals/:id/refuse": "",
  "PATCH /v1/teams/:team/members/:user": { role: "viewer" },
  "DELETE /v1/teams/:team/members/:user": "",
  "POST /v1/teams/:team/transfer": { user_id: "somebody" },
  "POST /v1/organizations": { name: "Mine" },
  "POST /v1/invitations/accept": { token: "x" },
  "DELETE /v1/account": { confirm: "delete my account" },
};

/** Of a team that is not deleted there is nothing to restore, whoever asks with a key. */
const forNobodysKey = new Set(["POST /v1/teams/:team/restore", "POST /v1/teams/:team/organization/restore"]);

async function directory(): Promise<string> {
  const tables = ["organizations", "teams", "users", "memberships", "api_keys", "invitations"];
  const rows = await Promise.all(tables.map((table) => env.DB.prepare(`select * from ${table} order by 1, 2`).all()));
  return JSON.stringify(rows.map(({ results }) => results.map(({ last_used_at: _used, ...row }) => row)));
}

describe("[S17] [F3] every route that changes something", () => {
  test("has a sample here", () => {
    expect(Object.keys(bodies).sort()).toEqual(writing.sort());
  });

  test.each(["a viewer with every scope", "an owner whose key may only read and write"])("is refused to %s", async (who) => {
    const tenant = await newTenant();
    const viewer = who.startsWith("a viewer");
    const userId = viewer ? await addMember(tenant.teamId, "viewer") : tenant.ownerId;
    const { token, keyId } = await keyFor(tenant, userId, viewer ? undefined : ["memory:read", "memory:write"]);
    const before = await directory();
    for (const route of writing) {
      const [method = "", pattern = ""] = route.split(" ");
      const path = pattern.replace(":team", tenant.teamId).replace(":user", viewer ? tenant.ownerId : "somebody").replace(":keyId", keyId).replace(":id", crypto.randomUUID());
      const answer = await send({ token, method, path, body: bodies[route] });
      expect(answer.status, route).toBe(forNobodysKey.has(route) ? 404 : 403);
      await answer.body?.cancel();
    }
    expect(await directory()).toBe(before);
  });
});
