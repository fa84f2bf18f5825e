import type { JobStore } from "../../../src/domain/transfers/job-store.ts";
import type { JobsContext } from "../../../src/domain/transfers/jobs.ts";
import { type JobPorts, workOnJobs } from "../../../src/domain/transfers/work.ts";
import { jobPortsOf } from "../../../src/jobs/job-ports.ts";
import { now, type Person, services, type Team } from "../../support/team.ts";

/** Somebody who asks for jobs; nobody works on them but the test. */
export const asking = ({ principal }: Person, at = now): JobsContext => ({ principal, now: at, tool: "vitest", jobs: services.jobs, jobQueue: { enqueueJob: () => Promise.resolve() }, runs: services.runs });

/** Works on the team's jobs as the queue does, with a clock of the test's choosing. */
export const work = ({ owner: { principal: { teamId, organizationId, shard } } }: Team, { at = now + 1_000, deadline = at + 60_000, jobs = services.jobs }: { at?: number; deadline?: number; jobs?: JobStore } = {}): Promise<string> => {
  const ports: JobPorts = { ...jobPortsOf(services), jobs, report: () => undefined };
  return workOnJobs(ports, { teamId, organizationId, shard }, () => at, deadline);
};

/** The store with some of its methods replaced. */
export const jobsWith = (replaced: Partial<JobStore>): JobStore =>
  Object.assign(Object.fromEntries((["insert", "find", "list", "end", "claim", "release", "advance", "fail", "piece", "writtenBy", "teamsWaiting", "dropResults", "drop"] as const).map((name) => [name, (...args: never[]) => (services.jobs[name] as (...args: never[]) => unknown)(...args)])), replaced) as unknown as JobStore;
