import { and, eq, sql } from "drizzle-orm";
import { drizzle, type DrizzleD1Database } from "drizzle-orm/d1";
import type { AuditPerson, AuditPlace, AuditQuery, AuditReader, AuditRecord, AuditTrail } from "../../domain/audit/audit-trail.ts";
import type { AuditEntry } from "../../domain/tenancy/audit-entry.ts";
import { auditFailure, auditWhen } from "./directory-audit.ts";
import { directoryAudit, memberships, organizations, teams, users } from "./directory-schema.ts";
import type { ShardOf } from "./shard-of.ts";
import { liveOrganization, liveTeam } from "./tenant-sql.ts";

type Row = Omit<AuditRecord, "source" | "success"> & { success: number };

/** Parameters: ?1 of whom, ?2 until, ?3 since, ?4 beginning of the action, ?5 who as a JSON list, ?6 success, ?7 rows. */
const filtered = (action: string, success: string): string =>
  `at <= ?2 AND at >= ?3 AND (?4 IS NULL OR instr(${action}, ?4) = 1) AND (?5 IS NULL OR user_id IN (SELECT value FROM json_each(?5))) AND (?6 IS NULL OR ${success} = ?6)
   ORDER BY at DESC, id LIMIT ?7`;

const columns = `id, at, team_id AS teamId, user_id AS userId, action, success, subject, NULL AS count`;
const whence = "client, address, country, credential_id AS credentialId, request_id AS requestId";
const unsaid = "NULL AS client, NULL AS address, NULL AS country, NULL AS credentialId, NULL AS requestId";
const ofTeam = `SELECT ${columns}, ${whence} FROM audit WHERE team_id = ?1 AND ${filtered("action", "success")}`;
const ofActor = `SELECT ${columns}, ${whence} FROM audit WHERE user_id = ?1 AND ${filtered("action", "success")}`;
const ofSubject = `SELECT ${columns}, ${unsaid} FROM audit WHERE subject = ?1 AND user_id IS NOT ?1 AND ${filtered("action", "success")}`;
const ofMemories = `SELECT id, at, team_id AS teamId, user_id AS userId, 'memory.' || action AS action, 1 AS success, memory_id AS subject, count,
    tool AS client, address, NULL AS country, credential_id AS credentialId, request_id AS requestId
  FROM audit WHERE team_id = ?1 AND ${filtered("'memory.' || action", "1")}`;

interface CalledRow {
  id: string;
  name: string | null;
}

const liveUser = "u.id = a.id AND u.deleted_at IS NULL";
/** Parameters: teams as a JSON list. One row for each of the names. */
const members = `WITH a (id) AS (SELECT DISTINCT m.user_id FROM json_each(?1) e CROSS JOIN memberships m ON m.team_id = e.value)
  SELECT a.id, u.name FROM a CROSS JOIN users u ON ${liveUser}
  UNION ALL SELECT a.id, i.email FROM a CROSS JOIN users u ON ${liveUser} CROSS JOIN identities i ON i.user_id = a.id WHERE i.email IS NOT NULL`;
/** Parameters: who, teams as a JSON list. */
const acted = `SELECT 1 FROM json_each(?2) e CROSS JOIN audit a ON a.team_id = e.value WHERE a.user_id = ?1 LIMIT 1`;
/** Parameters: on whom. Of others by their names only: mail addresses are for those who manage a team. */
const actorsOn = `WITH a (id) AS (SELECT ?1 UNION SELECT user_id FROM audit WHERE subject = ?1 AND user_id IS NOT NULL)
  SELECT a.id, u.name FROM a LEFT JOIN users u ON ${liveUser}`;

const asPeople = ({ results }: D1Result<CalledRow>): AuditPerson[] =>
  [...Map.groupBy(results, ({ id }) => id)].map(([id, rows]) => ({ id, names: rows.flatMap(({ name }) => name ?? []) }));

/** Names this source in cursors; no binding is called so. */
export const directorySource = "directory";

export class D1AuditStore implements AuditReader, AuditTrail {
  readonly #directory: D1Database;
  readonly #db: DrizzleD1Database;
  readonly #shardOf: ShardOf;

  constructor(directory: D1Database, shardOf: ShardOf) {
    this.#directory = directory;
    this.#db = drizzle(directory);
    this.#shardOf = shardOf;
  }

  async ofTeams(_principal: { userId: string }, places: readonly AuditPlace[], query: AuditQuery): Promise<AuditRecord[][]> {
    const ids = places.map(({ id }) => id);
    const shards = [...Map.groupBy(places, ({ shard }) => shard)];
    return Promise.all([
      this.#ask(this.#directory, directorySource, ids.map((id) => [ofTeam, id] as const), query),
      ...shards.map(([shard, there]) => this.#ask(this.#shardOf(shard), shard, there.map(({ id }) => [ofMemories, id] as const), query)),
    ]);
  }

  async ofPerson({ userId }: { userId: string }, query: AuditQuery): Promise<AuditRecord[][]> {
    return [await this.#ask(this.#directory, directorySource, [[ofActor, userId], [ofSubject, userId]], query)];
  }

  /** One more than asked for, so that it shows whether there is more; and what the reader has seen of the first instant. */
  async #ask(d1: D1Database, source: string, questions: (readonly [sql: string, of: string])[], query: AuditQuery): Promise<AuditRecord[]> {
    if (questions.length === 0) return [];
    const { from, limit, since = 0, until = Number.MAX_SAFE_INTEGER, action = null, userIds, success } = query;
    const actors = userIds === undefined ? null : JSON.stringify(userIds);
    const rows = limit + 1 + (from?.seen.get(source) ?? 0);
    const last = Math.min(until, from?.at ?? until);
    const answers = await d1.batch<Row>(
      questions.map(([statement, of]) => d1.prepare(statement).bind(of, last, since, action, actors, success === undefined ? null : Number(success), rows)),
    );
    return answers.flatMap(({ results }) => results.map((row) => ({ ...row, source, success: row.success === 1 })));
  }

  async ownedTeams({ userId }: { userId: string }, organizationId: string): Promise<AuditPlace[]> {
    return this.#db
      .select({ id: teams.id, shard: teams.shard })
      .from(memberships)
      .innerJoin(teams, liveTeam)
      .innerJoin(organizations, liveOrganization)
      .where(and(eq(memberships.userId, userId), eq(memberships.role, "owner"), eq(teams.organizationId, organizationId)));
  }

  async membersOf(_principal: { userId: string }, places: readonly AuditPlace[]): Promise<AuditPerson[]> {
    return asPeople(await this.#directory.prepare(members).bind(JSON.stringify(places.map(({ id }) => id))).all<CalledRow>());
  }

  async hasActed(_principal: { userId: string }, places: readonly AuditPlace[], userId: string): Promise<boolean> {
    const sources = [this.#directory, ...new Set(places.map(({ shard }) => this.#shardOf(shard)))];
    const teamIds = JSON.stringify(places.map(({ id }) => id));
    const found = await Promise.all(sources.map((d1) => d1.prepare(acted).bind(userId, teamIds).first()));
    return found.some((row) => row !== null);
  }

  async actorsOn({ userId }: { userId: string }): Promise<AuditPerson[]> {
    return asPeople(await this.#directory.prepare(actorsOn).bind(userId).all<CalledRow>());
  }

  async namesOf(userIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (userIds.length === 0) return new Map();
    const rows = await this.#db
      .select({ id: users.id, name: users.name })
      .from(users)
      .where(sql`${users.id} in (select value from json_each(${JSON.stringify(userIds)})) and ${users.deletedAt} is null`);
    return new Map(rows.map(({ id, name }) => [id, name]));
  }

  async write(entry: AuditEntry): Promise<void> {
    await this.#db.insert(directoryAudit).values(entry);
  }

  async auditFailure(entry: AuditEntry, limitPerMinute: number): Promise<void> {
    await auditFailure(this.#db, entry, limitPerMinute);
  }

  async noteUse(entry: AuditEntry, unlessAfter: number): Promise<void> {
    const { subject, action, client, address, country } = entry;
    const noted = sql`exists (select 1 from ${directoryAudit} where subject = ${subject ?? null} and at > ${unlessAfter} and action = ${action}
      and client is ${client ?? null} and address is ${address ?? null} and country is ${country ?? null})`;
    await this.#db.insert(directoryAudit).select(auditWhen(entry, sql`not ${noted}`));
  }
}
