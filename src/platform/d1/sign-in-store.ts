import type { D1Database } from "@cloudflare/workers-types";
import { and, desc, eq, getTableColumns, gt, isNull, lte, or, type SQL, sql } from "drizzle-orm";
import { drizzle, type DrizzleD1Database } from "drizzle-orm/d1";
import type { AuditEntry } from "../../domain/tenancy/audit-entry.ts";
import type { Attempt, AttemptStore, AttemptKind } from "../../domain/tenancy/sign-in-attempts.ts";
import type { LinkPreview, LinkUse, Person, SignInLink, SignInLinkStore, StoredWebSession, WebSession, WebSessionStore } from "../../domain/tenancy/sign-in-store.ts";
import { auditFailure, auditWhen, rowWhen } from "./directory-audit.ts";
import { directoryAudit, users } from "./directory-schema.ts";
import { identities, passkeys, signInAttempts, signInLinks, webSessions } from "./identity-schema.ts";

/** Browsers that are signed in, and the links that sign in once. */
export class D1SignInStore implements WebSessionStore, SignInLinkStore, AttemptStore {
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

  async hasOwnSignInMethod(userId: string): Promise<boolean> {
    const [[passkey], [identity]] = await this.#db.batch([
      this.#db.select({ id: passkeys.credentialId }).from(passkeys).where(eq(passkeys.userId, userId)).limit(1),
      this.#db.select({ id: identities.subject }).from(identities).where(eq(identities.userId, userId)).limit(1),
    ]);
    return passkey !== undefined || identity !== undefined;
  }

  async insertLink(link: SignInLink, audit: AuditEntry): Promise<void> {
    const replaced = and(eq(signInLinks.userId, link.userId), eq(signInLinks.purpose, link.purpose), sql`${signInLinks.createdBy} is ${link.createdBy}`, isNull(signInLinks.usedAt));
    await this.#db.batch([
      this.#db.delete(signInLinks).where(replaced),
      this.#db.insert(signInLinks).select(rowWhen(signInLinks, link, sql`exists (select 1 from ${users} where id = ${link.userId} and deleted_at is null)`)),
      this.#db.insert(directoryAudit).select(auditWhen(audit, sql`exists (select 1 from ${signInLinks} where token_hash = ${link.tokenHash})`)),
    ]);
  }

  async previewLink(tokenHash: string, now: number): Promise<LinkPreview | undefined> {
    const email = sql<string | null>`(select email from identities where user_id = ${users.id} and email is not null order by last_used_at desc limit 1)`;
    const [found] = await this.#db
      .select({ userId: users.id, name: users.name, email })
      .from(signInLinks)
      .innerJoin(users, eq(users.id, signInLinks.userId))
      .where(linkThatWorks(tokenHash, now));
    return found && { person: { userId: found.userId, name: found.name }, email: found.email };
  }

  async takeLink(tokenHash: string, audit: AuditEntry): Promise<LinkUse | undefined> {
    const { at: now } = audit;
    const works = linkThatWorks(tokenHash, now);
    const named = (column: "user_id" | "purpose"): SQL => sql`(select ${sql.identifier(column)} from ${signInLinks} where token_hash = ${tokenHash})`;
    // The audit row first: its condition is no longer true once the link is used.
    const [, [taken], [person]] = await this.#db.batch([
      this.#db.insert(directoryAudit).select(rowWhen(directoryAudit, { ...audit, userId: named("user_id"), subject: named("purpose") }, sql`exists (select 1 from ${signInLinks} where ${works})`)),
      this.#db.update(signInLinks).set({ usedAt: now }).where(works).returning({ createdBy: signInLinks.createdBy }),
      this.#db.select({ userId: users.id, name: users.name }).from(users).where(eq(users.id, named("user_id"))),
    ]);
    return taken && person && { person, isOwn: taken.createdBy === person.userId };
  }

  async ownRecoveryLink({ userId }: Person, now: number): Promise<Pick<SignInLink, "createdAt" | "expiresAt"> | undefined> {
    const [link] = await this.#db.select({ createdAt: signInLinks.createdAt, expiresAt: signInLinks.expiresAt }).from(signInLinks).where(ownRecovery(userId, now));
    return link;
  }

  async revokeRecoveryLink({ userId }: Person, audit: AuditEntry): Promise<boolean> {
    const [, revoked] = await this.#db.batch([
      this.#db.insert(directoryAudit).select(auditWhen(audit, sql`exists (select 1 from ${signInLinks} where ${ownRecovery(userId, audit.at)})`)),
      this.#db.delete(signInLinks).where(ownRecovery(userId, audit.at)),
    ]);
    return revoked.meta.changes > 0;
  }

  async insertAttempt(attempt: Attempt): Promise<void> {
    await this.#db.insert(signInAttempts).values(attempt);
  }

  async insertAttemptBelow(attempt: Attempt, replaced: string | undefined, maxOpen: number): Promise<boolean> {
    const { kind, createdAt: now, data } = attempt;
    const hasRoom = sql`(select count(*) < ${maxOpen} and total(data ->> 'source' = ${data["source"]}) < ${maxOpen / 100} from ${signInAttempts} where kind = ${kind} and expires_at > ${now})`;
    const [, inserted] = await this.#db.batch([
      this.#db.delete(signInAttempts).where(and(eq(signInAttempts.tokenHash, replaced ?? ""), eq(signInAttempts.kind, kind))),
      this.#db.insert(signInAttempts).select(rowWhen(signInAttempts, attempt, hasRoom)),
    ]);
    return inserted.meta.changes > 0;
  }

  async readAttempt(tokenHash: string, kind: AttemptKind, now: number): Promise<Attempt | undefined> {
    const [attempt] = await this.#db.select().from(signInAttempts).where(openAttempt(tokenHash, kind, now));
    return attempt;
  }

  async takeAttempt(tokenHash: string, kind: AttemptKind, now: number): Promise<Attempt | undefined> {
    const [taken] = await this.#db.delete(signInAttempts).where(openAttempt(tokenHash, kind, now)).returning();
    return taken;
  }
}

const openAttempt = (tokenHash: string, kind: AttemptKind, now: number): SQL | undefined =>
  and(eq(signInAttempts.tokenHash, tokenHash), eq(signInAttempts.kind, kind), gt(signInAttempts.expiresAt, now));

function linkThatWorks(tokenHash: string, now: number): SQL | undefined {
  const nobodyElseVouches = sql`not exists (select 1 from ${passkeys} where ${passkeys.userId} = ${signInLinks.userId})
    and not exists (select 1 from ${identities} where ${identities.userId} = ${signInLinks.userId})`;
  return and(
    eq(signInLinks.tokenHash, tokenHash),
    isNull(signInLinks.usedAt),
    gt(signInLinks.expiresAt, now),
    sql`exists (select 1 from ${users} where ${users.id} = ${signInLinks.userId} and ${users.deletedAt} is null)`,
    or(eq(signInLinks.purpose, "recovery"), nobodyElseVouches),
  );
}

const ownRecovery = (userId: string, now: number): SQL | undefined =>
  and(eq(signInLinks.userId, userId), eq(signInLinks.purpose, "recovery"), eq(signInLinks.createdBy, userId), isNull(signInLinks.usedAt), gt(signInLinks.expiresAt, now));

const { tokenHash: _, ...sessionColumns } = getTableColumns(webSessions);
