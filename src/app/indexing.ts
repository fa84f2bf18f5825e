import { graphStage } from "../domain/graph/stage.ts";
import { calibrationTask } from "../domain/indexing/calibrate.ts";
import { compareVectors } from "../domain/indexing/compare-vectors.ts";
import type { IndexingPorts } from "../domain/indexing/index-team.ts";
import { stageTask } from "../domain/indexing/task.ts";
import { graphVectorTask, vectorTask } from "../domain/indexing/vector-task.ts";
import type { MaintenancePorts } from "../domain/memories/sweep.ts";
import { withTeamIds } from "../domain/embedding/vector-space.ts";
import { embeddersOf } from "../platform/ai/embedders.ts";
import { D1ComparisonStore } from "../platform/d1/comparison-store.ts";
import { D1GraphWriter } from "../platform/d1/graph-writer.ts";
import { D1ProgressStore } from "../platform/d1/progress-store.ts";
import { D1ScaleStore } from "../platform/d1/scale-store.ts";
import { D1MaintenanceStore } from "../platform/d1/maintenance-store.ts";
import { D1VectorStore } from "../platform/d1/vector-store.ts";
import { TeamIndexMaintenance } from "../platform/team-index/index-maintenance.ts";
import type { Base } from "./base.ts";

/** Of one team in one turn of the hourly comparison. */
const comparingMs = 5_000;

export type Embedders = ReturnType<typeof embeddersFor>;

export const embeddersFor = (env: Env, { config }: Pick<Base, "config">) => withTeamIds(embeddersOf(config.embeddings, env as unknown as Parameters<typeof embeddersOf>[1]));

/** What follows a team's changes, and what looks whether the indexes still agree. */
export interface Indexing {
  indexing: IndexingPorts;
  maintenance: MaintenancePorts;
}

export function indexingOf(env: Env, { shardOf, directory, vectorIndex, report }: Base, embedders: Embedders): Indexing {
  const teamIndexes = new TeamIndexMaintenance(env.TEAM_INDEX);
  const graph = new D1GraphWriter(shardOf);
  const progress = new D1ProgressStore(shardOf);
  const ports = { progress, vectors: new D1VectorStore(shardOf), comparison: new D1ComparisonStore(shardOf), scales: new D1ScaleStore(shardOf), vectorIndex, graph, embedders, report };
  return {
    indexing: {
      teams: { findTeam: (id) => directory.findTeamToIndex(id), listShards: () => directory.listShards() },
      progress,
      // What the graph says is embedded after it was drawn.
      tasks: [vectorTask(ports), stageTask(ports, graphStage(graph, teamIndexes)), graphVectorTask(ports), calibrationTask(ports)],
      report,
    },
    maintenance: {
      teams: directory,
      store: new D1MaintenanceStore(shardOf),
      index: teamIndexes,
      vectors: { compare: (team) => compareVectors(ports, team, Date.now, Date.now() + comparingMs) },
      report,
    },
  };
}
