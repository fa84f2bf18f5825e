import { and, asc, eq, isNull, lt, lte, or, sql, type SQL } from "drizzle-orm";
import type { DrizzleD1Database } from "drizzle-orm/d1";
import { memories } from "./shard-schema.ts";

type Row = typeof memories.$inferSelect;

/** Shorter ones are values, which may well be alike in two places. */
const shortest = 30;

/** Groups that say the same in the same namespace to the same people. */
export async function readDuplicates(db: DrizzleD1Database, live: SQL, limit: number): Promise<Row[][]> {
  const groups = await db
    .select({ ids: sql<string>`json_group_array(${memories.id})` })
    .from(memories)
    .where(and(live, eq(memories.sensitivity, "normal"), isNull(memories.value), sql`length(${memories.content}) >= ${shortest}`))
    .groupBy(memories.visibilityKey, memories.namespace, memories.content)
    .having(sql`count(*) > 1`)
    .orderBy(sql`count(*) DESC`)
    .limit(limit);
  const ids = groups.map((group) => (JSON.parse(group.ids) as string[]).sort().slice(0, 10));
  const rows = await db.select().from(memories).where(and(live, sql`${memories.id} IN (SELECT value FROM json_each(${JSON.stringify(ids.flat())}))`));
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((group) => group.flatMap((id) => byId.get(id) ?? [])).filter((group) => group.length > 1);
}

/** Those of at most usual importance that nobody has read or changed since. */
export const readStale = (db: DrizzleD1Database, live: SQL, before: number, limit: number): Promise<Row[]> =>
  db
    .select()
    .from(memories)
    .where(and(live, eq(memories.sensitivity, "normal"), lte(memories.importance, 0.5), lt(memories.updatedAt, before), or(isNull(memories.accessedAt), lt(memories.accessedAt, before))))
    .orderBy(asc(memories.accessCount), asc(memories.updatedAt))
    .limit(limit);
