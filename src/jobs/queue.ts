import * as z from "zod";
import type { Services } from "../app.ts";
import { workOnJobs } from "../domain/transfers/work.ts";
import { indexTeam } from "../domain/indexing/index-team.ts";
import { jobPortsOf } from "./job-ports.ts";
import type { TeamRef } from "../domain/tenancy/team-ref.ts";
import { shardName } from "../domain/tenancy/shard-name.ts";

const message = z.strictObject({
  teamId: z.string().min(1).max(64),
  organizationId: z.string().min(1).max(64),
  shard: z.string().regex(shardName),
  /** The team has an import or export to be done. */
  job: z.literal(true).optional(),
});

/** Together well below the 15 minutes that a consumer has, and the lease of a track. */
const batchMs = 60_000;
/** Of one team's imports and exports; the rest is a message of its own as well. */
const jobsMs = 15_000;
/** Then the rest is a message of its own, so that one team's import does not keep the others waiting. */
const memoriesPerTurn = 5_000;
/**
 * A message that waits longer, or in vain so often, is left to the sweep; the dead letter queue is for work that nobody can do.
 */
const patienceSeconds = 60;
const patienceAttempts = 4;

/**
 * Announcements of teams whose memories changed. They may come twice, late, or not at all (platform, Queues): what there
 * is to do is read from the shard, so each is only a reason to look.
 */
export async function consumeJobs(services: Services, batch: MessageBatch, clock: () => number): Promise<void> {
  const deadline = clock() + batchMs;
  const turns = new Map<string, { team: TeamRef; hasJob: boolean; messages: Message[] }>();
  for (const received of batch.messages) {
    const parsed = message.safeParse(received.body);
    if (!parsed.success) {
      services.report("queue.message", received.id, new Error(z.prettifyError(parsed.error)));
      // Ends on the dead letter queue, where an operator sees it.
      received.retry();
      continue;
    }
    const { job, ...team } = parsed.data;
    const turn = turns.get(team.teamId) ?? { team, hasJob: false, messages: [] };
    turn.hasJob ||= job === true;
    turn.messages.push(received);
    turns.set(team.teamId, turn);
  }
  for (const { team, hasJob, messages } of turns.values()) {
    const [first, ...repeats] = messages as [Message, ...Message[]];
    for (const repeat of repeats) repeat.ack();
    if (clock() >= deadline) {
      first.retry();
      continue;
    }
    if (!(await services.indexing.teams.findTeam(team.teamId))) {
      // Erased, or about to be: nothing may be made of it any more.
      first.ack();
      continue;
    }
    if (hasJob) await turnOfJobs(services, team, clock, deadline);
    const outcome = await indexTeam(services.indexing, team, clock, { deadline, memories: memoriesPerTurn });
    if (outcome.state === "more") services.indexingQueue.enqueue(team);
    const wait = outcome.state === "waiting" ? Math.max(1, Math.ceil((outcome.until - clock()) / 1_000)) : 0;
    if (wait > 0 && wait <= patienceSeconds && first.attempts <= patienceAttempts) first.retry({ delaySeconds: wait });
    else first.ack();
  }
}

async function turnOfJobs(services: Services, team: TeamRef, clock: () => number, deadline: number): Promise<void> {
  try {
    const left = await workOnJobs(jobPortsOf(services), team, clock, Math.min(deadline, clock() + jobsMs));
    // What failed is left to the sweep.
    if (left === "more") await services.jobQueue.enqueueJob(team);
  } catch (error) {
    services.report("jobs", "", error);
  }
}
