import type { Context as Request } from "hono";
import * as z from "zod";
import type { Services } from "../../app.ts";
import { evolutionPolicies, evolutionPolicy, setEvolutionPolicy } from "../../domain/evolution/evolution-policy.ts";
import { runKinds } from "../../domain/curation/run-store.ts";
import { rulesOf } from "../../domain/curation/work-kind.ts";
import { findRun, listRuns, pauseCurator, resumeCurator, type RunsContext, startRun, stopRun, undoRun } from "../../domain/curation/runs.ts";
import { renderRevert } from "../../tools/render-revert.ts";
import { parsed } from "./body.ts";
import { callerInTeam, type RestEnv } from "./caller.ts";
import { memoryContext } from "./proposals.ts";
import { withQuery } from "./query.ts";
import { runEvents } from "./run-events.ts";
import { shownPause, shownRun } from "./shown-run.ts";
import { Hono } from "../hono.ts";

export const setting = z.strictObject({ policy: z.enum(evolutionPolicies) });
export const listing = z.strictObject({ limit: z.coerce.number().int().min(1).max(100).default(20) });
export const wanted = z.strictObject({ kind: z.enum(runKinds).default("evolution"), dry_run: z.boolean().default(false) });

async function runsContext(services: Services, c: Request<RestEnv>): Promise<RunsContext & Pick<Services, "evolution">> {
  const { principal, now, from } = await callerInTeam(services, c);
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

/** Whether the curator works on this team, below its path. */
export function curatorRoutes(services: Services): Hono<RestEnv> {
  const app = new Hono<RestEnv>();
  app.post("/pause", async (c) => c.json(shownPause(await pauseCurator(await runsContext(services, c)))));
  app.post("/resume", async (c) => c.json(shownPause(await resumeCurator(await runsContext(services, c)))));
  return app;
}

/** Runs of the curator over a team's memories, below its path. They are read from the shard, whether the curator is there or not. */
export function runRoutes(services: Services): Hono<RestEnv> {
  const app = new Hono<RestEnv>();
  app.get("/", withQuery(listing, async (c, asked) => {
    const { runs, pause } = await listRuns(await runsContext(services, c), asked);
    return c.json({ ...shownPause(pause), runs: runs.map(shownRun) });
  }));
  app.get("/:run", async (c, next) => {
    if (c.req.param("run") === "events") return next();
    const { run, changes } = await findRun(await runsContext(services, c), { id: c.req.param("run") });
    return c.json({ run: shownRun(run), changes: changes.map(({ memoryId, version, tool, isUndone }) => ({ memory_id: memoryId, version, because: rulesOf(tool), undone: isUndone })) });
  });
  // Behind the runs, so that it is by its own path that the audit names it.
  app.get("/events", async (c) => runEvents(services, c, () => runsContext(services, c)));
  app.post("/", async (c) => {
    const { kind, dry_run: isDry } = await parsed(c.req.raw, wanted);
    return c.json({ run: shownRun(await startRun(await runsContext(services, c), { kind, isDry })) }, 202);
  });
  app.post("/:run/stop", async (c) => c.json({ run: shownRun(await stopRun(await runsContext(services, c), { id: c.req.param("run") })) }));
  app.post("/:run/undo", async (c) => {
    const ctx = await memoryContext(services, c);
    const { links, ...undone } = await undoRun(ctx, services, { id: c.req.param("run") });
    return c.json({ ...(await renderRevert(ctx, undone)).structured, ...(links === 0 ? {} : { links }) });
  });
  return app;
}
