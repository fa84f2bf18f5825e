import { WriteConflict } from "../../domain/memories/write-conflict.ts";
import type { Principal } from "../../domain/tenancy/principal.ts";
import type { ContextCounts } from "../../domain/workflows/predict.ts";
import type { Continuation, PatternPlace, Trail } from "../../domain/workflows/sequence.ts";
import { type Append, leastSupport, type ListedStep, type LogState, type RecordedStep, type StoredPattern, type WorkflowStore } from "../../domain/workflows/workflow-store.ts";
import type { StorageRoom } from "../storage-room.ts";
import type { QuotaGuard } from "./quota-guard.ts";
import type { ShardOf } from "./shard-of.ts";

/** Every statement begins with `?1` team, `?2` user; most have `?3` project. */
const mine = "team_id = ?1 AND user_id = ?2";
const here = `${mine} AND project = ?3`;
const lastNumber = `(SELECT coalesce(max(number), 0) FROM workflow_steps WHERE ${here})`;

const last = `SELECT ${lastNumber} AS last`;
const thread = `SELECT trail, at FROM workflow_steps WHERE ${here} AND thread = ?4 ORDER BY number DESC LIMIT 1`;
const usedKeys = `SELECT s.idempotency_key FROM json_each(?3) e CROSS JOIN workflow_steps s ON s.team_id = ?1 AND s.user_id = ?2 AND s.idempotency_key = e.value`;
/** `?4` how many arrive, `?5` the window. */
const oldest = `SELECT number, trail FROM workflow_steps WHERE ${here} AND number <= ${lastNumber} + ?4 - ?5 ORDER BY number LIMIT 2 * ?4`;

/** `?4` steps as JSON, `?5` the last number as it was read: where there are more by now, a number of NULL ends the batch. */
const insertSteps = `INSERT INTO workflow_steps (team_id, user_id, project, number, thread, tool, at, action, command, success, duration_ms, idempotency_key, trail)
  SELECT ?1, ?2, ?3, CASE WHEN ${lastNumber} = ?5 THEN ?5 + e.key + 1 END, e.value ->> '$.thread', e.value ->> '$.tool', e.value ->> '$.at', e.value ->> '$.action',
    e.value ->> '$.command', e.value ->> '$.success', e.value ->> '$.durationMs', e.value ->> '$.idempotencyKey', e.value ->> '$.trail' FROM json_each(?4) e`;
const drop = `DELETE FROM workflow_steps WHERE ${here} AND number <= ?4`;
const change = `INSERT INTO workflow_counts (team_id, user_id, project, context, action, count, successes, timed, duration_ms)
  SELECT ?1, ?2, ?3, e.value ->> '$.context', e.value ->> '$.action', e.value ->> '$.count', e.value ->> '$.successes', e.value ->> '$.timed', e.value ->> '$.durationMs' FROM json_each(?4) e WHERE true
  ON CONFLICT DO UPDATE SET count = count + excluded.count, successes = successes + excluded.successes, timed = timed + excluded.timed, duration_ms = duration_ms + excluded.duration_ms`;
const dropUncounted = `DELETE FROM workflow_counts WHERE rowid IN (SELECT c.rowid FROM json_each(?4) e
  CROSS JOIN workflow_counts c ON c.team_id = ?1 AND c.user_id = ?2 AND c.project = ?3 AND c.context = e.value ->> '$.context' AND c.action = e.value ->> '$.action' WHERE c.count <= 0)`;

const stepColumns = "project, number, thread, tool, at, action, command, success, duration_ms AS durationMs, idempotency_key AS idempotencyKey, trail";
/** `?4` thread or NULL, `?5` limit. */
const recent = `SELECT ${stepColumns} FROM workflow_steps WHERE ${here} AND (?4 IS NULL OR thread = ?4) ORDER BY number DESC LIMIT ?5 + 0`;
/** `?3` project or NULL, `?4`, `?5` the step before, `?6` limit. */
const list = `SELECT ${stepColumns} FROM workflow_steps WHERE ${mine} AND (?3 IS NULL OR project = ?3) AND (?4 IS NULL OR (project, number) < (?4, ?5))
  ORDER BY project DESC, number DESC LIMIT ?6 + 0`;
/** `?3`, `?4` the step before, `?5` limit. */
const listOnward = `SELECT ${stepColumns} FROM workflow_steps WHERE ${mine} AND (project, number) > (?3, ?4) ORDER BY project, number LIMIT ?5 + 0`;
const commands = `SELECT e.value, (SELECT s.command FROM workflow_steps s WHERE s.team_id = ?1 AND s.user_id = ?2 AND s.action = e.value LIMIT 1) FROM json_each(?3) e`;

const counted = "context, action, count, successes, timed, duration_ms AS durationMs";
/** `?4` contexts as JSON, `?5` most of each. */
const continuations = `SELECT ${counted}, total, kinds FROM (SELECT c.*, sum(count) OVER (PARTITION BY context) AS total, count(*) OVER (PARTITION BY context) AS kinds,
    row_number() OVER (PARTITION BY context ORDER BY count DESC, action) AS place
  FROM json_each(?4) e CROSS JOIN workflow_counts c ON c.team_id = ?1 AND c.user_id = ?2 AND c.project = ?3 AND c.context = e.value) WHERE place <= ?5 ORDER BY context, place`;
const totalOf = "(SELECT sum(o.count) FROM workflow_counts o WHERE o.team_id = c.team_id AND o.user_id = c.user_id AND o.project = c.project AND o.context = c.context) AS total";
const patterns = `SELECT ${counted}, ${totalOf} FROM workflow_counts c WHERE ${here} AND context <> '' AND count >= ${leastSupport} ORDER BY count DESC LIMIT ?4 + 0`;
/** An action belongs to one project, whose name is part of what its id is made of. */
const pattern = `SELECT c.project, ${counted}, ${totalOf} FROM workflow_counts c
  WHERE c.team_id = ?1 AND c.user_id = ?2 AND c.project = (SELECT s.project FROM workflow_steps s WHERE s.team_id = ?1 AND s.user_id = ?2 AND s.action = ?4 LIMIT 1)
    AND c.context = ?3 AND c.action = ?4 AND c.count >= ${leastSupport}`;

const forgottenAtOnce = 2_000;
const forgetSteps = `DELETE FROM workflow_steps WHERE rowid IN (SELECT rowid FROM workflow_steps WHERE ${here} ORDER BY number DESC LIMIT ${forgottenAtOnce})`;
const forgetCounts = `DELETE FROM workflow_counts WHERE ${here} AND NOT EXISTS (SELECT 1 FROM workflow_steps WHERE ${here})`;

type StoredTrail = [action: string, success: 0 | 1, durationMs: number | null][];
const trailOf = (stored: string): Trail => (JSON.parse(stored) as StoredTrail).map(([action, success, durationMs]) => ({ action, success: success === 1, durationMs }));
const storedTrail = (trail: Trail): StoredTrail => trail.map(({ action, success, durationMs }) => [action, success ? 1 : 0, durationMs]);

type StoredStep = Omit<ListedStep, "success" | "trail"> & { success: 0 | 1; trail: string };
const opened = ({ success, trail, ...step }: StoredStep): ListedStep => ({ ...step, success: success === 1, trail: trailOf(trail) });
const storedStep = ({ success, trail, ...step }: RecordedStep): object => ({ ...step, success: success ? 1 : 0, trail: JSON.stringify(storedTrail(trail)) });

const isTaken = (error: unknown): boolean =>
  /NOT NULL constraint failed: workflow_steps\.number|UNIQUE constraint failed: workflow_steps/.test(error instanceof Error ? `${error.message} ${String(error.cause ?? "")}` : "");

/** In the shard of the team's memories. */
export class D1WorkflowStore implements WorkflowStore {
  readonly #shardOf: ShardOf;
  readonly #quota: QuotaGuard;
  readonly #room: StorageRoom;

  constructor(shardOf: ShardOf, quota: QuotaGuard, room: StorageRoom) {
    this.#shardOf = shardOf;
    this.#quota = quota;
    this.#room = room;
  }

  async state({ shard, teamId, userId }: Principal, asked: Parameters<WorkflowStore["state"]>[1]): Promise<LogState> {
    const d1 = this.#shardOf(shard);
    const { project, keys, arriving, window } = asked;
    const [counter, before, used, leaving] = (await d1.batch([
      d1.prepare(last).bind(teamId, userId, project),
      d1.prepare(thread).bind(teamId, userId, project, asked.thread),
      d1.prepare(usedKeys).bind(teamId, userId, JSON.stringify(keys)),
      d1.prepare(oldest).bind(teamId, userId, project, arriving, window),
    ])) as unknown as [D1Result<{ last: number }>, D1Result<{ trail: string; at: number }>, D1Result<{ idempotency_key: string }>, D1Result<{ number: number; trail: string }>];
    const [found] = before.results;
    return {
      last: counter.results[0]?.last ?? 0,
      thread: found && { trail: trailOf(found.trail), at: found.at },
      usedKeys: new Set(used.results.map((row) => row.idempotency_key)),
      oldest: leaving.results.map(({ number, trail }) => ({ number, trail: trailOf(trail) })),
    };
  }

  async append({ shard, teamId, userId }: Principal, { project, last, steps, changes, dropThrough }: Append): Promise<void> {
    await this.#room.require();
    const d1 = this.#shardOf(shard);
    const counts = JSON.stringify(changes);
    const less = JSON.stringify(changes.filter(({ count }) => count < 0).map(({ context, action }) => ({ context, action })));
    try {
      await this.#quota.batch(d1, teamId, [
        d1.prepare(insertSteps).bind(teamId, userId, project, JSON.stringify(steps.map(storedStep)), last),
        ...(dropThrough > 0 ? [d1.prepare(drop).bind(teamId, userId, project, dropThrough)] : []),
        d1.prepare(change).bind(teamId, userId, project, counts),
        ...(less === "[]" ? [] : [d1.prepare(dropUncounted).bind(teamId, userId, project, less)]),
      ]);
    } catch (error) {
      throw isTaken(error) ? new WriteConflict() : error;
    }
  }

  async recent({ shard, teamId, userId }: Principal, { project, thread: ofThread, limit }: Parameters<WorkflowStore["recent"]>[1]): Promise<ListedStep[]> {
    const d1 = this.#shardOf(shard);
    const asked = (named: string | null) => d1.prepare(recent).bind(teamId, userId, project, named, limit);
    const [found, anybodys] = await d1.batch<StoredStep>(ofThread === undefined ? [asked(null)] : [asked(ofThread), asked(null)]);
    const rows = found?.results.length ? found.results : (anybodys?.results ?? []);
    return rows.map(opened).toReversed();
  }

  async continuations({ shard, teamId, userId }: Principal, project: string, contexts: readonly string[], mostEach: number): Promise<ContextCounts[]> {
    const { results } = await this.#shardOf(shard)
      .prepare(continuations)
      .bind(teamId, userId, project, JSON.stringify(contexts), mostEach)
      .all<Continuation & { context: string; total: number; kinds: number }>();
    const byContext = Map.groupBy(results, ({ context }) => context);
    return contexts.map((context) => {
      const rows = byContext.get(context) ?? [];
      return { context, total: rows[0]?.total ?? 0, kinds: rows[0]?.kinds ?? 0, continuations: rows.map(({ action, count, successes, timed, durationMs }) => ({ action, count, successes, timed, durationMs })) };
    });
  }

  async patterns({ shard, teamId, userId }: Principal, project: string, limit: number): Promise<StoredPattern[]> {
    return (await this.#shardOf(shard).prepare(patterns).bind(teamId, userId, project, limit).all<StoredPattern>()).results;
  }

  async pattern({ shard, teamId, userId }: Principal, { context, action }: PatternPlace): Promise<(StoredPattern & { project: string }) | undefined> {
    const row = await this.#shardOf(shard).prepare(pattern).bind(teamId, userId, context, action).first<StoredPattern & { project: string }>();
    return row ?? undefined;
  }

  async commands({ shard, teamId, userId }: Principal, actions: readonly string[]): Promise<Map<string, string>> {
    const rows = await this.#shardOf(shard).prepare(commands).bind(teamId, userId, JSON.stringify([...new Set(actions)])).raw<[string, string | null]>();
    return new Map(rows.flatMap(([action, command]) => (command === null ? [] : [[action, command] as const])));
  }

  async list({ shard, teamId, userId }: Principal, { project, below, limit }: Parameters<WorkflowStore["list"]>[1]): Promise<ListedStep[]> {
    const { results } = await this.#shardOf(shard)
      .prepare(list)
      .bind(teamId, userId, project ?? null, below?.project ?? null, below?.number ?? null, limit)
      .all<StoredStep>();
    return results.map(opened);
  }

  async listOnward({ shard, teamId, userId }: Principal, { after, limit }: Parameters<WorkflowStore["listOnward"]>[1]): Promise<ListedStep[]> {
    return (await this.#shardOf(shard).prepare(listOnward).bind(teamId, userId, after.project, after.number, limit).all<StoredStep>()).results.map(opened);
  }

  async forget({ shard, teamId, userId }: Principal, project: string): Promise<boolean> {
    const d1 = this.#shardOf(shard);
    const [gone] = await d1.batch([d1.prepare(forgetSteps).bind(teamId, userId, project), d1.prepare(forgetCounts).bind(teamId, userId, project)]);
    return (gone?.meta.changes ?? 0) > 0;
  }
}
