import { and, eq, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import type { Memory } from "../../domain/memories/memory.ts";
import type { IdempotencyRecord, MemoryWrite, WriteContext } from "../../domain/memories/memory-store.ts";
import { linksWait } from "../../domain/memories/retry-on-conflict.ts";
import { WriteConflict } from "../../domain/memories/write-conflict.ts";
import type { Principal } from "../../domain/tenancy/principal.ts";
import { actOn, auditMemories, auditSystem } from "./memory-audit.ts";
import { idsIn } from "./memory-conditions.ts";
import type { QuotaGuard } from "./quota-guard.ts";
import * as statements from "./memory-sql.ts";
import type { StorageRoom } from "../storage-room.ts";
import { holdUnseen } from "./proposal-store.ts";
import { recordReversions } from "./reversion-store.ts";
import type { SealedRows } from "./sealed-rows.ts";
import { memories, versions } from "./shard-schema.ts";
import type { ShardOf } from "./shard-of.ts";

/** Nothing but a lost race breaks these constraints: the chain of versions, the unique key, the idempotency key. */
export const isWriteConflict = (error: unknown): boolean =>
  /(?:UNIQUE|FOREIGN KEY) constraint failed|NOT NULL constraint failed: (?:memories\.version|outbox\.memory_id|proposals\.state)/.test(
    error instanceof Error ? `${error.message} ${String(error.cause ?? "")}` : "",
  );

export type Doomed = Pick<Memory, "id" | "version" | "visibility">;

/** What the write guard keeps back of anybody to change these, or as the original of what is masked in them: it says what they say. */
export async function keptBackFor(d1: D1Database, teamId: string, doomed: readonly { id: string }[]): Promise<Doomed[]> {
  return (await d1.prepare(statements.keptBackFor).bind(teamId, JSON.stringify(doomed)).all<Doomed>()).results;
}

/** Removes just these versions and leaves tombstones, in the numbers that the first statement answers the last of. */
export function erasing(d1: D1Database, teamId: string, now: number, doomed: readonly Doomed[]): D1PreparedStatement[] {
  const rows = JSON.stringify(doomed);
  return [
    d1.prepare(statements.takeSequence).bind(teamId, doomed.length),
    d1.prepare(statements.insertTombstones).bind(teamId, rows, doomed.length, now),
    ...[statements.deleteIdempotency, statements.deleteMemories].map((statement) => d1.prepare(statement).bind(teamId, rows)),
  ];
}

/** Changes memories, each change in one batch: all of it is written, or nothing. */
export class MemoryCommits {
  readonly #shardOf: ShardOf;
  readonly #sealed: SealedRows;
  readonly #quota: QuotaGuard;
  readonly #room: StorageRoom;

  constructor(shardOf: ShardOf, sealed: SealedRows, quota: QuotaGuard, room: StorageRoom) {
    this.#shardOf = shardOf;
    this.#sealed = sealed;
    this.#quota = quota;
    this.#room = room;
  }

  /** `meanwhile` runs while D1 works. */
  async commit(principal: Principal, write: WriteContext, writes: MemoryWrite[], once?: IdempotencyRecord, meanwhile?: () => void): Promise<Memory[]> {
    await this.#room.require();
    const d1 = this.#shardOf(principal.shard);
    const { teamId } = principal;
    const count = writes.length;
    const rows = (await Promise.all(writes.map(({ memory }) => this.#sealed.rowOf(memory)))).map((row) => statements.toRow(memories, row));
    // The original of what was masked comes along with its memory.
    const open = writes.filter(({ action }) => action !== "quarantine");
    const audited = open.length > 0 ? open : writes;
    const actions = Object.fromEntries(writes.map(({ memory, action }) => [memory.id, action]));
    const stamps = Object.fromEntries(writes.flatMap(({ memory, stamp }) => (stamp ? [[memory.id, stamp]] : [])));
    // The organization's index must also hear of memories that stop being public.
    const known = writes.filter(({ memory }) => memory.version > 1).map(({ memory }) => memory.id);
    const history = await Promise.all(
      writes.flatMap(({ memory, history: earlier = [] }) =>
        earlier.map(async (version, i) =>
          statements.toRow(versions, {
            ...version,
            ...(await this.#sealed.versionOf({ ...memory, teamId }, version)),
            teamId,
            memoryId: memory.id,
            prevVersion: i === 0 ? null : version.version - 1,
            requestId: write.requestId,
          }),
        ),
      ),
    );
    const sensitivityChanged = await this.#sensitivityChanged(d1, writes);
    const former = writes.flatMap(({ memory, formerId }) => (formerId === undefined ? [] : { formerId, memoryId: memory.id }));
    const batch = [
      d1.prepare(statements.takeSequence).bind(teamId, count),
      d1.prepare(statements.upsertMemories).bind(teamId, JSON.stringify(rows), count),
      ...statements.jsonArrays(history).map((rows) => d1.prepare(statements.insertHistory).bind(rows)),
      ...statements.jsonArrays(sensitivityChanged).map((rows) => d1.prepare(statements.reviseVersions).bind(teamId, rows)),
      d1.prepare(statements.insertVersions).bind(teamId, count, JSON.stringify(actions), write.requestId, JSON.stringify(stamps)),
      ...(known.length ? [d1.prepare(statements.dropTags).bind(teamId, count)] : []),
      ...(writes.some(({ memory }) => memory.tags.length > 0) ? [d1.prepare(statements.insertTags).bind(teamId, count)] : []),
      ...(former.length ? [d1.prepare(statements.insertFormerIds).bind(teamId, JSON.stringify(former))] : []),
      d1.prepare(statements.insertOutbox).bind(teamId, count, JSON.stringify(known)),
      auditMemories(d1, principal, write, { action: actionOf(audited), ...actOn(audited.map(({ memory }) => memory.id)) }),
      ...writes.flatMap(({ proposal, before }) =>
        proposal === undefined ? [] : [statements.fulfilProposal, ...(before?.visibility === "private" ? holdUnseen : [])].map((sql) => d1.prepare(sql).bind(teamId, proposal, principal.userId, write.now)),
      ),
      ...recordReversions(d1, teamId, writes),
      ...(once ? [this.#idempotency(d1, principal, write.now, once)] : []),
      // Archiving and reverting are always possible: what is wrong must not go on being found because the team is full.
      ...(writes.some(({ action }) => action !== "archive" && action !== "revert") ? [this.#quota.statement(d1, teamId, writes.filter(isArrival).length)] : []),
    ];
    const last = await this.#run(d1, teamId, batch, meanwhile);
    // A new memory arrives with alias 0 and is named after the number its creation took.
    return writes.map(({ memory }, i) => {
      const seq = last - count + 1 + i;
      return { ...memory, seq, alias: memory.alias || seq };
    });
  }

  /** Earlier versions of what becomes secret, or is none any more, as they are to be from now on. */
  async #sensitivityChanged(d1: D1Database, writes: MemoryWrite[]): Promise<Record<string, unknown>[]> {
    const turning = writes.filter(({ memory, before, action }) => memory.version > 1 && action !== "import" && before?.sensitivity !== memory.sensitivity).map(({ memory }) => memory);
    if (turning.length === 0) return [];
    const byId = new Map(turning.map((memory) => [memory.id, memory]));
    const rows = await drizzle(d1)
      .select()
      .from(versions)
      .where(and(eq(versions.teamId, turning[0]?.teamId ?? ""), idsIn(sql`${versions.memoryId}`, [...byId.keys()])));
    return this.#sealed.sensitivityChanged(rows, byId);
  }

  /** `beside`: what goes with them, which the caller may not know of. Answers the last sequence number. */
  erase(principal: Principal, write: WriteContext, named: readonly Doomed[], beside: readonly Doomed[] = []): Promise<number> {
    const d1 = this.#shardOf(principal.shard);
    return this.#run(d1, principal.teamId, [
      ...erasing(d1, principal.teamId, write.now, [...named, ...beside]),
      auditMemories(d1, principal, write, { action: "erase", ...actOn(named.map(({ id }) => id)) }),
      ...(beside.length > 0 ? [auditSystem(d1, principal.teamId, write.now, "quarantine", { action: "erase", count: beside.length })] : []),
    ]);
  }

  async saveIdempotency(principal: Principal, now: number, once: IdempotencyRecord): Promise<void> {
    const d1 = this.#shardOf(principal.shard);
    try {
      await this.#idempotency(d1, principal, now, once).run();
    } catch (error) {
      throw isWriteConflict(error) ? new WriteConflict() : error;
    }
  }

  #idempotency(d1: D1Database, principal: Principal, now: number, { key, requestHash, memoryId, version, outcome }: IdempotencyRecord) {
    return d1
      .prepare(statements.insertIdempotency)
      .bind(principal.teamId, principal.userId, key, requestHash, memoryId, version, outcome, now);
  }

  /** Runs the batch, one transaction, whose first statement answers the last sequence number taken. */
  async #run(d1: D1Database, teamId: string, batch: D1PreparedStatement[], meanwhile?: () => void): Promise<number> {
    try {
      const sent = d1.batch<{ seq: number }>(batch);
      meanwhile?.();
      const [taken] = (await sent) as [D1Result<{ seq: number }>];
      return (taken.results as [{ seq: number }])[0].seq;
    } catch (error) {
      if (isWriteConflict(error)) throw new WriteConflict();
      if (String(error).includes("proposals.proposed_at")) throw linksWait();
      throw await this.#quota.explained(d1, teamId, error);
    }
  }
}

const isArrival = ({ action }: MemoryWrite): boolean => action === "create" || action === "import";

/** The act on all of them; an import does several things at once. */
const actionOf = (writes: MemoryWrite[]): MemoryWrite["action"] => {
  const [first, ...others] = writes.map(({ action }) => action);
  return first !== undefined && others.every((action) => action === first) ? first : "import";
};
