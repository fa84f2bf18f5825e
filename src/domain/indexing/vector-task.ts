import type { Embedder, Embedders } from "../embedding/embedder.ts";
import { vectorKinds } from "../embedding/vector-index.ts";
import type { TeamRef } from "../tenancy/team-ref.ts";
import type { GraphWriter } from "../graph/graph-store.ts";
import { follow, followFeed, leaseMs, underLease, type Budget, type FollowPorts, type Outcome } from "./follow.ts";
import type { Clock, CursorKey } from "./stage.ts";
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
    expectedCursors: [{ stage: vectorStageName, space: current.space, follows: "memories" }],
    async run(team, clock, budget) {
      const { serving, known } = await vectors.spaces(team);
      const earlier = serving && serving.space !== current.space ? embedders.bySpace(serving.space) : undefined;
      if (!earlier) {
        if (serving?.space !== current.space) await vectors.serve(team, current.space, serving?.space, clock());
        const outcome = await follow(ports, team, vectorStage(ports, current), clock, budget);
        if (serving?.space === current.space && clock() >= serving.since + retireAfterMs) {
          await retireAll(team, known.filter((space) => space !== current.space), clock, budget);
        }
        return outcome;
      }
      const outcome = await follow(ports, team, vectorStage(ports, earlier), clock, budget);
      const share = (most: number): Budget => ({ ...budget, memories: Math.min(budget.memories, most) });
      const built = [
        await follow(ports, team, vectorStage(ports, current), clock, share(backgroundMemories)),
        await followGraph(ports, team, current, clock, share(backgroundDocuments)),
      ];
      if (built.every(({ state }) => state === "done")) await vectors.serve(team, current.space, earlier.space, clock());
      await retireAll(team, known.filter((space) => space !== current.space && space !== earlier.space), clock, budget);
      return outcome;
    },
  };

  async function retireAll(team: TeamRef, spaces: string[], clock: Clock, budget: Budget): Promise<void> {
    for (const space of spaces) {
      await underLease(ports, { team, stage: vectorStageName, space }, clock, async (run) => {
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
    expectedCursors: [{ stage: graphVectorStageName, space: embedders.current.space, follows: "graph" }],
    async run(team, clock, budget) {
      const { serving } = await vectors.spaces(team);
      return followGraph(ports, team, (serving && embedders.bySpace(serving.space)) ?? embedders.current, clock, budget);
    },
  };
}

function followGraph(ports: VectorTaskPorts, team: TeamRef, embedder: Embedder, clock: Clock, budget: Budget): Promise<Outcome> {
  const feed = {
    changesAfter: (cursorKey: CursorKey, cursor: number, limit: number) => ports.graph.changedDocuments(cursorKey.team, cursor, limit),
    due: () => Promise.resolve([]),
  };
  return followFeed(ports, feed, team, graphVectorStage(ports, embedder), clock, budget);
}
