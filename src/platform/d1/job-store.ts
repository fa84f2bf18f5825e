import type { FailedEntry, Job, JobOptions, JobStep, JobStore, NewJob, Piece } from "../../domain/transfers/job-store.ts";
import type { Written } from "../../domain/memories/import.ts";
import type { SealedText, TextBox } from "../../domain/secrets/sealed-text.ts";
import type { Principal, Scope } from "../../domain/tenancy/principal.ts";
import type { TeamRef } from "../../domain/tenancy/team-ref.ts";
import type { StorageRoom } from "../storage-room.ts";
import type { ShardOf } from "./shard-of.ts";

const columns = `id, options, state, user_id AS requestedBy, credential, scopes, tool, requested_at AS requestedAt, started_at AS startedAt, ended_at AS endedAt,
  done, total, counts, failed, cursor, leased_until AS leasedUntil, failures, error`;
const isOpen = "state IN ('waiting', 'running')";
/** Every statement begins with `?1` team; most have `?2` person, `?3` job. */
const mine = "team_id = ?1 AND user_id = ?2 AND id = ?3";

/** `?11` most of a person, `?12` most of a team. */
const insert = `INSERT INTO jobs (team_id, user_id, id, kind, state, options, credential, scopes, tool, requested_at, total, counts, failed, cursor)
  SELECT ?1, ?2, ?3, ?4, 'waiting', ?5, ?6, ?7, ?8, ?9, ?10, '{}', '[]', ''
  WHERE (SELECT count(*) FROM jobs WHERE team_id = ?1 AND user_id = ?2 AND ${isOpen}) < ?11 AND (SELECT count(*) FROM jobs WHERE team_id = ?1 AND ${isOpen}) < ?12
  ON CONFLICT DO NOTHING RETURNING ${columns}`;
/** Adds: `?4` pieces as JSON, `?5` now. */
const insertPieces = `INSERT INTO job_pieces (team_id, user_id, job_id, number, at, ids, data_key, sealed)
  SELECT ?1, ?2, ?3, e.value ->> '$.number', ?5, e.value ->> '$.ids', e.value ->> '$.dataKey', e.value ->> '$.sealed' FROM json_each(?4) e WHERE true ON CONFLICT DO NOTHING`;
/** The same while the job is where the step began: `?6`. */
const makePieces = insertPieces.replace("WHERE true", `WHERE (SELECT cursor FROM jobs WHERE ${mine} AND state = 'running') = ?6`);
const find = `SELECT ${columns} FROM jobs WHERE ${mine}`;
/** `?3` whether everybody's, `?4` limit. */
const list = `SELECT ${columns} FROM jobs WHERE team_id = ?1 AND (?3 OR user_id = ?2) ORDER BY requested_at DESC, id DESC LIMIT ?4 + 0`;
const end = `UPDATE jobs SET state = ?4, ended_at = ?5, leased_until = 0, error = coalesce(?6, error) WHERE ${mine} AND ${isOpen}`;
const dropPieces = "DELETE FROM job_pieces WHERE team_id = ?1 AND user_id = ?2 AND job_id = ?3";
const dropUnfinished = `${dropPieces} AND EXISTS (SELECT 1 FROM jobs WHERE ${mine} AND state IN ('failed', 'cancelled'))`;

/** `?2` now, `?3` the end of the lease. */
const claim = `UPDATE jobs SET state = 'running', started_at = coalesce(started_at, ?2), leased_until = ?3
  WHERE team_id = ?1 AND ${isOpen} AND leased_until <= ?2 AND id = (SELECT id FROM jobs WHERE team_id = ?1 AND ${isOpen} AND leased_until <= ?2 ORDER BY requested_at, id LIMIT 1)
  RETURNING ${columns}, started_at < ?2 AS isResumed`;
const release = `UPDATE jobs SET leased_until = 0 WHERE team_id = ?1 AND id = ?2 AND ${isOpen}`;
const advance = `UPDATE jobs SET cursor = ?5, done = ?6, counts = ?7, failed = ?8, leased_until = ?9, failures = 0, error = NULL WHERE ${mine} AND state = 'running' AND cursor = ?4`;
const usePiece = `${dropPieces} AND number = ?4 AND (SELECT cursor FROM jobs WHERE ${mine} AND state = 'running') = ?5`;
const fail = `UPDATE jobs SET failures = failures + 1, error = ?4, leased_until = ?5 WHERE ${mine} AND ${isOpen}`;
const piece = "SELECT number, ids, data_key AS dataKey, sealed FROM job_pieces WHERE team_id = ?1 AND user_id = ?2 AND job_id = ?3 AND number >= ?4 ORDER BY number LIMIT 1";
/** `?2` request, `?3` ids as JSON. */
const written = `SELECT v.memory_id AS id, min(v.prev_version IS NOT NULL AND v.action <> 'import') = 0 AS isNew, max(v.version) = m.version AS isLatest FROM json_each(?3) e
  CROSS JOIN versions v ON v.team_id = ?1 AND v.memory_id = e.value AND v.request_id = ?2 CROSS JOIN memories m ON m.team_id = ?1 AND m.id = v.memory_id GROUP BY v.memory_id`;
const teamsWaiting = `SELECT DISTINCT team_id FROM jobs WHERE ${isOpen} AND leased_until <= ?1 LIMIT ?2 + 0`;

const dropResults = `DELETE FROM job_pieces WHERE team_id = ?1 AND user_id = ?2 AND job_id IN (SELECT id FROM jobs WHERE team_id = ?1 AND user_id = ?2 AND ended_at IS NOT NULL)`;

const piecesAtOnce = 500;
/** Of jobs that ended before `?1`, and of files whose job was never told: nobody uploads for an hour. */
const dropOldPieces = `DELETE FROM job_pieces WHERE rowid IN (SELECT p.rowid FROM job_pieces p LEFT JOIN jobs j ON j.team_id = p.team_id AND j.id = p.job_id
  WHERE p.at <= ?1 AND (j.id IS NULL OR j.ended_at <= ?1) LIMIT ${piecesAtOnce})`;
const dropOldJobs = `DELETE FROM jobs WHERE rowid IN (SELECT rowid FROM jobs WHERE ended_at <= ?1 LIMIT ${piecesAtOnce})`;

/** Characters of sealed pieces in one statement: below D1's 2 MB for a parameter. */
const maxBatch = 1_500_000;

type Stored = Omit<Job, "options" | "credential" | "scopes" | "counts" | "failed"> & Record<"options" | "credential" | "scopes" | "counts" | "failed", string>;
const opened = ({ options, credential, scopes, counts, failed, ...job }: Stored): Job => ({
  ...job,
  options: JSON.parse(options) as JobOptions,
  credential: JSON.parse(credential) as Job["credential"],
  scopes: JSON.parse(scopes) as Scope[],
  counts: JSON.parse(counts) as Job["counts"],
  failed: JSON.parse(failed) as FailedEntry[],
});

/** In the shard of the team's memories. */
export class D1JobStore implements JobStore {
  readonly #shardOf: ShardOf;
  readonly #box: TextBox;
  readonly #room: StorageRoom;

  constructor(shardOf: ShardOf, box: TextBox, room: StorageRoom) {
    this.#shardOf = shardOf;
    this.#box = box;
    this.#room = room;
  }

  async insert(principal: Principal, { id, options, tool, total, now }: NewJob, pieces: readonly Piece[], most: { person: number; team: number }): Promise<Job | "full"> {
    const { teamId, userId, shard, credential, scopes } = principal;
    const d1 = this.#shardOf(shard);
    const present = await this.find(principal, id);
    if (present) return present;
    if (pieces.length > 0) await this.#room.require();
    for (const statement of await this.#stored(d1, insertPieces, principal, id, pieces, [now])) await statement.run();
    const made = await d1
      .prepare(insert)
      .bind(teamId, userId, id, options.kind, JSON.stringify(options), JSON.stringify(credential), JSON.stringify(scopes), tool, now, total, most.person, most.team)
      .first<Stored>();
    if (made) return opened(made);
    const other = await this.find(principal, id);
    if (!other) await d1.prepare(dropPieces).bind(teamId, userId, id).run();
    return other ?? "full";
  }

  async find({ shard, teamId, userId }: Principal, id: string): Promise<Job | undefined> {
    const found = await this.#shardOf(shard).prepare(find).bind(teamId, userId, id).first<Stored>();
    return found ? opened(found) : undefined;
  }

  async list({ shard, teamId, userId }: Principal, { everybodys, limit }: { everybodys: boolean; limit: number }): Promise<Job[]> {
    return (await this.#shardOf(shard).prepare(list).bind(teamId, userId, everybodys ? 1 : 0, limit).all<Stored>()).results.map(opened);
  }

  async end({ shard, teamId, userId }: Principal, id: string, { now, state, error }: Parameters<JobStore["end"]>[2]): Promise<boolean> {
    const d1 = this.#shardOf(shard);
    const [ended] = await d1.batch([d1.prepare(end).bind(teamId, userId, id, state, now, error ?? null), d1.prepare(dropUnfinished).bind(teamId, userId, id)]);
    return ended?.meta.changes === 1;
  }

  async claim({ shard, teamId }: TeamRef, now: number, leaseMs: number): Promise<{ job: Job; isResumed: boolean } | undefined> {
    const found = await this.#shardOf(shard).prepare(claim).bind(teamId, now, now + leaseMs).first<Stored & { isResumed: number }>();
    if (!found) return undefined;
    const { isResumed, ...job } = found;
    return { job: opened(job), isResumed: isResumed === 1 };
  }

  async release({ shard, teamId }: TeamRef, id: string): Promise<void> {
    await this.#shardOf(shard).prepare(release).bind(teamId, id).run();
  }

  async advance(principal: Principal, id: string, { now, from, cursor, done, counts, failed, made = [], used }: JobStep, leaseMs: number): Promise<boolean> {
    const { shard, teamId, userId } = principal;
    const d1 = this.#shardOf(shard);
    if (made.length > 0) await this.#room.require();
    const pieces = await this.#stored(d1, makePieces, principal, id, made, [now, from]);
    const results = await d1.batch([
      ...pieces,
      d1.prepare(advance).bind(teamId, userId, id, from, cursor, done, JSON.stringify(counts), JSON.stringify(failed), now + leaseMs),
      ...(used === undefined ? [] : [d1.prepare(usePiece).bind(teamId, userId, id, used, cursor)]),
    ]);
    return results[pieces.length]?.meta.changes === 1;
  }

  async fail({ shard, teamId, userId }: Principal, id: string, error: string, until: number): Promise<void> {
    await this.#shardOf(shard).prepare(fail).bind(teamId, userId, id, error, until).run();
  }

  async piece({ shard, teamId, userId }: Principal, id: string, from: number): Promise<Piece | undefined> {
    const found = await this.#shardOf(shard).prepare(piece).bind(teamId, userId, id, from).first<SealedText & { number: number; ids: string }>();
    return found ? { number: found.number, ids: JSON.parse(found.ids) as string[], text: await this.#box.open(teamId, aboutOf(id, found.number), found) } : undefined;
  }

  async writtenBy({ shard, teamId }: Principal, requestId: string, ids: readonly string[]): Promise<ReadonlyMap<string, Written>> {
    const { results } = await this.#shardOf(shard).prepare(written).bind(teamId, requestId, JSON.stringify(ids)).all<{ id: string; isNew: number; isLatest: number }>();
    return new Map(results.map(({ id, isNew, isLatest }) => [id, { isNew: isNew === 1, isLatest: isLatest === 1 }]));
  }

  async teamsWaiting(shard: string, now: number, limit: number): Promise<string[]> {
    const { results } = await this.#shardOf(shard).prepare(teamsWaiting).bind(now, limit).all<{ team_id: string }>();
    return results.map(({ team_id }) => team_id);
  }

  async dropResults({ shard, teamId, userId }: Principal): Promise<void> {
    await this.#shardOf(shard).prepare(dropResults).bind(teamId, userId).run();
  }

  async drop(shard: string, before: { pieces: number; jobs: number }): Promise<void> {
    const d1 = this.#shardOf(shard);
    await d1.batch([d1.prepare(dropOldPieces).bind(before.pieces), d1.prepare(dropOldJobs).bind(before.jobs)]);
  }

  async #stored(d1: D1Database, sql: string, { teamId, userId }: Principal, id: string, pieces: readonly Piece[], rest: unknown[]): Promise<D1PreparedStatement[]> {
    const batches: string[][] = [];
    let size = maxBatch;
    for (const { number, text, ids } of pieces) {
      const row = JSON.stringify({ number, ids: JSON.stringify(ids), ...(await this.#box.seal(teamId, aboutOf(id, number), text)) });
      if (size + row.length > maxBatch) {
        batches.push([]);
        size = 0;
      }
      batches.at(-1)?.push(row);
      size += row.length;
    }
    return batches.map((rows) => d1.prepare(sql).bind(teamId, userId, id, `[${rows.join(",")}]`, ...rest));
  }
}

export const aboutOf = (jobId: string, number: number): string => `job ${jobId} ${number}`;
