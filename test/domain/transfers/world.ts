import type { Job, JobStore } from "../../../src/domain/transfers/job-store.ts";
import { findJob, type JobsContext, startImport } from "../../../src/domain/transfers/jobs.ts";
import { parseTransfer } from "../../../src/domain/transfers/parse.ts";
import { type JobPorts, workOnJobs } from "../../../src/domain/transfers/work.ts";
import { jobPortsOf } from "../../../src/jobs/job-ports.ts";
import { send } from "../../http/raw.ts";
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

export const recordsIn = (data: string): Record<string, any>[] => data.split("\n").filter(Boolean).map((line) => JSON.parse(line) as Record<string, any>);
/** Without the memories. */
export const workIn = (data: string): Record<string, any>[] => recordsIn(data).filter(({ kind }) => kind !== undefined);

export async function exportOf(who: Person, query = ""): Promise<string> {
  const answer = await send({ token: who.token, method: "GET", path: `/v1/teams/${who.principal.teamId}/export?${query}` });
  return new TextDecoder().decode(await answer.arrayBuffer());
}

/** Imports the file by a job, and waits for its end. */
export async function bring(who: Person, place: Team, data: string): Promise<Job> {
  const { id } = await startImport(asking(who, Date.now()), { records: await parseTransfer(data, {}), onConflict: "update" });
  for (;;) {
    await work(place, { at: Date.now() });
    const one = await findJob(asking(who), id);
    if (!("job" in one)) throw new Error("a run");
    if (one.job.endedAt !== null) return one.job;
    await scheduler.wait(20);
  }
}
