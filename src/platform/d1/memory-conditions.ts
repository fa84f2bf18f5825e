import { and, eq, gt, isNull, ne, or, sql, type SQL } from "drizzle-orm";
import type { MemoryFilter } from "../../domain/ports.ts";
import type { Principal } from "../../domain/tenancy/principal.ts";
import { memories, memoryTags } from "./shard-schema.ts";

/** JSON arrays of ids: D1 binds at most 100 parameters, `json_each` takes them as one. */
export const idsIn = (column: SQL | typeof memories.id, ids: string[]): SQL =>
  sql`${column} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`;

export const unexpired = (now: number): SQL => or(isNull(memories.expiresAt), gt(memories.expiresAt, now)) as SQL;

/** The rule of who sees what, in the only place where SQL states it. */
export const visibleTo = (principal: Principal): SQL =>
  and(
    eq(memories.teamId, principal.teamId),
    or(ne(memories.visibility, "private"), eq(memories.ownerId, principal.userId)),
  ) as SQL;

export const live = (principal: Principal, now: number): SQL =>
  and(visibleTo(principal), unexpired(now), isNull(memories.archivedAt)) as SQL;

export function matching(filter: MemoryFilter): SQL | undefined {
  const conditions: (SQL | undefined)[] = [
    filter.visibility ? eq(memories.visibility, filter.visibility) : undefined,
    filter.type ? eq(memories.type, filter.type) : undefined,
    filter.minImportance !== undefined ? sql`${memories.importance} >= ${filter.minImportance}` : undefined,
    filter.changedSince !== undefined ? sql`${memories.updatedAt} >= ${filter.changedSince}` : undefined,
    filter.author ? eq(memories.updatedBy, filter.author) : undefined,
  ];
  if (filter.namespaces?.length) {
    conditions.push(sql`EXISTS (SELECT 1 FROM json_each(${JSON.stringify(filter.namespaces)}) n WHERE
      CASE WHEN substr(n.value, -1) = '*' THEN substr(${memories.namespace}, 1, length(n.value) - 1) = substr(n.value, 1, length(n.value) - 1)
      ELSE ${memories.namespace} = n.value END)`);
  }
  for (const tag of filter.tags ?? []) {
    conditions.push(sql`EXISTS (SELECT 1 FROM ${memoryTags} t WHERE t.team_id = ${memories.teamId} AND t.tag = ${tag} AND t.memory_id = ${memories.id})`);
  }
  return and(...conditions);
}
