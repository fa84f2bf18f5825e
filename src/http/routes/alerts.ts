import type { Context } from "hono";
import * as z from "zod";
import type { Services } from "../../app.ts";
import { acknowledgeAlert, type Alert, alertStates, listAlerts } from "../../domain/audit/alerts.ts";
import { type RestEnv, callerInTeam } from "./caller.ts";
import { withQuery } from "./query.ts";
import { iso, isoOrNull } from "./wire.ts";
import { Hono } from "../hono.ts";

export const listing = z.strictObject({ state: z.enum(alertStates).default("open"), cursor: z.uuid().optional(), limit: z.coerce.number().int().min(1).max(100).default(50) });

/** The alerts of a team, below its path. */
export function alertRoutes(services: Services): Hono<RestEnv> {
  const app = new Hono<RestEnv>();
  const context = async (c: Context<RestEnv>) => ({ ...(await callerInTeam(services, c)), alerts: services.alerts });
  app.get("/", withQuery(listing, async (c, { cursor, ...asked }) => {
    const found = await listAlerts(await context(c), { ...asked, below: cursor });
    const next = found.length === asked.limit ? found.at(-1)?.id : undefined;
    return c.json({ alerts: found.map(shown), next_cursor: next });
  }));
  app.post("/:id/acknowledge", async (c) => c.json(await acknowledgeAlert(await context(c), { id: c.req.param("id") })));
  return app;
}

const shown = (alert: Alert): Record<string, unknown> => ({
  id: alert.id,
  rule: alert.rule,
  subject: alert.subject,
  ...(alert.value === "" ? {} : { value: alert.value }),
  at: iso(alert.at),
  details: alert.details,
  raised_at: iso(alert.createdAt),
  acknowledged_at: isoOrNull(alert.acknowledgedAt),
  acknowledged_by: alert.acknowledgedBy,
});
