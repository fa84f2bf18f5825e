import { and, eq, gt, isNull, or, sql, type SQL } from "drizzle-orm";
import { memoryFields, type MemoryFilter } from "../../domain/memories/memory-fields.ts";
import type { Principal } from "../../domain/tenancy/principal.ts";
import { type FieldColumns, filterSql } from "../filter-sql.ts";
import { isVisible } from "../visibility-sql.ts";
import { memories } from "./shard-schema.ts";

/** JSON arrays of ids: D1 binds at most 100 parameters, `json_each` takes them as one. */
export const idsIn = (column: SQL | typeof memories.id, ids: string[]): SQL =>
  sql`${column} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`;

export const unexpired = (now: number): SQL => or(isNull(memories.expiresAt), gt(memories.expiresAt, now)) as SQL;

const [beforeUser = "", afterUser = ""] = isVisible('"memories"', "?").split("?");

/** The memories that the principal may see. */
export const visibleTo = ({ teamId, userId }: Principal): SQL =>
  and(eq(memories.teamId, teamId), sql`${sql.raw(beforeUser)}${userId}${sql.raw(afterUser)}`) as SQL;

export const live = (principal: Principal, now: number): SQL =>
  and(visibleTo(principal), unexpired(now), isNull(memories.archivedAt)) as SQL;

/** Of the table of that name. */
export const columns: FieldColumns = {
  value: (field) => `memories.${memoryFields[field].name}`,
  holds: (field, item) =>
    field === "tags"
      ? `EXISTS (SELECT 1 FROM memory_tags t WHERE t.team_id = memories.team_id AND t.tag = ${item} AND t.memory_id = memories.id)`
      : `${item} IN (SELECT value FROM json_each(memories.${memoryFields[field].name}))`,
  entries: (field) => `memories.${memoryFields[field].name}`,
};

export const matching = (filter: MemoryFilter): SQL | undefined =>
  and(
    ...filterSql(filter, columns).map(({ sql: condition, parameter }) => {
      const [before = "", after = ""] = condition.split("?");
      return sql`${sql.raw(before)}${parameter}${sql.raw(after)}`;
    }),
  );
