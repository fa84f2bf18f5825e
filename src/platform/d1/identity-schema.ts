import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { teams, users } from "./directory-schema.ts";

/**
 * Directory database (`DB`), second half: how people prove who they are, how they come into teams, and what they let
 * clients do. Of every secret only the SHA-256 is here. Instants in ms since the epoch.
 */

/** Who a person is elsewhere. Never the address of their mail: it may change hands, an issuer's subject may not. */
export const identities = sqliteTable(
  "identities",
  {
    issuer: text().notNull(),
    subject: text().notNull(),
    userId: text("user_id").notNull().references(() => users.id),
    /** As the issuer last gave them, to be shown only. */
    name: text(),
    email: text(),
    createdAt: integer("created_at").notNull(),
    lastUsedAt: integer("last_used_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.issuer, table.subject] }), index("identities_user").on(table.userId)],
);

export const passkeys = sqliteTable(
  "passkeys",
  {
    /** As the authenticator named it, base64url. */
    credentialId: text("credential_id").primaryKey(),
    userId: text("user_id").notNull().references(() => users.id),
    /** COSE, base64url. */
    publicKey: text("public_key").notNull(),
    /** Counter of the last use; one that does not grow reveals a copy. */
    counter: integer().notNull(),
    transports: text({ mode: "json" }).$type<string[]>().notNull(),
    backedUp: integer("backed_up", { mode: "boolean" }).notNull(),
    name: text().notNull(),
    createdAt: integer("created_at").notNull(),
    lastUsedAt: integer("last_used_at"),
  },
  (table) => [index("passkeys_user").on(table.userId)],
);

/** A browser that is signed in. The cookie holds the token, this row its digest. */
export const webSessions = sqliteTable(
  "web_sessions",
  {
    /** Id by which the list of sessions shows and ends them; it opens nothing. */
    id: text().primaryKey(),
    tokenHash: text("token_hash").notNull(),
    userId: text("user_id").notNull().references(() => users.id),
    method: text({ enum: ["link", "recovery", "upstream", "passkey"] }).notNull(),
    createdAt: integer("created_at").notNull(),
    lastSeenAt: integer("last_seen_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
    userAgent: text("user_agent"),
    address: text(),
  },
  (table) => [
    uniqueIndex("web_sessions_token").on(table.tokenHash),
    index("web_sessions_user").on(table.userId),
    index("web_sessions_expiry").on(table.expiresAt),
  ],
);

/** Links that sign a person in once: the first way in (bootstrap), or the way back (recovery). */
export const signInLinks = sqliteTable(
  "sign_in_links",
  {
    tokenHash: text("token_hash").primaryKey(),
    userId: text("user_id").notNull().references(() => users.id),
    purpose: text({ enum: ["bootstrap", "recovery"] }).notNull(),
    /** `null`: the launcher. Otherwise the person themselves. */
    createdBy: text("created_by").references(() => users.id),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
    usedAt: integer("used_at"),
  },
  (table) => [index("sign_in_links_user").on(table.userId), index("sign_in_links_expiry").on(table.expiresAt), index("sign_in_links_used").on(table.usedAt)],
);

/**
 * An attempt that was begun in a browser and is to be finished in it: a redirect to an issuer, a passkey ceremony, the return
 * after a sign-in.
 */
export const signInAttempts = sqliteTable(
  "sign_in_attempts",
  {
    /** Digest of the value in the browser's cookie, or of a link and its page together. */
    tokenHash: text("token_hash").primaryKey(),
    kind: text({ enum: ["upstream", "passkey-registration", "passkey-authentication", "way-back", "link"] }).notNull(),
    /** State, nonce, challenge and the like, as the kind needs them. */
    data: text({ mode: "json" }).$type<Record<string, unknown>>().notNull(),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
  },
  (table) => [index("sign_in_attempts_expiry").on(table.expiresAt)],
);

/** A link into a team, for one person, with the role they will have. */
export const invitations = sqliteTable(
  "invitations",
  {
    id: text().primaryKey(),
    tokenHash: text("token_hash").notNull(),
    teamId: text("team_id").notNull().references(() => teams.id),
    role: text({ enum: ["owner", "admin", "member", "viewer"] }).notNull(),
    invitedBy: text("invited_by").notNull().references(() => users.id),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
    usedAt: integer("used_at"),
    usedBy: text("used_by").references(() => users.id),
    revokedAt: integer("revoked_at"),
  },
  (table) => [uniqueIndex("invitations_token").on(table.tokenHash), index("invitations_team").on(table.teamId), index("invitations_expiry").on(table.expiresAt), index("invitations_used").on(table.usedAt)],
);

/**
 * The records of the authorization server, as the keys and values of its own layout: `client:<id>`, `grant:<subject>:<id>`,
 * `token:<subject>:<grant>:<digest>`, and consents under way. The subject is one person in one team.
 */
export const oauthRecords = sqliteTable(
  "oauth_records",
  {
    key: text().primaryKey(),
    value: text().notNull(),
    metadata: text(),
    /** Grows with every write, so that of two who read the same record only one writes it. */
    revision: integer().notNull().default(1),
    expiresAt: integer("expires_at"),
  },
  (table) => [
    index("oauth_records_expiry").on(table.expiresAt),
    index("oauth_clients_unused").on(table.expiresAt).where(sql`key >= 'client:' AND key < 'client<' AND expires_at IS NOT NULL`),
  ],
);

/** Refresh tokens that were exchanged. Whoever shows one again ends its grant. */
export const oauthSpentTokens = sqliteTable(
  "oauth_spent_tokens",
  {
    tokenHash: text("token_hash").primaryKey(),
    grantKey: text("grant_key").notNull(),
    expiresAt: integer("expires_at").notNull(),
  },
  (table) => [index("oauth_spent_tokens_grant").on(table.grantKey), index("oauth_spent_tokens_expiry").on(table.expiresAt)],
);
