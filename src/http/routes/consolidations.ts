import type { Services } from "../../app.ts";
import { consolidate } from "../../domain/memories/consolidate.ts";
import { consolidateInput } from "../../domain/memories/consolidate-input.ts";
import { renderConsolidation } from "../../tools/render-consolidation.ts";
import { parsed } from "./body.ts";
import type { RestEnv } from "./caller.ts";
import { memoryContext } from "./proposals.ts";
import { Hono } from "../hono.ts";

/** Consolidations of a team, below its path; `/reverts` lists the runs and takes them back. */
export function consolidationRoutes(services: Services): Hono<RestEnv> {
  const app = new Hono<RestEnv>();
  app.post("/", async (c) => {
    const ctx = await memoryContext(services, c);
    const result = await consolidate(ctx, await parsed(c.req.raw, consolidateInput));
    return c.json((await renderConsolidation(ctx, result)).structured);
  });
  return app;
}
