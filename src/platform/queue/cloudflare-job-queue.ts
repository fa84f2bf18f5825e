import type { JobQueue } from "../../domain/transfers/job-store.ts";
import type { TeamRef } from "../../domain/tenancy/team-ref.ts";

/** Says on the queue that a team has a job, in a message that the team's memories have none of. */
export class CloudflareJobQueue implements JobQueue {
  readonly #queue: Queue<TeamRef & { job: true }>;
  readonly #report: (event: string, error: unknown) => void;

  constructor(queue: Queue<TeamRef & { job: true }>, report: (event: string, error: unknown) => void) {
    this.#queue = queue;
    this.#report = report;
  }

  async enqueueJob({ teamId, organizationId, shard }: TeamRef): Promise<void> {
    try {
      await this.#queue.send({ teamId, organizationId, shard, job: true });
    } catch (error) {
      // The sweep finds the job in any case.
      this.#report("queue.send", error);
    }
  }
}
