import type { D1Database } from "@cloudflare/workers-types";
import { and, asc, count, desc, eq, gt, isNull, lte, or, type SQL, sql } from "drizzle-orm";
import { drizzle, type DrizzleD1Database } from "drizzle-orm/d1";
import type { AuditEntry } from "../../domain/tenancy/audit-entry.ts";
import type { KeyStore, KeyHolder, KeyRecord, KeyRenewal, KeySummary, OwnKey } from "../../domain/tenancy/key-store.ts";
import { isScope, type Principal, type Role } from "../../domain/tenancy/principal.ts";
import { preferencesFrom } from "../../domain/tenancy/preferences.ts";
import type { TeamRef } from "../../domain/tenancy/team-ref.ts";
import { auditFailure, auditWhen, rowWhen } from "./directory-audit.ts";
import { apiKeys, directoryAudit, memberships, organizations, shards, teams, users } from "./directory-schema.ts";
import { liveOrganization, liveTeam, liveUser } from "./tenant-sql.ts";
import { shardNames } from "./shard-names.ts";

export interface NamedTeam extends TeamRef {
  name: string;
}

/** Who exists and who belongs where. What makes tenants knows no principal; everything inside a team takes one. */
export class D1DirectoryStore implements KeyStore, KeyRenewal {
  readonly #db: DrizzleD1Database;

  constructor(db: D1Database) {
    this.#db = drizzle(db);
  }

  /** Adds shards that are bound and not yet known; known ones keep what the operator set. */
  async registerShards(names: readonly string[], now: number): Promise<void> {
    if (names.length === 0) return;
    await this.#db.insert(shards).values(names.map((name) => ({ name, createdAt: now }))).onConflictDoNothing();
  }

  /** The shard with the fewest teams, of those that accept teams. */
  async pickShard(): Promise<string> {
    const [row] = await this.#db
      .select({ name: shards.name })
      .from(shards)
      .leftJoin(teams, eq(teams.shard, shards.name))
      .where(eq(shards.acceptsTeams, true))
      .groupBy(shards.name)
      .orderBy(asc(count(teams.id)), asc(shards.name))
      .limit(1);
    if (!row) throw new Error("no shard accepts teams");
    return row.name;
  }

  listShards(): Promise<string[]> {
    return shardNames(this.#db);
  }

  async createOrganization(organization: { id: string; name: string }, now: number): Promise<void> {
    await this.#db.insert(organizations).values({ ...organization, createdAt: now });
  }

  async createUser(user: { id: string; name: string }, now: number): Promise<void> {
    await this.#db.insert(users).values({ ...user, createdAt: now });
  }

  async createTeam({ id, organizationId, name }: { id: string; organizationId: string; name: string }, now: number): Promise<NamedTeam> {
    const shard = await this.pickShard();
    await this.#db.insert(teams).values({ id, organizationId, name, shard, createdAt: now });
    return { teamId: id, organizationId, name, shard };
  }

  async addMember(member: { teamId: string; userId: string; role: Role }, now: number): Promise<void> {
    await this.#db.insert(memberships).values({ ...member, createdAt: now });
  }

  /** Removing a member stops all their keys to the team: `authenticate` finds no role any more. */
  async removeMember(teamId: string, userId: string): Promise<void> {
    await this.#db.delete(memberships).where(and(eq(memberships.teamId, teamId), eq(memberships.userId, userId)));
  }

  /** An organization with its first team and that team's owner, all or nothing. */
  async provision(
    tenant: { organization: { id: string; name: string }; team: { id: string; name: string }; owner: { id: string; name: string } },
    now: number,
  ): Promise<NamedTeam> {
    const { organization, team, owner } = tenant;
    const shard = await this.pickShard();
    await this.#db.batch([
      this.#db.insert(organizations).values({ ...organization, createdAt: now }),
      this.#db.insert(users).values({ ...owner, createdAt: now }),
      this.#db.insert(teams).values({ ...team, organizationId: organization.id, shard, createdAt: now }),
      this.#db.insert(memberships).values({ teamId: team.id, userId: owner.id, role: "owner", createdAt: now }),
    ]);
    return { teamId: team.id, organizationId: organization.id, name: team.name, shard };
  }

  async findTeam(id: string): Promise<NamedTeam | undefined> {
    const [row] = await this.#db.select(teamColumns).from(teams).where(eq(teams.id, id));
    return row;
  }

  /** The same, unless the team is being erased: then nothing may be made of it any more. */
  async findTeamToIndex(id: string): Promise<NamedTeam | undefined> {
    const [row] = await this.#db.select(teamColumns).from(teams).where(and(eq(teams.id, id), notBeingErased));
    return row;
  }

  /** By id, a page at a time: pass the last id of a page to get the next one. Without those that are being erased. */
  async listTeams(after = "", limit = 500): Promise<NamedTeam[]> {
    return this.#db.select(teamColumns).from(teams).where(and(gt(teams.id, after), notBeingErased)).orderBy(asc(teams.id)).limit(limit);
  }

  async authenticate(keyId: string): Promise<KeyHolder | undefined> {
    const [row] = await this.#db
      .select({ key: apiKeys, role: memberships.role, organizationId: teams.organizationId, shard: teams.shard, preferences: users.preferences })
      .from(apiKeys)
      .innerJoin(memberships, and(eq(memberships.teamId, apiKeys.teamId), eq(memberships.userId, apiKeys.userId)))
      .innerJoin(teams, liveTeam)
      .innerJoin(organizations, liveOrganization)
      .innerJoin(users, liveUser)
      .where(eq(apiKeys.keyId, keyId));
    return row && { ...row, key: toRecord(row.key), preferences: preferencesFrom(row.preferences) };
  }

  async touchKey(keyId: string, now: number, unlessAfter: number): Promise<void> {
    // The condition is repeated here because many requests of one minute may have read the same old instant.
    const stale = or(isNull(apiKeys.lastUsedAt), lte(apiKeys.lastUsedAt, unlessAfter));
    await this.#db.update(apiKeys).set({ lastUsedAt: now }).where(and(eq(apiKeys.keyId, keyId), stale));
  }

  async auditFailure(entry: AuditEntry, limitPerMinute: number): Promise<void> {
    await auditFailure(this.#db, entry, limitPerMinute);
  }

  async insertKey(key: KeyRecord, most: number, audit: AuditEntry): Promise<boolean> {
    const isNew = isNewWithRoom(key, most, audit.at);
    // The audit row first: its condition is no longer true once the key is there.
    const [, inserted] = await this.#db.batch([
      this.#db.insert(directoryAudit).select(auditWhen(audit, isNew)),
      this.#db.insert(apiKeys).select(rowWhen(apiKeys, key, isNew)),
    ]);
    return inserted.meta.changes > 0;
  }

  async findKey(principal: Pick<Principal, "teamId">, keyId: string): Promise<KeyRecord | undefined> {
    const [row] = await this.#db.select().from(apiKeys).where(ofTeam(principal, keyId));
    return row && toRecord(row);
  }

  async listKeys(principal: Principal, userId: string | undefined): Promise<KeySummary[]> {
    const rows = await this.#db
      .select()
      .from(apiKeys)
      .where(and(eq(apiKeys.teamId, principal.teamId), userId === undefined ? undefined : eq(apiKeys.userId, userId)))
      .orderBy(desc(apiKeys.createdAt), asc(apiKeys.keyId));
    return rows.map(toSummary);
  }

  async listOwnKeys({ userId }: { userId: string }, now: number): Promise<OwnKey[]> {
    const rows = await this.#db
      .select({ key: apiKeys, teamName: teams.name })
      .from(apiKeys)
      .innerJoin(memberships, and(eq(memberships.teamId, apiKeys.teamId), eq(memberships.userId, apiKeys.userId)))
      .innerJoin(teams, liveTeam)
      .innerJoin(organizations, liveOrganization)
      .where(and(eq(apiKeys.userId, userId), isNull(apiKeys.revokedAt), or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now))))
      .orderBy(desc(apiKeys.createdAt), asc(apiKeys.keyId));
    return rows.map(({ key, teamName }) => ({ ...toSummary(key), teamName }));
  }

  async revokeKey(principal: Principal, keyId: string, now: number, audit: AuditEntry): Promise<boolean> {
    const open = sql`exists (select 1 from ${apiKeys} where key_id = ${keyId} and team_id = ${principal.teamId} and revoked_at is null)`;
    // The audit row first: its condition is no longer true once the key is revoked.
    const [, revoked] = await this.#db.batch([
      this.#db.insert(directoryAudit).select(auditWhen(audit, open)),
      this.#db.update(apiKeys).set({ revokedAt: now }).where(and(ofTeam(principal, keyId), isNull(apiKeys.revokedAt))),
    ]);
    return revoked.meta.changes > 0;
  }

  async rotateKey(principal: Principal, oldKeyId: string, oldExpiresAt: number, successor: KeyRecord, most: number, audit: AuditEntry): Promise<boolean> {
    // Two rotations at once: only the first finds the key current, and only its successor comes to be.
    const current = and(ofTeam(principal, oldKeyId), isCurrent(audit.at));
    const wins = sql`exists (select 1 from ${apiKeys} where ${current}) and ${isNewWithRoom(successor, most, audit.at)}`;
    const [, , replaced] = await this.#db.batch([
      this.#db.insert(directoryAudit).select(auditWhen(audit, wins)),
      this.#db.insert(apiKeys).select(rowWhen(apiKeys, successor, wins)),
      this.#db.update(apiKeys).set({ expiresAt: oldExpiresAt, replacedBy: successor.keyId }).where(and(current, isThere(successor))),
    ]);
    return replaced.meta.changes > 0;
  }

  async renewKey(principal: Principal, keyId: string, expiresAt: number, audit: AuditEntry): Promise<boolean> {
    const renewed = sql`exists (select 1 from ${apiKeys} where key_id = ${keyId} and expires_at = ${expiresAt})`;
    const [changed] = await this.#db.batch([
      this.#db.update(apiKeys).set({ expiresAt }).where(and(ofTeam(principal, keyId), isCurrent(audit.at))),
      this.#db.insert(directoryAudit).select(auditWhen(audit, renewed)),
    ]);
    return changed.meta.changes > 0;
  }
}

/** Erasure claims a team by this mark (`ErasureStore`). */
export const beingErased = 0;
const notBeingErased = or(isNull(teams.eraseAt), gt(teams.eraseAt, beingErased));

const teamColumns = { teamId: teams.id, organizationId: teams.organizationId, name: teams.name, shard: teams.shard };

/** Neither replaced nor revoked nor expired. */
const isCurrent = (now: number): SQL | undefined =>
  and(isNull(apiKeys.replacedBy), isNull(apiKeys.revokedAt), or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now)));

const ofTeam = (principal: Pick<Principal, "teamId">, keyId: string): SQL | undefined =>
  and(eq(apiKeys.keyId, keyId), eq(apiKeys.teamId, principal.teamId));

/** Keys that are replaced count until their grace is over: they work. */
const isNewWithRoom = (key: KeyRecord, most: number, now: number): SQL =>
  sql`not ${isThere(key)} and (select count(*) from ${apiKeys} where team_id = ${key.teamId} and user_id = ${key.userId} and revoked_at is null and (expires_at is null or expires_at > ${now})) < ${most}`;

const isThere = ({ keyId }: KeyRecord): SQL => sql`exists (select 1 from ${apiKeys} where key_id = ${keyId})`;

const toRecord = (row: typeof apiKeys.$inferSelect): KeyRecord => ({ ...row, scopes: row.scopes.filter(isScope) });

const toSummary = (row: typeof apiKeys.$inferSelect): KeySummary => {
  const { secretHash: _, ...summary } = toRecord(row);
  return summary;
};
