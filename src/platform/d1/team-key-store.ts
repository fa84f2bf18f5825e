import type { D1Database } from "@cloudflare/workers-types";
import { and, asc, eq, lt, ne, sql } from "drizzle-orm";
import { drizzle, type DrizzleD1Database } from "drizzle-orm/d1";
import type { TeamRef } from "../../domain/tenancy/team-ref.ts";
import type { WrappedKey } from "../../domain/secrets/master-keys.ts";
import type { KeyMaintenanceStore, TeamKeyStore } from "../../domain/secrets/team-key-store.ts";
import type { AuditEntry } from "../../domain/tenancy/audit-entry.ts";
import type { Principal } from "../../domain/tenancy/principal.ts";
import { auditWhen, rowWhen } from "./directory-audit.ts";
import { directoryAudit, teamKeys, teams } from "./directory-schema.ts";
import { actsStill } from "./tenant-sql.ts";

const columns = { teamId: teamKeys.teamId, number: teamKeys.number, masterId: teamKeys.masterId, wrapped: teamKeys.wrapped };
const same = ({ teamId, number }: Pick<WrappedKey, "teamId" | "number">) => and(eq(teamKeys.teamId, teamId), eq(teamKeys.number, number));

/** Wrapped data keys, in the directory. */
export class D1TeamKeyStore implements TeamKeyStore, KeyMaintenanceStore {
  readonly #db: DrizzleD1Database;

  constructor(db: D1Database) {
    this.#db = drizzle(db);
  }

  async keysOf(teamId: string): Promise<WrappedKey[]> {
    return this.#db.select(columns).from(teamKeys).where(eq(teamKeys.teamId, teamId)).orderBy(asc(teamKeys.number));
  }

  async insertFirst(key: WrappedKey, now: number): Promise<void> {
    await this.#db.insert(teamKeys).values({ ...key, createdAt: now }).onConflictDoNothing();
  }

  async insertNext(principal: Principal, key: WrappedKey, now: number, audit: AuditEntry): Promise<boolean> {
    const follows = sql`${actsStill(principal)} and (select coalesce(max(number), 0) from ${teamKeys} where team_id = ${principal.teamId}) = ${key.number - 1}`;
    // The audit row first: its condition is no longer true once the key is there.
    const [, inserted] = await this.#db.batch([
      this.#db.insert(directoryAudit).select(auditWhen(audit, follows)),
      this.#db.insert(teamKeys).select(rowWhen(teamKeys, { ...key, createdAt: now }, follows)),
    ]);
    return inserted.meta.changes > 0;
  }

  async destroy(teamId: string): Promise<void> {
    await this.#db.delete(teamKeys).where(eq(teamKeys.teamId, teamId));
  }

  async wrappedByOthers(masterId: string, after: Pick<WrappedKey, "teamId" | "number">, limit: number): Promise<WrappedKey[]> {
    return this.#db
      .select(columns)
      .from(teamKeys)
      .where(and(ne(teamKeys.masterId, masterId), sql`(${teamKeys.teamId}, ${teamKeys.number}) > (${after.teamId}, ${after.number})`))
      .orderBy(asc(teamKeys.teamId), asc(teamKeys.number))
      .limit(limit);
  }

  async replace(key: WrappedKey, next: WrappedKey): Promise<void> {
    await this.#db.update(teamKeys).set({ masterId: next.masterId, wrapped: next.wrapped }).where(and(same(key), eq(teamKeys.wrapped, key.wrapped)));
  }

  async rotating(): Promise<{ team: TeamRef; current: number; since: number }[]> {
    // Beside a single max() SQLite answers the other columns from the row that has it.
    const rows = await this.#db
      .select({ teamId: teams.id, organizationId: teams.organizationId, shard: teams.shard, current: sql<number>`max(${teamKeys.number})`, since: teamKeys.createdAt })
      .from(teamKeys)
      .innerJoin(teams, eq(teams.id, teamKeys.teamId))
      .groupBy(teams.id)
      .having(sql`count(*) > 1`);
    return rows.map(({ current, since, ...team }) => ({ team, current, since }));
  }

  async dropBefore(teamId: string, number: number): Promise<void> {
    await this.#db.delete(teamKeys).where(and(eq(teamKeys.teamId, teamId), lt(teamKeys.number, number)));
  }
}
