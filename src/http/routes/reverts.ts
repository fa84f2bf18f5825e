import type { Context as Request } from "hono";
import * as z from "zod";
import type { Services } from "../../app.ts";
import { listReverts, revert, undoRevert } from "../../domain/memories/revert.ts";
import { revertInput } from "../../domain/memories/revert-input.ts";
import type { Reversion } from "../../domain/memories/reversion-store.ts";
import { renderRevert } from "../../tools/render-revert.ts";
import { parsed } from "./body.ts";
import type { RestEnv } from "./caller.ts";
import { memoryContext } from "./proposals.ts";
import { withQuery } from "./query.ts";
import { iso } from "./wire.ts";
import { Hono } from "../hono.ts";

export const listing = z.strictObject({ limit: z.coerce.number().int().min(1).max(100).default(50) });

/** Bulk reverts of a team, below its path: with `undo`, the request takes one back. */
export function revertRoutes(services: Services): Hono<RestEnv> {
  const app = new Hono<RestEnv>();
  const context = (c: Request<RestEnv>) => memoryContext(services, c);
  app.get("/", withQuery(listing, async (c, asked) => c.json({ reverts: (await listReverts(await context(c), asked)).map(shown) })));
  app.post("/", async (c) => {
    const ctx = await context(c);
    const { undo, confirm, ...selection } = await parsed(c.req.raw, revertInput);
    const result = undo === undefined ? await revert(ctx, { selection, confirm }) : await undoRevert(ctx, { run: undo });
    return c.json((await renderRevert(ctx, result)).structured);
  });
  return app;
}

const shown = ({ id, kind, userId, tool, at, selection: { since, until, ...named }, memories }: Reversion): Record<string, unknown> => ({
  run: id,
  ...(kind === "revert" ? {} : { kind }),
  reverted_by: userId,
  reverted_at: iso(at),
  client: tool,
  selection: { ...named, ...(since === undefined ? {} : { since: iso(since) }), ...(until === undefined ? {} : { until: iso(until) }) },
  count: memories,
});
