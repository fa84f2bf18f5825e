import type { CuratorRun, Pause, RunChange, RunKind, RunStep, RunStore } from "../../domain/curation/run-store.ts";
import type { WriteContext } from "../../domain/memories/memory-store.ts";
import { actorOf, type Principal } from "../../domain/tenancy/principal.ts";
import { isVisible } from "../visibility-sql.ts";
import { auditMemories } from "./memory-audit.ts";
import type { ShardOf } from "./shard-of.ts";

const columns = `id, kind, state, is_dry AS isDry, requested_by AS requestedBy, requested_at AS requestedAt, started_at AS startedAt, ended_at AS endedAt,
  cursor, counts, is_cut AS isCut, failures, error`;
const isOpen = "state IN ('waiting', 'running')";
/** Then nobody looks at them any more; what they did can still be undone. */
const retentionMs = 366 * 86_400_000;

const request = `INSERT INTO curator_runs (team_id, id, kind, state, is_dry, requested_by, requested_at, cursor, counts)
  VALUES (?1, ?2, ?3, 'waiting', ?4, ?5, ?6, ?7, '{}') ON CONFLICT DO NOTHING RETURNING ${columns}`;
const dropOld = `DELETE FROM curator_runs WHERE team_id = ?1 AND ended_at < ?2`;
const find = `SELECT ${columns} FROM curator_runs WHERE team_id = ?1 AND id = ?2`;
const list = `SELECT ${columns} FROM curator_runs WHERE team_id = ?1 ORDER BY requested_at DESC, id DESC LIMIT ?2`;
const open = `SELECT ${columns} FROM curator_runs WHERE team_id = ?1 AND ${isOpen} ORDER BY requested_at, id LIMIT 1`;
const lastEnded = `SELECT ${columns} FROM curator_runs WHERE team_id = ?1 AND kind = ?2 AND NOT is_dry AND ended_at IS NOT NULL ORDER BY requested_at DESC, id DESC LIMIT 1`;
const begin = `UPDATE curator_runs SET state = 'running', started_at = ?3 WHERE team_id = ?1 AND id = ?2 AND state = 'waiting'`;
const advance = `UPDATE curator_runs SET cursor = ?4, counts = ?5, failures = 0, error = NULL WHERE team_id = ?1 AND id = ?2 AND cursor = ?3 AND state = 'running'`;
/** The reversion of the run says how many memories it changed. */
const countReverted = `UPDATE reversions SET memories = max(memories, (SELECT count(*) FROM reverted_memories r WHERE r.team_id = ?1 AND r.reversion_id = ?2)) WHERE team_id = ?1 AND id = ?2`;
const end = `UPDATE curator_runs SET state = ?3, ended_at = ?4, is_cut = ?5, error = coalesce(?6, error) WHERE team_id = ?1 AND id = ?2 AND ${isOpen}`;
const fail = `UPDATE curator_runs SET failures = failures + 1, error = ?3 WHERE team_id = ?1 AND id = ?2 AND ${isOpen}`;
const changes = `SELECT v.tool, count(*) FROM reverted_memories r
  CROSS JOIN versions v ON v.team_id = ?1 AND v.memory_id = r.memory_id AND v.version = r.after_version
  WHERE r.team_id = ?1 AND r.reversion_id = ?2 GROUP BY v.tool
  UNION ALL SELECT CASE WHEN c.after IS NULL THEN 'curator/dropped' WHEN c.after < c.before ->> '$.strength' THEN 'curator/weakened' ELSE 'curator/strengthened' END AS did, count(*)
    FROM link_changes c WHERE c.team_id = ?1 AND c.run_id = ?2 GROUP BY did`;

/** Adds: ?3 user, ?4 limit. */
const changed = `SELECT r.memory_id AS memoryId, r.after_version AS version, v.tool, r.undo_version IS NOT NULL AS isUndone FROM reverted_memories r
  CROSS JOIN memories m ON m.team_id = ?1 AND m.id = r.memory_id
  CROSS JOIN versions v ON v.team_id = ?1 AND v.memory_id = r.memory_id AND v.version = r.after_version
  WHERE r.team_id = ?1 AND r.reversion_id = ?2 AND ${isVisible("m", "?3")} ORDER BY r.memory_id LIMIT ?4 + 0`;

const pause = `SELECT curator_paused_by AS by, curator_paused_at AS at FROM team_policies WHERE team_id = ?1 AND curator_paused_at IS NOT NULL`;
/** Parameters: ?1 team, ?2 when, ?3 who. */
const pauseNow = `INSERT INTO team_policies (team_id, curator_paused_at, curator_paused_by) VALUES (?1, ?2, ?3)
  ON CONFLICT (team_id) DO UPDATE SET curator_paused_at = excluded.curator_paused_at, curator_paused_by = excluded.curator_paused_by WHERE team_policies.curator_paused_at IS NULL`;
const resume = `UPDATE team_policies SET curator_paused_at = NULL, curator_paused_by = NULL WHERE team_id = ?1`;

/**
 * Teams that have memories, and a run that is not at its end or none since `?1`; those that waited longest first. `?2` limit.
 * A team without memories has nothing that could evolve, and one that has turned it off or pauses it, or is deleted, is not to be looked at.
 */
const toWake = `SELECT c.team_id FROM counters c
  LEFT JOIN (SELECT team_id, max(requested_at) AS at, max(${isOpen}) AS is_open FROM curator_runs GROUP BY team_id) r ON r.team_id = c.team_id
  LEFT JOIN team_policies p ON p.team_id = c.team_id
  WHERE c.memories > 0 AND p.closed_at IS NULL AND p.curator_paused_at IS NULL AND (r.is_open OR coalesce(r.at, 0) < ?1 AND coalesce(p.evolution_policy, 'on') = 'on') ORDER BY coalesce(r.is_open, 0) DESC, coalesce(r.at, 0), c.team_id LIMIT ?2 + 0`;

type Stored = Omit<CuratorRun, "counts" | "isDry" | "isCut"> & { counts: string; isDry: number; isCut: number };
const opened = ({ counts, isDry, isCut, ...run }: Stored): CuratorRun => ({ ...run, isDry: isDry === 1, isCut: isCut === 1, counts: JSON.parse(counts) as CuratorRun["counts"] });

export class D1RunStore implements RunStore {
  readonly #shardOf: ShardOf;

  constructor(shardOf: ShardOf) {
    this.#shardOf = shardOf;
  }

  async request(principal: Principal, { id, kind, isDry, cursor, now }: Parameters<RunStore["request"]>[1]): Promise<CuratorRun | undefined> {
    const d1 = this.#shardOf(principal.shard);
    const [, made] = await d1.batch<Stored>([
      d1.prepare(dropOld).bind(principal.teamId, now - retentionMs),
      d1.prepare(request).bind(principal.teamId, id, kind, isDry ? 1 : 0, actorOf(principal), now, cursor),
    ]);
    return made?.results.map(opened)[0];
  }

  find = (principal: Principal, id: string): Promise<CuratorRun | undefined> => this.#first(principal, find, id);
  open = (principal: Principal): Promise<CuratorRun | undefined> => this.#first(principal, open);
  lastEnded = (principal: Principal, kind: RunKind): Promise<CuratorRun | undefined> => this.#first(principal, lastEnded, kind);

  async list({ shard, teamId }: Principal, limit: number): Promise<CuratorRun[]> {
    return (await this.#shardOf(shard).prepare(list).bind(teamId, limit).all<Stored>()).results.map(opened);
  }

  async begin({ shard, teamId }: Principal, id: string, now: number): Promise<void> {
    await this.#shardOf(shard).prepare(begin).bind(teamId, id, now).run();
  }

  async advance({ shard, teamId }: Principal, id: string, { from, cursor, counts }: RunStep): Promise<boolean> {
    const d1 = this.#shardOf(shard);
    const [moved] = await d1.batch([d1.prepare(advance).bind(teamId, id, from, cursor, JSON.stringify(counts)), d1.prepare(countReverted).bind(teamId, id)]);
    return moved?.meta.changes === 1;
  }

  async end({ shard, teamId }: Principal, id: string, { now, state, isCut = false, error }: Parameters<RunStore["end"]>[2]): Promise<boolean> {
    const d1 = this.#shardOf(shard);
    const [ended] = await d1.batch([d1.prepare(end).bind(teamId, id, state, now, isCut ? 1 : 0, error ?? null), d1.prepare(countReverted).bind(teamId, id)]);
    return ended?.meta.changes === 1;
  }

  async fail({ shard, teamId }: Principal, id: string, error: string): Promise<void> {
    await this.#shardOf(shard).prepare(fail).bind(teamId, id, error).run();
  }

  async changes({ shard, teamId }: Principal, id: string): Promise<ReadonlyMap<string, number>> {
    return new Map(await this.#shardOf(shard).prepare(changes).bind(teamId, id).raw<[string, number]>());
  }

  async changed({ shard, teamId, userId }: Principal, id: string, limit: number): Promise<RunChange[]> {
    const { results } = await this.#shardOf(shard).prepare(changed).bind(teamId, id, userId, limit).all<Omit<RunChange, "isUndone"> & { isUndone: number }>();
    return results.map((one) => ({ ...one, isUndone: one.isUndone === 1 }));
  }

  async pause({ shard, teamId }: Principal): Promise<Pause | undefined> {
    return (await this.#shardOf(shard).prepare(pause).bind(teamId).first<Pause>()) ?? undefined;
  }

  async setPaused(principal: Principal, write: WriteContext, isPaused: boolean): Promise<void> {
    const { shard, teamId } = principal;
    const d1 = this.#shardOf(shard);
    const change = isPaused ? d1.prepare(pauseNow).bind(teamId, write.now, actorOf(principal)) : d1.prepare(resume).bind(teamId);
    await d1.batch([change, auditMemories(d1, principal, write, { action: isPaused ? "curator-pause" : "curator-resume", count: 0 })]);
  }

  /** Ids of teams of the shard for which the curator has, or may have, something to do. */
  async teamsToWake(shard: string, noneSince: number, limit: number): Promise<string[]> {
    return (await this.#shardOf(shard).prepare(toWake).bind(noneSince, limit).raw<[string]>()).flat();
  }

  async #first({ shard, teamId }: Principal, statement: string, ...rest: string[]): Promise<CuratorRun | undefined> {
    const row = await this.#shardOf(shard).prepare(statement).bind(teamId, ...rest).first<Stored>();
    return row === null ? undefined : opened(row);
  }
}

