import type { D1Database } from "@cloudflare/workers-types";
import { and, asc, eq, gt, isNotNull, isNull, or, type SQL, sql } from "drizzle-orm";
import { drizzle, type DrizzleD1Database } from "drizzle-orm/d1";
import type { AuditEntry } from "../../domain/tenancy/audit-entry.ts";
import type { Principal, Role } from "../../domain/tenancy/principal.ts";
import type { Member, NewTeam, Membership, TeamSummary, TenantStore } from "../../domain/tenancy/tenant-store.ts";
import { auditWhen, rowWhen } from "./directory-audit.ts";
import { apiKeys, directoryAudit, memberships, organizations, shards, teams, users } from "./directory-schema.ts";
import { oauthRecords, oauthSpentTokens } from "./identity-schema.ts";
import { actsStill, grantsOf, hasOwnerBeside, isMember, liveOrganization, liveTeam, liveUser, ofMember } from "./tenant-sql.ts";

type Someone = { userId: string };

/** Organizations, teams and members. */
export class D1TenantStore implements TenantStore {
  readonly #db: DrizzleD1Database;

  constructor(db: D1Database) {
    this.#db = drizzle(db);
  }

  async membership({ userId }: Someone, teamId: string): Promise<Membership | undefined> {
    const [row] = await this.#db
      .select(standingColumns)
      .from(memberships)
      .innerJoin(teams, liveTeam)
      .innerJoin(organizations, liveOrganization)
      .innerJoin(users, liveUser)
      .where(ofMember(teamId, userId));
    return row;
  }

  async membershipInDeletedTeam({ userId }: Someone, teamId: string, now: number): Promise<Membership | undefined> {
    const [row] = await this.#db
      .select(standingColumns)
      .from(memberships)
      .innerJoin(teams, eq(teams.id, memberships.teamId))
      .innerJoin(organizations, eq(organizations.id, teams.organizationId))
      .innerJoin(users, liveUser)
      .where(and(ofMember(teamId, userId), or(isNotNull(teams.deletedAt), isNotNull(organizations.deletedAt)), restorable(now)));
    return row;
  }

  async listTeams({ userId }: Someone, now: number): Promise<TeamSummary[]> {
    return this.#db
      .select({
        id: teams.id,
        name: teams.name,
        organizationId: teams.organizationId,
        organizationName: organizations.name,
        role: memberships.role,
        personal: sql`${teams.personalOf} is ${userId}`.mapWith(Boolean),
        createdAt: teams.createdAt,
        eraseAt: sql<number | null>`nullif(min(coalesce(${teams.eraseAt}, 9e15), coalesce(${organizations.eraseAt}, 9e15)), 9e15)`,
      })
      .from(memberships)
      .innerJoin(teams, eq(teams.id, memberships.teamId))
      .innerJoin(organizations, eq(organizations.id, teams.organizationId))
      .innerJoin(users, liveUser)
      .where(and(eq(memberships.userId, userId), restorable(now)))
      .orderBy(asc(teams.createdAt), asc(teams.id));
  }

  async insertOrganization({ userId }: Someone, organization: NewTeam, team: NewTeam, audit: AuditEntry): Promise<void> {
    const createdAt = audit.at;
    await this.#db.batch([
      this.#db.insert(organizations).values({ ...organization, createdAt }),
      this.#db.insert(teams).select(this.#newTeam({ ...team, organizationId: organization.id, personalOf: null, createdAt }, sql`true`)),
      this.#db.insert(memberships).values({ teamId: team.id, userId, role: "owner", createdAt }),
      this.#db.insert(directoryAudit).values(audit),
    ]);
  }

  async insertPersonalTeam({ userId }: Someone, organization: NewTeam, team: NewTeam, audit: AuditEntry): Promise<boolean> {
    const createdAt = audit.at;
    const isNowhere = sql`exists (select 1 from ${users} where id = ${userId} and deleted_at is null) and not exists (
      select 1 from ${memberships} m join ${teams} t on t.id = m.team_id and t.deleted_at is null
      join ${organizations} o on o.id = t.organization_id and o.deleted_at is null where m.user_id = ${userId})
      and not exists (select 1 from ${teams} where personal_of = ${userId})`;
    const won = sql`exists (select 1 from ${teams} where id = ${team.id})`;
    const [, inserted] = await this.#db.batch([
      this.#db.insert(organizations).select(rowWhen(organizations, { ...organization, createdAt }, isNowhere)),
      this.#db.insert(teams).select(this.#newTeam({ ...team, organizationId: organization.id, personalOf: userId, createdAt }, isNowhere)),
      this.#db.insert(memberships).select(rowWhen(memberships, { teamId: team.id, userId, role: "owner", createdAt }, won)),
      this.#db.insert(directoryAudit).select(auditWhen(audit, won)),
    ]);
    return inserted.meta.changes > 0;
  }

  async insertTeam(principal: Principal, team: NewTeam, audit: AuditEntry): Promise<boolean> {
    const { organizationId, userId } = principal;
    const createdAt = audit.at;
    const won = sql`exists (select 1 from ${teams} where id = ${team.id})`;
    const [inserted] = await this.#db.batch([
      this.#db.insert(teams).select(this.#newTeam({ ...team, organizationId, personalOf: null, createdAt }, actsStill(principal))),
      this.#db.insert(memberships).select(rowWhen(memberships, { teamId: team.id, userId, role: "owner", createdAt }, won)),
      this.#db.insert(directoryAudit).select(auditWhen(audit, won)),
    ]);
    return inserted.meta.changes > 0;
  }

  async renameTeam(principal: Principal, name: string, audit: AuditEntry): Promise<boolean> {
    const allowed = actsStill(principal);
    const [, renamed] = await this.#db.batch([
      this.#db.insert(directoryAudit).select(auditWhen(audit, allowed)),
      this.#db.update(teams).set({ name }).where(and(eq(teams.id, principal.teamId), allowed)),
    ]);
    return renamed.meta.changes > 0;
  }

  async renameOrganization(principal: Principal, name: string, audit: AuditEntry): Promise<boolean> {
    const allowed = actsStill(principal);
    const [, renamed] = await this.#db.batch([
      this.#db.insert(directoryAudit).select(auditWhen(audit, allowed)),
      this.#db.update(organizations).set({ name }).where(and(eq(organizations.id, principal.organizationId), allowed)),
    ]);
    return renamed.meta.changes > 0;
  }

  async listMembers({ teamId }: Principal): Promise<Member[]> {
    return this.#members(eq(memberships.teamId, teamId));
  }

  async findMember({ teamId }: Principal, userId: string): Promise<Member | undefined> {
    return (await this.#members(ofMember(teamId, userId)))[0];
  }

  async changeRole(principal: Principal, { userId, from, to }: { userId: string; from: Role; to: Role }, audit: AuditEntry): Promise<boolean> {
    const { teamId } = principal;
    const losesOwner = from === "owner" && to !== "owner";
    const allowed = and(actsStill(principal), isMember(teamId, userId, from), losesOwner ? hasOwnerBeside(teamId, userId) : undefined) as SQL;
    // The audit row first: its condition is no longer true once the role is changed.
    const [, changed] = await this.#db.batch([
      this.#db.insert(directoryAudit).select(auditWhen(audit, allowed)),
      this.#db.update(memberships).set({ role: to }).where(and(ofMember(teamId, userId), allowed)),
    ]);
    return changed.meta.changes > 0;
  }

  async removeMember(principal: Principal, { userId, role }: { userId: string; role: Role }, audit: AuditEntry): Promise<boolean> {
    const { teamId } = principal;
    const allowed = and(actsStill(principal), isMember(teamId, userId, role), role === "owner" ? hasOwnerBeside(teamId, userId) : undefined) as SQL;
    const ofHolder = and(eq(apiKeys.teamId, teamId), eq(apiKeys.userId, userId), isNull(apiKeys.revokedAt));
    // The membership last: everything before it depends on what it says.
    const [, , , , removed] = await this.#db.batch([
      this.#db.insert(directoryAudit).select(auditWhen(audit, allowed)),
      this.#db.update(apiKeys).set({ revokedAt: audit.at }).where(and(ofHolder, allowed)),
      this.#db.delete(oauthSpentTokens).where(and(grantsOf(sql`${oauthSpentTokens.grantKey}`, { userId, teamId }), allowed)),
      this.#db.delete(oauthRecords).where(and(grantsOf(sql`${oauthRecords.key}`, { userId, teamId }), allowed)),
      this.#db.delete(memberships).where(and(ofMember(teamId, userId), allowed)),
    ]);
    return removed.meta.changes > 0;
  }

  async transferOwnership(principal: Principal, userId: string, audit: AuditEntry): Promise<boolean> {
    const { teamId } = principal;
    const live = sql`exists (select 1 from ${users} where id = ${userId} and deleted_at is null)`;
    const allowed = and(actsStill(principal), isMember(teamId, userId), live) as SQL;
    const [, , stepped] = await this.#db.batch([
      this.#db.insert(directoryAudit).select(auditWhen(audit, allowed)),
      this.#db.update(memberships).set({ role: "owner" }).where(and(ofMember(teamId, userId), allowed)),
      this.#db.update(memberships).set({ role: "admin" }).where(and(ofMember(teamId, principal.userId), allowed, hasOwnerBeside(teamId, principal.userId))),
    ]);
    return stepped.meta.changes > 0;
  }

  async #members(which: SQL | undefined): Promise<Member[]> {
    return this.#db
      .select({ userId: users.id, name: users.name, role: memberships.role, joinedAt: memberships.createdAt })
      .from(memberships)
      .innerJoin(users, liveUser)
      .where(which)
      .orderBy(sql`${memberships.role} <> 'owner'`, asc(memberships.createdAt), asc(users.id));
  }

  /** A team's row on the shard with the fewest teams. Fails when no shard takes teams: the column must not be empty. */
  #newTeam(team: { id: string; organizationId: string; name: string; personalOf: string | null; createdAt: number }, condition: SQL): SQL {
    const shard = sql`(select s.name from ${shards} s left join ${teams} t on t.shard = s.name where s.accepts_teams = 1
      group by s.name order by count(t.id), s.name limit 1)`;
    return rowWhen(teams, { ...team, shard }, condition);
  }
}

const standingColumns = { role: memberships.role, organizationId: teams.organizationId, shard: teams.shard };

/** Not deleted, or not so long ago that it is being erased. */
const restorable = (now: number): SQL | undefined =>
  and(or(isNull(teams.eraseAt), gt(teams.eraseAt, now)), or(isNull(organizations.eraseAt), gt(organizations.eraseAt, now)));
