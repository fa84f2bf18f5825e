import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/** Directory database (`DB`): who exists, who belongs where, which shard holds a team. Instants in ms since the epoch. */

export const organizations = sqliteTable("organizations", {
  id: text().primaryKey(),
  name: text().notNull(),
  createdAt: integer("created_at").notNull(),
  /** Since when nobody gets in, and from when on everything of it is erased; until then it can be restored. */
  deletedAt: integer("deleted_at"),
  eraseAt: integer("erase_at"),
});

/** D1 bindings that hold memories; a team is assigned one at creation and stays there. */
export const shards = sqliteTable("shards", {
  name: text().primaryKey(),
  acceptsTeams: integer("accepts_teams", { mode: "boolean" }).notNull().default(true),
  createdAt: integer("created_at").notNull(),
});

export const teams = sqliteTable(
  "teams",
  {
    id: text().primaryKey(),
    organizationId: text("organization_id").notNull().references(() => organizations.id),
    name: text().notNull(),
    shard: text().notNull().references(() => shards.name),
    /** The person whose own team it is, made at their first sign-in; `null` for a team of several. */
    personalOf: text("personal_of"),
    createdAt: integer("created_at").notNull(),
    deletedAt: integer("deleted_at"),
    eraseAt: integer("erase_at"),
  },
  (table) => [
    index("teams_organization").on(table.organizationId),
    index("teams_shard").on(table.shard),
    uniqueIndex("teams_personal").on(table.personalOf),
    index("teams_erase").on(table.eraseAt),
  ],
);

export const users = sqliteTable("users", {
  id: text().primaryKey(),
  name: text().notNull(),
  /** What the person said of their preferences, as JSON. */
  preferences: text(),
  createdAt: integer("created_at").notNull(),
  deletedAt: integer("deleted_at"),
  eraseAt: integer("erase_at"),
});

export const memberships = sqliteTable(
  "memberships",
  {
    teamId: text("team_id").notNull().references(() => teams.id),
    userId: text("user_id").notNull().references(() => users.id),
    role: text({ enum: ["owner", "admin", "member", "viewer"] }).notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.userId] }), index("memberships_user").on(table.userId)],
);

export const apiKeys = sqliteTable(
  "api_keys",
  {
    keyId: text("key_id").primaryKey(),
    secretHash: text("secret_hash").notNull(),
    userId: text("user_id").notNull().references(() => users.id),
    teamId: text("team_id").notNull().references(() => teams.id),
    name: text().notNull(),
    scopes: text({ mode: "json" }).$type<string[]>().notNull(),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at"),
    revokedAt: integer("revoked_at"),
    lastUsedAt: integer("last_used_at"),
    /** The key that took this one's place; until `expiresAt` both are valid (rotation with grace). */
    replacedBy: text("replaced_by"),
  },
  (table) => [index("api_keys_user").on(table.userId, table.teamId)],
);

/** With what a team's secrets are sealed, each wrapped by a master key of the configuration. The greatest number is the current one. */
export const teamKeys = sqliteTable(
  "team_keys",
  {
    teamId: text("team_id").notNull().references(() => teams.id),
    number: integer().notNull(),
    masterId: text("master_id").notNull(),
    wrapped: text().notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.number] }), index("team_keys_master").on(table.masterId)],
);

/** Append-only, which triggers enforce, but for registrations of clients, which strangers make and which age out: authentication, keys, grants, membership. What happens to memories is audited in the team's shard. */
export const directoryAudit = sqliteTable(
  "audit",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    at: integer().notNull(),
    organizationId: text("organization_id"),
    teamId: text("team_id"),
    userId: text("user_id"),
    action: text().notNull(),
    subject: text(),
    success: integer({ mode: "boolean" }).notNull(),
    client: text(),
    address: text(),
    requestId: text("request_id"),
    /** Country of the address, as two letters (ISO 3166-1). */
    country: text(),
    /** Key, grant or browser session that the person acted with. */
    credentialId: text("credential_id"),
  },
  (table) => [
    index("audit_team").on(table.teamId, table.at),
    index("audit_user").on(table.userId, table.at),
    index("audit_organization").on(table.organizationId, table.at),
    index("audit_subject").on(table.subject, table.at),
    index("audit_registrations").on(table.at).where(sql`action = 'client.register'`),
  ],
);
