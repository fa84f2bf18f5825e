import type { Context as Request } from "hono";
import type { Services } from "../../app.ts";
import type { Principal } from "../../domain/tenancy/principal.ts";
import { callOrigin } from "../call-origin.ts";
import { bearerToken, proveCredential } from "../credentials.ts";
import type { RestEnv } from "./caller.ts";

/** Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
const streamType = "text/event-stream";

/** A stream is over after so many turns, and the client comes again: one invocation of a Worker may ask only so often. */
const mostTurns = 30;
export const retryMs = 1_000;

/** Whether the client takes events as they happen; the others get a page. */
export function acceptsStream(c: Request<RestEnv>): boolean {
  const accepted = c.req.header("accept") ?? "";
  return accepted.includes(streamType) && !accepted.includes("application/json");
}

/** Whoever left the team, or whose key was revoked, hears no more. `again`: who a browser's person is by now. */
export async function isStillAllowed(services: Services, c: Request<RestEnv>, before: Principal, again: () => Promise<Principal>): Promise<boolean> {
  try {
    const token = bearerToken(c.req.header("authorization"));
    if (token === undefined) return (await again()).userId === before.userId;
    const presented = { token, from: callOrigin(c.req.raw.headers, c.get("requestId")), resource: undefined };
    const proof = await proveCredential(services, { keys: services.keys, tokens: services.oauth }, presented, (work) => c.executionCtx.waitUntil(work), Date.now());
    return proof.kind === "ok" && proof.principal.teamId === before.teamId && proof.principal.scopes.includes("memory:read");
  } catch {
    return false;
  }
}

/** `turn` waits for what there is to say; before it is said, the credential is proven anew. */
export function streamed({ report }: Pick<Services, "report">, { turn, isStill }: { turn: (isFirst: boolean) => Promise<string>; isStill: () => Promise<boolean> }): Response {
  const encoder = new TextEncoder();
  let turns = 0;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        if (turns >= mostTurns) return controller.close();
        turns += 1;
        const said = await turn(turns === 1);
        if (turns > 1 && !(await isStill())) return controller.close();
        controller.enqueue(encoder.encode(said || ": alive\n\n"));
      } catch (error) {
        report("events", "", error);
        controller.close();
      }
    },
  });
  return new Response(body, { headers: { "content-type": streamType, "cache-control": "no-store, no-transform", "x-accel-buffering": "no" } });
}
