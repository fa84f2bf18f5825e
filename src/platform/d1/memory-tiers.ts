import { and, asc, eq, gte, isNotNull, isNull, or, sql, type SQL } from "drizzle-orm";
import type { DrizzleD1Database } from "drizzle-orm/d1";
import { vectorStageName } from "../../domain/indexing/vector-stage.ts";
import type { Principal } from "../../domain/tenancy/principal.ts";
import { indexProgress, vectorItems } from "./index-schema.ts";
import { memories } from "./shard-schema.ts";

type Row = typeof memories.$inferSelect;

/** What may become semantic: one's own, and nothing that an embedder may not see. */
const movable = ({ userId }: Principal, live: SQL, { privateOnly }: { privateOnly: boolean }): SQL =>
  and(live, eq(memories.ownerId, userId), eq(memories.sensitivity, "normal"), privateOnly ? eq(memories.visibility, "private") : undefined) as SQL;

export const readEpisodic = (db: DrizzleD1Database, principal: Principal, live: SQL, which: { privateOnly: boolean; limit: number }): Promise<Row[]> =>
  db.select().from(memories).where(and(movable(principal, live, which), eq(memories.tier, "episodic"))).orderBy(asc(memories.id)).limit(which.limit);

export const countUnsynced = (db: DrizzleD1Database, principal: Principal, live: SQL, which: { privateOnly: boolean }): Promise<number> =>
  countWithVectors(db, principal, and(movable(principal, live, which), or(eq(memories.tier, "episodic"), isNull(vectorItems.id))) as SQL);

export const countUnembedded = (db: DrizzleD1Database, principal: Principal, live: SQL, since: number): Promise<number> =>
  countWithVectors(db, principal, and(live, eq(memories.sensitivity, "normal"), gte(memories.updatedAt, since), isNull(vectorItems.id)) as SQL);

/** Memories beside the vector of their present version, in the space of the model that came last. */
async function countWithVectors(db: DrizzleD1Database, { teamId }: Principal, condition: SQL): Promise<number> {
  const space = sql`(SELECT space FROM ${indexProgress} WHERE team_id = ${teamId} AND stage = ${vectorStageName} ORDER BY started_at DESC LIMIT 1)`;
  const [row] = await db
    .select({ count: sql<number>`count(*)` })
    .from(memories)
    .leftJoin(
      vectorItems,
      and(eq(vectorItems.teamId, memories.teamId), sql`${vectorItems.space} = ${space}`, eq(vectorItems.kind, "memory"), eq(vectorItems.id, memories.id), eq(vectorItems.version, memories.version), isNotNull(vectorItems.hash)),
    )
    .where(condition);
  return row?.count ?? 0;
}
