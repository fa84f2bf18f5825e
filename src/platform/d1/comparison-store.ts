import type { ComparisonStore, WantedVector } from "../../domain/indexing/progress-store.ts";
import type { Run, CursorKey } from "../../domain/indexing/stage.ts";
import type { ShownVectors, VectorEntry, VectorKind, VectorName } from "../../domain/embedding/vector-index.ts";
import { holding } from "./progress-store.ts";
import type { ShardOf } from "./shard-of.ts";
import { fromHex } from "./vector-hex.ts";

/** Version, visibility and owner of what an entry stands for; NULL when that is gone. `?1` team. */
export const standsFor = `CASE i.kind
  WHEN 'memory' THEN (SELECT json_array(m.version, m.visibility, m.owner_id) FROM memories m WHERE m.team_id = ?1 AND m.id = i.id)
  WHEN 'entity' THEN (SELECT json_array(o.seq, iif(n.home = '', 'shared', 'private'), n.home) FROM graph_outbox o CROSS JOIN entities n ON n.team_id = ?1 AND n.id = i.id
    WHERE o.team_id = ?1 AND o.kind = i.kind AND o.id = i.id LIMIT 1)
  ELSE (SELECT json_array(o.seq, iif(r.home = '', 'shared', 'private'), r.home) FROM graph_outbox o CROSS JOIN relationships r ON r.team_id = ?1 AND r.id = i.id
    WHERE o.team_id = ?1 AND o.kind = i.kind AND o.id = i.id LIMIT 1) END`;

/** Parameters: team, space, kinds, kind and id to begin after, limit. */
const entriesAfter = `SELECT * FROM (SELECT i.kind, i.id, i.version, i.hash, hex(v.vector) AS vector, ${standsFor} AS truth
  FROM vector_items i CROSS JOIN vector_cache v ON v.team_id = ?1 AND v.space = ?2 AND v.hash = i.hash
  WHERE i.team_id = ?1 AND i.space = ?2 AND i.hash IS NOT NULL AND i.kind IN (SELECT value FROM json_each(?3)) AND (i.kind, i.id) > (?4, ?5))
  WHERE truth IS NOT NULL ORDER BY kind, id LIMIT ?6`;

/** Parameters: team, stage, space, lease, `[{kind, id}]`, at. */
const miss = `UPDATE vector_items SET version = 0, missed_at = ?6 WHERE rowid IN (
  SELECT i.rowid FROM json_each(?5) e CROSS JOIN vector_items i ON i.team_id = ?1 AND i.kind = e.value ->> '$.kind' AND i.id = e.value ->> '$.id' AND i.space = ?3
  ) AND ${holding}`;

/**
 * Those of the names that the index may hold, and whether other teams may find them. Parameters: team, space, `[{kind, id}]`.
 */
const wanted = `SELECT i.kind, i.id, EXISTS (SELECT 1 FROM memories m WHERE i.kind = 'memory' AND m.team_id = ?1 AND m.id = i.id AND m.visibility = 'public') AS isPublic
  FROM json_each(?3) e CROSS JOIN vector_items i ON i.team_id = ?1 AND i.kind = e.value ->> '$.kind' AND i.id = e.value ->> '$.id' AND i.space = ?2
  WHERE i.hash IS NOT NULL`;

type EntryRow = { kind: VectorKind; id: string; version: number; hash: string; vector: string; truth: string };

export class D1ComparisonStore implements ComparisonStore {
  readonly #shardOf: ShardOf;

  constructor(shardOf: ShardOf) {
    this.#shardOf = shardOf;
  }

  async comparedUpTo({ team, stage, space }: CursorKey): Promise<VectorName | undefined> {
    const row = await this.#shardOf(team.shard).prepare("SELECT kind, id FROM vector_checks WHERE team_id = ?1 AND stage = ?2 AND space = ?3").bind(team.teamId, stage, space).first<VectorName>();
    return row ?? undefined;
  }

  async entriesAfter({ team, space }: CursorKey, kinds: readonly VectorKind[], after: VectorName, limit: number): Promise<WantedVector[]> {
    const { results } = await this.#shardOf(team.shard).prepare(entriesAfter).bind(team.teamId, space, JSON.stringify(kinds), after.kind, after.id, limit).all<EntryRow>();
    return results.map(({ kind, id, version, hash, vector, truth }) => {
      const [newest, visibility, ownerId] = JSON.parse(truth) as [number, VectorEntry["visibility"], string];
      // An entry without an acknowledged version counts in its newest one: its run was given that, or the next run brings it.
      return { kind, id, version: version || newest, hash, visibility, ownerId, values: fromHex(vector) };
    });
  }

  async miss({ team, stage, space, lease }: Run, entries: VectorName[], at: number): Promise<void> {
    await this.#shardOf(team.shard).prepare(miss).bind(team.teamId, stage, space, lease, JSON.stringify(entries.map(({ kind, id }) => ({ kind, id }))), at).run();
  }

  async unwanted({ team, space }: CursorKey, { own, copies }: ShownVectors): Promise<ShownVectors> {
    if (own.length + copies.length === 0) return { own, copies };
    const { results } = await this.#shardOf(team.shard).prepare(wanted).bind(team.teamId, space, JSON.stringify([...own, ...copies])).all<VectorName & { isPublic: number }>();
    const isPublic = new Map(results.map((row) => [nameOf(row), row.isPublic === 1]));
    return { own: own.filter((name) => !isPublic.has(nameOf(name))), copies: copies.filter((name) => isPublic.get(nameOf(name)) !== true) };
  }

  async noteComparison({ team, stage, space, lease }: Run, at: number, upTo: VectorName): Promise<void> {
    await this.#shardOf(team.shard)
      .prepare(
        `INSERT INTO vector_checks (team_id, stage, space, at, kind, id) SELECT ?1, ?2, ?3, ?5, ?6, ?7 WHERE ${holding}
         ON CONFLICT (team_id, stage, space) DO UPDATE SET at = excluded.at, kind = excluded.kind, id = excluded.id`,
      )
      .bind(team.teamId, stage, space, lease, at, upTo.kind, upTo.id)
      .run();
  }
}

const nameOf = ({ kind, id }: VectorName): string => `${kind} ${id}`;
