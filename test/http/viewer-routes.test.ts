import { describe, expect, test } from "vitest";
import { addMember, keyFor, newTenant } from "../domain/tenancy/tenant.ts";
import { directoryRows } from "../support/rows.ts";
import { send } from "./raw.ts";
import { bodies, isUnsafe, methodOf, pathOf, restRoutes } from "./route-samples.ts";

/** Every way to change something by REST. */
const writing = restRoutes.filter(isUnsafe);

/** Of a team that is not deleted there is nothing to restore, whoever asks with a key. */
const forNobodysKey = new Set(["POST /v1/teams/:team/restore", "POST /v1/teams/:team/organization/restore"]);

/** Changes memories, and nothing of the team: a key that may write them is enough. */
const ofMemories = new Set(["POST /v1/teams/:team/health", "POST /v1/teams/:team/reverts", "POST /v1/teams/:team/consolidations", "POST /v1/teams/:team/workflows/steps", "DELETE /v1/teams/:team/workflows/steps", "POST /v1/teams/:team/runs/:run/undo", "POST /v1/teams/:team/quarantine/:id/release", "POST /v1/teams/:team/quarantine/:id/discard", "POST /v1/teams/:team/jobs/import", "POST /v1/teams/:team/jobs/export", "POST /v1/teams/:team/jobs/:job/cancel", "POST /v1/teams/:team/sessions", "DELETE /v1/teams/:team/sessions/:session", "POST /v1/teams/:team/sessions/:session/turns", "POST /v1/teams/:team/sessions/:session/passport", "DELETE /v1/teams/:team/passport-issuers/:issuer", "POST /v1/teams/:team/tools/:tool"]);

/** What opens their own door anybody closes (`keys.test.ts`). */
const ofOnesOwn = new Set(["DELETE /v1/keys/:keyId", "DELETE /v1/teams/:team/keys/:keyId"]);

describe("every route that changes something [S17] [F3]", () => {
  test("has a sample here", () => {
    expect(Object.keys(bodies).filter((route) => writing.includes(route)).sort()).toEqual(writing);
  });

  test.each(["a viewer with every scope", "an owner whose key may only read and write"])("is refused to %s", async (who) => {
    const tenant = await newTenant();
    const viewer = who.startsWith("a viewer");
    const userId = viewer ? await addMember(tenant.teamId, "viewer") : tenant.ownerId;
    const { token, keyId } = await keyFor(tenant, userId, viewer ? undefined : ["memory:read", "memory:write"]);
    const before = await directoryRows();
    for (const route of writing.filter((each) => !(viewer ? ofOnesOwn : ofMemories).has(each))) {
      const path = pathOf(route, { team: tenant.teamId, user: viewer ? tenant.ownerId : "somebody", keyId });
      const answer = await send({ token, method: methodOf(route), path, body: bodies[route] });
      expect(answer.status, route).toBe(forNobodysKey.has(route) ? 404 : 403);
      await answer.body?.cancel();
    }
    expect(await directoryRows()).toEqual(before);
  });
});
