import { getTableColumns, is, SQL, sql } from "drizzle-orm";
import type { DrizzleD1Database } from "drizzle-orm/d1";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { type AuditEntry, sourceOf } from "../../domain/tenancy/audit-entry.ts";
import { directoryAudit } from "./directory-schema.ts";

/**
 * One row for `insert … select`, written only if `condition` holds at that point of the transaction. Columns in the order
 * of the table, as drizzle lists them. (`db.run(sql)` with parameters cannot take part in a batch in drizzle's D1 driver.)
 */
export function rowWhen(table: SQLiteTable, row: object, condition: SQL): SQL {
  const given = new Map<string, unknown>(Object.entries(row));
  const values = Object.entries(getTableColumns(table)).map(([field, column]) => {
    const value = given.get(field);
    if (is(value, SQL)) return value;
    return value == null ? sql`null` : sql`${sql.param(value, column)}`;
  });
  return sql`select ${sql.join(values, sql`, `)} where ${condition}`;
}

export const auditWhen = (entry: AuditEntry, condition: SQL): SQL => rowWhen(directoryAudit, entry, condition);

/** Writes the row unless `limitPerMinute` failures of that team (or of nobody's) were written in the last minute, or half as many from one network. */
export async function auditFailure(db: DrizzleD1Database, entry: AuditEntry, limitPerMinute: number): Promise<void> {
  // `is` also matches null, the team of an unknown key; the index audit_team serves both.
  const recent = sql`select count(*) < ${limitPerMinute} and total(instr(address || ' ', ${sourceOf(entry.address)}) = 1) < ${limitPerMinute / 2} from ${directoryAudit} where team_id is ${entry.teamId ?? null} and at > ${entry.at - 60_000} and success = 0`;
  await db.insert(directoryAudit).select(auditWhen(entry, sql`(${recent})`));
}
