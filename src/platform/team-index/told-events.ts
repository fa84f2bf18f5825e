import type { AlertWriter } from "../../domain/audit/watch.ts";
import type { RunStore } from "../../domain/curation/run-store.ts";
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
