import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/** What people did, step by step. Each sees their own; commands are generalised and hold no values. */
export const workflowSteps = sqliteTable(
  "workflow_steps",
  {
    teamId: text("team_id").notNull(),
    userId: text("user_id").notNull(),
    /** '' of a connection without one. */
    project: text().notNull(),
    /** Counts within the project; NULL, which cannot be, where somebody else was first. */
    number: integer().notNull(),
    thread: text().notNull(),
    tool: text().notNull(),
    at: integer().notNull(),
    action: text().notNull(),
    command: text().notNull(),
    success: integer({ mode: "boolean" }).notNull(),
    durationMs: integer("duration_ms"),
    idempotencyKey: text("idempotency_key"),
    /** The step and those before it as `[action, success, duration]`: what it was counted under, and is when it leaves. */
    trail: text({ mode: "json" }).$type<[string, 0 | 1, number | null][]>().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.teamId, table.userId, table.project, table.number] }),
    uniqueIndex("workflow_steps_key").on(table.teamId, table.userId, table.idempotencyKey).where(sql`idempotency_key IS NOT NULL`),
    index("workflow_steps_thread").on(table.teamId, table.userId, table.project, table.thread, table.number),
    index("workflow_steps_action").on(table.teamId, table.userId, table.action),
  ],
);

/** How often an action came after a context, among the steps of the project that are there. */
export const workflowCounts = sqliteTable(
  "workflow_counts",
  {
    teamId: text("team_id").notNull(),
    userId: text("user_id").notNull(),
    project: text().notNull(),
    /** The actions before, joined by dots; '' for none. */
    context: text().notNull(),
    action: text().notNull(),
    count: integer().notNull(),
    successes: integer().notNull(),
    timed: integer().notNull(),
    durationMs: integer("duration_ms").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.teamId, table.userId, table.project, table.context, table.action] }),
    // Patterns are few of what there is.
    index("workflow_counts_patterns").on(table.teamId, table.userId, table.project, table.count).where(sql`context <> '' AND count >= 3`),
  ],
);
