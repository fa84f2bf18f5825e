import type { Context as Request } from "hono";
import * as z from "zod";
import type { Services } from "../../app.ts";
import type { Context } from "../../domain/context.ts";
import { type AuthorOf, authorsOf } from "../../domain/memories/authorship.ts";
import { changesOf } from "../../domain/memories/portable.ts";
import { acceptProposal, listProposals, type ProposedMemory, refuseProposal, reviewSetting, setReview } from "../../domain/memories/proposals.ts";
import { proposalStates } from "../../domain/memories/proposal-store.ts";
import { memoryFor, omnMemory } from "../../tools/render.ts";
import { parsed } from "./body.ts";
import { type RestEnv, callerInTeam } from "./caller.ts";
import { withQuery } from "./query.ts";
import { iso, isoOrNull } from "./wire.ts";
import { Hono } from "../hono.ts";

export const setting = z.strictObject({ required: z.boolean() });
export const listing = z.strictObject({ state: z.enum(proposalStates).default("pending"), cursor: z.uuid().optional(), limit: z.coerce.number().int().min(1).max(100).default(50) });

/** The context of a verb about memories, for a caller of the REST interface. */
export async function memoryContext(services: Services, c: Request<RestEnv>): Promise<Context> {
  const { principal, now, from } = await callerInTeam(services, c);
  return contextFor(services, { principal, now, requestId: c.get("requestId"), address: from?.address }, (work) => c.executionCtx.waitUntil(work));
}

/** The same for somebody whose browser asks for a page. */
export function contextFor(services: Services, call: Pick<Context, "principal" | "now" | "requestId" | "address">, later: (work: Promise<unknown>) => void): Context {
  const { memories, writer, proposals, guard, reversions, intelligence, index, graph, people, semantic, indexingQueue, workflows } = services;
  const { principal, requestId } = call;
  return {
    ...call, memories, writer, proposals, guard, reversions, intelligence, index, graph, people, semantic, indexingQueue, workflows,
    tool: principal.credential.kind === "web-session" ? "web" : "rest",
    noteAccess: () => undefined,
    tell: (events) => later(services.events.publish(principal.teamId, events)),
    report: (event, error) => services.report(event, requestId, error),
  };
}

/** Whether a team reviews what its members share, below its path. */
export function reviewRoutes(services: Services): Hono<RestEnv> {
  const app = new Hono<RestEnv>();
  const context = (c: Request<RestEnv>) => memoryContext(services, c);
  app.get("/", async (c) => c.json(await reviewSetting(await context(c))));
  app.put("/", async (c) => {
    const { required } = await parsed(c.req.raw, setting);
    await setReview(await context(c), { required });
    return c.json({ required });
  });
  return app;
}

/** The queue of a team that does. */
export function proposalRoutes(services: Services): Hono<RestEnv> {
  const app = new Hono<RestEnv>();
  const context = (c: Request<RestEnv>) => memoryContext(services, c);
  app.get("/", withQuery(listing, async (c, { state, cursor, limit }) => {
    const ctx = await context(c);
    const found = await listProposals(ctx, { state, limit, below: cursor });
    const next = found.length === limit ? found.at(-1)?.proposal.id : undefined;
    const authorOf = await authorsOf(ctx, found.flatMap(({ memory }) => memory ?? []));
    return c.json({ proposals: found.map((one) => shown(one, authorOf)), next_cursor: next });
  }));
  app.post("/:id/accept", async (c) => {
    const ctx = await context(c);
    const memory = await acceptProposal(ctx, { id: c.req.param("id") });
    const authorOf = await authorsOf(ctx, [memory]);
    return c.json({ accepted: true, memory: memoryFor(ctx.principal, memory, { author: authorOf(memory) }) });
  });
  app.post("/:id/refuse", async (c) => {
    await refuseProposal(await context(c), { id: c.req.param("id") });
    return c.json({ refused: true });
  });
  return app;
}

const shown = ({ proposal, memory, wanted, outdated }: ProposedMemory, authorOf: AuthorOf): Record<string, unknown> => ({
  id: proposal.id,
  state: proposal.state,
  scope: proposal.visibility,
  proposed_by: proposal.proposedBy,
  proposed_at: iso(proposal.proposedAt),
  decided_by: proposal.decidedBy,
  decided_at: isoOrNull(proposal.decidedAt),
  memory_id: proposal.memoryId,
  ...(outdated ? { outdated } : {}),
  ...(memory ? { memory: omnMemory(memory, { author: authorOf(memory) }) } : {}),
  // All of them, so that nothing is accepted unseen.
  ...(memory && wanted && proposal.state !== "accepted" ? { changes: changesOf(memory, wanted), ...(proposal.links ? { links: proposal.links } : {}) } : {}),
});
