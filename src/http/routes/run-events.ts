import type { Context as Request } from "hono";
import type { Services } from "../../app.ts";
import type { CuratorRun, Pause } from "../../domain/curation/run-store.ts";
import { listRuns, type RunsContext } from "../../domain/curation/runs.ts";
import { teamOf } from "../../domain/tenancy/team-ref.ts";
import type { RestEnv } from "./caller.ts";
import { acceptsStream, isStillAllowed, retryMs, streamed } from "./event-stream.ts";
import { shownPause, shownRun } from "./shown-run.ts";

/** How long one question waits at the curator. */
const waitMs = 20_000;
/** Between two events, so that a run of many short steps is told in a few. */
const gatherMs = 500;
/** Of a kind there is one open run, and between two events few end. */
const looksAt = 20;

/** The run at work or, before it, the one that waits longest; in counts alone, as everybody in the team sees them. */
const presentOf = (runs: readonly CuratorRun[]): CuratorRun | undefined =>
  runs.find(({ state }) => state === "running") ?? runs.findLast(({ state }) => state === "waiting");

const stateOf = (runs: readonly CuratorRun[], pause: Pause | undefined): Record<string, unknown> => {
  const present = presentOf(runs);
  return { ...shownPause(pause), run: present ? shownRun(present) : null };
};

/** What the curator does for a team, as it does it: `state` whenever something is another than before, `ended` with each run that ended. */
export async function runEvents(services: Services, c: Request<RestEnv>, context: () => Promise<RunsContext>): Promise<Response> {
  const ctx = await context();
  const { runs, pause } = await listRuns(ctx, { limit: looksAt });
  if (!acceptsStream(c)) return c.json(stateOf(runs, pause));
  return streamed(services, { turn: turnsOf(ctx), isStill: () => isStillAllowed(services, c, ctx.principal, async () => (await context()).principal) });
}

function turnsOf(ctx: RunsContext): (isFirst: boolean) => Promise<string> {
  const team = teamOf(ctx.principal);
  let mark: string | undefined;
  let told = "";
  let ended: Set<string> | undefined;
  return async (isFirst) => {
    if (!isFirst) await new Promise((resolve) => setTimeout(resolve, gatherMs));
    // The mark is from before the look: what changes in between is told next.
    mark = await ctx.curator.changed(team, mark, waitMs);
    const { runs, pause } = await listRuns(ctx, { limit: looksAt });
    const over = runs.filter(({ endedAt }) => endedAt !== null);
    const ends = over.filter(({ id }) => ended && !ended.has(id)).toReversed().map((run) => `event: ended\ndata: ${JSON.stringify(shownRun(run))}\n\n`);
    ended = new Set(over.map(({ id }) => id));
    const state = JSON.stringify(stateOf(runs, pause));
    const news = state === told ? "" : `event: state\ndata: ${state}\n\n`;
    told = state;
    return `${isFirst ? `retry: ${retryMs}\n\n` : ""}${ends.join("")}${news}`;
  };
}
