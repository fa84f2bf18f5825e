import type { D1Database } from "@cloudflare/workers-types";
import { and, desc, eq, getTableColumns, gt, isNull, lte, or, sql } from "drizzle-orm";
import { drizzle, type DrizzleD1Database } from "drizzle-orm/d1";
import type { AuditEntry } from "../../domain/tenancy/ports.ts";
import type { Attempt, AttemptDirectory, AttemptKind } from "../../domain/tenancy/sign-in-attempts.ts";
import type { Person, SignInLink, SignInLinkDirectory, StoredWebSession, WebSession, WebSessionDirectory } from "../../domain/tenancy/sign-in-ports.ts";
import { auditFailure, auditWhen } from "./directory-audit.ts";
import { directoryAudit, users } from "./directory-schema.ts";
import { identities, passkeys, signInAttempts, signInLinks, webSessions } from "./identity-schema.ts";

/** Browsers that are signed in, and the links that sign in once. */
export class SignInStore implements WebSessionDirectory, SignInLinkDirectory, AttemptDirectory {
  readonly #db: DrizzleD1Database;

  constructor(db: D1Database) {
    this.#db = drizzle(db);
  }

  async insertSession(session: StoredWebSession, replaced: string | undefined, audit: AuditEntry): Promise<void> {
    await this.#db.batch([
      this.#db.delete(webSessions).where(eq(webSessions.tokenHash, replaced ?? "")),
      this.#db.insert(webSessions).values(session),
      this.#db.insert(directoryAudit).values(audit),
    ]);
  }

  async findSession(tokenHash: string): Promise<{ session: WebSession; person: Person } | undefined> {
    const [row] = await this.#db
      .select({ session: sessionColumns, name: users.name })
      .from(webSessions)
      .innerJoin(users, and(eq(users.id, webSessions.userId), isNull(users.deletedAt)))
      .where(eq(webSessions.tokenHash, tokenHash));
    return row && { session: row.session, person: { userId: row.session.userId, name: row.name } };
  }

  async touchSession(id: string, now: number, unlessAfter: number): Promise<void> {
    await this.#db.update(webSessions).set({ lastSeenAt: now }).where(and(eq(webSessions.id, id), lte(webSessions.lastSeenAt, unlessAfter)));
  }

  async listSessions(person: Person, now: number): Promise<WebSession[]> {
    return this.#db
      .select(sessionColumns)
      .from(webSessions)
      .where(and(eq(webSessions.userId, person.userId), gt(webSessions.expiresAt, now)))
      .orderBy(desc(webSessions.lastSeenAt), desc(webSessions.id));
  }

  async endSession(person: Person, id: string, audit: AuditEntry): Promise<boolean> {
    const own = and(eq(webSessions.id, id), eq(webSessions.userId, person.userId));
    // The audit row first: its condition is no longer true once the session is gone.
    const [, ended] = await this.#db.batch([
      this.#db.insert(directoryAudit).select(auditWhen(audit, sql`exists (select 1 from ${webSessions} where id = ${id} and user_id = ${person.userId})`)),
      this.#db.delete(webSessions).where(own),
    ]);
    return ended.meta.changes > 0;
  }

  async auditFailure(entry: AuditEntry, limitPerMinute: number): Promise<void> {
    await auditFailure(this.#db, entry, limitPerMinute);
  }

  async hasOwnWayIn(userId: string): Promise<boolean> {
    const [[passkey], [identity]] = await this.#db.batch([
      this.#db.select({ id: passkeys.credentialId }).from(passkeys).where(eq(passkeys.userId, userId)).limit(1),
      this.#db.select({ id: identities.subject }).from(identities).where(eq(identities.userId, userId)).limit(1),
    ]);
    return passkey !== undefined || identity !== undefined;
  }

  async insertLink(link: SignInLink, audit: AuditEntry): Promise<void> {
    const unused = and(eq(signInLinks.userId, link.userId), eq(signInLinks.purpose, link.purpose), isNull(signInLinks.usedAt));
    await this.#db.batch([
      this.#db.delete(signInLinks).where(unused),
      this.#db.insert(signInLinks).values(link),
      this.#db.insert(directoryAudit).values(audit),
    ]);
  }

  async takeLink(tokenHash: string, now: number): Promise<Person | undefined> {
    const nobodyElseVouches = sql`not exists (select 1 from ${passkeys} where ${passkeys.userId} = ${signInLinks.userId})
      and not exists (select 1 from ${identities} where ${identities.userId} = ${signInLinks.userId})`;
    const [taken] = await this.#db
      .update(signInLinks)
      .set({ usedAt: now })
      .where(and(
        eq(signInLinks.tokenHash, tokenHash),
        isNull(signInLinks.usedAt),
        gt(signInLinks.expiresAt, now),
        or(eq(signInLinks.purpose, "recovery"), nobodyElseVouches),
      ))
      .returning({ userId: signInLinks.userId });
    if (!taken) return undefined;
    const [person] = await this.#db.select({ userId: users.id, name: users.name }).from(users).where(and(eq(users.id, taken.userId), isNull(users.deletedAt)));
    return person;
  }

  async insertAttempt(attempt: Attempt): Promise<void> {
    await this.#db.insert(signInAttempts).values(attempt);
  }

  async takeAttempt(tokenHash: string, kind: AttemptKind, now: number): Promise<Attempt | undefined> {
    const [taken] = await this.#db
      .delete(signInAttempts)
      .where(and(eq(signInAttempts.tokenHash, tokenHash), eq(signInAttempts.kind, kind), gt(signInAttempts.expiresAt, now)))
      .returning();
    return taken;
  }
}

const { tokenHash: _, ...sessionColumns } = getTableColumns(webSessions);
