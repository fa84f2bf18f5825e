import type { Memory, Version } from "../../domain/memories/memory.ts";
import { DamagedSecret } from "../../domain/secrets/errors.ts";
import type { Principal } from "../../domain/tenancy/principal.ts";
import { auditDamage } from "./memory-sql.ts";
import type { ShardOf } from "./shard-of.ts";
import { type SealedRows, type StoredMemory, type StoredState, type StoredVersion, toVersion } from "./sealed-rows.ts";

/** Opens what a principal may see. What was tampered with is answered without what is sealed of it, and noted in the audit. */
export class OpenedRows {
  readonly #shardOf: ShardOf;
  readonly #sealed: SealedRows;

  constructor(shardOf: ShardOf, sealed: SealedRows) {
    this.#shardOf = shardOf;
    this.#sealed = sealed;
  }

  async memories(principal: Principal, rows: StoredMemory[]): Promise<Memory[]> {
    const found = await this.#sealed.memories(rows);
    await this.#audit(principal, found.filter(isDamaged));
    return found;
  }

  async versions(principal: Principal, rows: StoredVersion[]): Promise<Version[]> {
    if (rows.every(({ dataKey }) => dataKey === null)) return rows.map(toVersion);
    const found = await Promise.all(rows.map((row) => this.#sealed.version(row)));
    await this.#audit(principal, rows.filter((_, i) => isDamaged(found[i] as Version)).map(({ memoryId, teamId }) => ({ id: memoryId, teamId })));
    return found;
  }

  async proposals<T extends StoredState>(principal: Principal, rows: T[]): Promise<(Omit<T, "proposed"> & Awaited<ReturnType<SealedRows["proposed"]>>)[]> {
    const found = await Promise.all(rows.map(async (row) => ({ ...row, ...(await this.#sealed.proposed(row)) })));
    await this.#audit(principal, found.filter(isDamaged).map(({ memoryId, teamId }) => ({ id: memoryId, teamId })));
    return found;
  }

  async #audit({ shard, userId, credential }: Principal, damaged: Pick<Memory, "id" | "teamId">[]): Promise<void> {
    if (damaged.length === 0) return;
    const d1 = this.#shardOf(shard);
    await d1.batch(damaged.map(({ id, teamId }) => d1.prepare(auditDamage).bind(Date.now(), teamId, userId, credential.id, id)));
  }
}

const isDamaged = ({ redaction }: Pick<Memory, "redaction">): boolean => redaction instanceof DamagedSecret;
