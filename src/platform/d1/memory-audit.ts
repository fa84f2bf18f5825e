import { type MemoryAction, systemActor } from "../../domain/audit/ports.ts";
import type { WriteContext } from "../../domain/ports.ts";
import type { Principal } from "../../domain/tenancy/principal.ts";

const insertAudit = `INSERT INTO audit (at, team_id, user_id, credential_id, tool, action, memory_id, count, request_id, address)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)`;

/** What was done to how many memories; `memoryId` where it was to one. */
export interface MemoryAct {
  action: MemoryAction;
  memoryId?: string | undefined;
  count: number;
}

/** What `MemoryAct` says of these memories: the one that it was, or how many. */
export const actOn = (ids: readonly string[]): Pick<MemoryAct, "memoryId" | "count"> => ({ memoryId: ids.length === 1 ? ids[0] : undefined, count: ids.length });

/** The row of the shard's audit, for the batch that it tells of. */
export function auditMemories(d1: D1Database, principal: Principal, write: WriteContext, { action, memoryId, count }: MemoryAct): D1PreparedStatement {
  const { teamId, userId, credential } = principal;
  return d1.prepare(insertAudit).bind(write.now, teamId, userId, credential.id, write.tool, action, memoryId ?? null, count, write.requestId, write.address ?? null);
}

/** What the product does by itself, such as erasing what has expired. */
export const auditSystem = (d1: D1Database, teamId: string, now: number, reason: string, { action, count }: MemoryAct): D1PreparedStatement =>
  d1.prepare(insertAudit).bind(now, teamId, systemActor, "system", reason, action, null, count, "", null);
