import type { TeamHome } from "../search/vector-index.ts";
import { follow, type Budget, type FollowPorts, type Outcome } from "./follow.ts";
import type { ExpectedTrack } from "./ports.ts";
import type { Clock, Stage } from "./stage.ts";

/** What is done for each team whose memories changed. The composition root lists them. */
export interface IndexingTask {
  /** What every team is expected to have done; a team that is behind is looked after by the sweep. */
  readonly tracks: ExpectedTrack[];
  run(home: TeamHome, clock: Clock, budget: Budget): Promise<Outcome>;
}

/** A task that is one stage, such as drawing a graph from the memories. */
export const stageTask = (ports: FollowPorts, stage: Stage): IndexingTask => ({
  tracks: [{ stage: stage.name, space: stage.space, follows: "memories" }],
  run: (home, clock, budget) => follow(ports, home, stage, clock, budget),
});
