import type { DoomedVector, VectorClaim, VectorStore } from "../../domain/indexing/progress-store.ts";
import { LeaseLost, type Run, type CursorKey } from "../../domain/indexing/stage.ts";
import { scaleStageName } from "../../domain/indexing/calibrate.ts";
import { graphVectorStageName, vectorStageName } from "../../domain/indexing/vector-stage.ts";
import type { VectorKind, VectorName } from "../../domain/embedding/vector-index.ts";
import type { TeamRef } from "../../domain/tenancy/team-ref.ts";
import { formerSpace } from "../../domain/embedding/vector-space.ts";
import { holding, renew } from "./progress-store.ts";
import { jsonArrays } from "./memory-sql.ts";
import type { ShardOf } from "./shard-of.ts";
import { fromHex, toHex } from "./vector-hex.ts";

/**
 * `?1` team, `?2` stage, `?3` space, `?4` lease in the statements of a run. CROSS JOIN fixes the order (SQLite, "Query
 * Optimizer", 7.2): the list outside, the table by its key inside; the planner cannot know how short the list is.
 */
const space = "team_id = ?1 AND space = ?3";

/**
 * Only what is still in just this version: what changed or went since it was read is not this run's any more. `version`
 * falls to 0 with another text, until the index has it. Adds: ?5 `[{kind, id, version, hash}]`.
 */
const claimItems = (current: string): string => `INSERT INTO vector_items (team_id, space, kind, id, hash)
  SELECT ?1, ?3, e.value ->> '$.kind', e.value ->> '$.id', e.value ->> '$.hash'
  FROM json_each(?5) e CROSS JOIN ${current} WHERE ${holding}
  ON CONFLICT (team_id, kind, id, space) DO UPDATE SET version = iif(hash IS excluded.hash, version, 0), hash = excluded.hash
  RETURNING id, version`;
/** By stage: where the version of what it follows stands. */
const claims: Record<string, string> = {
  [vectorStageName]: claimItems("memories m ON m.team_id = ?1 AND m.id = e.value ->> '$.id' AND m.version = e.value ->> '$.version'"),
  [graphVectorStageName]: claimItems("graph_outbox o ON o.team_id = ?1 AND o.kind = e.value ->> '$.kind' AND o.id = e.value ->> '$.id' AND o.seq = e.value ->> '$.version'"),
};
/** Adds: ?5 `[{kind, id}]`. */
const doomUnwanted = `UPDATE vector_items SET hash = NULL WHERE rowid IN (
  SELECT i.rowid FROM json_each(?5) e CROSS JOIN vector_items i
    ON i.team_id = ?1 AND i.kind = e.value ->> '$.kind' AND i.id = e.value ->> '$.id' AND i.space = ?3 AND i.hash IS NOT NULL
  ) AND ${holding}`;
/** Adds: ?5 `[{hash, vector}]`. */
const keepVectors = `INSERT INTO vector_cache (team_id, space, hash, vector)
  SELECT ?1, ?3, e.value ->> '$.hash', unhex(e.value ->> '$.vector') FROM json_each(?5) e
  WHERE EXISTS (SELECT 1 FROM vector_items i WHERE i.team_id = ?1 AND i.space = ?3 AND i.hash = e.value ->> '$.hash') AND ${holding}
  ON CONFLICT DO NOTHING`;
/** Adds: ?5 `[{kind, id, version, hash}]`. */
const acknowledgeItems = `INSERT INTO vector_items (team_id, space, kind, id, hash, version)
  SELECT i.team_id, i.space, i.kind, i.id, i.hash, e.value ->> '$.version'
  FROM json_each(?5) e CROSS JOIN vector_items i ON i.team_id = ?1 AND i.space = ?3 AND i.kind = e.value ->> '$.kind' AND i.id = e.value ->> '$.id'
  WHERE i.hash = e.value ->> '$.hash' AND ${holding}
  ON CONFLICT (team_id, kind, id, space) DO UPDATE SET version = excluded.version`;
/** What was doomed and removed between its claim and its upsert is in the index again, and doomed again. Adds: ?5 as above. */
const doomReturned = `INSERT INTO vector_items (team_id, space, kind, id)
  SELECT ?1, ?3, e.value ->> '$.kind', e.value ->> '$.id' FROM json_each(?5) e WHERE ${holding} ON CONFLICT DO NOTHING`;

const key = ({ team, stage, space }: CursorKey) => [team.teamId, stage, space] as const;

export class D1VectorStore implements VectorStore {
  readonly #shardOf: ShardOf;

  constructor(shardOf: ShardOf) {
    this.#shardOf = shardOf;
  }

  async spaces({ teamId, shard }: TeamRef) {
    const d1 = this.#shardOf(shard);
    const [serving, known] = await d1.batch<{ space: string; since: number }>([
      d1.prepare("SELECT space, since FROM serving_spaces WHERE team_id = ?1").bind(teamId),
      d1.prepare("SELECT space, 0 AS since FROM index_progress WHERE team_id = ?1 AND stage = ?2").bind(teamId, vectorStageName),
    ]);
    return { serving: serving?.results[0], known: (known?.results ?? []).map((row) => row.space) };
  }

  async serve({ teamId, shard }: TeamRef, space: string, before: string | undefined, now: number): Promise<void> {
    await this.#shardOf(shard)
      .prepare(
        `INSERT INTO serving_spaces (team_id, space, since) VALUES (?1, ?2, ?3)
         ON CONFLICT (team_id) DO UPDATE SET space = excluded.space, since = excluded.since WHERE space = ?4`,
      )
      .bind(teamId, space, now, before ?? null)
      .run();
  }

  async cached({ team, space }: CursorKey, hashes: string[]): Promise<{ own: Map<string, Float32Array>; former: Map<string, Float32Array> }> {
    const { results } = await this.#shardOf(team.shard)
      .prepare("SELECT space, hash, hex(vector) AS vector FROM vector_cache WHERE team_id = ?1 AND space IN (?2, ?4) AND hash IN (SELECT value FROM json_each(?3))")
      .bind(team.teamId, space, JSON.stringify(hashes), formerSpace(space) ?? space)
      .all<{ space: string; hash: string; vector: string }>();
    const found = { own: new Map<string, Float32Array>(), former: new Map<string, Float32Array>() };
    for (const row of results) found[row.space === space ? "own" : "former"].set(row.hash, fromHex(row.vector));
    for (const hash of found.own.keys()) found.former.delete(hash);
    return found;
  }

  async claim(run: Run, until: number, claimed: VectorClaim[], unwanted: VectorName[], fresh: ReadonlyMap<string, Float32Array>): Promise<Map<string, number>> {
    const d1 = this.#shardOf(run.team.shard);
    const kept = jsonArrays([...fresh].map(([hash, vector]) => ({ hash, vector: toHex(vector) })));
    const claim = claims[run.stage];
    if (claim === undefined) throw new Error(`The stage ${run.stage} has no vectors`);
    const [renewed, accepted] = await d1.batch<{ id: string; version: number }>([
      d1.prepare(renew).bind(...key(run), run.lease, until),
      d1.prepare(claim).bind(...key(run), run.lease, JSON.stringify(claimed)),
      d1.prepare(doomUnwanted).bind(...key(run), run.lease, JSON.stringify(unwanted)),
      ...kept.map((rows) => d1.prepare(keepVectors).bind(...key(run), run.lease, rows)),
    ]);
    if (renewed?.results.length === 0) throw new LeaseLost();
    return new Map((accepted?.results ?? []).map(({ id, version }) => [id, version]));
  }

  async doomed({ team, space }: CursorKey, kinds: readonly VectorKind[], limit: number): Promise<DoomedVector[]> {
    const { results } = await this.#shardOf(team.shard)
      .prepare("SELECT kind, id, version FROM vector_items WHERE team_id = ?1 AND space = ?2 AND hash IS NULL AND kind IN (SELECT value FROM json_each(?4)) LIMIT ?3")
      .bind(team.teamId, space, limit, JSON.stringify(kinds))
      .all<DoomedVector>();
    return results;
  }

  async acknowledge(run: Run, claims: VectorClaim[]): Promise<boolean> {
    const d1 = this.#shardOf(run.team.shard);
    const [held] = await d1.batch([
      d1.prepare(`SELECT 1 WHERE ${holding}`).bind(...key(run), run.lease),
      d1.prepare(acknowledgeItems).bind(...key(run), run.lease, JSON.stringify(claims)),
      d1.prepare(doomReturned).bind(...key(run), run.lease, JSON.stringify(claims)),
    ]);
    return held?.results.length === 1;
  }

  async removed({ team, space }: CursorKey, entries: DoomedVector[]): Promise<void> {
    await this.#shardOf(team.shard)
      .prepare(
        `DELETE FROM vector_items WHERE team_id = ?1 AND space = ?2 AND hash IS NULL
         AND (kind, id, version) IN (SELECT value ->> '$.kind', value ->> '$.id', value ->> '$.version' FROM json_each(?3))`,
      )
      .bind(team.teamId, space, JSON.stringify(entries))
      .run();
  }

  async disown({ team, stage, space }: CursorKey, claims: VectorClaim[], from: number): Promise<void> {
    const d1 = this.#shardOf(team.shard);
    await d1.batch([
      d1
        .prepare(
          `INSERT INTO vector_items (team_id, space, kind, id) SELECT ?1, ?2, e.value ->> '$.kind', e.value ->> '$.id' FROM json_each(?3) e WHERE true
           ON CONFLICT DO UPDATE SET version = iif(hash IS NULL, version + 1, 0)`,
        )
        .bind(team.teamId, space, JSON.stringify(claims)),
      // The space may be forgotten by now. It is known again, so that what came too late is removed from it.
      d1
        .prepare("INSERT INTO index_progress (team_id, stage, space, started_at, updated_at) VALUES (?1, ?2, ?3, 0, 0) ON CONFLICT DO NOTHING")
        .bind(team.teamId, vectorStageName, space),
      d1
        .prepare("UPDATE index_progress SET cursor = min(cursor, ?4) WHERE team_id = ?1 AND stage = ?2 AND space = ?3")
        .bind(team.teamId, stage, space, from),
    ]);
  }

  async retire(run: Run, until: number, limit: number): Promise<boolean> {
    const d1 = this.#shardOf(run.team.shard);
    const [renewed, doomed] = await d1.batch([
      d1.prepare(renew).bind(...key(run), run.lease, until),
      d1
        .prepare(
          `UPDATE vector_items SET hash = NULL WHERE ${space} AND (kind, id) IN
             (SELECT kind, id FROM vector_items WHERE ${space} AND hash IS NOT NULL LIMIT ?5) AND ${holding} RETURNING 1`,
        )
        .bind(...key(run), run.lease, limit),
    ]);
    if (renewed?.results.length === 0) throw new LeaseLost();
    return (doomed?.results.length ?? 0) > 0;
  }

  async forget(run: Run): Promise<void> {
    const d1 = this.#shardOf(run.team.shard);
    const track = "team_id = ?1 AND stage = ?2 AND space = ?3";
    await d1.batch([
      d1.prepare(`DELETE FROM index_failures WHERE ${track} AND ${holding}`).bind(...key(run), run.lease),
      d1.prepare(`DELETE FROM similarity_scales WHERE team_id = ?1 AND space = ?3 AND ${holding}`).bind(...key(run), run.lease),
      d1.prepare(`DELETE FROM index_progress WHERE team_id = ?1 AND stage IN (?5, ?6) AND space = ?3 AND ${holding}`).bind(...key(run), run.lease, graphVectorStageName, scaleStageName),
      d1.prepare(`DELETE FROM index_progress WHERE ${track} AND lease = ?4`).bind(...key(run), run.lease),
    ]);
  }
}
