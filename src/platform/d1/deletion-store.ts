import type { D1Database } from "@cloudflare/workers-types";
import { and, eq, inArray, isNull, or, type SQL, sql } from "drizzle-orm";
import { drizzle, type DrizzleD1Database } from "drizzle-orm/d1";
import type { DeletionStore, TeamFate } from "../../domain/tenancy/deletion-store.ts";
import type { MemberRef } from "../../domain/tenancy/member-ref.ts";
import type { AuditEntry } from "../../domain/tenancy/audit-entry.ts";
import type { Principal } from "../../domain/tenancy/principal.ts";
import { auditWhen } from "./directory-audit.ts";
import { apiKeys, directoryAudit, memberships, organizations, teams, users } from "./directory-schema.ts";
import { webSessions } from "./identity-schema.ts";
import { actsStill } from "./tenant-sql.ts";

type Someone = { userId: string };

const memberRef = { teamId: memberships.teamId, userId: memberships.userId };

/** Deletes and restores teams, organizations and accounts. */
export class D1DeletionStore implements DeletionStore {
  readonly #db: DrizzleD1Database;

  constructor(db: D1Database) {
    this.#db = drizzle(db);
  }

  async deleteTeam(principal: Principal, eraseAt: number, audit: AuditEntry): Promise<MemberRef[] | undefined> {
    const { teamId } = principal;
    const allowed = and(actsStill(principal), sql`exists (select 1 from ${teams} where id = ${teamId} and personal_of is null)`) as SQL;
    // The audit row first: its condition is no longer true once the team is deleted.
    const [, deleted, members] = await this.#db.batch([
      this.#db.insert(directoryAudit).select(auditWhen(audit, allowed)),
      this.#db.update(teams).set({ deletedAt: audit.at, eraseAt }).where(and(eq(teams.id, teamId), allowed)),
      this.#db.select(memberRef).from(memberships).where(eq(memberships.teamId, teamId)),
    ]);
    return deleted.meta.changes > 0 ? members : undefined;
  }

  async restoreTeam({ teamId, userId }: Principal, audit: AuditEntry): Promise<MemberRef[] | undefined> {
    const allowed = and(owns(teamId, userId), sql`exists (select 1 from ${teams} where id = ${teamId} and deleted_at is not null and erase_at > ${audit.at})`) as SQL;
    const [, restored, members] = await this.#db.batch([
      this.#db.insert(directoryAudit).select(auditWhen(audit, allowed)),
      this.#db.update(teams).set({ deletedAt: null, eraseAt: null }).where(and(eq(teams.id, teamId), allowed)),
      this.#db.select(memberRef).from(memberships).where(eq(memberships.teamId, teamId)),
    ]);
    return restored.meta.changes > 0 ? members : undefined;
  }

  async deleteOrganization(principal: Principal, eraseAt: number, audit: AuditEntry): Promise<MemberRef[] | undefined> {
    const { organizationId, userId } = principal;
    const othersOwn = sql`exists (select 1 from ${teams} t where t.organization_id = ${organizationId} and t.deleted_at is null and (t.personal_of is not null
      or not exists (select 1 from ${memberships} m where m.team_id = t.id and m.user_id = ${userId} and m.role = 'owner')))`;
    const allowed = and(actsStill(principal), sql`not ${othersOwn}`) as SQL;
    const [, deleted, members] = await this.#db.batch([
      this.#db.insert(directoryAudit).select(auditWhen(audit, allowed)),
      this.#db.update(organizations).set({ deletedAt: audit.at, eraseAt }).where(and(eq(organizations.id, organizationId), allowed)),
      this.#membersOfOrganization(organizationId),
    ]);
    return deleted.meta.changes > 0 ? members : undefined;
  }

  async restoreOrganization({ teamId, organizationId, userId }: Principal, audit: AuditEntry): Promise<MemberRef[] | undefined> {
    const allowed = and(owns(teamId, userId), sql`exists (select 1 from ${organizations} where id = ${organizationId} and deleted_at is not null and erase_at > ${audit.at})`) as SQL;
    const [, restored, members] = await this.#db.batch([
      this.#db.insert(directoryAudit).select(auditWhen(audit, allowed)),
      this.#db.update(organizations).set({ deletedAt: null, eraseAt: null }).where(and(eq(organizations.id, organizationId), allowed)),
      this.#membersOfOrganization(organizationId),
    ]);
    return restored.meta.changes > 0 ? members : undefined;
  }

  async fates({ userId }: Someone): Promise<TeamFate[]> {
    const rows = await this.#db
      .select({ id: teams.id, name: teams.name, alone: alone(userId).mapWith(Boolean), blocks: blocks(userId).mapWith(Boolean) })
      .from(memberships)
      .innerJoin(teams, eq(teams.id, memberships.teamId))
      .where(eq(memberships.userId, userId));
    return rows.map(({ id, name, alone, blocks }) => ({ id, name, fate: alone ? "erased" : blocks ? "blocks" : "left" }));
  }

  async deleteAccount({ userId }: Someone, audit: AuditEntry): Promise<MemberRef[] | undefined> {
    const { at: now } = audit;
    const mine = sql`${teams.id} in (select m.team_id from ${memberships} m where m.user_id = ${userId})`;
    const allowed = sql`exists (select 1 from ${users} where id = ${userId} and deleted_at is null) and not exists (select 1 from ${teams} where ${mine} and ${blocks(userId)})`;
    // The person last: everything before depends on their being there.
    const [, , , , deleted, members] = await this.#db.batch([
      this.#db.insert(directoryAudit).select(auditWhen(audit, allowed)),
      this.#db.update(teams)
        .set({ deletedAt: sql`coalesce(${teams.deletedAt}, ${now})`, eraseAt: sql`case when ${alone(userId)} then ${now} else ${goesWithOrganization} end` })
        .where(and(mine, or(alone(userId), ownerless(userId)), allowed)),
      this.#db.delete(webSessions).where(and(eq(webSessions.userId, userId), allowed)),
      this.#db.update(apiKeys).set({ revokedAt: now }).where(and(eq(apiKeys.userId, userId), isNull(apiKeys.revokedAt), allowed)),
      this.#db.update(users).set({ deletedAt: now, eraseAt: now }).where(and(eq(users.id, userId), allowed)),
      this.#db.select(memberRef).from(memberships).where(eq(memberships.userId, userId)),
    ]);
    return deleted.meta.changes > 0 ? members : undefined;
  }

  #membersOfOrganization(organizationId: string) {
    const ofOrganization = this.#db.select({ id: teams.id }).from(teams).where(eq(teams.organizationId, organizationId));
    return this.#db.select(memberRef).from(memberships).where(inArray(memberships.teamId, ofOrganization));
  }
}

const owns = (teamId: string, userId: string): SQL => sql`exists (select 1 from ${memberships} m join ${users} u on u.id = m.user_id and u.deleted_at is null
  where m.team_id = ${teamId} and m.user_id = ${userId} and m.role = 'owner')`;

const others = (userId: string, role?: "owner"): SQL => sql`exists (select 1 from ${memberships} x join ${users} u on u.id = x.user_id and u.deleted_at is null
  where x.team_id = ${teams.id} and x.user_id <> ${userId}${role ? sql` and x.role = ${role}` : sql``})`;

/** Nobody else is in this team of the person. */
const alone = (userId: string): SQL => sql`not ${others(userId)}`;
/** Others are, and none of them owns it. A team that is deleted needs no owner any more. */
const ownerless = (userId: string): SQL => sql`(${teams.deletedAt} is null and ${others(userId)} and not ${others(userId, "owner")})`;
/** When the team is erased with its organization, if that is deleted: it is then deleted itself, so that it does not come back without its owner. */
const goesWithOrganization = sql`(select erase_at from ${organizations} where ${organizations.id} = ${teams.organizationId})`;
const blocks = (userId: string): SQL => sql`(${ownerless(userId)} and ${goesWithOrganization} is null)`;
