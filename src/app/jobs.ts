import type { JobQueue, JobStore } from "../domain/transfers/job-store.ts";
import { TextBox } from "../domain/secrets/sealed-text.ts";
import { D1JobStore } from "../platform/d1/job-store.ts";
import { CloudflareJobQueue } from "../platform/queue/cloudflare-job-queue.ts";
import { jobsWithEvents, type Publish } from "../platform/team-index/told-events.ts";
import type { Base } from "./base.ts";

/** Long imports and exports. */
export interface Jobs {
  jobs: JobStore;
  jobQueue: JobQueue;
}

export const jobsOf = (env: Env, { shardOf, teamKeys, room, report }: Pick<Base, "shardOf" | "teamKeys" | "room" | "report">, publish: Publish): Jobs => ({
  jobs: jobsWithEvents(new D1JobStore(shardOf, new TextBox(teamKeys), room), publish),
  jobQueue: new CloudflareJobQueue(env.JOBS, report),
});
