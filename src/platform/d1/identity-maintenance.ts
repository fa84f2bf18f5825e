import type { D1Database } from "@cloudflare/workers-types";
import { lte, or, sql } from "drizzle-orm";
import { drizzle, type DrizzleD1Database } from "drizzle-orm/d1";
import type { IdentityMaintenance } from "../../domain/tenancy/sign-in-store.ts";
import { idleMs } from "../../domain/tenancy/web-session.ts";
import { directoryAudit } from "./directory-schema.ts";
import { invitations, oauthRecords, oauthSpentTokens, signInAttempts, signInLinks, webSessions } from "./identity-schema.ts";

/**
 * How long a used invitation stays, to look up whom it let in; the audit keeps it for good. And how long the audit keeps that a stranger
 * registered a client: what people let it do has rows of its own.
 */
const agingMs = 30 * 86_400_000;
/** Registrations at a time; the cron comes every minute. */
const registrationsAtOnce = 500;

/** Nobody gets in with what has expired; it would only pile up. */
export class D1IdentityMaintenance implements IdentityMaintenance {
  readonly #db: DrizzleD1Database;

  constructor(db: D1Database) {
    this.#db = drizzle(db);
  }

  async purge(now: number): Promise<void> {
    await this.#db.batch([
      this.#db.delete(oauthRecords).where(lte(oauthRecords.expiresAt, now)),
      this.#db.delete(oauthSpentTokens).where(lte(oauthSpentTokens.expiresAt, now)),
      this.#db.delete(webSessions).where(or(lte(webSessions.expiresAt, now), lte(webSessions.lastSeenAt, now - idleMs))),
      this.#db.delete(signInLinks).where(or(lte(signInLinks.expiresAt, now), lte(signInLinks.usedAt, now))),
      this.#db.delete(signInAttempts).where(lte(signInAttempts.expiresAt, now)),
      this.#db.delete(invitations).where(or(lte(invitations.expiresAt, now - agingMs), lte(invitations.usedAt, now - agingMs))),
      // The action stands in the text: only so SQLite finds them by their index.
      this.#db.delete(directoryAudit).where(sql`id in (select id from audit where action = 'client.register' and at <= ${now - agingMs} limit ${registrationsAtOnce})`),
    ]);
  }
}
