import type { ExpiredMemory } from "../../domain/memories/sweep.ts";
import type { TeamRef } from "../../domain/tenancy/team-ref.ts";
import { newState } from "../../domain/memories/memory.ts";
import type { VectorKind } from "../../domain/embedding/vector-index.ts";
import type { ErasureStore } from "../../domain/tenancy/deletion-store.ts";
import type { ShardOf } from "./shard-of.ts";

/**
 * All tables of a shard that hold something of a team, in the order in which they can be emptied. The audit is not among
 * them: it says what was done, and holds no content.
 */
export const teamTables = [
  "memories", "versions", "former_ids", "memory_tags", "proposals", "reverted_memories", "reversions", "curator_runs", "index_failures",
  "entity_mentions", "relationship_mentions", "memory_links", "link_changes", "memory_references",
  "entity_tokens", "relationship_tokens", "entities", "relationships", "graph_outbox",
  "vector_items", "vector_cache", "vector_checks", "outbox", "idempotency", "index_progress", "serving_spaces", "similarity_scales", "counters", "team_policies",
  "intelligence_settings", "intelligence_usage", "session_turns", "session_migrations", "passport_claims", "passport_issuers", "work_sessions", "workflow_steps", "workflow_counts", "prevention", "job_pieces", "jobs",
] as const;

/** With a memory go its versions, mentions and links; the rest are single rows. */
const memoriesAtOnce = 50;
const rowsAtOnce = 2_000;
const privateAtOnce = 200;

/** Replaces the text of a version that is erased while later ones stay. */
const blankContent = "[erased]";

export class D1ErasureStore implements ErasureStore {
  readonly #shardOf: ShardOf;

  constructor(shardOf: ShardOf) {
    this.#shardOf = shardOf;
  }

  async vectorsOf({ teamId, shard }: TeamRef, limit: number): Promise<{ kind: VectorKind; id: string }[]> {
    const { results } = await this.#shardOf(shard)
      .prepare("SELECT DISTINCT kind, id FROM vector_items WHERE team_id = ?1 LIMIT ?2")
      .bind(teamId, limit)
      .all<{ kind: VectorKind; id: string }>();
    return results;
  }

  async dropVectors({ teamId, shard }: TeamRef, entries: { kind: VectorKind; id: string }[]): Promise<void> {
    await this.#shardOf(shard)
      .prepare("DELETE FROM vector_items WHERE team_id = ?1 AND (kind, id) IN (SELECT value ->> '$.kind', value ->> '$.id' FROM json_each(?2))")
      .bind(teamId, JSON.stringify(entries))
      .run();
  }

  async eraseRows({ teamId, shard }: TeamRef): Promise<boolean> {
    for (const table of teamTables) {
      const { meta } = await this.#shardOf(shard)
        .prepare(`DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} WHERE team_id = ?1 LIMIT ?2)`)
        .bind(teamId, table === "memories" ? memoriesAtOnce : rowsAtOnce)
        .run();
      if (meta.changes > 0) return true;
    }
    return false;
  }

  async privateMemories(shard: string, userId: string): Promise<ExpiredMemory[]> {
    const { results } = await this.#shardOf(shard)
      .prepare("SELECT team_id AS teamId, id, version, visibility FROM memories WHERE owner_id = ?1 AND visibility = 'private' LIMIT ?2")
      .bind(userId, privateAtOnce)
      .all<ExpiredMemory>();
    return results;
  }

  async blankPrivateVersions(shard: string, userId: string): Promise<string[]> {
    const d1 = this.#shardOf(shard);
    const theirs = "state ->> '$.ownerId' = ?1 AND state ->> '$.visibility' = 'private'";
    const state = JSON.stringify(newState({ content: blankContent, ownerId: userId }));
    const [, , , teams] = await d1.batch<{ team_id: string }>([
      d1.prepare(`UPDATE versions SET state = ?2, data_key = NULL WHERE ${theirs} AND state ->> '$.content' <> ?3`).bind(userId, state, blankContent),
      d1.prepare("DELETE FROM idempotency WHERE user_id = ?1").bind(userId),
      // A proposal that others accepted belongs to them, and no longer holds a text.
      d1.prepare("DELETE FROM proposals WHERE proposed_by = ?1 AND state <> 'accepted'").bind(userId),
      d1.prepare(`SELECT DISTINCT team_id FROM versions WHERE ${theirs}`).bind(userId),
      d1.prepare("DELETE FROM prevention WHERE user_id = ?1").bind(userId),
    ]);
    return (teams?.results ?? []).map(({ team_id }) => team_id);
  }

  async forgetSessions(shard: string, userId: string): Promise<void> {
    const d1 = this.#shardOf(shard);
    await d1.batch(["work_sessions", "session_migrations", "passport_claims", "passport_issuers", "job_pieces", "jobs"].map((table) => d1.prepare(`DELETE FROM ${table} WHERE user_id = ?1`).bind(userId)));
  }

  async eraseWorkflows(shard: string, userId: string): Promise<boolean> {
    const d1 = this.#shardOf(shard);
    const some = (table: string) => d1.prepare(`DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} WHERE user_id = ?1 LIMIT ?2)`).bind(userId, rowsAtOnce);
    return (await d1.batch([some("workflow_steps"), some("workflow_counts")])).some(({ meta }) => meta.changes > 0);
  }

  async closedTeams(shard: string): Promise<string[]> {
    const { results } = await this.#shardOf(shard).prepare("SELECT team_id FROM team_policies WHERE closed_at IS NOT NULL").all<{ team_id: string }>();
    return results.map(({ team_id }) => team_id);
  }

  async setClosed({ teamId, shard }: TeamRef, at: number | null): Promise<void> {
    await this.#shardOf(shard)
      .prepare("INSERT INTO team_policies (team_id, closed_at) VALUES (?1, ?2) ON CONFLICT (team_id) DO UPDATE SET closed_at = excluded.closed_at")
      .bind(teamId, at)
      .run();
  }
}
