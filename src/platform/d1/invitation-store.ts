import type { D1Database } from "@cloudflare/workers-types";
import { and, desc, eq, getTableColumns, gt, inArray, isNull, type SQL, sql } from "drizzle-orm";
import { drizzle, type DrizzleD1Database } from "drizzle-orm/d1";
import type { AuditEntry } from "../../domain/tenancy/audit-entry.ts";
import type { Principal, Role } from "../../domain/tenancy/principal.ts";
import type { Invitation, InvitationStore, OpenInvitation } from "../../domain/tenancy/tenant-store.ts";
import { auditFailure, auditWhen, rowWhen } from "./directory-audit.ts";
import { directoryAudit, memberships, organizations, teams, users } from "./directory-schema.ts";
import { invitations } from "./identity-schema.ts";
import { actsStill, liveOrganization, liveTeam, liveUser } from "./tenant-sql.ts";

export class D1InvitationStore implements InvitationStore {
  readonly #db: DrizzleD1Database;

  constructor(db: D1Database) {
    this.#db = drizzle(db);
  }

  async insertInvitation(principal: Principal, invitation: Invitation & { tokenHash: string }, most: number, audit: AuditEntry): Promise<Invitation | undefined> {
    const { teamId } = principal;
    const { tokenHash } = invitation;
    const isShared = sql`exists (select 1 from ${teams} where id = ${teamId} and personal_of is null)`;
    const hasRoom = sql`(select count(*) from ${invitations} where team_id = ${teamId} and used_at is null and revoked_at is null and expires_at > ${audit.at}) < ${most}`;
    const isNew = sql`not exists (select 1 from ${invitations} where token_hash = ${tokenHash})`;
    const won = sql`exists (select 1 from ${invitations} where id = ${invitation.id})`;
    const [, , [made]] = await this.#db.batch([
      this.#db.insert(invitations).select(rowWhen(invitations, invitation, and(actsStill(principal), isShared, hasRoom, isNew) as SQL)),
      this.#db.insert(directoryAudit).select(auditWhen(audit, won)),
      this.#db.select(shown).from(invitations).where(and(eq(invitations.tokenHash, tokenHash), eq(invitations.teamId, teamId), isOpen(audit.at))),
    ]);
    return made;
  }

  async listInvitations({ teamId }: Principal, now: number): Promise<Invitation[]> {
    return this.#db.select(shown).from(invitations).where(and(eq(invitations.teamId, teamId), isOpen(now))).orderBy(desc(invitations.createdAt), desc(invitations.id));
  }

  async revokeInvitation(principal: Principal, id: string, audit: AuditEntry): Promise<boolean> {
    const { teamId } = principal;
    const allowed = and(
      actsStill(principal),
      sql`exists (select 1 from ${invitations} where id = ${id} and team_id = ${teamId} and used_at is null and revoked_at is null and expires_at > ${audit.at})`,
    ) as SQL;
    // The audit row first: its condition is no longer true once the invitation is revoked.
    const [, revoked] = await this.#db.batch([
      this.#db.insert(directoryAudit).select(auditWhen(audit, allowed)),
      this.#db.update(invitations).set({ revokedAt: audit.at }).where(and(eq(invitations.id, id), eq(invitations.teamId, teamId), allowed)),
    ]);
    return revoked.meta.changes > 0;
  }

  async findInvitation(tokenHash: string, now: number): Promise<OpenInvitation | undefined> {
    const [row] = await this.#db
      .select({ teamId: teams.id, teamName: teams.name, organizationName: organizations.name, role: invitations.role, inviterName: users.name, inviterRole: memberships.role })
      .from(invitations)
      .innerJoin(memberships, and(eq(memberships.teamId, invitations.teamId), eq(memberships.userId, invitations.invitedBy)))
      .innerJoin(teams, liveTeam)
      .innerJoin(organizations, liveOrganization)
      .innerJoin(users, liveUser)
      .where(and(eq(invitations.tokenHash, tokenHash), isOpen(now)));
    return row;
  }

  async acceptInvitation({ userId }: { userId: string }, tokenHash: string, inviters: readonly Role[], audit: AuditEntry) {
    const { at: now } = audit;
    const said = (column: "team_id" | "role"): SQL => sql`(select ${sql.identifier(column)} from ${invitations} where token_hash = ${tokenHash})`;
    const teamSaid = said("team_id");
    const opens = this.#db
      .select({ id: invitations.id })
      .from(invitations)
      .innerJoin(memberships, and(eq(memberships.teamId, invitations.teamId), eq(memberships.userId, invitations.invitedBy)))
      .innerJoin(teams, liveTeam)
      .innerJoin(organizations, liveOrganization)
      .innerJoin(users, liveUser)
      .where(and(eq(invitations.tokenHash, tokenHash), isOpen(now), inArray(memberships.role, [...inviters])));
    const isNew = sql`not exists (select 1 from ${memberships} where team_id = ${teamSaid} and user_id = ${userId})
      and exists (select 1 from ${users} where id = ${userId} and deleted_at is null)`;
    const won = sql`exists (select 1 from ${invitations} where token_hash = ${tokenHash} and used_by = ${userId} and used_at = ${now}) and ${isNew}`;
    const [place, , , joined] = await this.#db.batch([
      this.#db.select({ teamId: invitations.teamId }).from(invitations).where(inArray(invitations.id, opens)),
      this.#db.update(invitations).set({ usedAt: now, usedBy: userId }).where(and(inArray(invitations.id, opens), isNew)),
      // The membership last: that there was none is what the audit row depends on.
      this.#db.insert(directoryAudit).select(auditWhen(audit, won)),
      this.#db.insert(memberships).select(rowWhen(memberships, { teamId: teamSaid, userId, role: said("role"), createdAt: now }, won)),
    ]);
    const teamId = place[0]?.teamId;
    return teamId === undefined ? undefined : { teamId, joined: joined.meta.changes > 0 };
  }

  async acceptedBefore({ userId }: { userId: string }, tokenHash: string): Promise<string | undefined> {
    const [row] = await this.#db
      .select({ teamId: teams.id })
      .from(invitations)
      .innerJoin(memberships, and(eq(memberships.teamId, invitations.teamId), eq(memberships.userId, invitations.usedBy)))
      .innerJoin(teams, liveTeam)
      .innerJoin(organizations, liveOrganization)
      .where(and(eq(invitations.tokenHash, tokenHash), eq(invitations.usedBy, userId)));
    return row?.teamId;
  }

  async auditFailure(entry: AuditEntry, limitPerMinute: number): Promise<void> {
    await auditFailure(this.#db, entry, limitPerMinute);
  }
}

const { tokenHash: _, usedAt: _at, usedBy: _by, revokedAt: _revoked, ...shown } = getTableColumns(invitations);

const isOpen = (now: number): SQL | undefined => and(isNull(invitations.usedAt), isNull(invitations.revokedAt), gt(invitations.expiresAt, now));
