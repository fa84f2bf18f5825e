import { and, desc, eq, gt, isNull, lt, or, type SQL } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { uuidv7 } from "../../domain/ids.ts";
import type { Memory } from "../../domain/memories/memory.ts";
import type { Proposal, ProposalState, ProposalStore, Wish } from "../../domain/memories/review-ports.ts";
import type { WriteContext } from "../../domain/ports.ts";
import type { Principal } from "../../domain/tenancy/principal.ts";
import { auditMemories } from "./memory-audit.ts";
import type { ShardOf } from "./shard-of.ts";
import { proposals, teamPolicies } from "./review-schema.ts";
import { OpenedRows } from "./opened-rows.ts";
import type { SealedRows } from "./sealed-rows.ts";
import { memories } from "./shard-schema.ts";

const setReview = `INSERT INTO team_policies (team_id, review_required) VALUES (?1, ?2)
  ON CONFLICT (team_id) DO UPDATE SET review_required = excluded.review_required`;

/**
 * `?1` team, `?2` wishes as `[{id, memoryId, version, visibility}]`. What waits of these memories otherwise gives way, if the
 * wish is of the present version: a call that is repeated late takes nothing newer out of the queue.
 */
const withdrawOutdated = `DELETE FROM proposals WHERE team_id = ?1 AND state = 'pending' AND EXISTS (
  SELECT 1 FROM json_each(?2) e CROSS JOIN memories m ON m.team_id = ?1 AND m.id = e.value ->> '$.memoryId' AND m.version = e.value ->> '$.version'
  WHERE m.id = proposals.memory_id
  AND (e.value ->> '$.version' <> proposals.version OR e.value ->> '$.visibility' <> proposals.visibility))`;
/** Adds: ?3 who, ?4 now, ?5 tool. Only of memories that are still in just this version. */
const insertWishes = `INSERT INTO proposals (team_id, id, memory_id, version, visibility, proposed_by, proposed_at, tool, state)
  SELECT ?1, e.value ->> '$.id', m.id, m.version, e.value ->> '$.visibility', ?3, ?4, ?5, 'pending'
  FROM json_each(?2) e CROSS JOIN memories m ON m.team_id = ?1 AND m.id = e.value ->> '$.memoryId' AND m.version = e.value ->> '$.version'
  WHERE true ON CONFLICT DO NOTHING`;
const standing = `SELECT p.id, p.memory_id AS memoryId, p.version, p.visibility, p.proposed_by AS proposedBy, p.proposed_at AS proposedAt,
    p.tool, p.state, p.decided_by AS decidedBy, p.decided_at AS decidedAt
  FROM json_each(?2) e CROSS JOIN proposals p ON p.team_id = ?1 AND p.memory_id = e.value ->> '$.memoryId'
    AND p.version = e.value ->> '$.version' AND p.visibility = e.value ->> '$.visibility' ORDER BY e.key`;
const auditRefusal = `INSERT INTO audit (at, team_id, user_id, credential_id, tool, action, memory_id, count, request_id, address)
  SELECT ?4, p.team_id, ?3, ?5, ?6, 'refuse', p.memory_id, 1, ?7, ?8 FROM proposals p WHERE p.team_id = ?1 AND p.id = ?2 AND p.state = 'pending'`;
const refuse = `UPDATE proposals SET state = 'refused', decided_by = ?3, decided_at = ?4 WHERE team_id = ?1 AND id = ?2 AND state = 'pending'`;

export class D1ProposalStore implements ProposalStore {
  readonly #shardOf: ShardOf;
  readonly #opened: OpenedRows;

  constructor(shardOf: ShardOf, sealed: SealedRows) {
    this.#shardOf = shardOf;
    this.#opened = new OpenedRows(shardOf, sealed);
  }

  async reviewRequired({ teamId, shard }: Principal): Promise<boolean> {
    const [row] = await drizzle(this.#shardOf(shard)).select({ required: teamPolicies.reviewRequired }).from(teamPolicies).where(eq(teamPolicies.teamId, teamId));
    return row?.required ?? false;
  }

  async setReview(principal: Principal, write: WriteContext, required: boolean): Promise<void> {
    const d1 = this.#shardOf(principal.shard);
    await d1.batch([d1.prepare(setReview).bind(principal.teamId, required ? 1 : 0), auditMemories(d1, principal, write, { action: required ? "review-on" : "review-off", count: 0 })]);
  }

  async propose(principal: Principal, write: WriteContext, wishes: Wish[]): Promise<Proposal[]> {
    const d1 = this.#shardOf(principal.shard);
    const { teamId, userId } = principal;
    const rows = JSON.stringify(wishes.map((wish) => ({ ...wish, id: uuidv7(write.now) })));
    const [, , , found] = await d1.batch<Proposal>([
      d1.prepare(withdrawOutdated).bind(teamId, rows),
      d1.prepare(insertWishes).bind(teamId, rows, userId, write.now, write.tool),
      auditMemories(d1, principal, write, { action: "propose", count: wishes.length }),
      d1.prepare(standing).bind(teamId, rows),
    ]);
    return found?.results ?? [];
  }

  async list(principal: Principal, now: number, which: { proposedBy: string | undefined; state: ProposalState; below: string | undefined; limit: number }) {
    const { proposedBy, state, below, limit } = which;
    return this.#select(principal, now, limit, eq(proposals.state, state), proposedBy === undefined ? undefined : eq(proposals.proposedBy, proposedBy), below === undefined ? undefined : lt(proposals.id, below));
  }

  async find(principal: Principal, now: number, id: string): Promise<{ proposal: Proposal; memory: Memory } | undefined> {
    return (await this.#select(principal, now, 1, eq(proposals.id, id)))[0];
  }

  async refuse(principal: Principal, write: WriteContext, id: string): Promise<boolean> {
    const d1 = this.#shardOf(principal.shard);
    // The audit row first: its condition is no longer true once the proposal is decided.
    const [, refused] = await d1.batch([
      d1.prepare(auditRefusal).bind(principal.teamId, id, principal.userId, write.now, principal.credential.id, write.tool, write.requestId, write.address ?? null),
      d1.prepare(refuse).bind(principal.teamId, id, principal.userId, write.now),
    ]);
    return (refused?.meta.changes ?? 0) > 0;
  }

  async #select(principal: Principal, now: number, limit: number, ...conditions: (SQL | undefined)[]): Promise<{ proposal: Proposal; memory: Memory }[]> {
    const { teamId, shard } = principal;
    const rows = await drizzle(this.#shardOf(shard))
      .select({ proposal: proposals, memory: memories })
      .from(proposals)
      .innerJoin(memories, and(eq(memories.teamId, proposals.teamId), eq(memories.id, proposals.memoryId), or(isNull(memories.expiresAt), gt(memories.expiresAt, now))))
      .where(and(eq(proposals.teamId, teamId), ...conditions))
      .orderBy(desc(proposals.id))
      .limit(limit);
    const found = await this.#opened.memories(principal, rows.map(({ memory }) => memory));
    return rows.map(({ proposal }, i) => ({ proposal, memory: found[i] as Memory }));
  }
}
