import { and, asc, eq, gt, lte } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import type { Acquired, ExpectedCursor, ChangePage, ProgressStore, RunStep } from "../../domain/indexing/progress-store.ts";
import { LeaseLost, type Run, type CursorKey } from "../../domain/indexing/stage.ts";
import type { Memory } from "../../domain/memories/memory.ts";
import { indexFailures } from "./index-schema.ts";
import type { ShardOf } from "./shard-of.ts";
import { toMemory } from "./sealed-rows.ts";
import { counters, memories } from "./shard-schema.ts";

/** A caller that meets a run at work looks again soon: the run may have read its last page just before the newest write. */
const busyMs = 2_000;

/** `?1` team, `?2` stage, `?3` space in every statement below. */
const cursorKey = "team_id = ?1 AND stage = ?2 AND space = ?3";

const acquire = `INSERT INTO index_progress (team_id, stage, space, lease, lease_until, started_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?6, ?5, ?5)
  ON CONFLICT (team_id, stage, space) DO UPDATE SET lease = excluded.lease, lease_until = excluded.lease_until
  WHERE lease_until <= ?5 AND not_before <= ?5
  RETURNING cursor, attempts`;

/** True in a statement of a run that still has its lease. Adds: ?4 lease. */
export const holding = `EXISTS (SELECT 1 FROM index_progress WHERE ${cursorKey} AND lease = ?4)`;

/** First in a batch: its row says whether the statements after it did anything. Adds: ?4 lease, ?5 until. */
export const renew = `UPDATE index_progress SET lease_until = ?5 WHERE ${cursorKey} AND lease = ?4 RETURNING cursor`;

/** Adds: ?4 lease, ?5 ids. */
const settleFailures = `DELETE FROM index_failures WHERE ${cursorKey} AND memory_id IN (SELECT value FROM json_each(?5)) AND ${holding}`;

/** Attempts count for one version; another one starts over. Adds: ?4 lease, ?5 `[{id, version, code, first, most}]`, ?6 now. */
const noteFailures = `INSERT INTO index_failures (team_id, stage, space, memory_id, version, attempts, next_attempt_at, code)
  SELECT ?1, ?2, ?3, m.id, e.value ->> '$.version', 1, ?6 + (e.value ->> '$.first'), e.value ->> '$.code'
  FROM json_each(?5) e CROSS JOIN memories m ON m.team_id = ?1 AND m.id = e.value ->> '$.id' WHERE ${holding}
  ON CONFLICT (team_id, stage, space, memory_id) DO UPDATE SET
    attempts = iif(version = excluded.version, attempts + 1, 1),
    next_attempt_at = ?6 + min(
      (SELECT max(e.value ->> '$.most') FROM json_each(?5) e),
      (excluded.next_attempt_at - ?6) << iif(version = excluded.version, min(attempts, 30), 0)),
    version = excluded.version, code = excluded.code`;

/** Adds: ?4 lease, ?5 from, ?6 to, ?7 now. */
const moveCursor = `UPDATE index_progress SET cursor = ?6, attempts = 0, error = NULL, updated_at = ?7
  WHERE ${cursorKey} AND lease = ?4 AND cursor = ?5 RETURNING cursor`;

/** Parameters: ?1 expected tracks as JSON, ?2 now, ?3 limit. */
const teamsBehind = `SELECT team_id FROM (
    SELECT c.team_id, coalesce(p.updated_at, 0) AS at FROM json_each(?1) e CROSS JOIN counters c
      LEFT JOIN index_progress p ON p.team_id = c.team_id AND p.stage = e.value ->> '$.stage' AND p.space = e.value ->> '$.space'
      WHERE coalesce(p.cursor, 0) < iif(e.value ->> '$.follows' = 'graph', (SELECT max(o.seq) FROM graph_outbox o WHERE o.team_id = c.team_id), c.seq)
      AND max(coalesce(p.not_before, 0), coalesce(p.lease_until, 0)) <= ?2
    UNION ALL
    SELECT p.team_id, p.updated_at FROM index_progress p
      WHERE p.stage IN (SELECT value ->> '$.stage' FROM json_each(?1)) AND max(p.not_before, p.lease_until) <= ?2
      AND p.space NOT IN (SELECT value ->> '$.space' FROM json_each(?1) WHERE value ->> '$.stage' = p.stage)
    UNION ALL
    SELECT f.team_id, p.updated_at FROM index_failures f
      JOIN index_progress p ON p.team_id = f.team_id AND p.stage = f.stage AND p.space = f.space
      WHERE f.next_attempt_at <= ?2 AND max(p.not_before, p.lease_until) <= ?2
  ) GROUP BY team_id ORDER BY min(at) LIMIT ?3`;

const key = ({ team, stage, space }: CursorKey) => [team.teamId, stage, space] as const;

export class D1ProgressStore implements ProgressStore {
  readonly #shardOf: ShardOf;

  constructor(shardOf: ShardOf) {
    this.#shardOf = shardOf;
  }

  async acquire(run: Run, now: number, until: number): Promise<Acquired> {
    const d1 = this.#shardOf(run.team.shard);
    const [taken, state] = await d1.batch<{ cursor: number; attempts: number; not_before: number }>([
      d1.prepare(acquire).bind(...key(run), run.lease, now, until),
      d1.prepare(`SELECT not_before FROM index_progress WHERE ${cursorKey}`).bind(...key(run)),
    ]);
    const row = taken?.results[0];
    if (row) return { kind: "acquired", cursor: row.cursor, attempts: row.attempts };
    return { kind: "waiting", until: Math.max(now + busyMs, state?.results[0]?.not_before ?? 0) };
  }

  async changesAfter({ team }: CursorKey, cursor: number, limit: number): Promise<ChangePage<Memory>> {
    const db = drizzle(this.#shardOf(team.shard));
    const [counter, rows] = await db.batch([
      db.select().from(counters).where(eq(counters.teamId, team.teamId)),
      db
        .select()
        .from(memories)
        .where(and(eq(memories.teamId, team.teamId), gt(memories.seq, cursor)))
        .orderBy(memories.seq)
        .limit(limit),
    ]);
    const last = rows.length < limit;
    const head = counter[0]?.seq ?? 0;
    return { items: rows.map(toMemory), upTo: last ? Math.max(head, cursor) : (rows.at(-1)?.seq ?? cursor), last };
  }

  async due({ team, stage, space }: CursorKey, now: number, limit: number): Promise<Memory[]> {
    const rows = await drizzle(this.#shardOf(team.shard))
      .select({ memory: memories })
      .from(indexFailures)
      .innerJoin(memories, and(eq(memories.teamId, indexFailures.teamId), eq(memories.id, indexFailures.memoryId)))
      .where(and(eq(indexFailures.teamId, team.teamId), eq(indexFailures.stage, stage), eq(indexFailures.space, space), lte(indexFailures.nextAttemptAt, now)))
      .orderBy(asc(indexFailures.nextAttemptAt))
      .limit(limit);
    return rows.map(({ memory }) => toMemory(memory));
  }

  async advance(run: Run, { now, until, cursor, ids, setAside }: RunStep): Promise<void> {
    const d1 = this.#shardOf(run.team.shard);
    const failed = new Set(setAside.map(({ id }) => id));
    const well = ids.filter((id) => !failed.has(id));
    const failures = setAside.map(({ retryIn, ...rest }) => ({ ...rest, ...retryIn }));
    const [renewed, , , moved] = await d1.batch([
      d1.prepare(renew).bind(...key(run), run.lease, until),
      d1.prepare(settleFailures).bind(...key(run), run.lease, JSON.stringify(well)),
      d1.prepare(noteFailures).bind(...key(run), run.lease, JSON.stringify(failures), now),
      ...(cursor ? [d1.prepare(moveCursor).bind(...key(run), run.lease, cursor.from, cursor.to, now)] : []),
    ]);
    if (renewed?.results.length === 0 || moved?.results.length === 0) throw new LeaseLost();
  }

  async release(run: Run, now: number): Promise<void> {
    await this.#shardOf(run.team.shard)
      .prepare(`UPDATE index_progress SET lease = NULL, lease_until = 0, attempts = 0, error = NULL, not_before = 0, updated_at = ?5 WHERE ${cursorKey} AND lease = ?4`)
      .bind(...key(run), run.lease, now)
      .run();
  }

  async fail(run: Run, now: number, { code, notBefore }: { code: string; notBefore: number }): Promise<void> {
    await this.#shardOf(run.team.shard)
      .prepare(
        `UPDATE index_progress SET lease = NULL, lease_until = 0, attempts = attempts + 1, error = ?6, not_before = ?7, updated_at = ?5
         WHERE ${cursorKey} AND lease = ?4`,
      )
      .bind(...key(run), run.lease, now, code, notBefore)
      .run();
  }

  async teamsBehind(shard: string, expected: ExpectedCursor[], now: number, limit: number): Promise<string[]> {
    if (expected.length === 0) return [];
    const { results } = await this.#shardOf(shard).prepare(teamsBehind).bind(JSON.stringify(expected), now, limit).all<{ team_id: string }>();
    return results.map(({ team_id }) => team_id);
  }
}
