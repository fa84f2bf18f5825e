import type { PairSource } from "../../domain/embedding/held-out-pairs.ts";
import type { SimilarityScale } from "../../domain/embedding/similarity-scale.ts";
import type { ScaleStore } from "../../domain/indexing/calibrate.ts";
import type { Run } from "../../domain/indexing/stage.ts";
import type { TeamRef } from "../../domain/tenancy/team-ref.ts";
import { holding } from "./progress-store.ts";
import type { ShardOf } from "./shard-of.ts";

const state = `SELECT s.space, n.memories, c.due_from AS dueFrom FROM serving_spaces s JOIN counters n ON n.team_id = s.team_id
  LEFT JOIN similarity_scales c ON c.team_id = s.team_id AND c.space = s.space WHERE s.team_id = ?1`;

/** More of a content takes part in no pair. */
const contentLength = 4_000;

/** By the key of `vector_items`, whose ids are in the order of time. Parameters: team, space, now, limit, length. */
const samples = `SELECT substr(m.content, 1, ?5) AS content, m.key,
  iif(EXISTS (SELECT 1 FROM json_each(m.enrichment, '$.fields') f WHERE f.value = 'summary'), NULL, m.summary) AS summary
  FROM vector_items i CROSS JOIN memories m ON m.team_id = ?1 AND m.id = i.id
  WHERE i.team_id = ?1 AND i.kind = 'memory' AND i.space = ?2 AND i.hash IS NOT NULL AND i.version > 0
    AND m.sensitivity = 'normal' AND m.archived_at IS NULL AND (m.expires_at IS NULL OR m.expires_at > ?3) AND NOT m.trust ->> '$.quarantined'
  ORDER BY i.id DESC LIMIT ?4`;

/** `?1` team, `?2` stage, `?3` space, `?4` lease. */
const note = `INSERT INTO similarity_scales (team_id, space, unrelated, related, pairs, made_at, due_from)
  SELECT ?1, ?3, ?5, ?6, ?7, ?8, ?9 WHERE ${holding}
  ON CONFLICT (team_id, space) DO UPDATE SET unrelated = coalesce(excluded.unrelated, unrelated), related = coalesce(excluded.related, related),
    pairs = coalesce(excluded.pairs, pairs), made_at = excluded.made_at, due_from = excluded.due_from`;

export class D1ScaleStore implements ScaleStore {
  readonly #shardOf: ShardOf;

  constructor(shardOf: ShardOf) {
    this.#shardOf = shardOf;
  }

  async state({ teamId, shard }: TeamRef) {
    const row = await this.#shardOf(shard).prepare(state).bind(teamId).first<{ space: string; memories: number; dueFrom: number | null }>();
    return row ? { ...row, dueFrom: row.dueFrom ?? undefined } : undefined;
  }

  async samples({ teamId, shard }: TeamRef, space: string, now: number, limit: number): Promise<PairSource[]> {
    const { results } = await this.#shardOf(shard).prepare(samples).bind(teamId, space, now, limit, contentLength).all<PairSource>();
    return results;
  }

  async note({ team, stage, space, lease }: Run, { scale, at, dueFrom }: { scale: SimilarityScale | undefined; at: number; dueFrom: number }): Promise<void> {
    await this.#shardOf(team.shard)
      .prepare(note)
      .bind(team.teamId, stage, space, lease, scale?.unrelated ?? null, scale?.related ?? null, scale?.pairs ?? null, at, dueFrom)
      .run();
  }
}
