import { and, desc, eq, isNotNull, lte, sql, type SQL } from "drizzle-orm";
import type { DrizzleD1Database } from "drizzle-orm/d1";
import type { TeamStats } from "../../domain/ports.ts";
import type { Principal } from "../../domain/tenancy/principal.ts";
import { memories, memoryTags, versions } from "./shard-schema.ts";

const day = 86_400_000;

/** Counts only what the principal may see; `live` and `visible` are the store's own conditions. */
export async function readStats(db: DrizzleD1Database, principal: Principal, now: number, live: SQL, visible: SQL): Promise<TeamStats> {
  const count = sql<number>`count(*)`;
  const [sums, archived, chain, visibility, namespace, type, tags, expiring] = await db.batch([
    db
      .select({
        total: count,
        bytes: sql<number>`coalesce(sum(length(cast(${memories.content} AS BLOB))), 0)`,
        last: sql<number | null>`max(${memories.updatedAt})`,
      })
      .from(memories)
      .where(live),
    db.select({ count }).from(memories).where(and(visible, isNotNull(memories.archivedAt))),
    db
      .select({ count })
      .from(versions)
      .innerJoin(memories, and(eq(memories.teamId, versions.teamId), eq(memories.id, versions.memoryId)))
      .where(live),
    db.select({ name: memories.visibility, count }).from(memories).where(live).groupBy(memories.visibility),
    db.select({ name: memories.namespace, count }).from(memories).where(live).groupBy(memories.namespace).orderBy(desc(count)).limit(50),
    db.select({ name: memories.type, count }).from(memories).where(live).groupBy(memories.type),
    db
      .select({ tag: memoryTags.tag, count })
      .from(memoryTags)
      .innerJoin(memories, and(eq(memories.teamId, memoryTags.teamId), eq(memories.id, memoryTags.memoryId)))
      .where(and(live, eq(memoryTags.teamId, principal.teamId)))
      .groupBy(memoryTags.tag)
      .orderBy(desc(count), memoryTags.tag)
      .limit(20),
    db.select({ count }).from(memories).where(and(live, lte(memories.expiresAt, now + day))),
  ]);
  const named = (rows: { name: string; count: number }[]) => Object.fromEntries(rows.map((row) => [row.name, row.count]));
  return {
    total: sums[0]?.total ?? 0,
    archived: archived[0]?.count ?? 0,
    versions: chain[0]?.count ?? 0,
    contentBytes: sums[0]?.bytes ?? 0,
    byVisibility: named(visibility),
    byNamespace: named(namespace),
    byType: named(type),
    topTags: tags,
    expiringWithinDay: expiring[0]?.count ?? 0,
    lastChangeAt: sums[0]?.last ?? null,
  };
}
