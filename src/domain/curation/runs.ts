import type { Context } from "../context.ts";
import { DomainError, notFound } from "../errors.ts";
import { type LinkUndoStore, undoLinkChanges } from "../evolution/link-decay.ts";
import { uuidv7 } from "../ids.ts";
import type { WriteContext } from "../memories/memory-store.ts";
import { undoRevert, type UndoOutcome } from "../memories/revert.ts";
import { type Principal, requireScope } from "../tenancy/principal.ts";
import { requireAction } from "../tenancy/roles.ts";
import { teamOf, type TeamRef } from "../tenancy/team-ref.ts";
import type { CuratorRun, Pause, RunChange, RunKind, RunStore } from "./run-store.ts";

/** Of one run, so that one call undoes it whole; what more there is waits for the next one. */
export const maxChanges = 500;

/** The way to a team's curator, which never rejects. The curator looks by itself every minute, so that a lost call costs no more than that. */
export interface CuratorClient {
  /** Tells it that the team has work, or that a person pauses it or lets it go on. */
  wake(team: TeamRef): Promise<void>;
  /** Answers when its work has changed since the mark `seen`, or the time is up, with the mark to ask with next; without a mark at once. */
  changed(team: TeamRef, seen: string | undefined, waitMs: number): Promise<string>;
}

export interface RunsContext extends WriteContext {
  principal: Principal;
  runs: RunStore;
  curator: CuratorClient;
}

/** Newest first, and whether the curator pauses. They say how many memories were changed, and not which. */
export async function listRuns({ principal, runs }: Pick<RunsContext, "principal" | "runs">, { limit }: { limit: number }): Promise<{ runs: CuratorRun[]; pause: Pause | undefined }> {
  requireAction(principal, "see the team");
  const [list, pause] = await Promise.all([runs.list(principal, limit), runs.pause(principal)]);
  return { runs: list, pause };
}

/** No step begins until it is taken back: what is due, or asked for, waits. */
export const pauseCurator = (ctx: RunsContext): Promise<Pause | undefined> => setPaused(ctx, true);
export const resumeCurator = (ctx: RunsContext): Promise<Pause | undefined> => setPaused(ctx, false);

async function setPaused(ctx: RunsContext, isPaused: boolean): Promise<Pause | undefined> {
  requireAction(ctx.principal, "steer the curator");
  await ctx.runs.setPaused(ctx.principal, ctx, isPaused);
  await ctx.curator.wake(teamOf(ctx.principal));
  return ctx.runs.pause(ctx.principal);
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
  await curator.wake(teamOf(principal));
  return run;
}

/** What it has done stays, until it is undone. */
export async function stopRun(ctx: RunsContext, { id }: { id: string }): Promise<CuratorRun> {
  const { principal, now, runs, curator } = ctx;
  requireAction(principal, "steer the curator");
  requireRun(await runs.find(principal, id));
  if (await runs.end(principal, id, { now, state: "stopped" })) await curator.wake(teamOf(principal));
  return requireRun(await runs.find(principal, id));
}

/** The memories of a run as they were before it (`undoRevert`): those that the caller may change, and that nobody has changed since. */
export async function undoRun(ctx: Context, { runs, linkChanges }: Pick<RunsContext, "runs"> & { linkChanges: LinkUndoStore }, { id }: { id: string }): Promise<UndoOutcome & { links: number }> {
  requireScope(ctx.principal, "memory:write");
  requireScope(ctx.principal, "memory:read");
  requireRun(await runs.find(ctx.principal, id));
  const isEmpty = (await ctx.reversions.find(ctx.principal, id)) === undefined;
  const links = await undoLinkChanges(ctx, linkChanges, id);
  return { ...(isEmpty ? { outcome: "undone", run: id, ids: [], kept: [], already: 0, gone: 0 } : await undoRevert(ctx, { run: id })), links };
}

function requireRun(run: CuratorRun | undefined): CuratorRun {
  if (!run) throw notFound("There is no run with this id.", "List the runs to see their ids.");
  return run;
}
