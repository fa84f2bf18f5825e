import type { D1Database } from "@cloudflare/workers-types";
import { and, asc, eq, sql } from "drizzle-orm";
import { drizzle, type DrizzleD1Database } from "drizzle-orm/d1";
import type { Identity, IdentityStore, NewPerson } from "../../domain/tenancy/identities.ts";
import type { AuditEntry } from "../../domain/tenancy/audit-entry.ts";
import type { Person } from "../../domain/tenancy/sign-in-store.ts";
import { auditWhen } from "./directory-audit.ts";
import type { D1DirectoryStore } from "./directory-store.ts";
import { directoryAudit, memberships, organizations, teams, users } from "./directory-schema.ts";
import { identities } from "./identity-schema.ts";

/** Who people are at the issuers that vouch for them. */
export class D1IdentityStore implements IdentityStore {
  readonly #db: DrizzleD1Database;
  readonly #directory: Pick<D1DirectoryStore, "pickShard">;

  constructor(db: D1Database, directory: Pick<D1DirectoryStore, "pickShard">) {
    this.#db = drizzle(db);
    this.#directory = directory;
  }

  async findIdentity(issuer: string, subject: string): Promise<{ person: Person; deleted: boolean } | undefined> {
    const [row] = await this.#db
      .select({ userId: users.id, name: users.name, deletedAt: users.deletedAt })
      .from(identities)
      .innerJoin(users, eq(users.id, identities.userId))
      .where(isIdentity(issuer, subject));
    return row && { person: { userId: row.userId, name: row.name }, deleted: row.deletedAt !== null };
  }

  async noteIdentityUse({ issuer, subject, name, email }: Identity, now: number): Promise<void> {
    await this.#db.update(identities).set({ name: name ?? null, email: email ?? null, lastUsedAt: now }).where(isIdentity(issuer, subject));
  }

  async insertPerson({ person, organization, team }: NewPerson, identity: Identity, now: number, audit: AuditEntry): Promise<boolean> {
    const shard = await this.#directory.pickShard();
    try {
      await this.#db.batch([
        this.#db.insert(users).values({ id: person.userId, name: person.name, createdAt: now }),
        this.#db.insert(identities).values({ ...identity, userId: person.userId, createdAt: now, lastUsedAt: now }),
        this.#db.insert(organizations).values({ ...organization, createdAt: now }),
        this.#db.insert(teams).values({ ...team, organizationId: organization.id, shard, personalOf: person.userId, createdAt: now }),
        this.#db.insert(memberships).values({ teamId: team.id, userId: person.userId, role: "owner", createdAt: now }),
        this.#db.insert(directoryAudit).values(audit),
      ]);
      return true;
    } catch (error) {
      if (await this.findIdentity(identity.issuer, identity.subject)) return false;
      throw error;
    }
  }

  async linkIdentity(person: Person, identity: Identity, now: number, audit: AuditEntry): Promise<boolean> {
    const { issuer, subject } = identity;
    const own = sql`exists (select 1 from ${identities} where issuer = ${issuer} and subject = ${subject} and user_id = ${person.userId} and created_at = ${now})`;
    const [linked] = await this.#db.batch([
      this.#db.insert(identities).values({ ...identity, userId: person.userId, createdAt: now, lastUsedAt: now }).onConflictDoNothing(),
      this.#db.insert(directoryAudit).select(auditWhen(audit, own)),
    ]);
    return linked.meta.changes > 0;
  }

  async identities(person: Person): ReturnType<IdentityStore["identities"]> {
    const { issuer, subject, name, email, createdAt } = identities;
    return this.#db.select({ issuer, subject, name, email, createdAt }).from(identities).where(eq(identities.userId, person.userId)).orderBy(asc(identities.createdAt));
  }
}

const isIdentity = (issuer: string, subject: string) => and(eq(identities.issuer, issuer), eq(identities.subject, subject));
