import type { TeamRef } from "../tenancy/team-ref.ts";
import { follow, type Budget, type FollowPorts, type Outcome } from "./follow.ts";
import type { ExpectedCursor } from "./progress-store.ts";
import type { Clock, Stage } from "./stage.ts";

/** Work for each team whose memories changed. The composition root lists the tasks. */
export interface IndexingTask {
  /** Cursors that every team is expected to have moved; the sweep runs the task for a team that is behind. */
  readonly expectedCursors: ExpectedCursor[];
  run(team: TeamRef, clock: Clock, budget: Budget): Promise<Outcome>;
}

/** A task that is one stage, such as drawing a graph from the memories. */
export const stageTask = (ports: FollowPorts, stage: Stage): IndexingTask => ({
  expectedCursors: [{ stage: stage.name, space: stage.space, follows: "memories" }],
  run: (team, clock, budget) => follow(ports, team, stage, clock, budget),
});
