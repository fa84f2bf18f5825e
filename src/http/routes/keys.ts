import { type Context, type Env, Hono } from "hono";
import * as z from "zod";
import type { Services } from "../../app.ts";
import { refusedAs } from "../../domain/audit/refusals.ts";
import { createKey, defaultLifetimeDays, listKeys, maxGraceHours, maxLifetimeDays, revokeKey, rotateKey, type KeyContext } from "../../domain/tenancy/keys.ts";
import type { KeySummary } from "../../domain/tenancy/key-store.ts";
import { scopes } from "../../domain/tenancy/principal.ts";
import { callOrigin } from "../call-origin.ts";
import { bearerToken, proveCredential } from "../credentials.ts";
import { invalidCredential, keyChallenge, noCredential } from "../errors.ts";
import { auditLater } from "../later.ts";
import { parsed } from "./body.ts";
import { type RestEnv, callerInTeam, type AuditSubject } from "./caller.ts";
import { chargeKey } from "./limits.ts";
import { iso, isoOrNull } from "./wire.ts";

interface KeyRoutes {
  Variables: { requestId: string; keyContext: KeyContext; auditSubject?: AuditSubject };
}

export const creation = z.strictObject({
  name: z.string().trim().min(1).max(100),
  scopes: z.array(z.enum(scopes)).min(1),
  expires_in_days: z.number().int().min(1).max(maxLifetimeDays).default(defaultLifetimeDays),
});
export const rotation = z.strictObject({ grace_hours: z.number().min(0).max(maxGraceHours).optional() });

/** API keys over REST: create (shown once), list, rotate with grace, revoke. The domain asks for memory:admin. */
export function keyRoutes(services: Services): Hono<KeyRoutes> {
  const app = new Hono<KeyRoutes>();

  app.use(async (c, next) => {
    const requestId = c.get("requestId");
    const token = bearerToken(c.req.header("authorization"));
    if (token === undefined) return noCredential(requestId, keyChallenge);
    const now = Date.now();
    const from = callOrigin(c.req.raw.headers, requestId);
    // Access tokens are for MCP; a client does not make itself keys with them.
    const presented = { token, from, resource: undefined };
    const proof = await proveCredential(services, { keys: services.keys, tokens: services.oauth }, presented, (work) => c.executionCtx.waitUntil(work), now);
    if (proof.kind !== "ok") return invalidCredential(requestId, keyChallenge);
    await chargeKey(services, c, proof.principal);
    c.set("keyContext", { principal: proof.principal, now, keys: services.keys, from });
    c.set("auditSubject", { who: refusedAs(proof.principal), from });
    auditLater(services, c, requestId, services.uses.note(proof.principal, from, now));
    return next();
  });

  return withKeyHandlers(app, async (c) => c.get("keyContext"));
}

/** Keys to a team that the caller is in, below its path: how somebody who signed in with a browser gets their first. */
export function teamKeyRoutes(services: Services): Hono<RestEnv> {
  return withKeyHandlers(new Hono<RestEnv>(), async (c) => ({ ...(await callerInTeam(services, c, c.req.param("team") ?? "")), keys: services.keys }));
}

function withKeyHandlers<E extends Env>(app: Hono<E>, contextOf: (c: Context<E>) => Promise<KeyContext>): Hono<E> {
  app.get("/", async (c) => c.json({ keys: (await listKeys(await contextOf(c))).map(shownKey) }));
  app.post("/", async (c) => {
    const input = await parsed(c.req.raw, creation);
    const { token, key } = await createKey(await contextOf(c), { name: input.name, scopes: input.scopes, expiresInDays: input.expires_in_days });
    return c.json({ token, key: shownKey(key) }, 201);
  });
  app.post("/:keyId/rotate", async (c) => {
    const input = await parsed(c.req.raw, rotation);
    const { token, key, oldExpiresAt } = await rotateKey(await contextOf(c), { keyId: c.req.param("keyId"), graceHours: input.grace_hours });
    return c.json({ token, key: shownKey(key), old_expires_at: iso(oldExpiresAt) }, 201);
  });
  app.delete("/:keyId", async (c) => c.json(await revokeKey(await contextOf(c), { keyId: c.req.param("keyId") })));
  return app;
}

const shownKey = (key: KeySummary): Record<string, unknown> => ({
  key_id: key.keyId,
  name: key.name,
  scopes: key.scopes,
  user_id: key.userId,
  team_id: key.teamId,
  created_at: iso(key.createdAt),
  expires_at: isoOrNull(key.expiresAt),
  revoked_at: isoOrNull(key.revokedAt),
  last_used_at: isoOrNull(key.lastUsedAt),
  replaced_by: key.replacedBy,
});
