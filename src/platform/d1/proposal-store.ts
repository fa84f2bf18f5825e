import { and, desc, eq, gt, isNull, lt, or, sql, type SQL } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { uuidv7 } from "../../domain/ids.ts";
import { canonical, type Memory } from "../../domain/memories/memory.ts";
import { mostLinks, mostWaiting, type Proposal, type ProposalState, type ProposalStore, type Wish } from "../../domain/memories/proposal-store.ts";
import type { WriteContext } from "../../domain/memories/memory-store.ts";
import type { Principal } from "../../domain/tenancy/principal.ts";
import { actOn, auditMemories } from "./memory-audit.ts";
import { idsIn } from "./memory-conditions.ts";
import { jsonArrays } from "./memory-sql.ts";
import type { ShardOf } from "./shard-of.ts";
import { proposals, teamPolicies } from "./review-schema.ts";
import { OpenedRows } from "./opened-rows.ts";
import type { SealedRows } from "./sealed-rows.ts";
import { memories } from "./shard-schema.ts";

const setReview = `INSERT INTO team_policies (team_id, review_required) VALUES (?1, ?2)
  ON CONFLICT (team_id) DO UPDATE SET review_required = excluded.review_required`;

/** Of the proposals `p`, those that wait; ?4 now. What has expired waits no more, swept or not. */
const isWaiting = `p.team_id = ?1 AND p.state = 'pending'
  AND EXISTS (SELECT 1 FROM memories w WHERE w.team_id = p.team_id AND w.id = p.memory_id AND (w.expires_at IS NULL OR w.expires_at > ?4))`;

/**
 * `?1` team, `?2` wishes as `[{id, memoryId, version}]`, `?3` who. What else of these memories they have waiting gives way, if
 * the wish is of the present version: a call that is repeated late takes nothing newer out of the queue.
 */
const withdrawOthers = `DELETE FROM proposals WHERE team_id = ?1 AND state = 'pending' AND proposed_by = ?3 AND EXISTS (
  SELECT 1 FROM json_each(?2) e CROSS JOIN memories m ON m.team_id = ?1 AND m.id = e.value ->> '$.memoryId' AND m.version = e.value ->> '$.version'
  WHERE m.id = proposals.memory_id AND e.value ->> '$.id' <> proposals.id)`;
/** Adds: ?4 now, ?5 tool, ?6 and ?7 the most of one person and one team. Only of memories that are still in just this version. */
const insertWishes = `INSERT INTO proposals (team_id, id, memory_id, version, visibility, proposed_by, proposed_at, tool, state, proposed, data_key, links)
  SELECT ?1, e.value ->> '$.id', m.id, m.version, e.value ->> '$.visibility', ?3, ?4, ?5, 'pending', e.value ->> '$.proposed', e.value ->> '$.dataKey', e.value ->> '$.links'
  FROM json_each(?2) e CROSS JOIN memories m ON m.team_id = ?1 AND m.id = e.value ->> '$.memoryId' AND m.version = e.value ->> '$.version'
  WHERE e.key < ?6 - (SELECT count(*) FROM proposals p WHERE ${isWaiting} AND p.proposed_by = ?3)
    AND e.key < ?7 - (SELECT count(*) FROM proposals p WHERE ${isWaiting}) ON CONFLICT DO NOTHING`;
/** ?1 team. */
export const isReviewing = "EXISTS (SELECT 1 FROM team_policies r WHERE r.team_id = ?1 AND r.review_required)";
/**
 * Links that others begin to see with the private memory of an accepted proposal, where the team still reviews. What the person who decides made is known
 * to them. Parameters of `fulfilProposal`.
 */
const unseenLinks = `FROM proposals p
    CROSS JOIN memory_links l ON l.team_id = ?1 AND (l.source_id = p.memory_id OR l.target_id = p.memory_id) AND l.origin = 'explicit' AND l.created_by IS NOT ?3
    CROSS JOIN memories m ON m.team_id = ?1 AND m.id = l.source_id AND m.home = '' AND (m.expires_at IS NULL OR m.expires_at > ?4)
    CROSS JOIN memories w ON w.team_id = ?1 AND w.id = l.target_id AND w.home = '' AND (w.expires_at IS NULL OR w.expires_at > ?4)
  WHERE p.team_id = ?1 AND p.id = ?2 AND ${isReviewing}`;
/**
 * They wait for a review of their own, beside that proposal in the queue, each in the name of whoever made it. They join what of that person waits
 * already, under a new id: who has that before them has not seen it all. More than one proposal may hold, one that is outdated, or a secret that is
 * sealed under its id breaks the constraint of the date, and the whole batch (`linksWait`).
 */
const proposeUnseen = `INSERT INTO proposals (team_id, id, memory_id, version, visibility, proposed_by, proposed_at, tool, state, links)
  SELECT ?1, substr(?2, 1, 24) || lower(hex(randomblob(6))), m.id, m.version, m.visibility, coalesce(l.created_by, p.proposed_by) AS maker, iif(count(*) > ${mostLinks}, NULL, ?4), p.tool, 'pending',
    json_object('add', json_group_array(json_object('to', l.target_id, 'type', l.type, 'strength', l.strength, 'reason', l.reason)), 'remove', json('[]'))
  ${unseenLinks} GROUP BY m.id, maker
  ON CONFLICT (team_id, memory_id, proposed_by) WHERE state = 'pending' DO UPDATE SET id = excluded.id,
    proposed_at = iif(version = excluded.version AND data_key IS NULL, excluded.proposed_at, NULL),
    links = json_set(coalesce(links, excluded.links), '$.add', (SELECT json_group_array(json(value)) FROM (
      SELECT value FROM json_each(links, '$.add') UNION ALL SELECT value FROM json_each(excluded.links, '$.add'))))`;
/** In this order. */
export const holdUnseen = [proposeUnseen, `DELETE FROM memory_links WHERE rowid IN (SELECT l.rowid ${unseenLinks})`];
/** `?2` ids as JSON. */
const byIds = `SELECT id, proposed_at AS proposedAt, tool, state, decided_by AS decidedBy, decided_at AS decidedAt FROM proposals
  WHERE team_id = ?1 AND id IN (SELECT value FROM json_each(?2))`;
/** `?2` who, `?3` ids of memories as JSON. */
const countWaiting = `SELECT count(*) AS team, count(CASE WHEN proposed_by = ?2 THEN 1 END) AS mine FROM proposals p
  WHERE ${isWaiting} AND NOT (proposed_by = ?2 AND memory_id IN (SELECT value FROM json_each(?3)))`;
const auditRefusal = `INSERT INTO audit (at, team_id, user_id, credential_id, tool, action, memory_id, count, request_id, address)
  SELECT ?4, p.team_id, ?3, ?5, ?6, 'refuse', p.memory_id, 1, ?7, ?8 FROM proposals p WHERE p.team_id = ?1 AND p.id = ?2 AND p.state = 'pending'`;
const refuse = `UPDATE proposals SET state = 'refused', decided_by = ?3, decided_at = ?4 WHERE team_id = ?1 AND id = ?2 AND state = 'pending'`;

type StoredDecision = Pick<Proposal, "id" | "proposedAt" | "tool" | "state" | "decidedBy" | "decidedAt">;

/** Two proposals with the same key are the same. When something was archived, and whether a person or an export said it, makes no difference. */
const content = ({ visibility, proposed, links }: Pick<Wish, "visibility" | "proposed" | "links">): string =>
  canonical({ visibility, links, proposed: proposed && { ...proposed, archivedAt: proposed.archivedAt !== null, trust: proposed.trust.quarantined } });

const isSame = (proposal: Proposal, wish: Wish): boolean =>
  proposal.memoryId === wish.memory.id && proposal.version === wish.memory.version && !proposal.redaction && content(proposal) === content(wish);

export class D1ProposalStore implements ProposalStore {
  readonly #shardOf: ShardOf;
  readonly #sealed: SealedRows;
  readonly #opened: OpenedRows;

  constructor(shardOf: ShardOf, sealed: SealedRows) {
    this.#shardOf = shardOf;
    this.#sealed = sealed;
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

  async waiting({ shard, teamId, userId }: Principal, now: number, besides: string[]): Promise<{ mine: number; team: number }> {
    const row = await this.#shardOf(shard).prepare(countWaiting).bind(teamId, userId, JSON.stringify(besides), now).first<{ mine: number; team: number }>();
    return row ?? { mine: 0, team: 0 };
  }

  async propose(principal: Principal, write: WriteContext, wishes: Wish[]): Promise<Proposal[]> {
    const d1 = this.#shardOf(principal.shard);
    const { teamId, userId } = principal;
    const known = await this.own(principal, wishes.map(({ memory }) => memory.id));
    const all = wishes.map((wish) => {
      const before = known.find((proposal) => isSame(proposal, wish));
      return { ...wish, id: before?.id ?? uuidv7(write.now), isNew: before === undefined };
    });
    const names = all.map(({ id, memory }) => ({ id, memoryId: memory.id, version: memory.version }));
    const fresh = await Promise.all(all.filter(({ isNew }) => isNew).map((wish) => this.#row(wish)));
    const most = [mostWaiting.person, mostWaiting.team];
    const results = await d1.batch<StoredDecision>([
      d1.prepare(withdrawOthers).bind(teamId, JSON.stringify(names), userId),
      ...jsonArrays(fresh).map((rows) => d1.prepare(insertWishes).bind(teamId, rows, userId, write.now, write.tool, ...most)),
      auditMemories(d1, principal, write, { action: "propose", ...actOn(wishes.map(({ memory }) => memory.id)) }),
      d1.prepare(byIds).bind(teamId, JSON.stringify(all.map(({ id }) => id))),
    ]);
    const stored = new Map(results.at(-1)?.results.map((row) => [row.id, row]));
    return all.flatMap(({ id, memory, visibility, proposed, links }) => {
      const row = stored.get(id);
      return row ? [{ ...row, memoryId: memory.id, version: memory.version, visibility, proposed, links, proposedBy: userId }] : [];
    });
  }

  async #row({ id, memory, visibility, proposed, links }: Wish & { id: string }): Promise<Record<string, unknown>> {
    const sealed = proposed && (await this.#sealed.proposedOf(memory, id, proposed));
    return {
      id, memoryId: memory.id, version: memory.version, visibility,
      proposed: sealed && JSON.stringify(sealed.state),
      dataKey: sealed?.dataKey ?? null,
      links: links && JSON.stringify(links),
    };
  }

  async own(principal: Principal, memoryIds: string[]): Promise<Proposal[]> {
    const { teamId, userId, shard } = principal;
    const rows = await drizzle(this.#shardOf(shard))
      .select()
      .from(proposals)
      .where(and(eq(proposals.teamId, teamId), eq(proposals.proposedBy, userId), idsIn(sql`${proposals.memoryId}`, memoryIds)))
      .orderBy(desc(proposals.id));
    return this.#opened.proposals(principal, rows);
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
    const [found, wanted] = await Promise.all([
      this.#opened.memories(principal, rows.map(({ memory }) => memory)),
      this.#opened.proposals(principal, rows.map(({ proposal }) => proposal)),
    ]);
    return wanted.map((proposal, i) => ({ proposal, memory: found[i] as Memory }));
  }
}
