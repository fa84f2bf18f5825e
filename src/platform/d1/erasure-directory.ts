import type { D1Database } from "@cloudflare/workers-types";
import { and, asc, eq, inArray, isNotNull, lte, or, sql } from "drizzle-orm";
import { drizzle, type DrizzleD1Database } from "drizzle-orm/d1";
import type { TeamRef } from "../../domain/tenancy/team-ref.ts";
import type { ErasureDirectory } from "../../domain/tenancy/deletion-store.ts";
import type { MemberRef } from "../../domain/tenancy/member-ref.ts";
import type { AuditEntry } from "../../domain/tenancy/audit-entry.ts";
import { alerts } from "./audit-schema.ts";
import { apiKeys, directoryAudit, memberships, organizations, teams, users } from "./directory-schema.ts";
import { beingErased } from "./directory-store.ts";
import { identities, invitations, oauthRecords, oauthSpentTokens, passkeys, signInLinks, webSessions } from "./identity-schema.ts";
import { grantsOf } from "./tenant-sql.ts";
import { shardNames } from "./shard-names.ts";

const place = { teamId: teams.id, organizationId: teams.organizationId, shard: teams.shard };

export class D1ErasureDirectory implements ErasureDirectory {
  readonly #db: DrizzleD1Database;

  constructor(db: D1Database) {
    this.#db = drizzle(db);
  }

  async claimTeams(now: number): Promise<TeamRef[]> {
    const dueOrganizations = this.#db.select({ id: organizations.id }).from(organizations).where(lte(organizations.eraseAt, now));
    const [, , claimed] = await this.#db.batch([
      this.#db
        .update(teams)
        .set({ deletedAt: sql`coalesce(${teams.deletedAt}, ${now})`, eraseAt: beingErased })
        .where(or(lte(teams.eraseAt, now), inArray(teams.organizationId, dueOrganizations))),
      this.#db.update(organizations).set({ eraseAt: beingErased }).where(lte(organizations.eraseAt, now)),
      this.#db.select(place).from(teams).where(eq(teams.eraseAt, beingErased)).orderBy(asc(teams.deletedAt), asc(teams.id)),
    ]);
    return claimed;
  }

  async isLastOfOrganization({ organizationId }: TeamRef): Promise<boolean> {
    return (await this.#db.select({ id: teams.id }).from(teams).where(eq(teams.organizationId, organizationId)).limit(2)).length === 1;
  }

  async memberRefsOf(by: { teamId: string } | { userId: string }): Promise<MemberRef[]> {
    const whose = "teamId" in by ? eq(memberships.teamId, by.teamId) : eq(memberships.userId, by.userId);
    return this.#db.select({ teamId: memberships.teamId, userId: memberships.userId }).from(memberships).where(whose);
  }

  async forgetTeam({ teamId, organizationId }: TeamRef, audit: AuditEntry): Promise<void> {
    const ofTeam = (column: typeof oauthRecords.key | typeof oauthSpentTokens.grantKey) => sql`instr(${column}, ${`.${teamId}:`}) > 0`;
    await this.#db.batch([
      this.#db.delete(apiKeys).where(eq(apiKeys.teamId, teamId)),
      this.#db.delete(invitations).where(eq(invitations.teamId, teamId)),
      this.#db.delete(alerts).where(eq(alerts.teamId, teamId)),
      this.#db.delete(oauthSpentTokens).where(ofTeam(oauthSpentTokens.grantKey)),
      this.#db.delete(oauthRecords).where(ofTeam(oauthRecords.key)),
      this.#db.delete(memberships).where(eq(memberships.teamId, teamId)),
      this.#db.delete(teams).where(eq(teams.id, teamId)),
      this.#db.delete(organizations).where(and(eq(organizations.id, organizationId), sql`not exists (select 1 from ${teams} where organization_id = ${organizationId})`)),
      this.#db.insert(directoryAudit).values(audit),
    ]);
  }

  async dueAccounts(now: number): Promise<string[]> {
    const rows = await this.#db.select({ id: users.id }).from(users).where(and(isNotNull(users.deletedAt), lte(users.eraseAt, now)));
    return rows.map(({ id }) => id);
  }

  async forgetAccount(userId: string, audit: AuditEntry): Promise<void> {
    await this.#db.batch([
      this.#db.delete(identities).where(eq(identities.userId, userId)),
      this.#db.delete(passkeys).where(eq(passkeys.userId, userId)),
      this.#db.delete(webSessions).where(eq(webSessions.userId, userId)),
      this.#db.delete(signInLinks).where(or(eq(signInLinks.userId, userId), eq(signInLinks.createdBy, userId))),
      this.#db.delete(oauthSpentTokens).where(grantsOf(sql`${oauthSpentTokens.grantKey}`, { userId })),
      this.#db.delete(oauthRecords).where(grantsOf(sql`${oauthRecords.key}`, { userId })),
      this.#db.delete(apiKeys).where(eq(apiKeys.userId, userId)),
      this.#db.delete(memberships).where(eq(memberships.userId, userId)),
      this.#db.update(users).set({ name: "", preferences: null, eraseAt: null }).where(eq(users.id, userId)),
      this.#db.insert(directoryAudit).values(audit),
    ]);
  }

  async findTeam(id: string): Promise<TeamRef | undefined> {
    const [row] = await this.#db.select(place).from(teams).where(eq(teams.id, id));
    return row;
  }

  listShards(): Promise<string[]> {
    return shardNames(this.#db);
  }

  async deletedTeams(): Promise<(TeamRef & { beingErased: boolean })[]> {
    return this.#db
      .select({ ...place, beingErased: sql`${teams.eraseAt} is ${beingErased}`.mapWith(Boolean) })
      .from(teams)
      .innerJoin(organizations, eq(organizations.id, teams.organizationId))
      .where(or(isNotNull(teams.deletedAt), isNotNull(organizations.deletedAt)));
  }
}
