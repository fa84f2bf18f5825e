import type { Context as Request } from "hono";
import type { Services } from "../../app.ts";
import { preventionStats, statsInput } from "../../domain/metrics/prevention-stats.ts";
import { shownPrevention } from "../../tools/render-prevention.ts";
import type { RestEnv } from "./caller.ts";
import { memoryContext } from "./proposals.ts";
import { withQuery } from "./query.ts";
import { Hono } from "../hono.ts";

/** What calls prevented, below the path of a team. */
export function statsRoutes(services: Services): Hono<RestEnv> {
  const app = new Hono<RestEnv>();
  const context = async (c: Request<RestEnv>) => ({ ...(await memoryContext(services, c)), prevention: services.prevention });
  app.get("/", withQuery(statsInput, async (c, asked) => c.json(shownPrevention(await preventionStats(await context(c), asked)))));
  return app;
}
