import type { D1Database } from "@cloudflare/workers-types";
import { and, asc, desc, eq, inArray, isNull, or, sql } from "drizzle-orm";
import { drizzle, type DrizzleD1Database } from "drizzle-orm/d1";
import * as z from "zod";
import { type Connection, type GrantStore, type TeamMembership, parseSubject, subjectText } from "../../domain/tenancy/grant-store.ts";
import type { MemberRef } from "../../domain/tenancy/member-ref.ts";
import { grantKeyOf, parseGrantKey } from "../../domain/tenancy/oauth-records.ts";
import type { AuditEntry } from "../../domain/tenancy/audit-entry.ts";
import type { Person } from "../../domain/tenancy/sign-in-store.ts";
import { auditWhen } from "./directory-audit.ts";
import { directoryAudit, memberships, organizations, teams } from "./directory-schema.ts";
import { oauthRecords } from "./identity-schema.ts";
import { startsWith } from "./oauth-store.ts";
import { liveOrganization, liveTeam } from "./tenant-sql.ts";

/** The part of a grant's record that we read; `metadata` is what the consent page put there. */
const grantRecord = z.object({
  scope: z.array(z.string()),
  createdAt: z.number(),
  /** Absent until the code was exchanged. */
  refreshTokenId: z.string().optional(),
  metadata: z.object({ clientName: z.string(), redirectHost: z.string() }),
});

/** Which clients act for whom. */
export class D1GrantStore implements GrantStore {
  readonly #db: DrizzleD1Database;

  constructor(db: D1Database) {
    this.#db = drizzle(db);
  }

  async memberships(person: Person): Promise<TeamMembership[]> {
    return this.#db
      .select({ teamId: teams.id, teamName: teams.name, organizationId: teams.organizationId, role: memberships.role })
      .from(memberships)
      .innerJoin(teams, liveTeam)
      .innerJoin(organizations, liveOrganization)
      .where(eq(memberships.userId, person.userId))
      .orderBy(asc(teams.name), asc(teams.id));
  }

  async connections(person: Person, now: number): Promise<Connection[]> {
    const rows = await this.#db
      .select({ key: oauthRecords.key, value: oauthRecords.value })
      .from(oauthRecords)
      .where(and(startsWith(`grant:${person.userId}.`), or(isNull(oauthRecords.expiresAt), sql`${oauthRecords.expiresAt} > ${now}`)))
      .orderBy(desc(sql`json_extract(${oauthRecords.value}, '$.createdAt')`));
    const grants = rows.flatMap(({ key, value }) => {
      const parts = parseGrantKey(key);
      const subject = parts && parseSubject(parts.subject);
      const { refreshTokenId, scope, createdAt, metadata } = grantRecord.parse(JSON.parse(value));
      return parts && subject && refreshTokenId !== undefined
        ? [{ grantId: parts.grantId, teamId: subject.teamId, scopes: scope, createdAt: createdAt * 1_000, ...metadata }]
        : [];
    });
    const ids = [...new Set(grants.map(({ teamId }) => teamId))];
    const named = await this.#db.select({ id: teams.id, name: teams.name }).from(teams).where(inArray(teams.id, sql`(select value from json_each(${JSON.stringify(ids)}))`));
    const nameOf = new Map(named.map(({ id, name }) => [id, name]));
    return grants.map((grant) => ({ ...grant, teamName: nameOf.get(grant.teamId) ?? "" }));
  }

  async endGrant(subject: MemberRef, grantId: string, audit: AuditEntry): Promise<boolean> {
    const text = subjectText(subject);
    const key = grantKeyOf(text, grantId);
    const [, ended] = await this.#db.batch([
      this.#db.insert(directoryAudit).select(auditWhen(audit, sql`exists (select 1 from ${oauthRecords} where key = ${key})`)),
      this.#db.delete(oauthRecords).where(eq(oauthRecords.key, key)),
      this.#db.delete(oauthRecords).where(startsWith(`token:${text}:${grantId}:`)),
    ]);
    return ended.meta.changes > 0;
  }

  async audit(entry: AuditEntry): Promise<void> {
    await this.#db.insert(directoryAudit).values(entry);
  }
}
