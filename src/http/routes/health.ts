import type { Context as Request } from "hono";
import * as z from "zod";
import type { Services } from "../../app.ts";
import { currentHashes } from "../../domain/memories/citations.ts";
import { health } from "../../domain/memories/health.ts";
import { repair, repairInput } from "../../domain/memories/repair.ts";
import { project } from "../../domain/memories/fields.ts";
import { renderHealth } from "../../tools/render-health.ts";
import { renderRepair } from "../../tools/render-repair.ts";
import { bounds } from "../bounded-body.ts";
import { parsed } from "./body.ts";
import type { RestEnv } from "./caller.ts";
import { memoryContext } from "./proposals.ts";
import { Hono } from "../hono.ts";

export const input = z
  .strictObject({ current_hashes: currentHashes.optional(), project: project.optional(), ...repairInput.partial().shape })
  .refine(({ current_hashes, project, ...repair }) => (current_hashes === undefined) !== (repair.fix === undefined) && (repair.fix === undefined ? Object.keys(repair).length === 0 : project === undefined), {
    message: "give current_hashes (and project) to ask about files, or fix (with ids and confirm) to repair",
  });

/** The report card of a team, below its path. A POST asks it about the files of a client (`current_hashes`), or repairs a section (`fix`). */
export function healthRoutes(services: Services): Hono<RestEnv> {
  const app = new Hono<RestEnv>();
  const context = async (c: Request<RestEnv>) => ({ ...(await memoryContext(services, c)), sessions: services.sessions });
  app.get("/", async (c) => c.json(renderHealth(await health(await context(c))).structured));
  app.post("/", async (c) => {
    const ctx = await context(c);
    const { current_hashes: hashes, project, fix, ids, confirm } = await parsed(c.req.raw, input, bounds.hashes);
    if (fix !== undefined) return c.json((await renderRepair(ctx, fix, await repair(ctx, { fix, ids, confirm }))).structured);
    return c.json(renderHealth(await health(ctx, { hashes, project })).structured);
  });
  return app;
}
