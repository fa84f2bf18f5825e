import { type MemoryAction, systemActor } from "../../domain/audit/audit-trail.ts";
import type { WriteContext } from "../../domain/memories/memory-store.ts";
import { actorOf, type Principal } from "../../domain/tenancy/principal.ts";

const insertAudit = `INSERT INTO audit (at, team_id, user_id, credential_id, tool, action, memory_id, count, request_id, address)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)`;

/** An act on memories: how many, and `memoryId` where it was one. */
export interface MemoryAct {
  action: MemoryAction;
  memoryId?: string | undefined;
  count: number;
}

/** The subject of `MemoryAct` for these memories: the one that it was, or how many. */
export const actOn = (ids: readonly string[]): Pick<MemoryAct, "memoryId" | "count"> => ({ memoryId: ids.length === 1 ? ids[0] : undefined, count: ids.length });

/** The row of the shard's audit, for the batch that it reports. */
export function auditMemories(d1: D1Database, principal: Principal, write: WriteContext, { action, memoryId, count }: MemoryAct): D1PreparedStatement {
  const { teamId, credential } = principal;
  return d1.prepare(insertAudit).bind(write.now, teamId, actorOf(principal), credential.id, write.tool, action, memoryId ?? null, count, write.requestId, write.address ?? null);
}

/** Audits acts of the product itself, such as erasing what has expired. */
export const auditSystem = (d1: D1Database, teamId: string, now: number, reason: string, { action, count }: MemoryAct): D1PreparedStatement =>
  d1.prepare(insertAudit).bind(now, teamId, systemActor, "system", reason, action, null, count, "", null);
