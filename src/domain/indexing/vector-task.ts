import type { Embedder, Embedders } from "../search/embedder.ts";
import { vectorKinds, type TeamHome } from "../search/vector-index.ts";
import type { GraphWriter } from "../graph/ports.ts";
import { follow, followFeed, leaseMs, underLease, type Budget, type FollowPorts, type Outcome } from "./follow.ts";
import type { Clock, Track } from "./stage.ts";
import type { IndexingTask } from "./task.ts";
import { removeDoomed, type VectorPorts } from "./vector-page.ts";
import { graphVectorStage, graphVectorStageName, vectorStage, vectorStageName } from "./vector-stage.ts";

export interface VectorTaskPorts extends FollowPorts, VectorPorts {
  graph: Pick<GraphWriter, "changedDocuments">;
  embedders: Embedders;
}

/**
 * Memories a run embeds anew for a space that does not serve yet: with a run a minute, 100,000 are done within the hour,
 * and the provider's 3,000 calls a minute (Workers AI) are left to what is being written and asked.
 */
const backgroundMemories = 2_000;
/** Their names and statements are short, and several to a memory. */
const backgroundDocuments = 10_000;
/** How long a query may go on in a space after it stopped serving; see `ServingSpaces`. */
export const retireAfterMs = 10 * 60_000;
const retireBatch = 1_000;

/**
 * Keeps each team's vectors of memories as its memories are. After a change of the model the old vectors serve, and are kept current,
 * until the new ones are complete; then they go. When nothing is left that could embed a query for the old ones, the new
 * ones serve at once.
 */
export function vectorTask(ports: VectorTaskPorts): IndexingTask {
  const { embedders, vectors } = ports;
  const { current } = embedders;

  return {
    tracks: [{ stage: vectorStageName, space: current.space, follows: "memories" }],
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
      const share = (most: number): Budget => ({ ...budget, memories: Math.min(budget.memories, most) });
      const built = [
        await follow(ports, home, vectorStage(ports, current), clock, share(backgroundMemories)),
        await followGraph(ports, home, current, clock, share(backgroundDocuments)),
      ];
      if (built.every(({ state }) => state === "done")) await vectors.serve(home, current.space, earlier.space, clock());
      await retireAll(home, known.filter((space) => space !== current.space && space !== earlier.space), clock, budget);
      return outcome;
    },
  };

  async function retireAll(home: TeamHome, spaces: string[], clock: Clock, budget: Budget): Promise<void> {
    for (const space of spaces) {
      await underLease(ports, { home, stage: vectorStageName, space }, clock, async (run) => {
        while (await vectors.retire(run, clock() + leaseMs, retireBatch)) {
          await removeDoomed(ports, run, vectorKinds);
          if (clock() >= budget.deadline) return "more";
        }
        await removeDoomed(ports, run, vectorKinds);
        await vectors.forget(run);
        return "done";
      });
    }
  }
}

/** Keeps the vectors of entities and relationships as the graph is, in the space that serves; `vectorTask` makes those of the next. */
export function graphVectorTask(ports: VectorTaskPorts): IndexingTask {
  const { embedders, vectors } = ports;
  return {
    tracks: [{ stage: graphVectorStageName, space: embedders.current.space, follows: "graph" }],
    async run(home, clock, budget) {
      const { serving } = await vectors.spaces(home);
      return followGraph(ports, home, (serving && embedders.bySpace(serving.space)) ?? embedders.current, clock, budget);
    },
  };
}

function followGraph(ports: VectorTaskPorts, home: TeamHome, embedder: Embedder, clock: Clock, budget: Budget): Promise<Outcome> {
  const feed = {
    changesAfter: (track: Track, cursor: number, limit: number) => ports.graph.changedDocuments(track.home, cursor, limit),
    due: () => Promise.resolve([]),
  };
  return followFeed(ports, feed, home, graphVectorStage(ports, embedder), clock, budget);
}
