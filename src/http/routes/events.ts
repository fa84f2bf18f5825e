import { type Context as Request, Hono } from "hono";
import * as z from "zod";
import type { Services } from "../../app.ts";
import { invalid } from "../../domain/errors.ts";
import { adminAudience, type NumberedEvent } from "../../domain/events/team-event.ts";
import { requireScope, type Principal } from "../../domain/tenancy/principal.ts";
import { listTeams } from "../../domain/tenancy/teams.ts";
import { callOrigin } from "../call-origin.ts";
import { bearerToken, proveCredential } from "../credentials.ts";
import { callerInTeam, callingPerson, findCaller, type RestEnv } from "./caller.ts";
import { parsedQuery } from "./query.ts";

const query = z.strictObject({ team: z.string().max(64).optional() });

/** How long one question waits at the team's object; between two of them the credential is proven anew. */
const waitMs = 20_000;
/** A stream is over after so many, and the client resumes it: one invocation of a Worker may ask only so often. */
const mostTurns = 30;
const retryMs = 1_000;

const streamType = "text/event-stream";

/** The events of a team as they happen, for those who accept a stream; for others a page of what they have not heard (https://html.spec.whatwg.org/multipage/server-sent-events.html), resumed by Last-Event-ID. */
export function eventRoutes(services: Services): Hono<RestEnv> {
  const app = new Hono<RestEnv>();
  app.use(findCaller(services));
  app.get("/", async (c) => {
    const { team } = parsedQuery(c, query);
    const principal = await subscriber(services, c, team);
    const given = c.req.header("last-event-id");
    if (given !== undefined && !/^\d{1,15}$/.test(given)) throw invalid("Last-Event-ID is not one that this server gave.", "Send the id of the last event heard, or leave it out.");
    const after = given === undefined ? undefined : Number(given);
    const accepted = c.req.header("accept") ?? "";
    if (!accepted.includes(streamType) || accepted.includes("application/json")) {
      const { events, last, hasGap } = await services.events.events(principal, { after, waitMs: 0 });
      return c.json({ events: events.map((event) => ({ id: String(event.id), ...shownEvent(event) })), last_event_id: String(last), gap: hasGap });
    }
    const isStill = () => stillAllowed(services, c, team, principal);
    return new Response(stream(services, principal, after, isStill), {
      headers: { "content-type": streamType, "cache-control": "no-store, no-transform", "x-accel-buffering": "no" },
    });
  });
  return app;
}

async function subscriber(services: Services, c: Request<RestEnv>, team: string | undefined): Promise<Principal> {
  const caller = c.get("caller");
  const teamId = team ?? (caller.kind === "key" ? caller.principal.teamId : await onlyTeam(services, c));
  const { principal } = await callerInTeam(services, c, teamId);
  requireScope(principal, "memory:read");
  return principal;
}

async function onlyTeam(services: Services, c: Request<RestEnv>): Promise<string> {
  const [first, ...others] = await listTeams(callingPerson(services, c));
  if (!first || others.length > 0) throw invalid("A browser's person may be in several teams.", "Name one: /v1/events?team=<id>.");
  return first.id;
}

/** Whoever left the team, or whose key was revoked, hears no more. */
async function stillAllowed(services: Services, c: Request<RestEnv>, team: string | undefined, before: Principal): Promise<boolean> {
  try {
    const token = bearerToken(c.req.header("authorization"));
    if (token === undefined) return (await subscriber(services, c, team)).userId === before.userId;
    const presented = { token, from: callOrigin(c.req.raw.headers, c.get("requestId")), resource: undefined };
    const proof = await proveCredential(services, { keys: services.keys, tokens: services.oauth }, presented, (work) => c.executionCtx.waitUntil(work), Date.now());
    return proof.kind === "ok" && proof.principal.teamId === before.teamId && proof.principal.scopes.includes("memory:read");
  } catch {
    return false;
  }
}

function stream({ events, report }: Services, principal: Principal, lastEventId: number | undefined, isStill: () => Promise<boolean>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let after = lastEventId;
  let turns = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        if (turns > 0 && (turns >= mostTurns || !(await isStill()))) return controller.close();
        const isFirst = turns === 0;
        turns += 1;
        // The first turn does not wait: it says from where on the client hears.
        const page = await events.events(principal, { after, waitMs: isFirst ? 0 : waitMs });
        after = page.last;
        const opening = isFirst ? `retry: ${retryMs}\n: events from here on\nid: ${page.events.at(-1)?.id ?? page.last}\n\n` : "";
        const gap = page.hasGap ? "event: gap\ndata: {}\n\n" : "";
        controller.enqueue(encoder.encode(`${page.events.length === 0 ? opening : `retry: ${retryMs}\n\n`}${gap}${page.events.map(shown).join("")}` || ": alive\n\n"));
      } catch (error) {
        report("events", "", error);
        controller.close();
      }
    },
  });
}

const shownEvent = ({ kind, at, memoryIds, actorId, tool, audience }: NumberedEvent) => ({
  kind,
  at: new Date(at).toISOString(),
  ...(memoryIds.length > 0 ? { memory_ids: memoryIds } : {}),
  actor_id: actorId,
  tool,
  scope: audience === "" ? "team" : audience === adminAudience ? "admins" : "private",
});

/** JSON is one line, whatever a client calls itself. */
const shown = (event: NumberedEvent): string => `id: ${event.id}\nevent: ${event.kind}\ndata: ${JSON.stringify(shownEvent(event))}\n\n`;
