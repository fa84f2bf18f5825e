import type { Context as Request } from "hono";
import * as z from "zod";
import type { Services } from "../../app.ts";
import { guardPolicy, setGuardPolicy } from "../../domain/guard/guard-setting.ts";
import { instructionPolicies, secretPolicies } from "../../domain/guard/guard-policy.ts";
import type { Memory } from "../../domain/memories/memory.ts";
import { discard, listQuarantine, release } from "../../domain/memories/release.ts";
import { withSuccessors } from "../../domain/recall/selection/succession.ts";
import { memoryFor } from "../../tools/render.ts";
import { parsed } from "./body.ts";
import type { RestEnv } from "./caller.ts";
import { memoryContext } from "./proposals.ts";
import { iso } from "./wire.ts";
import { Hono } from "../hono.ts";

export const setting = z.strictObject({ secrets: z.enum(secretPolicies), instructions: z.enum(instructionPolicies) });

/** The version of the memory that it changes, where that was changed since. */
export const releasing = z.strictObject({ version: z.number().int().positive().optional() });

/** What a team does with secrets and instructions in what is written, below its path. */
export function guardRoutes(services: Services): Hono<RestEnv> {
  const app = new Hono<RestEnv>();
  const context = (c: Request<RestEnv>) => memoryContext(services, c);
  app.get("/", async (c) => c.json(await guardPolicy(await context(c))));
  app.put("/", async (c) => {
    const policy = await parsed(c.req.raw, setting);
    await setGuardPolicy(await context(c), policy);
    return c.json(policy);
  });
  return app;
}

/** What the write guard keeps back of the caller's own writes: the only place that shows what they say. */
export function quarantineRoutes(services: Services): Hono<RestEnv> {
  const app = new Hono<RestEnv>();
  const context = (c: Request<RestEnv>) => memoryContext(services, c);
  app.get("/", async (c) => c.json({ quarantine: (await listQuarantine(await context(c))).map(shown) }));
  app.post("/:id/release", async (c) => {
    const ctx = await context(c);
    const { outcome, memory, proposal } = await release(ctx, { id: c.req.param("id"), ...(await parsed(c.req.raw, releasing)) });
    const [released] = (await withSuccessors(ctx, [memory])) as [typeof memory];
    return c.json({ outcome, memory: memoryFor(ctx.principal, released), ...(proposal ? { proposal: { id: proposal.id, state: proposal.state } } : {}) });
  });
  app.post("/:id/discard", async (c) => {
    await discard(await context(c), { id: c.req.param("id") });
    return c.json({ discarded: true });
  });
  return app;
}

const shown = ({ quarantine, ...memory }: Memory): Record<string, unknown> => ({
  id: memory.id,
  reasons: quarantine?.reasons,
  scope: quarantine?.visibility,
  ...(quarantine?.target === undefined ? {} : { memory_id: quarantine.target, fields: quarantine.fields }),
  held_at: iso(memory.createdAt),
  key: memory.key,
  namespace: memory.namespace,
  content: memory.content,
  ...(memory.value === null ? {} : { value: memory.value }),
  ...(memory.summary === null ? {} : { summary: memory.summary }),
  ...(Object.keys(memory.metadata).length === 0 ? {} : { metadata: memory.metadata }),
  tags: memory.tags,
  tool: memory.createdTool,
});
