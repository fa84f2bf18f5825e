import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Directory database (`DB`): alerts that the audits gave reason for. Instants in ms since the epoch. */

export const alerts = sqliteTable(
  "alerts",
  {
    id: text().primaryKey(),
    rule: text().notNull(),
    /** `null` when no team is known to be meant: keys guessed at that do not exist. */
    teamId: text("team_id"),
    /** The subject: a team, an address, a credential, a person. */
    subject: text().notNull(),
    /** The new client or country, such as a client's name; '' where the rule is about an amount. */
    value: text().notNull(),
    /** When the entry was written that made it one. */
    at: integer().notNull(),
    /** The counts and names that the rule saw; no content of memories. */
    details: text({ mode: "json" }).$type<Record<string, string | number>>().notNull(),
    createdAt: integer("created_at").notNull(),
    acknowledgedAt: integer("acknowledged_at"),
    acknowledgedBy: text("acknowledged_by"),
  },
  (table) => [index("alerts_team").on(table.teamId, table.id), index("alerts_subject").on(table.subject, table.at)],
);

/** How far each audit was looked through: of the directory, and of each shard. */
export const auditProgress = sqliteTable("audit_progress", {
  source: text().primaryKey(),
  lastId: integer("last_id").notNull(),
  /** From the entry after this one on, entries still count in windows that are open. */
  windowId: integer("window_id").notNull(),
});
