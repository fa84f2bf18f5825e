import type { AlertWriter } from "../../domain/audit/watch.ts";
import type { RunStore } from "../../domain/curation/run-store.ts";
import type { Job, JobStore } from "../../domain/transfers/job-store.ts";
import { adminAudience, type TeamEvent } from "../../domain/events/team-event.ts";
import { systemActor } from "../../domain/audit/audit-trail.ts";
import { curatorActor } from "../../domain/tenancy/principal.ts";

/** How the event bus of a team is told of what happens outside of its object. What cannot be told is no fault of what happened. */
export type Publish = (teamId: string, events: TeamEvent[]) => Promise<void>;

/** Alerts are told to the team's admins, who alone may read them, once they are stored. */
export const alertsWithEvents = (alerts: AlertWriter, publish: Publish): AlertWriter => ({
  progressOf: (source) => alerts.progressOf(source),
  async raise(source, ...rest) {
    const raised = await alerts.raise(source, ...rest);
    for (const { teamId, createdAt, rule } of raised) {
      if (teamId !== null) await publish(teamId, [{ kind: "alert", at: createdAt, audience: adminAudience, memoryIds: [], actorId: systemActor, tool: rule, requestId: "" }]);
    }
    return raised;
  },
});

/** The end of a run of the curator is told to the team, as its list of runs is. */
export const runsWithEvents = (runs: RunStore, publish: Publish): RunStore => ({
  request: (...args) => runs.request(...args),
  find: (...args) => runs.find(...args),
  list: (...args) => runs.list(...args),
  open: (...args) => runs.open(...args),
  lastEnded: (...args) => runs.lastEnded(...args),
  begin: (...args) => runs.begin(...args),
  advance: (...args) => runs.advance(...args),
  async end(principal, id, how) {
    const ended = await runs.end(principal, id, how);
    if (ended) await publish(principal.teamId, [{ kind: "job", at: how.now, audience: "", memoryIds: [], actorId: curatorActor, tool: "curator", requestId: id }]);
    return ended;
  },
  fail: (...args) => runs.fail(...args),
  changed: (...args) => runs.changed(...args),
  changes: (...args) => runs.changes(...args),
  pause: (...args) => runs.pause(...args),
  setPaused: (...args) => runs.setPaused(...args),
});

/** Imports and exports are told to who asked for them: when one begins to wait, begins and ends. */
export function jobsWithEvents(jobs: JobStore, publish: Publish): JobStore {
  const tell = (teamId: string, at: number, { id, requestedBy, options }: Pick<Job, "id" | "requestedBy" | "options">): Promise<void> =>
    publish(teamId, [{ kind: "job", at, audience: requestedBy, memoryIds: [], actorId: requestedBy, tool: options.kind, requestId: id }]);
  return {
    async insert(principal, job, ...rest) {
      const made = await jobs.insert(principal, job, ...rest);
      if (made !== "full" && made.requestedAt === job.now) await tell(principal.teamId, job.now, made);
      return made;
    },
    find: (...args) => jobs.find(...args),
    list: (...args) => jobs.list(...args),
    async end(principal, id, how) {
      const ended = await jobs.end(principal, id, how);
      const job = ended ? await jobs.find(principal, id) : undefined;
      if (job) await tell(principal.teamId, how.now, job);
      return ended;
    },
    async claim(team, now, leaseMs) {
      const claimed = await jobs.claim(team, now, leaseMs);
      if (claimed && !claimed.isResumed) await tell(team.teamId, now, claimed.job);
      return claimed;
    },
    release: (...args) => jobs.release(...args),
    advance: (...args) => jobs.advance(...args),
    fail: (...args) => jobs.fail(...args),
    piece: (...args) => jobs.piece(...args),
    writtenBy: (...args) => jobs.writtenBy(...args),
    teamsWaiting: (...args) => jobs.teamsWaiting(...args),
    dropResults: (...args) => jobs.dropResults(...args),
    drop: (...args) => jobs.drop(...args),
  };
}
