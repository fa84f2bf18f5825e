import type { Context } from "hono";
import * as z from "zod";
import type { Services } from "../../app.ts";
import { accountFates, deleteAccount } from "../../domain/tenancy/deletion.ts";
import { preferencesPatch } from "../../domain/tenancy/preferences.ts";
import { accountAudit } from "./audit.ts";
import { parsed } from "./body.ts";
import { type RestEnv, callingPerson, callingSession, findCaller } from "./caller.ts";
import { Hono } from "../hono.ts";

export const deletion = z.strictObject({ confirm: z.string().max(100) });

/** A person's account: see what deleting it would mean, and delete it. */
export function accountRoutes(services: Services): Hono<RestEnv> {
  const app = new Hono<RestEnv>();
  app.use(findCaller(services));
  const context = (c: Context<RestEnv>) => ({ ...callingPerson(services, c), deletion: services.deletion });

  app.get("/", async (c) => {
    const ctx = context(c);
    const [fates, preferences] = await Promise.all([accountFates(ctx), services.preferences.preferences(ctx.person)]);
    const teams = fates.map((team) => ({ ...team, export: `/v1/teams/${team.id}/export` }));
    return c.json({ user_id: ctx.person.userId, name: ctx.person.name, preferences, when_deleted: teams });
  });
  app.get("/preferences", async (c) => c.json(await services.preferences.preferences(callingPerson(services, c).person)));
  app.patch("/preferences", async (c) => {
    const { person } = callingPerson(services, c);
    return c.json((await services.preferences.changePreferences(person, await parsed(c.req.raw, preferencesPatch))).preferences);
  });
  app.get("/audit", accountAudit(services));
  app.delete("/", async (c) => {
    const { confirm } = await parsed(c.req.raw, deletion);
    await deleteAccount({ ...context(c), session: callingSession(c) }, { confirm });
    return c.json({ deleted: true });
  });
  return app;
}
