import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Directory database (`DB`): what the audits gave reason to tell of. Instants in ms since the epoch. */

export const alerts = sqliteTable(
  "alerts",
  {
    id: text().primaryKey(),
    rule: text().notNull(),
    /** `null` when no team is known to be meant: keys guessed at that do not exist. */
    teamId: text("team_id"),
    /** Whom or what it is about: a team, an address, a credential, a person. */
    subject: text().notNull(),
    /** What is new about the subject, such as a client's name; '' where the rule is about how much. */
    value: text().notNull(),
    /** When the entry was written that made it one. */
    at: integer().notNull(),
    /** What the rule saw, as counts and names; no content of memories. */
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
