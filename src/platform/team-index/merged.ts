import { indexedWords } from "./document.ts";

/** Of a row of `docs`, what says whether its words lead to another one. */
export interface Merged {
  team_id: string;
  memory_id: string;
  visibility: string;
  owner_id: string;
  expires_at: number | null;
  secret: number;
  merged_into: string | null;
}

/** Memories whose words one memory is found by, those that were merged last. */
const mostMerged = 3;
/** Of each, in characters of its content, and of its names. */
const mostCharacters = 600;
/** A chain of merges is followed no further. */
const mostSteps = 8;

/**
 * What memories said that were merged into this one, at once or by way of others. They belong to the same person and are seen by
 * the same people as this one, and none ends before it does: its words would outlive it until the sweep. No word leads to a secret.
 */
export function mergedWords(sql: SqlStorage, { team_id, memory_id, visibility, owner_id, expires_at, secret }: Merged): string[] {
  if (secret === 1) return [];
  const rows = sql.exec<{ body: string }>(
    `WITH RECURSIVE merged (id, steps) AS (
       SELECT ?2, 0 UNION
       SELECT d.memory_id, m.steps + 1 FROM merged m CROSS JOIN docs d ON d.team_id = ?1 AND d.merged_into = m.id
       WHERE d.until_at IS NULL AND d.visibility = ?3 AND d.owner_id = ?4 AND (d.expires_at IS NULL OR d.expires_at >= ?5) AND m.steps < ${mostSteps}
     )
     SELECT d.body AS body FROM merged m CROSS JOIN docs d ON d.team_id = ?1 AND d.memory_id = m.id
     WHERE d.until_at IS NULL AND m.steps > 0 ORDER BY d.from_at DESC, d.memory_id DESC LIMIT ${mostMerged} + 0`,
    team_id, memory_id, visibility, owner_id, expires_at,
  );
  return rows.toArray().flatMap(({ body }) => {
    const { content, label } = indexedWords(body);
    return [content.slice(0, mostCharacters), label.slice(0, mostCharacters)];
  });
}

/** The present memory at the end of the chain of merges that this one begins; empty where it was merged into none. */
export function survivorsOf<Row extends Merged & Record<string, SqlStorageValue>>(sql: SqlStorage, { team_id, merged_into }: Row): Row[] {
  if (merged_into === null) return [];
  return sql.exec<Row>(
    `WITH RECURSIVE merged (id, steps) AS (
       SELECT ?2, 0 UNION
       SELECT d.merged_into, m.steps + 1 FROM merged m CROSS JOIN docs d ON d.team_id = ?1 AND d.memory_id = m.id
       WHERE d.until_at IS NULL AND d.merged_into IS NOT NULL AND m.steps < ${mostSteps}
     )
     SELECT d.* FROM merged m CROSS JOIN docs d ON d.team_id = ?1 AND d.memory_id = m.id WHERE d.until_at IS NULL AND d.archived = 0`,
    team_id, merged_into,
  ).toArray();
}
