import { embeddingText } from "../../../domain/indexing/embedding-text.ts";
import { fromShortJson } from "../../../domain/memories/memory-fields.ts";
import type { Memory } from "../../../domain/memories/memory.ts";
import { parseVectorId } from "../../vectorize/vector-ids.ts";
import type { CopiedVector } from "./vector-copy.ts";

/** A version of a memory that was embedded. */
export interface EmbeddedVersion {
  teamId: string;
  memoryId: string;
  version: number;
}

/** Bodies of those that are no longer the newest, then and now; `before` is null where only the present is held. */
const changed = `SELECT j.key AS i, o.body AS before, n.body AS now FROM json_each(?) j
  CROSS JOIN docs n ON n.team_id = j.value ->> 0 AND n.memory_id = j.value ->> 1 AND n.until_at IS NULL AND n.version > j.value ->> 2
  LEFT JOIN docs o ON o.team_id = n.team_id AND o.memory_id = n.memory_id AND o.version = j.value ->> 2`;

/**
 * Those whose vectors say what the memory says no more: nobody finds it by them. The pipeline, which embeds each version, brings
 * the present one.
 */
export function rewritten<T extends EmbeddedVersion>(sql: SqlStorage, embedded: readonly T[]): T[] {
  if (embedded.length === 0) return [];
  const named = JSON.stringify(embedded.map(({ teamId, memoryId, version }) => [teamId, memoryId, version]));
  return sql.exec<{ i: number; before: string | null; now: string }>(changed, named).toArray()
    .flatMap(({ i, before, now }) => (before === null || textOf(before) !== textOf(now) ? (embedded[i] as T) : []));
}

/** Apart: what its memory still says, and what it said before it was rewritten. Names of the graph have no versions of their own. */
export function byCurrency(sql: SqlStorage, vectors: CopiedVector[]): { current: CopiedVector[]; outdated: CopiedVector[] } {
  const memories = vectors.flatMap((vector) => (vector.kind === "memory" ? { teamId: vector.teamId, memoryId: parseVectorId(vector.id).id, version: vector.version, vector } : []));
  const outdated = new Set(rewritten(sql, memories).map(({ vector }) => vector));
  return { current: vectors.filter((vector) => !outdated.has(vector)), outdated: [...outdated] };
}

const textOf = (body: string): string => embeddingText(fromShortJson(JSON.parse(body) as Memory));
