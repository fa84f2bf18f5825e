import type { Context } from "hono";
import * as z from "zod";
import type { Services } from "../../app.ts";
import { createKey, defaultLifetimeDays, listKeys, maxGraceHours, maxLifetimeDays, revokeKey, rotateKey, type KeyContext } from "../../domain/tenancy/keys.ts";
import type { KeySummary } from "../../domain/tenancy/key-store.ts";
import { scopes } from "../../domain/tenancy/principal.ts";
import { parsed } from "./body.ts";
import { type RestEnv, callerInTeam, findKey } from "./caller.ts";
import { iso, isoOrNull } from "./wire.ts";
import { Hono } from "../hono.ts";

export const creation = z.strictObject({
  name: z.string().trim().min(1).max(100),
  scopes: z.array(z.enum(scopes)).min(1),
  expires_in_days: z.number().int().min(1).max(maxLifetimeDays).default(defaultLifetimeDays),
});
export const rotation = z.strictObject({ grace_hours: z.number().min(0).max(maxGraceHours).optional() });

/** API keys over REST: create (shown once), list, rotate with grace, revoke. The domain asks for memory:admin. */
export const keyRoutes = (services: Services): Hono<RestEnv> => withKeyHandlers(services, new Hono<RestEnv>().use(findKey(services)));

/** Keys to a team that the caller is in, below its path: how somebody who signed in with a browser gets their first. */
export const teamKeyRoutes = (services: Services): Hono<RestEnv> => withKeyHandlers(services, new Hono<RestEnv>());

function withKeyHandlers(services: Services, app: Hono<RestEnv>): Hono<RestEnv> {
  const context = async (c: Context<RestEnv>): Promise<KeyContext> => ({ ...(await callerInTeam(services, c)), keys: services.keys });
  app.get("/", async (c) => c.json({ keys: (await listKeys(await context(c))).map(shownKey) }));
  app.post("/", async (c) => {
    const input = await parsed(c.req.raw, creation);
    const { token, key } = await createKey(await context(c), { name: input.name, scopes: input.scopes, expiresInDays: input.expires_in_days });
    return c.json({ token, key: shownKey(key) }, 201);
  });
  app.post("/:keyId/rotate", async (c) => {
    const input = await parsed(c.req.raw, rotation);
    const { token, key, oldExpiresAt } = await rotateKey(await context(c), { keyId: c.req.param("keyId"), graceHours: input.grace_hours });
    return c.json({ token, key: shownKey(key), old_expires_at: iso(oldExpiresAt) }, 201);
  });
  app.delete("/:keyId", async (c) => c.json(await revokeKey(await context(c), { keyId: c.req.param("keyId") })));
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
