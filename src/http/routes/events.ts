import type { Context as Request } from "hono";
import * as z from "zod";
import type { Services } from "../../app.ts";
import { invalid } from "../../domain/errors.ts";
import { adminAudience, type NumberedEvent } from "../../domain/events/team-event.ts";
import { requireScope, type Principal } from "../../domain/tenancy/principal.ts";
import { listTeams } from "../../domain/tenancy/teams.ts";
import { callerInTeam, callingPerson, findCaller, type RestEnv } from "./caller.ts";
import { acceptsStream, isStillAllowed, retryMs, streamed } from "./event-stream.ts";
import { withQuery } from "./query.ts";
import { Hono } from "../hono.ts";

export const query = z.strictObject({ team: z.string().max(64).optional() });

/** How long one question waits at the team's object. */
const waitMs = 20_000;

/** The events of a team as they happen, for those who accept a stream; for others a page of what they have not heard, resumed by Last-Event-ID. */
export function eventRoutes(services: Services): Hono<RestEnv> {
  const app = new Hono<RestEnv>();
  app.use(findCaller(services));
  app.get("/", withQuery(query, async (c, { team }) => {
    const principal = await subscriber(services, c, team);
    const given = c.req.header("last-event-id");
    if (given !== undefined && !/^\d{1,15}$/.test(given)) throw invalid("Last-Event-ID is not one that this server gave.", "Send the id of the last event heard, or leave it out.");
    const after = given === undefined ? undefined : Number(given);
    if (!acceptsStream(c)) {
      const { events, last, hasGap } = await services.events.events(principal, { after, waitMs: 0 });
      return c.json({ events: events.map((event) => ({ id: String(event.id), ...shownEvent(event) })), last_event_id: String(last), gap: hasGap });
    }
    return streamed(services, { turn: turnsAfter(services, principal, after), isStill: () => isStillAllowed(services, c, principal, () => subscriber(services, c, team)) });
  }));
  return app;
}

async function subscriber(services: Services, c: Request<RestEnv>, team: string | undefined): Promise<Principal> {
  const { principal } = await callerInTeam(services, c, team ?? (c.get("caller").kind === "key" ? undefined : await onlyTeam(services, c)));
  requireScope(principal, "memory:read");
  return principal;
}

async function onlyTeam(services: Services, c: Request<RestEnv>): Promise<string> {
  const [first, ...others] = await listTeams(callingPerson(services, c));
  if (!first || others.length > 0) throw invalid("A browser's person may be in several teams.", "Name one: /v1/events?team=<id>.");
  return first.id;
}

function turnsAfter({ events }: Services, principal: Principal, lastEventId: number | undefined): (isFirst: boolean) => Promise<string> {
  let after = lastEventId;
  return async (isFirst) => {
    // The first turn does not wait: it says from where on the client hears.
    const page = await events.events(principal, { after, waitMs: isFirst ? 0 : waitMs });
    after = page.last;
    const opening = isFirst ? `retry: ${retryMs}\n: events from here on\nid: ${page.events.at(-1)?.id ?? page.last}\n\n` : "";
    const gap = page.hasGap ? "event: gap\ndata: {}\n\n" : "";
    return `${page.events.length === 0 ? opening : `retry: ${retryMs}\n\n`}${gap}${page.events.map(shown).join("")}`;
  };
}

const shownEvent = ({ kind, at, memoryIds, actorId, tool, audience, action, sessionId, requestId }: NumberedEvent) => ({
  kind,
  at: new Date(at).toISOString(),
  ...(action === undefined ? {} : { action }),
  ...(sessionId === undefined ? {} : { session_id: sessionId }),
  ...(memoryIds.length > 0 ? { memory_ids: memoryIds } : {}),
  ...(kind === "job" ? { job: requestId } : {}),
  actor_id: actorId,
  tool,
  scope: audience === "" ? "team" : audience === adminAudience ? "admins" : "private",
});

/** JSON is one line, whatever a client calls itself. */
const shown = (event: NumberedEvent): string => `id: ${event.id}\nevent: ${event.kind}\ndata: ${JSON.stringify(shownEvent(event))}\n\n`;
