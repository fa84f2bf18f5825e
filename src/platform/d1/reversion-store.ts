import type { Reversion, ReversionStore, RevertedMemory, RevertSelection, UndoneRevert, WrittenVersion } from "../../domain/memories/reversion-store.ts";
import { defined } from "../../domain/defined.ts";
import type { WriteContext } from "../../domain/memories/memory-store.ts";
import type { Principal } from "../../domain/tenancy/principal.ts";
import { isVisible } from "../visibility-sql.ts";
import type { ShardOf } from "./shard-of.ts";

/**
 * Every statement begins with the selection: `?1` team, `?2` user, `?3` author, `?4` tool, `?5` session, `?6` request, `?7` since,
 * `?8` until. An import writes dates, tools and authors that its file claims; the audit has those of the import itself.
 */
const imports = `imports AS MATERIALIZED (SELECT request_id, user_id, tool, min(at) AS at FROM audit
  WHERE team_id = ?1 AND action = 'import' AND request_id <> '' GROUP BY request_id)`;
const writtenAt = "coalesce(i.at, v.at)";
const isSelected = `(?3 IS NULL OR coalesce(i.user_id, v.actor_id) = ?3) AND (?4 IS NULL OR coalesce(i.tool, v.tool) = ?4)
  AND (?6 IS NULL OR v.request_id = ?6) AND (?7 IS NULL OR ${writtenAt} >= ?7) AND (?8 IS NULL OR ${writtenAt} < ?8)`;
const namespace = "(v.state ->> '$.namespace')";
const isInSession = `(?5 IS NULL OR v.state ->> '$.runId' = ?5 OR ${namespace} = ?5 OR ${namespace} = 'session:' || ?5
  OR substr(${namespace}, 1, 8) = 'session:' AND substr(${namespace}, -length(?5) - 1) = '/' || ?5)`;
/** A merge stands like what somebody wrote: what one memory has taken in is archived in the other. */
const isMerge = "(v.tool = 'curator/merge' OR v.action = 'consolidate' AND v.state ->> '$.validTo' IS NULL)";
/** A run takes back what lies between the version that it restored and its own. */
const stands = `NOT EXISTS (SELECT 1 FROM reverted_memories r WHERE r.team_id = ?1 AND r.memory_id = v.memory_id
  AND (v.version = r.undo_version OR v.version = r.after_version AND (r.undo_version IS NOT NULL OR NOT ${isMerge}) OR r.undo_version IS NULL AND v.version < r.after_version AND v.version > coalesce(r.restored_version, 0)))`;
const isStateVisible = "(v.state ->> '$.visibility' <> 'private' OR v.state ->> '$.ownerId' = ?2)";

/** Adds: ?9 now, ?10 limit. */
const candidates = `WITH ${imports}
  SELECT v.memory_id FROM versions v
    LEFT JOIN imports i ON i.request_id = v.request_id
    CROSS JOIN memories m ON m.team_id = ?1 AND m.id = v.memory_id
  WHERE v.team_id = ?1 AND ${isSelected} AND ${isVisible("m", "?2")} AND (m.expires_at IS NULL OR m.expires_at > ?9)
    AND ${isStateVisible} AND ${isInSession} AND ${stands}
  GROUP BY v.memory_id ORDER BY max(${writtenAt}) DESC, v.memory_id DESC LIMIT ?10`;
/** Adds: ?9 memory ids as JSON. */
const written = `WITH ${imports}
  SELECT v.memory_id, v.version, coalesce(i.user_id, v.actor_id), coalesce(i.tool, v.tool), ${isSelected}, ${isInSession}, ${stands}, ${isStateVisible}
  FROM json_each(?9) e CROSS JOIN versions v ON v.team_id = ?1 AND v.memory_id = e.value
    LEFT JOIN imports i ON i.request_id = v.request_id
  ORDER BY v.memory_id, v.version`;
const begin = `INSERT INTO reversions (team_id, id, user_id, tool, at, selection, memories) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT DO NOTHING`;
const columns = "id, user_id AS userId, tool, at, selection, memories";
const find = `SELECT ${columns} FROM reversions WHERE team_id = ?1 AND id = ?2`;
const items = `SELECT memory_id AS memoryId, before_version AS before, after_version AS after, restored_version AS restored, undo_version AS "undo"
  FROM reverted_memories WHERE team_id = ?1 AND reversion_id = ?2 ORDER BY memory_id`;
const list = `SELECT ${columns} FROM reversions WHERE team_id = ?1 AND (?2 IS NULL OR user_id = ?2) ORDER BY at DESC, id LIMIT ?3`;
/** A revert that took back nothing but merges is their undo, one row for each of them. */
const undone = `SELECT r.memory_id, r.before_version, r.after_version, r.undo_version,
    (SELECT v.at FROM versions v WHERE v.team_id = ?1 AND v.memory_id = r.memory_id AND v.version <= r.before_version AND v.action <> 'evolve' ORDER BY v.version DESC LIMIT 1)
  FROM json_each(?2) e
  CROSS JOIN reverted_memories r ON r.team_id = ?1 AND r.memory_id = e.value AND r.undo_version IS NOT NULL
  UNION ALL SELECT r.memory_id, r.restored_version, m.version, r.after_version, v.at FROM json_each(?2) e
  CROSS JOIN reverted_memories r ON r.team_id = ?1 AND r.memory_id = e.value AND r.undo_version IS NULL AND r.restored_version IS NOT NULL
  CROSS JOIN versions v ON v.team_id = ?1 AND v.memory_id = r.memory_id AND v.version = r.restored_version
  CROSS JOIN versions m ON m.team_id = ?1 AND m.memory_id = r.memory_id AND m.version > r.restored_version AND m.version < r.after_version
  WHERE NOT EXISTS (SELECT 1 FROM versions o WHERE o.team_id = ?1 AND o.memory_id = r.memory_id
    AND o.version > r.restored_version AND o.version < r.after_version AND o.action <> 'merge')
  ORDER BY 1, 4, 3`;

/**
 * Parameters: `[{run, memoryId, before, after, restored}]` as JSON, team. In the batch of the commit, as the next one is.
 */
const insertReverted = `INSERT INTO reverted_memories (team_id, reversion_id, memory_id, before_version, after_version, restored_version)
  SELECT ?2, e.value ->> '$.run', e.value ->> '$.memoryId', e.value ->> '$.after' - 1, e.value ->> '$.after', e.value ->> '$.restored' FROM json_each(?1) e`;
const markUndone = `UPDATE reverted_memories SET undo_version = e.value ->> '$.after' FROM json_each(?1) e
  WHERE reverted_memories.team_id = ?2 AND reversion_id = e.value ->> '$.run' AND memory_id = e.value ->> '$.memoryId' AND undo_version IS NULL`;

/** What a commit adds to its batch for the memories that a run changes. */
export function recordReversions(d1: D1Database, teamId: string, writes: readonly { memory: { id: string; version: number }; action: string; reversion?: { run: string; restored?: number | null } }[]): D1PreparedStatement[] {
  return ([[false, insertReverted], [true, markUndone]] as const).flatMap(([isUndo, statement]) => {
    const rows = writes.flatMap(({ memory, action, reversion }) => (reversion && (action === "undo") === isUndo ? [{ ...reversion, memoryId: memory.id, after: memory.version }] : []));
    return rows.length === 0 ? [] : [d1.prepare(statement).bind(JSON.stringify(rows), teamId)];
  });
}

type StoredRun = Omit<Reversion, "selection" | "kind"> & { selection: string };
function opened({ selection: json, ...run }: StoredRun): Reversion {
  const { kind = "revert", ...selection } = JSON.parse(json) as RevertSelection & Partial<Pick<Reversion, "kind">>;
  return { ...run, kind, selection };
}

const selected = ({ teamId, userId }: Principal, { author, tool, session, request, since, until }: RevertSelection): (string | number | null)[] => [
  teamId, userId, author ?? null, tool ?? null, session ?? null, request ?? null, since ?? null, until ?? null,
];

export class D1ReversionStore implements ReversionStore {
  readonly #shardOf: ShardOf;

  constructor(shardOf: ShardOf) {
    this.#shardOf = shardOf;
  }

  async candidates(principal: Principal, now: number, selection: RevertSelection, limit: number): Promise<string[]> {
    return (await this.#shardOf(principal.shard).prepare(candidates).bind(...selected(principal, selection), now, limit).raw<[string]>()).flat();
  }

  async written(principal: Principal, selection: RevertSelection, memoryIds: string[]): Promise<Map<string, WrittenVersion[]>> {
    const rows = await this.#shardOf(principal.shard)
      .prepare(written)
      .bind(...selected(principal, selection), JSON.stringify(memoryIds))
      .raw<[string, number, string, string, ...(0 | 1)[]]>();
    const byMemory = Map.groupBy(rows, ([memoryId]) => memoryId);
    const toVersion = ([, version, actorId, tool, ...flags]: (typeof rows)[number]): WrittenVersion => {
      const [isSelected, isInSession, stands, isVisible] = flags.map(Boolean) as [boolean, boolean, boolean, boolean];
      return { version, actorId, tool, isSelected, isInSession, stands, isVisible };
    };
    return new Map([...byMemory].map(([memoryId, chain]) => [memoryId, chain.map(toVersion)]));
  }

  async begin({ teamId, shard, userId }: Principal, write: WriteContext, { id, kind, selection, memories }: Pick<Reversion, "id" | "kind" | "selection" | "memories">): Promise<void> {
    const what = JSON.stringify(defined({ ...selection, kind: kind === "revert" ? undefined : kind }));
    await this.#shardOf(shard).prepare(begin).bind(teamId, id, userId, write.tool, write.now, what, memories).run();
  }

  async find({ teamId, shard }: Principal, id: string): Promise<(Reversion & { items: RevertedMemory[] }) | undefined> {
    const d1 = this.#shardOf(shard);
    const [runs, found] = (await d1.batch([d1.prepare(find).bind(teamId, id), d1.prepare(items).bind(teamId, id)])) as unknown as [D1Result<StoredRun>, D1Result<RevertedMemory>];
    const [run] = runs.results;
    return run && { ...opened(run), items: found.results };
  }

  async list({ teamId, shard }: Principal, { by, limit }: { by: string | undefined; limit: number }): Promise<Reversion[]> {
    const { results } = await this.#shardOf(shard).prepare(list).bind(teamId, by ?? null, limit).all<StoredRun>();
    return results.map(opened);
  }

  async undone({ teamId, shard }: Principal, memoryIds: string[]): Promise<Map<string, UndoneRevert[]>> {
    if (memoryIds.length === 0) return new Map();
    const rows = await this.#shardOf(shard).prepare(undone).bind(teamId, JSON.stringify(memoryIds)).raw<[string, number, number, number, number]>();
    return new Map([...Map.groupBy(rows, ([memoryId]) => memoryId)].map(([memoryId, found]) => [memoryId, found.map(([, before, after, undo, at]) => ({ before, after, undo, at }))]));
  }
}
