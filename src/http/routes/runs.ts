import { type Context as Request, Hono } from "hono";
import * as z from "zod";
import type { Services } from "../../app.ts";
import { evolutionPolicies, evolutionPolicy, setEvolutionPolicy } from "../../domain/evolution/evolution-policy.ts";
import { type CuratorRun, runKinds } from "../../domain/curation/run-store.ts";
import { rulesOf } from "../../domain/curation/work-kind.ts";
import { findRun, listRuns, type RunsContext, startRun, stopRun, undoRun } from "../../domain/curation/runs.ts";
import { renderRevert } from "../../tools/render-revert.ts";
import { parsed } from "./body.ts";
import { callerInTeam, type RestEnv } from "./caller.ts";
import { memoryContext } from "./proposals.ts";
import { parsedQuery } from "./query.ts";
import { iso, isoOrNull } from "./wire.ts";

const setting = z.strictObject({ policy: z.enum(evolutionPolicies) });
const listing = z.strictObject({ limit: z.coerce.number().int().min(1).max(100).default(20) });
const wanted = z.strictObject({ kind: z.enum(runKinds).default("evolution"), dry_run: z.boolean().default(false) });

async function runsContext(services: Services, c: Request<RestEnv>): Promise<RunsContext & Pick<Services, "evolution">> {
  const { principal, now, from } = await callerInTeam(services, c, c.req.param("team") ?? "");
  const { runs, curator, evolution } = services;
  return { principal, now, requestId: c.get("requestId"), address: from?.address, tool: principal.credential.kind === "web-session" ? "web" : "rest", runs, curator, evolution };
}

/** Whether a team's memories evolve by schedule, below its path. */
export function evolutionRoutes(services: Services): Hono<RestEnv> {
  const app = new Hono<RestEnv>();
  app.get("/", async (c) => c.json({ policy: await evolutionPolicy(await runsContext(services, c)) }));
  app.put("/", async (c) => {
    const { policy } = await parsed(c.req.raw, setting);
    await setEvolutionPolicy(await runsContext(services, c), policy);
    return c.json({ policy });
  });
  return app;
}

/** Runs of the curator over a team's memories, below its path. They are read from the shard, whether the curator is there or not. */
export function runRoutes(services: Services): Hono<RestEnv> {
  const app = new Hono<RestEnv>();
  app.get("/", async (c) => c.json({ runs: (await listRuns(await runsContext(services, c), parsedQuery(c, listing))).map(shown) }));
  app.get("/:run", async (c) => {
    const { run, changes } = await findRun(await runsContext(services, c), { id: c.req.param("run") });
    return c.json({ run: shown(run), changes: changes.map(({ memoryId, version, tool, isUndone }) => ({ memory_id: memoryId, version, because: rulesOf(tool), undone: isUndone })) });
  });
  app.post("/", async (c) => {
    const { kind, dry_run: isDry } = await parsed(c.req.raw, wanted);
    return c.json({ run: shown(await startRun(await runsContext(services, c), { kind, isDry })) }, 202);
  });
  app.post("/:run/stop", async (c) => c.json({ run: shown(await stopRun(await runsContext(services, c), { id: c.req.param("run") })) }));
  app.post("/:run/undo", async (c) => {
    const ctx = await memoryContext(services, c, c.req.param("team") ?? "");
    return c.json((await renderRevert(ctx, await undoRun(ctx, services, { id: c.req.param("run") }))).structured);
  });
  return app;
}

const shown = ({ id, kind, state, isDry, requestedBy, requestedAt, startedAt, endedAt, counts, isCut, error }: CuratorRun): Record<string, unknown> => ({
  run: id,
  kind,
  state,
  dry_run: isDry,
  requested_by: requestedBy,
  requested_at: iso(requestedAt),
  started_at: isoOrNull(startedAt),
  ended_at: isoOrNull(endedAt),
  counts,
  more: isCut,
  ...(error === null ? {} : { error }),
});
