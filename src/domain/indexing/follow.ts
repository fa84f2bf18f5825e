import type { Memory } from "../memories/memory.ts";
import type { TeamRef } from "../tenancy/team-ref.ts";
import { backoff, memoryRetry, stageRetry } from "./backoff.ts";
import type { ChangePage, ProgressStore } from "./progress-store.ts";
import { LeaseLost, StageFailure, type Change, type Clock, type Run, type SetAside, type Stage, type CursorKey } from "./stage.ts";

export interface FollowPorts {
  progress: ProgressStore;
  report(event: string, error: unknown): void;
}

/** Where a stage reads what changed. */
export interface Feed<T extends Change> {
  changesAfter(cursorKey: CursorKey, cursor: number, limit: number): Promise<ChangePage<T>>;
  /** Set aside, and now to be tried again. */
  due(cursorKey: CursorKey, now: number, limit: number): Promise<T[]>;
}

export interface Budget {
  /** When to stop taking on more, ms since the epoch. */
  deadline: number;
  /** Most memories of one run, or of what else a stage follows. */
  memories: number;
}

/** `waiting`: another run is at work, or the stage failed; nothing to do before `until`. */
export type Outcome = { state: "done" | "more" } | { state: "waiting"; until: number };

/** Longer than a page can take: a slice of `pageMs`, one call of an embedder that hangs, the index, D1. */
export const leaseMs = 180_000;
/** After so long a page ends where it is, so that progress is kept. */
const pageMs = 20_000;
/** Keeps a page of 10,000-character memories at 5 MB, and the vectors of one in a single call to Vectorize. */
const pageSize = 500;
/** Retried ones mostly fail again, and then each costs calls of its own. */
const dueSize = 32;

/** Brings one stage that follows the memories of a team up to date, a page at a time. */
export const follow = (ports: FollowPorts, team: TeamRef, stage: Stage<Memory>, clock: Clock, budget: Budget): Promise<Outcome> =>
  followFeed(ports, ports.progress, team, stage, clock, budget);

export function followFeed<T extends Change>(ports: FollowPorts, feed: Feed<T>, team: TeamRef, stage: Stage<T>, clock: Clock, budget: Budget): Promise<Outcome> {
  return underLease(ports, { team, stage: stage.name, space: stage.space }, clock, async (run, begun) => {
    let { cursor } = begun;
    const take = async (changes: T[], move: (done: number) => { from: number; to: number } | undefined) => {
      const deadline = Math.min(budget.deadline, clock() + pageMs);
      const { done, setAside, interrupted } = await stage.take(run, changes, { clock, attempts: begun.attempts, deadline });
      const now = clock();
      const moved = move(done);
      await ports.progress.advance(run, {
        now,
        until: now + leaseMs,
        ...(moved ? { cursor: moved } : {}),
        ids: changes.slice(0, done).map(({ id }) => id),
        setAside: setAside.map((failed: SetAside) => ({ ...failed, retryIn: memoryRetry })),
      });
      begun.attempts = 0;
      cursor = moved?.to ?? cursor;
      if (interrupted) throw interrupted;
      return done === changes.length;
    };

    for (let left = budget.memories; ; ) {
      const page = await feed.changesAfter(run, cursor, Math.min(pageSize, left));
      if (page.upTo > cursor) {
        const from = cursor;
        const whole = await take(page.items, (done) => ({
          from,
          to: done === page.items.length ? page.upTo : (page.items[done - 1]?.seq ?? from),
        }));
        left -= page.items.length;
        if (!whole) return "more";
      }
      if (page.last) break;
      if (left <= 0 || clock() >= budget.deadline) return "more";
    }
    const due = await feed.due(run, clock(), dueSize);
    if (due.length > 0 && !(await take(due, () => undefined))) return "more";
    return due.length === dueSize ? "more" : "done";
  });
}

/**
 * Does the work if nobody else does; a failure makes the track wait, longer each time. Whoever gets something done in
 * between sets `begun.attempts` to 0.
 */
export async function underLease(
  ports: FollowPorts,
  cursorKey: CursorKey,
  clock: Clock,
  work: (run: Run, begun: { cursor: number; attempts: number }) => Promise<"done" | "more">,
): Promise<Outcome> {
  const run: Run = { ...cursorKey, lease: crypto.randomUUID() };
  const begun = await ports.progress.acquire(run, clock(), clock() + leaseMs);
  if (begun.kind === "waiting") return { state: "waiting", until: begun.until };
  try {
    const state = await work(run, begun);
    await ports.progress.release(run, clock());
    return { state };
  } catch (error) {
    // The run that has the lease now does the rest.
    if (error instanceof LeaseLost) return { state: "waiting", until: clock() + leaseMs };
    ports.report(`indexing.${cursorKey.stage}`, error);
    const { code, retryAfter } = error instanceof StageFailure ? error : { code: "fault", retryAfter: undefined };
    const now = clock();
    const notBefore = now + Math.max(retryAfter ?? 0, backoff(stageRetry, begun.attempts + 1));
    await ports.progress.fail(run, now, { code, notBefore });
    return { state: "waiting", until: notBefore };
  }
}
