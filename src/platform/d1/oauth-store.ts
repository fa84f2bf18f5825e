import type { D1Database } from "@cloudflare/workers-types";
import { and, asc, eq, gt, gte, isNull, lt, or, type SQL, sql } from "drizzle-orm";
import { drizzle, type DrizzleD1Database } from "drizzle-orm/d1";
import { preferencesFrom } from "../../domain/tenancy/preferences.ts";
import type { OAuthRecord, OAuthRecordStore, TokenPlace } from "../../domain/tenancy/oauth-records.ts";
import { oauthRecords, oauthSpentTokens } from "./identity-schema.ts";
import { memberships, organizations, teams, users } from "./directory-schema.ts";
import { liveOrganization, liveTeam, liveUser } from "./tenant-sql.ts";

/** The records of the authorization server, each write seen by the next read: what KV would not promise. */
export class D1OAuthRecordStore implements OAuthRecordStore {
  readonly #db: DrizzleD1Database;

  constructor(db: D1Database) {
    this.#db = drizzle(db);
  }

  async read(key: string, now: number): Promise<OAuthRecord | undefined> {
    const [row] = await this.#db.select().from(oauthRecords).where(and(eq(oauthRecords.key, key), alive(now)));
    return row;
  }

  async readToken(key: string, grantKey: string, place: { userId: string; teamId: string }, now: number): Promise<TokenPlace | undefined> {
    const [row] = await this.#db
      .select({ value: oauthRecords.value, role: memberships.role, organizationId: teams.organizationId, shard: teams.shard, preferences: users.preferences })
      .from(oauthRecords)
      .innerJoin(memberships, and(eq(memberships.teamId, place.teamId), eq(memberships.userId, place.userId)))
      .innerJoin(teams, liveTeam)
      .innerJoin(organizations, liveOrganization)
      .innerJoin(users, liveUser)
      // A token whose grant ended while it was being issued opens nothing either.
      .where(and(eq(oauthRecords.key, key), alive(now), sql`exists (select 1 from oauth_records g where g.key = ${grantKey} and (g.expires_at is null or g.expires_at > ${now}))`));
    return row && { ...row, preferences: preferencesFrom(row.preferences) };
  }

  async write(record: Omit<OAuthRecord, "revision">, expected: number | undefined, spent: { tokenHash: string; grantKey: string; expiresAt: number } | undefined): Promise<boolean> {
    const { key, value, metadata, expiresAt } = record;
    const write = expected === undefined
      ? this.#db.insert(oauthRecords).values({ ...record, revision: 1 })
          .onConflictDoUpdate({ target: oauthRecords.key, set: { value, metadata, expiresAt, revision: sql`${oauthRecords.revision} + 1` } })
      : this.#db.update(oauthRecords).set({ value, metadata, expiresAt, revision: expected + 1 }).where(and(eq(oauthRecords.key, key), eq(oauthRecords.revision, expected)));
    const [written] = spent ? await this.#db.batch([write, this.#db.insert(oauthSpentTokens).values(spent).onConflictDoNothing()]) : await this.#db.batch([write]);
    return written.meta.changes > 0;
  }

  async writeUnusedClient(record: Omit<OAuthRecord, "revision">, most: number): Promise<void> {
    const { value, metadata, expiresAt } = record;
    // The condition in the words of the index `oauth_clients_unused`.
    const surplus = sql`select key from oauth_records indexed by oauth_clients_unused where key >= 'client:' and key < 'client<' and expires_at is not null order by expires_at desc limit -1 offset ${most}`;
    await this.#db.batch([
      this.#db.insert(oauthRecords).values({ ...record, revision: 1 })
        .onConflictDoUpdate({ target: oauthRecords.key, set: { value, metadata, expiresAt, revision: sql`${oauthRecords.revision} + 1` } }),
      this.#db.delete(oauthRecords).where(sql`${oauthRecords.key} in (${surplus})`),
    ]);
  }

  async remove(key: string): Promise<boolean> {
    const removed = await this.#db.delete(oauthRecords).where(eq(oauthRecords.key, key));
    return removed.meta.changes > 0;
  }

  async list(prefix: string, after: string, limit: number, now: number): Promise<Pick<OAuthRecord, "key" | "metadata">[]> {
    return this.#db
      .select({ key: oauthRecords.key, metadata: oauthRecords.metadata })
      .from(oauthRecords)
      .where(and(startsWith(prefix), gt(oauthRecords.key, after), alive(now)))
      .orderBy(asc(oauthRecords.key))
      .limit(limit);
  }

  async keepForever(key: string): Promise<void> {
    await this.#db.update(oauthRecords).set({ expiresAt: null }).where(eq(oauthRecords.key, key));
  }

  async grantOfSpent(tokenHash: string): Promise<string | undefined> {
    const [row] = await this.#db.select({ grantKey: oauthSpentTokens.grantKey }).from(oauthSpentTokens).where(eq(oauthSpentTokens.tokenHash, tokenHash));
    return row?.grantKey;
  }
}

const alive = (now: number): SQL | undefined => or(isNull(oauthRecords.expiresAt), gt(oauthRecords.expiresAt, now));

/** A range of the key instead of LIKE, which would read user text as a pattern. U+10FFFF sorts behind every other character. */
export const startsWith = (prefix: string): SQL | undefined => and(gte(oauthRecords.key, prefix), lt(oauthRecords.key, `${prefix}\u{10FFFF}`));
