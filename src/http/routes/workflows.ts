import type { Context as Request } from "hono";
import * as z from "zod";
import type { Services } from "../../app.ts";
import * as field from "../../domain/memories/fields.ts";
import { forgetSteps, listSteps } from "../../domain/workflows/own-steps.ts";
import { recordSteps } from "../../domain/workflows/record-steps.ts";
import type { ListedStep } from "../../domain/workflows/workflow-store.ts";
import { command, durationMs, sessionId } from "../../tools/families/omn/workflow-fields.ts";
import { bounds } from "../bounded-body.ts";
import { parsed } from "./body.ts";
import type { RestEnv } from "./caller.ts";
import { memoryContext } from "./proposals.ts";
import { withQuery } from "./query.ts";
import { iso } from "./wire.ts";
import { Hono } from "../hono.ts";

const mostAtOnce = 100;

export const batch = z.strictObject({
  project: field.project.optional(),
  session_id: sessionId.optional(),
  steps: z
    .array(z.strictObject({ command, success: z.boolean().default(true), duration_ms: durationMs.optional(), at: field.instant.optional(), idempotency_key: field.idempotencyKey.optional() }))
    .min(1)
    .max(mostAtOnce, `at most ${mostAtOnce} steps at once`),
});
export const listing = z.strictObject({ project: field.project.optional(), cursor: z.string().max(300).optional(), limit: z.coerce.number().int().min(1).max(500).default(100) });
export const forgetting = z.strictObject({ project: field.project.optional() });

/** Steps of the caller's workflows, below a team's path: hooks record them here, and what was recorded is shown and forgotten. */
export function workflowRoutes(services: Services): Hono<RestEnv> {
  const app = new Hono<RestEnv>();
  const context = (c: Request<RestEnv>) => memoryContext(services, c);
  app.post("/steps", async (c) => {
    const ctx = await context(c);
    const { project, session_id: session, steps } = await parsed(c.req.raw, batch, bounds.steps);
    const { auto_features: features } = await services.preferences.preferences(ctx.principal);
    const { recorded, repeated } = await recordSteps(ctx, {
      learns: features.workflow_learning,
      project,
      session,
      steps: steps.map(({ command, success, duration_ms, at, idempotency_key }) => ({ command, success, durationMs: duration_ms ?? null, at, idempotencyKey: idempotency_key })),
    });
    return c.json({ recorded, repeated, ...(features.workflow_learning ? {} : { workflow_learning: false }) });
  });
  app.get("/steps", withQuery(listing, async (c, asked) => {
    const { steps, next } = await listSteps(await context(c), asked);
    return c.json({ steps: steps.map(shown), next_cursor: next });
  }));
  app.delete("/steps", withQuery(forgetting, async (c, asked) => {
    await forgetSteps(await context(c), asked);
    return c.json({ forgotten: true });
  }));
  return app;
}

/** A step as it was sent, with its command as it was learned. */
const shown = ({ project, number, thread, tool, at, command, success, durationMs, idempotencyKey }: ListedStep): Record<string, unknown> => ({
  ...(project === "" ? {} : { project }),
  number,
  session_id: thread,
  client: tool,
  at: iso(at),
  command,
  success,
  ...(durationMs === null ? {} : { duration_ms: durationMs }),
  ...(idempotencyKey === null ? {} : { idempotency_key: idempotencyKey }),
});
