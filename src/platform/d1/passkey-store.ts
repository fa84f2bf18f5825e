import type { D1Database } from "@cloudflare/workers-types";
import { and, asc, eq, isNull, type SQL, sql } from "drizzle-orm";
import { drizzle, type DrizzleD1Database } from "drizzle-orm/d1";
import type { Passkey, PasskeyStore } from "../../domain/tenancy/passkeys.ts";
import type { AuditEntry } from "../../domain/tenancy/audit-entry.ts";
import type { Person } from "../../domain/tenancy/sign-in-store.ts";
import { auditWhen } from "./directory-audit.ts";
import { directoryAudit, users } from "./directory-schema.ts";
import { identities, passkeys } from "./identity-schema.ts";

export class D1PasskeyStore implements PasskeyStore {
  readonly #db: DrizzleD1Database;

  constructor(db: D1Database) {
    this.#db = drizzle(db);
  }

  async findPasskey(credentialId: string): Promise<{ passkey: Passkey; person: Person } | undefined> {
    const [row] = await this.#db
      .select({ passkey: passkeys, name: users.name })
      .from(passkeys)
      .innerJoin(users, and(eq(users.id, passkeys.userId), isNull(users.deletedAt)))
      .where(eq(passkeys.credentialId, credentialId));
    return row && { passkey: row.passkey, person: { userId: row.passkey.userId, name: row.name } };
  }

  async passkeys(person: Person): Promise<Passkey[]> {
    return this.#db.select().from(passkeys).where(eq(passkeys.userId, person.userId)).orderBy(asc(passkeys.createdAt), asc(passkeys.credentialId));
  }

  async insertPasskey(passkey: Passkey, audit: AuditEntry): Promise<boolean> {
    const own = sql`exists (select 1 from ${passkeys} where credential_id = ${passkey.credentialId} and user_id = ${passkey.userId} and created_at = ${passkey.createdAt})`;
    const [inserted] = await this.#db.batch([
      this.#db.insert(passkeys).values(passkey).onConflictDoNothing(),
      this.#db.insert(directoryAudit).select(auditWhen(audit, own)),
    ]);
    return inserted.meta.changes > 0;
  }

  async notePasskeyUse(passkey: Passkey, use: { counter: number; backedUp: boolean }, now: number): Promise<boolean> {
    const noted = await this.#db
      .update(passkeys)
      .set({ ...use, lastUsedAt: now })
      .where(and(eq(passkeys.credentialId, passkey.credentialId), eq(passkeys.userId, passkey.userId), eq(passkeys.counter, passkey.counter)));
    return noted.meta.changes > 0;
  }

  async removePasskey(person: Person, credentialId: string, audit: AuditEntry): Promise<boolean> {
    const removable = sql`credential_id = ${credentialId} and user_id = ${person.userId} and ${anotherSignInMethod(person.userId, credentialId)}`;
    // The audit row first: its condition is no longer true once the passkey is gone.
    const [, removed] = await this.#db.batch([
      this.#db.insert(directoryAudit).select(auditWhen(audit, sql`exists (select 1 from ${passkeys} where ${removable})`)),
      this.#db.delete(passkeys).where(removable),
    ]);
    return removed.meta.changes > 0;
  }
}

/**
 * A recovery link is none: it works once, so that nothing would be left after it, and nobody notices when the paper that it
 * stands on is gone.
 */
const anotherSignInMethod = (userId: string, credentialId: string): SQL => sql`(
  exists (select 1 from ${passkeys} other where other.user_id = ${userId} and other.credential_id <> ${credentialId})
  or exists (select 1 from ${identities} i where i.user_id = ${userId}))`;
