import { asDomainError, DomainError, type ErrorCode } from "../errors.ts";
import { backoff } from "../indexing/backoff.ts";
import type { Clock } from "../indexing/stage.ts";
import { mayWrite, type Principal } from "../tenancy/principal.ts";
import type { TeamRef } from "../tenancy/team-ref.ts";
import { exportStep } from "./export-step.ts";
import { importStep } from "./import-step.ts";
import type { WorkContext } from "./portable-work.ts";
import type { Job, JobStep, JobStore } from "./job-store.ts";

/** What a step did; `isLast`: there is nothing after it. */
export type StepResult = Omit<JobStep, "now" | "from"> & { isLast: boolean };

export interface JobPorts {
  jobs: JobStore;
  /** Who asked, with what they may do at this moment; undefined when they may not do it any more: the membership or the credential has ended. */
  principalOf(team: TeamRef, job: Job, now: number): Promise<Principal | undefined>;
  contextOf(principal: Principal, job: Job, now: number): WorkContext;
  report(event: string, error: unknown): void;
}

/** Longer than a step takes; after it, somebody else takes over what was left by one that died. */
export const leaseMs = 20_000;
/** One invocation of a Worker asks D1 at most a thousand times. */
const stepsAtOnce = 20;
/** After which a job is given up. Between them it waits, ms: whoever looks at it in an outage would use them up in seconds. */
const maxFailures = 5;
const retry = { first: 30_000, most: 5 * 60_000 };
/** To try again would not help. */
const final: ReadonlySet<ErrorCode> = new Set(["QUOTA_EXCEEDED", "STORAGE_FULL", "PERMISSION_DENIED", "VALIDATION_ERROR", "CONFLICT"]);

/**
 * Works on the team's jobs in the order in which they were asked for, a step at a time, until the deadline. A step that was interrupted is
 * done again and changes nothing twice. `more`: something is left to do at once.
 */
export async function workOnJobs(ports: JobPorts, team: TeamRef, clock: Clock, deadline: number): Promise<"idle" | "more" | "failed"> {
  for (;;) {
    const claimed = await ports.jobs.claim(team, clock(), leaseMs);
    if (!claimed) return "idle";
    const { job, isResumed } = claimed;
    try {
      if ((await workOn(ports, team, job, isResumed, clock, deadline)) === "more") {
        await ports.jobs.release(team, job.id);
        return "more";
      }
    } catch (error) {
      ports.report(`job.${job.options.kind}`, error);
      const code = asDomainError(error)?.code ?? "INTERNAL_ERROR";
      const owner = requesterOf(team, job);
      if (final.has(code) || job.failures + 1 >= maxFailures) await ports.jobs.end(owner, job.id, { now: clock(), state: "failed", error: code });
      else await ports.jobs.fail(owner, job.id, code, clock() + backoff(retry, job.failures + 1));
      return "failed";
    }
    if (clock() >= deadline) return "more";
  }
}

async function workOn(ports: JobPorts, team: TeamRef, claimed: Job, isResumed: boolean, clock: Clock, deadline: number): Promise<"ended" | "more"> {
  const { jobs } = ports;
  const principal = await ports.principalOf(team, claimed, clock());
  if (!principal || !mayWrite(principal)) {
    await jobs.end(requesterOf(team, claimed), claimed.id, { now: clock(), state: "cancelled", error: "PERMISSION_DENIED" });
    return "ended";
  }
  const job = { ...claimed };
  for (let steps = 1; ; steps += 1) {
    const now = clock();
    const ctx = ports.contextOf(principal, job, now);
    const { isLast, ...step } = await (job.options.kind === "import" ? importStep(ctx, jobs, job, isResumed && steps === 1) : exportStep(ctx, job));
    // Cancelled, or somebody else's by now.
    if (!(await jobs.advance(principal, job.id, { ...step, now: clock(), from: job.cursor }, leaseMs))) return "ended";
    Object.assign(job, step, { failures: 0 });
    if (isLast) {
      await jobs.end(principal, job.id, { now: clock(), state: "done" });
      return "ended";
    }
    if (steps >= stepsAtOnce || clock() >= deadline) return "more";
  }
}

/** Enough to say what becomes of the job, and to do nothing else. */
const requesterOf = ({ teamId, organizationId, shard }: TeamRef, { requestedBy, credential }: Job): Principal => ({ userId: requestedBy, teamId, organizationId, shard, role: "viewer", scopes: [], credential });

/** A file that is larger than what may be made at once. */
export const tooLarge = (message: string): DomainError => new DomainError("QUOTA_EXCEEDED", message);

export interface JobSweepPorts extends JobPorts {
  teams: { findTeam(id: string): Promise<TeamRef | undefined>; listShards(): Promise<string[]> };
}

const sweepTeams = 50;
const jobLifeMs = 90 * 86_400_000;

/** Drops what is over, and works on jobs that nobody works on: their message was lost, or the server died. */
export async function sweepJobs(ports: JobSweepPorts, clock: Clock, deadline: number, resultLifeMs: number): Promise<void> {
  for (const shard of await ports.teams.listShards()) {
    try {
      await ports.jobs.drop(shard, { pieces: clock() - resultLifeMs, jobs: clock() - jobLifeMs });
      for (const id of await ports.jobs.teamsWaiting(shard, clock(), sweepTeams)) {
        if (clock() >= deadline) return;
        const team = await ports.teams.findTeam(id);
        if (team) await workOnJobs(ports, team, clock, deadline);
      }
    } catch (error) {
      ports.report("jobs.sweep", error);
    }
  }
}
