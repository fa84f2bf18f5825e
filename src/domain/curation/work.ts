import { asDomainError } from "../errors.ts";
import { uuidv7 } from "../ids.ts";
import type { Clock } from "../indexing/stage.ts";
import type { TeamRef } from "../tenancy/team-ref.ts";
import { upkeepIn } from "../tenancy/upkeep.ts";
import { type CuratorRun, type RunStore } from "./run-store.ts";
import { maxChanges } from "./runs.ts";
import { rulesOf, type WorkKind } from "./work-kind.ts";

export interface WorkPorts {
  runs: RunStore;
  kinds: readonly WorkKind[];
  report(event: string, error: unknown): void;
}

/** Bounds of one turn. */
export interface TurnLimits {
  /** When to stop taking on more, ms since the epoch. */
  deadline: number;
  /** Whether to go on, asked before each step: a person may have paused or stopped it. */
  mayGoOn(): boolean;
  /** Told after each step. */
  onProgress(run: CuratorRun): void;
}

export type TurnOutcome = { state: "idle" } | { state: "more" | "ended"; run: CuratorRun };

/** After which a run is given up; the next one that is due begins anew, sooner where a service was down. */
const maxFailures = 5;

/** After a service was down for all of a run; twice as long after each further one in a row, until the next run is due anyway. */
const retryMs = 3_600_000;
/** Of a team, in which those in a row are looked for. */
const lookedAt = 20;

/** Asks for the runs that are due, at most one of each kind. Asked twice, it asks once. Answers when one that a service failed is due again. */
export async function requestDue({ runs, kinds }: WorkPorts, team: TeamRef, now: number): Promise<number | undefined> {
  const principal = upkeepIn(team, "");
  if (await runs.pause(principal)) return undefined;
  let retryAt: number | undefined;
  for (const { name, every, isWanted } of kinds) {
    const last = await runs.lastEnded(principal, name);
    const wait = last && isOutage(last) ? Math.min(every, retryMs * 2 ** (inARow((await runs.list(principal, lookedAt)).filter((run) => run.kind === name)) - 1)) : every;
    // One that reached its limit goes on in the next turn. A clock that was put back is not waited for.
    const isDue = !last || last.isCut || now - last.requestedAt >= wait || now < last.requestedAt - every;
    if (isDue) {
      if (await isWanted(team)) await runs.request(principal, { id: uuidv7(now), kind: name, isDry: false, cursor: last?.isCut ? last.cursor : "", now });
    } else if (wait < every) retryAt = Math.min(retryAt ?? Infinity, last.requestedAt + wait);
  }
  return retryAt;
}

const isOutage = ({ state, error }: CuratorRun): boolean => state === "failed" && error === "PROVIDER_ERROR";

/** How many of a kind's runs, newest first, a service failed one after the other. */
function inARow(runs: readonly CuratorRun[]): number {
  const ended = runs.filter(({ isDry, endedAt }) => !isDry && endedAt !== null);
  const other = ended.findIndex((run) => !isOutage(run));
  return Math.max(1, other === -1 ? ended.length : other);
}

/**
 * Works on the run that was asked for first, a step at a time, until it ends or the limits are reached. Each step is kept before
 * the next one begins; one that was interrupted is done again and changes nothing twice. @throws what the step threw, once it is counted
 */
export async function workOn({ runs, kinds, report }: WorkPorts, team: TeamRef, clock: Clock, { deadline, mayGoOn, onProgress }: TurnLimits): Promise<TurnOutcome> {
  const principal = upkeepIn(team, "");
  const [opened, pause] = await Promise.all([runs.open(principal), runs.pause(principal)]);
  if (!opened || pause) return { state: "idle" };
  const { id } = opened;
  const kind = kinds.find(({ name }) => name === opened.kind);
  const left = (run: CuratorRun): TurnOutcome => {
    onProgress(run);
    return { state: "ended", run };
  };
  const ended = async (how: Parameters<RunStore["end"]>[2]): Promise<TurnOutcome> => {
    await runs.end(principal, id, how);
    return left((await runs.find(principal, id)) as CuratorRun);
  };
  if (!kind) return ended({ now: clock(), state: "failed", error: "UNKNOWN_KIND" });
  if (opened.requestedBy === principal.userId && !(await kind.isWanted(team))) return ended({ now: clock(), state: "stopped" });
  if (opened.state === "waiting") await runs.begin(principal, id, clock());
  const run: CuratorRun = { ...opened, state: "running", startedAt: opened.startedAt ?? clock() };
  onProgress(run);
  try {
    let changed = run.isDry ? 0 : total(await runs.changes(principal, id));
    while (mayGoOn() && clock() < deadline) {
      if (changed >= maxChanges) return await ended({ now: clock(), state: "done", isCut: true });
      const step = await kind.step({ team, run, now: clock(), cursor: run.cursor, changes: maxChanges - changed });
      const changes = run.isDry ? undefined : await runs.changes(principal, id);
      const counts = countsOf(run, step.counts, changes);
      changed = changes ? total(changes) : 0;
      const advance = { now: clock(), from: run.cursor, cursor: step.cursor, counts };
      // Stopped, or somebody else's by now.
      if (!(await runs.advance(principal, id, advance))) return left((await runs.find(principal, id)) ?? run);
      Object.assign(run, { cursor: step.cursor, counts, failures: 0 });
      onProgress({ ...run });
      if (step.isLast) return await ended({ now: clock(), state: "done" });
    }
    return { state: "more", run };
  } catch (error) {
    report(`curator.${kind.name}`, error);
    const code = asDomainError(error)?.code ?? "FAULT";
    await runs.fail(principal, id, code);
    if (opened.failures + 1 >= maxFailures) return ended({ now: clock(), state: "failed", error: code });
    throw error;
  }
}

const total = (changes: ReadonlyMap<string, number>): number => [...changes.values()].reduce((sum, count) => sum + count, 0);

/** Counts of what no version tells. */
const unwritten: ReadonlySet<string> = new Set(["looked_at", "put_off"]);

/** What was changed is counted where it stands, in the versions, so that a step that was done twice counts once. */
function countsOf({ counts }: CuratorRun, step: Record<string, number>, changes: ReadonlyMap<string, number> | undefined): Record<string, number> {
  const added: Record<string, number> = { ...counts };
  for (const [name, count] of Object.entries(step)) if (!changes || unwritten.has(name)) added[name] = (added[name] ?? 0) + count;
  if (!changes) return added;
  const written: Record<string, number> = {};
  for (const [tool, count] of changes) for (const rule of rulesOf(tool)) written[rule] = (written[rule] ?? 0) + count;
  return { ...added, ...written };
}
