import type { Embedders } from "../search/embedder.ts";
import type { TeamHome } from "../search/vector-index.ts";
import { follow, leaseMs, underLease, type Budget, type FollowPorts } from "./follow.ts";
import type { Clock } from "./stage.ts";
import type { IndexingTask } from "./task.ts";
import { removeDoomed, vectorStage, vectorStageName, type VectorPorts } from "./vector-stage.ts";

export interface VectorTaskPorts extends FollowPorts, VectorPorts {
  embedders: Embedders;
}

/**
 * Memories a run embeds anew for a space that does not serve yet: with a run a minute, 100,000 are done within the hour,
 * and the provider's 3,000 calls a minute (Workers AI) are left to what is being written and asked.
 */
const backgroundMemories = 2_000;
/** How long a query may go on in a space after it stopped serving; see `ServingSpaces`. */
export const retireAfterMs = 10 * 60_000;
const retireBatch = 1_000;

/**
 * Keeps each team's vectors as its memories are. After a change of the model the old vectors serve, and are kept current,
 * until the new ones are complete; then they go. When nothing is left that could embed a query for the old ones, the new
 * ones serve at once.
 */
export function vectorTask(ports: VectorTaskPorts): IndexingTask {
  const { embedders, vectors } = ports;
  const { current } = embedders;

  return {
    tracks: [{ stage: vectorStageName, space: current.space }],
    async run(home, clock, budget) {
      const { serving, known } = await vectors.spaces(home);
      const earlier = serving && serving.space !== current.space ? embedders.bySpace(serving.space) : undefined;
      if (!earlier) {
        if (serving?.space !== current.space) await vectors.serve(home, current.space, serving?.space, clock());
        const outcome = await follow(ports, home, vectorStage(ports, current), clock, budget);
        if (serving?.space === current.space && clock() >= serving.since + retireAfterMs) {
          await retireAll(home, known.filter((space) => space !== current.space), clock, budget);
        }
        return outcome;
      }
      const outcome = await follow(ports, home, vectorStage(ports, earlier), clock, budget);
      const share = { ...budget, memories: Math.min(budget.memories, backgroundMemories) };
      const built = await follow(ports, home, vectorStage(ports, current), clock, share);
      if (built.state === "done") await vectors.serve(home, current.space, earlier.space, clock());
      await retireAll(home, known.filter((space) => space !== current.space && space !== earlier.space), clock, budget);
      return outcome;
    },
  };

  async function retireAll(home: TeamHome, spaces: string[], clock: Clock, budget: Budget): Promise<void> {
    for (const space of spaces) {
      await underLease(ports, { home, stage: vectorStageName, space }, clock, async (run) => {
        while (await vectors.retire(run, clock() + leaseMs, retireBatch)) {
          await removeDoomed(ports, run);
          if (clock() >= budget.deadline) return "more";
        }
        await removeDoomed(ports, run);
        await vectors.forget(run);
        return "done";
      });
    }
  }
}

