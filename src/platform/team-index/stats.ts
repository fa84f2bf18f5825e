import type { IndexStats } from "../../domain/recall/retrievers/text-retriever.ts";
import type { GraphCopy } from "./graph/graph-copy.ts";
import type { Progress } from "./progress.ts";
import type { TeamShard } from "./source.ts";
import type { VectorCopy } from "./vectors/vector-copy.ts";

/** Of a Durable Object on SQLite (Cloudflare's limits). */
const maxStorageBytes = 10 * 1024 ** 3;

interface Parts {
  progress: Progress;
  vectors: VectorCopy;
  graph: GraphCopy;
}

/** What the object holds of the team, and what its memory has no room for. */
export function readStats(sql: SqlStorage, { teamId }: TeamShard, { progress, vectors, graph }: Parts): IndexStats {
  const documents = sql.exec<{ n: number }>("SELECT count(*) AS n FROM docs WHERE team_id = ? AND until_at IS NULL AND archived = 0", teamId).one().n;
  return {
    documents,
    appliedSeq: progress.applied(teamId),
    storagePercent: Math.floor((100 * sql.databaseSize) / maxStorageBytes),
    beyondMemory: [...(vectors.isAnyEvicted ? ["vectors" as const] : []), ...(graph.state === "too-large" ? ["graph" as const] : [])],
  };
}
