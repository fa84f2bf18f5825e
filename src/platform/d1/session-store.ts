import type { Migration, SessionOwner, SessionStore, StoredTurn, Turn, WorkSession } from "../../domain/sessions/session-store.ts";
import { mostTurns } from "../../domain/sessions/turns.ts";
import type { StorageRoom } from "../storage-room.ts";
import { jsonArrays } from "./memory-sql.ts";
import type { QuotaGuard } from "./quota-guard.ts";
import type { ShardOf } from "./shard-of.ts";

/** ?1 team, ?2 user. */
const owned = "team_id = ?1 AND user_id = ?2";
const columns = `id, project, workspace_path AS workspacePath, original_tool AS originalTool, tool, created_at AS createdAt, active_at AS activeAt, ended_at AS endedAt,
  migrations, exports, trace, revision`;
const find = `SELECT ${columns} FROM work_sessions WHERE ${owned} AND id = ?3`;
const findOpen = `SELECT ${columns} FROM work_sessions WHERE ${owned} AND project = ?3 AND tool = ?4 AND ended_at IS NULL`;
const list = `SELECT ${columns} FROM work_sessions WHERE ${owned} AND (?3 IS NULL OR project = ?3) ORDER BY active_at DESC, id DESC LIMIT ?4 + 0`;
const next = `SELECT ${columns} FROM work_sessions WHERE ${owned} AND id > ?3 ORDER BY id LIMIT 1`;
const create = `INSERT INTO work_sessions (team_id, user_id, id, project, workspace_path, original_tool, tool, created_at, active_at, trace)
  SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10 WHERE NOT EXISTS (SELECT 1 FROM team_policies WHERE team_id = ?1 AND closed_at IS NOT NULL) ON CONFLICT DO NOTHING`;
const importEnded = `INSERT INTO work_sessions (team_id, user_id, id, project, workspace_path, original_tool, tool, created_at, active_at, trace, ended_at, migrations)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12) ON CONFLICT DO NOTHING`;
const save = `UPDATE work_sessions SET workspace_path = ?4, original_tool = ?5, tool = ?6, active_at = ?7, ended_at = ?8, migrations = ?9, exports = ?10, trace = ?11, revision = revision + 1
  WHERE ${owned} AND id = ?3 AND revision = ?12`;
const endOthers = `UPDATE work_sessions SET ended_at = ?6, revision = revision + 1 WHERE ${owned} AND id <> ?3 AND project = ?4 AND tool = ?5 AND ended_at IS NULL
  AND EXISTS (SELECT 1 FROM work_sessions WHERE ${owned} AND id = ?3 AND revision = ?7)`;
const migrationColumns = "id, session_id AS sessionId, from_tool AS fromTool, to_tool AS toTool, at, passport_used AS passportUsed, success, error";
const log = `INSERT INTO session_migrations (team_id, user_id, id, session_id, from_tool, to_tool, at, passport_used, success, error) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)`;
/** Of a session that is still as it was read. */
const logMigrated = `INSERT INTO session_migrations (team_id, user_id, id, session_id, from_tool, to_tool, at, passport_used, success, error) SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10
  WHERE EXISTS (SELECT 1 FROM work_sessions WHERE ${owned} AND id = ?4 AND revision = ?11)`;
/** Of a person in a team: whoever tries often must not fill the database. */
const mostLogged = 500;
const dropOldLog = `DELETE FROM session_migrations WHERE ${owned} AND id NOT IN (SELECT id FROM session_migrations WHERE ${owned} ORDER BY id DESC LIMIT ${mostLogged})`;
const migrationsOf = `SELECT ${migrationColumns} FROM session_migrations WHERE ${owned} AND session_id = ?3 ORDER BY id DESC LIMIT 50`;
const removeLog = `DELETE FROM session_migrations WHERE ${owned} AND session_id = ?3`;
const remove = `DELETE FROM work_sessions WHERE ${owned} AND id = ?3`;
/** Turns belong to whom their session belongs to. */
const ofOwner = "team_id = ?1 AND session_id = ?3 AND EXISTS (SELECT 1 FROM work_sessions s WHERE s.team_id = ?1 AND s.user_id = ?2 AND s.id = ?3)";
const addTurns = `INSERT INTO session_turns (team_id, session_id, seq, id, role, name, at, content, compressed)
  SELECT ?1, ?3, (SELECT coalesce(max(seq), 0) FROM session_turns WHERE team_id = ?1 AND session_id = ?3) + row_number() OVER (ORDER BY e.key),
    e.value ->> '$.id', e.value ->> '$.role', e.value ->> '$.name', e.value ->> '$.at', e.value ->> '$.content', e.value ->> '$.compressed'
  FROM json_each(?4) e WHERE EXISTS (SELECT 1 FROM work_sessions s WHERE s.team_id = ?1 AND s.user_id = ?2 AND s.id = ?3)
    AND NOT EXISTS (SELECT 1 FROM session_turns t WHERE t.team_id = ?1 AND t.session_id = ?3 AND t.id = e.value ->> '$.id')
  ORDER BY e.key LIMIT max(0, ${mostTurns} - (SELECT coalesce(max(seq), 0) FROM session_turns WHERE team_id = ?1 AND session_id = ?3))`;
const countTurns = `SELECT coalesce(max(seq), 0) AS count FROM session_turns WHERE ${ofOwner}`;
const turnColumns = "seq, id, role, name, at, content, compressed, summary";
const turns = `SELECT ${turnColumns} FROM session_turns WHERE ${ofOwner} AND seq > ?4 ORDER BY seq LIMIT ?5 + 0`;
const lastTurns = `SELECT ${turnColumns} FROM session_turns WHERE ${ofOwner} ORDER BY seq DESC LIMIT ?4 + 0`;
const summaries = `SELECT seq, summary FROM session_turns WHERE ${ofOwner} AND summary IS NOT NULL ORDER BY seq DESC LIMIT ?4 + 0`;
const setSummary = `UPDATE session_turns SET summary = ?5 WHERE ${ofOwner} AND seq = ?4`;

type Stored = Omit<WorkSession, "trace"> & { trace: string };
type StoredMigration = Omit<Migration, "passportUsed" | "success"> & { passportUsed: number; success: number };

/** Triggers that count the bytes count as changes, too. */
const isChanged = (result: D1Result | undefined): boolean => (result?.meta.changes ?? 0) > 0;

const logValues = ({ id, sessionId, fromTool, toTool, at, passportUsed, success, error }: Migration): (string | number | null)[] => [
  id, sessionId, fromTool, toTool, at, passportUsed ? 1 : 0, success ? 1 : 0, error,
];

const opened = ({ trace, ...session }: Stored): WorkSession => ({ ...session, trace: JSON.parse(trace) as WorkSession["trace"] });

/** Sessions lie in the shard of the team's memories, and count in its quota by their bytes. */
export class D1SessionStore implements SessionStore {
  readonly #shardOf: ShardOf;
  readonly #quota: QuotaGuard;
  readonly #room: StorageRoom;

  constructor(shardOf: ShardOf, quota: QuotaGuard, room: StorageRoom) {
    this.#shardOf = shardOf;
    this.#quota = quota;
    this.#room = room;
  }

  find = (owner: SessionOwner, id: string): Promise<WorkSession | undefined> => this.#first(owner, find, id);
  findOpen = (owner: SessionOwner, { tool, project }: { tool: string; project: string }): Promise<WorkSession | undefined> => this.#first(owner, findOpen, project, tool);
  next = (owner: SessionOwner, after: string): Promise<WorkSession | undefined> => this.#first(owner, next, after);

  async list(owner: SessionOwner, { project, limit }: { project?: string | undefined; limit: number }): Promise<WorkSession[]> {
    return (await this.#bound(owner, list, project ?? null, limit).all<Stored>()).results.map(opened);
  }

  async create(owner: SessionOwner, session: WorkSession): Promise<WorkSession> {
    const { id, project, workspacePath, originalTool, tool, createdAt, activeAt, trace } = session;
    const made = await this.#written(owner, [
      this.#bound(owner, create, id, project, workspacePath, originalTool, tool, createdAt, activeAt, JSON.stringify(trace)),
      this.#bound(owner, findOpen, project, tool),
    ]);
    const [row] = (made[1] as D1Result<Stored>).results;
    if (!row) throw new Error("A session of a deleted team is not created");
    return opened(row);
  }

  async import(owner: SessionOwner, session: WorkSession): Promise<boolean> {
    const { id, project, workspacePath, originalTool, tool, createdAt, activeAt, trace, endedAt, migrations } = session;
    const [made] = await this.#written(owner, [
      this.#bound(owner, importEnded, id, project, workspacePath, originalTool, tool, createdAt, activeAt, JSON.stringify(trace), endedAt ?? activeAt, migrations),
    ]);
    return isChanged(made);
  }

  async save(owner: SessionOwner, session: WorkSession, held?: "unchanged"): Promise<boolean> {
    const [saved] = await this.#written(owner, [this.#saving(owner, session)], held);
    return isChanged(saved);
  }

  async handOver(owner: SessionOwner, session: WorkSession, at: number, migration?: Migration, held?: "unchanged"): Promise<boolean> {
    const { id, project, tool, revision } = session;
    const logged = migration ? [this.#bound(owner, logMigrated, ...logValues(migration), revision), this.#bound(owner, dropOldLog)] : [];
    const results = await this.#written(owner, [this.#bound(owner, endOthers, id, project, tool, at, revision), ...logged, this.#saving(owner, session)], held);
    return isChanged(results.at(-1));
  }

  async logMigration(owner: SessionOwner, migration: Migration): Promise<void> {
    await this.#room.require();
    await this.#shardOf(owner.shard).batch([this.#bound(owner, log, ...logValues(migration)), this.#bound(owner, dropOldLog)]);
  }

  async migrationsOf(owner: SessionOwner, id: string): Promise<Migration[]> {
    const { results } = await this.#bound(owner, migrationsOf, id).all<StoredMigration>();
    return results.map((one) => ({ ...one, passportUsed: one.passportUsed === 1, success: one.success === 1 }));
  }

  async remove(owner: SessionOwner, id: string): Promise<boolean> {
    const [, removed] = await this.#shardOf(owner.shard).batch([this.#bound(owner, removeLog, id), this.#bound(owner, remove, id)]);
    return isChanged(removed);
  }

  async addTurns(owner: SessionOwner, id: string, added: readonly Turn[]): Promise<number> {
    const done = await this.#written(owner, [...jsonArrays(added).map((turns) => this.#bound(owner, addTurns, id, turns)), this.#bound(owner, countTurns, id)]);
    return (done.at(-1) as D1Result<{ count: number }>).results[0]?.count ?? 0;
  }

  async turns(owner: SessionOwner, id: string, { after, limit }: { after: number; limit: number }): Promise<StoredTurn[]> {
    return (await this.#bound(owner, turns, id, after, limit).all<StoredTurn>()).results;
  }

  async lastTurns(owner: SessionOwner, id: string, limit: number): Promise<StoredTurn[]> {
    return (await this.#bound(owner, lastTurns, id, limit).all<StoredTurn>()).results.reverse();
  }

  async countTurns(owner: SessionOwner, id: string): Promise<number> {
    return (await this.#bound(owner, countTurns, id).first<{ count: number }>())?.count ?? 0;
  }

  async summaries(owner: SessionOwner, id: string, limit: number): Promise<{ seq: number; summary: string }[]> {
    return (await this.#bound(owner, summaries, id, limit).all<{ seq: number; summary: string }>()).results;
  }

  async setSummary(owner: SessionOwner, id: string, { seq, summary }: { seq: number; summary: string }): Promise<void> {
    await this.#written(owner, [this.#bound(owner, setSummary, id, seq, summary)]);
  }

  async #first(owner: SessionOwner, statement: string, ...rest: string[]): Promise<WorkSession | undefined> {
    const row = await this.#bound(owner, statement, ...rest).first<Stored>();
    return row === null ? undefined : opened(row);
  }

  #saving(owner: SessionOwner, { id, workspacePath, originalTool, tool, activeAt, endedAt, migrations, exports, trace, revision }: WorkSession): D1PreparedStatement {
    return this.#bound(owner, save, id, workspacePath, originalTool, tool, activeAt, endedAt, migrations, exports, JSON.stringify(trace), revision);
  }

  #bound({ shard, teamId, userId }: SessionOwner, statement: string, ...rest: (string | number | null)[]): D1PreparedStatement {
    return this.#shardOf(shard).prepare(statement).bind(teamId, userId, ...rest);
  }

  /** As one transaction within the team's quota; results are those of the statements given. What adds nothing is possible in a team that is full, too. */
  async #written({ shard, teamId }: SessionOwner, statements: D1PreparedStatement[], held?: "unchanged"): Promise<D1Result[]> {
    await this.#room.require();
    const d1 = this.#shardOf(shard);
    return held ? d1.batch(statements) : this.#quota.batch(d1, teamId, statements);
  }
}
