import type { D1Database } from "@cloudflare/workers-types";
import { and, eq, isNull, sql } from "drizzle-orm";
import { drizzle, type DrizzleD1Database } from "drizzle-orm/d1";
import type { MemberRef } from "../../domain/tenancy/member-ref.ts";
import { type Preferences, preferencesFrom, type PreferencesPatch, type PreferenceStore } from "../../domain/tenancy/preferences.ts";
import { memberships, users } from "./directory-schema.ts";

/** Preferences stand with the person in the directory, so that whoever proves a credential reads them with it. */
export class D1PreferenceStore implements PreferenceStore {
  readonly #db: DrizzleD1Database;

  constructor(db: D1Database) {
    this.#db = drizzle(db);
  }

  async preferences({ userId }: { userId: string }): Promise<Preferences> {
    const [row] = await this.#db.select({ said: users.preferences }).from(users).where(present(userId));
    return preferencesFrom(row?.said);
  }

  async changePreferences({ userId }: { userId: string }, patch: PreferencesPatch): Promise<{ preferences: Preferences; members: MemberRef[] }> {
    // SQLite's json_patch is the merge patch of RFC 7396: two changes at once lose nothing of each other.
    const [[changed], members] = await this.#db.batch([
      this.#db.update(users).set({ preferences: sql`json_patch(coalesce(${users.preferences}, '{}'), ${JSON.stringify(patch)})` }).where(present(userId)).returning({ said: users.preferences }),
      this.#db.select({ teamId: memberships.teamId, userId: memberships.userId }).from(memberships).where(eq(memberships.userId, userId)),
    ]);
    return { preferences: preferencesFrom(changed?.said), members };
  }
}

const present = (userId: string) => and(eq(users.id, userId), isNull(users.deletedAt));
