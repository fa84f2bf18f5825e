import { and, eq, lte, lt, max, or, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import type { ExpiredMemory, MaintenanceStore } from "../../domain/memories/sweep.ts";
import type { TeamRef } from "../../domain/tenancy/team-ref.ts";
import { WriteConflict } from "../../domain/memories/write-conflict.ts";
import { auditSystem } from "./memory-audit.ts";
import { type Doomed, erasing, isWriteConflict } from "./memory-commits.ts";
import type { ShardOf } from "./shard-of.ts";
import { idempotency, memories, outbox } from "./shard-schema.ts";

/** Access without a principal, for scheduled work only. */
export class D1MaintenanceStore implements MaintenanceStore {
  readonly #shardOf: ShardOf;

  constructor(shardOf: ShardOf) {
    this.#shardOf = shardOf;
  }

  async expired(shard: string, now: number, limit: number, exceptTeams: readonly string[] = []): Promise<ExpiredMemory[]> {
    return drizzle(this.#shardOf(shard))
      .select({ teamId: memories.teamId, id: memories.id, version: memories.version, visibility: memories.visibility })
      .from(memories)
      .where(and(lte(memories.expiresAt, now), sql`${memories.teamId} NOT IN (SELECT value FROM json_each(${JSON.stringify(exceptTeams)}))`))
      .limit(limit);
  }

  async teamsWithOutbox(shard: string): Promise<{ teamId: string; seq: number }[]> {
    const rows = await drizzle(this.#shardOf(shard))
      .select({ teamId: outbox.teamId, seq: max(outbox.seq) })
      .from(outbox)
      .where(sql`${outbox.op} = 'upsert' OR NOT ${outbox.swept}`)
      .groupBy(outbox.teamId);
    return rows.map(({ teamId, seq }) => ({ teamId, seq: seq ?? 0 }));
  }

  async trimOutbox(place: TeamRef, seq: number, tombstonesBefore: number): Promise<void> {
    const db = drizzle(this.#shardOf(place.shard));
    const seen = and(eq(outbox.teamId, place.teamId), lte(outbox.seq, seq));
    await db.batch([
      db.delete(outbox).where(and(seen, or(eq(outbox.op, "upsert"), lt(outbox.createdAt, tombstonesBefore)))),
      db.update(outbox).set({ swept: true }).where(and(seen, eq(outbox.swept, false))),
    ]);
  }

  async dropIdempotencyBefore(shard: string, before: number): Promise<void> {
    await drizzle(this.#shardOf(shard)).delete(idempotency).where(lt(idempotency.createdAt, before));
  }

  async dropPreventionBefore(shard: string, { hour, day }: { hour: number; day: number }): Promise<void> {
    await this.#shardOf(shard).prepare("DELETE FROM prevention WHERE (period = 'hour' AND start < ?1) OR (period = 'day' AND start < ?2)").bind(hour, day).run();
  }
}

/**
 * Erases memories of one team and leaves tombstones. Answers the last sequence number. @throws WriteRace when one of them has
 * changed, and then erases nothing
 */
export async function purge(d1: D1Database, teamId: string, now: number, doomed: readonly Doomed[], reason: "expiry" | "account"): Promise<number> {
  const batch = [...erasing(d1, teamId, now, doomed), auditSystem(d1, teamId, now, reason, { action: "erase", count: doomed.length })];
  try {
    const [taken] = (await d1.batch<{ seq: number }>(batch)) as [D1Result<{ seq: number }>];
    return (taken.results as [{ seq: number }])[0].seq;
  } catch (error) {
    throw isWriteConflict(error) ? new WriteConflict() : error;
  }
}
