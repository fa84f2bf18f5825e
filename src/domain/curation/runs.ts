import type { Context } from "../context.ts";
import { DomainError, notFound } from "../errors.ts";
import { uuidv7 } from "../ids.ts";
import type { WriteContext } from "../memories/memory-store.ts";
import { undoRevert, type UndoOutcome } from "../memories/revert.ts";
import { type Principal, requireScope } from "../tenancy/principal.ts";
import { requireAction } from "../tenancy/roles.ts";
import type { TeamRef } from "../tenancy/team-ref.ts";
import type { CuratorRun, RunChange, RunKind, RunStore } from "./run-store.ts";

/** Of one run, so that one call undoes it whole; what more there is waits for the next one. */
export const maxChanges = 500;

/** How the curator is told that a team has work; never rejects. It looks by itself every minute, so that a lost call costs no more than that. */
export interface CuratorWaker {
  wake(team: TeamRef): Promise<void>;
}

export interface RunsContext extends WriteContext {
  principal: Principal;
  runs: RunStore;
  curator: CuratorWaker;
}

/** Newest first. They say how many memories were changed, and not which. */
export async function listRuns(ctx: RunsContext, { limit }: { limit: number }): Promise<CuratorRun[]> {
  requireAction(ctx.principal, "see the team");
  return ctx.runs.list(ctx.principal, limit);
}

/** With what it did to the memories that the caller may see. */
export async function findRun({ principal, runs }: RunsContext, { id }: { id: string }): Promise<{ run: CuratorRun; changes: RunChange[] }> {
  requireAction(principal, "see the team");
  const [run, changes] = await Promise.all([runs.find(principal, id), runs.changed(principal, id, maxChanges)]);
  return { run: requireRun(run), changes };
}

/** Asks for a run now; of each kind one at a time. `isDry`: it counts what it would do, and writes nothing. */
export async function startRun(ctx: RunsContext, { kind, isDry }: { kind: RunKind; isDry: boolean }): Promise<CuratorRun> {
  const { principal, now, runs, curator } = ctx;
  requireAction(principal, "steer the curator");
  const run = await runs.request(principal, { id: uuidv7(now), kind, isDry, cursor: "", now });
  if (!run) throw new DomainError("CONFLICT", "A run of this kind is at work already.", { hint: "Wait until it has ended, or stop it." });
  await curator.wake({ teamId: principal.teamId, organizationId: principal.organizationId, shard: principal.shard });
  return run;
}

/** What it has done stays, until it is undone. */
export async function stopRun(ctx: RunsContext, { id }: { id: string }): Promise<CuratorRun> {
  const { principal, now, runs } = ctx;
  requireAction(principal, "steer the curator");
  requireRun(await runs.find(principal, id));
  await runs.end(principal, id, { now, state: "stopped" });
  return requireRun(await runs.find(principal, id));
}

/** The memories of a run as they were before it (`undoRevert`): those that the caller may change, and that nobody has changed since. */
export async function undoRun(ctx: Context, { runs }: Pick<RunsContext, "runs">, { id }: { id: string }): Promise<UndoOutcome> {
  requireScope(ctx.principal, "memory:write");
  requireScope(ctx.principal, "memory:read");
  requireRun(await runs.find(ctx.principal, id));
  const isEmpty = (await ctx.reversions.find(ctx.principal, id)) === undefined;
  return isEmpty ? { outcome: "undone", run: id, ids: [], kept: [], already: 0, gone: 0 } : undoRevert(ctx, { run: id });
}

function requireRun(run: CuratorRun | undefined): CuratorRun {
  if (!run) throw notFound("There is no run with this id.", "List the runs to see their ids.");
  return run;
}
