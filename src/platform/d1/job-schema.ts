import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { jobKinds } from "../../domain/transfers/job-store.ts";

/** Long imports and exports. They count, and hold no text. */
export const jobs = sqliteTable(
  "jobs",
  {
    teamId: text("team_id").notNull(),
    id: text().notNull(),
    userId: text("user_id").notNull(),
    kind: text({ enum: jobKinds }).notNull(),
    state: text({ enum: ["waiting", "running", "done", "failed", "cancelled"] }).notNull(),
    options: text({ mode: "json" }).$type<Record<string, string | boolean>>().notNull(),
    credential: text({ mode: "json" }).$type<Record<string, string | number>>().notNull(),
    scopes: text({ mode: "json" }).$type<string[]>().notNull(),
    tool: text().notNull(),
    requestedAt: integer("requested_at").notNull(),
    startedAt: integer("started_at"),
    endedAt: integer("ended_at"),
    done: integer().notNull().default(0),
    total: integer(),
    counts: text({ mode: "json" }).$type<Record<string, number>>().notNull(),
    /** `[entry, code]` of the first that failed. */
    failed: text({ mode: "json" }).$type<[number, string][]>().notNull(),
    cursor: text().notNull(),
    leasedUntil: integer("leased_until").notNull().default(0),
    failures: integer().notNull().default(0),
    error: text(),
  },
  (table) => [
    primaryKey({ columns: [table.teamId, table.id] }),
    index("jobs_of_person").on(table.teamId, table.userId, table.requestedAt),
    index("jobs_open").on(table.leasedUntil).where(sql`state IN ('waiting', 'running')`),
    index("jobs_ended").on(table.endedAt).where(sql`ended_at IS NOT NULL`),
  ],
);

/** What an import is still to store, and what an export is to hand out; sealed with the team's data key. */
export const jobPieces = sqliteTable(
  "job_pieces",
  {
    teamId: text("team_id").notNull(),
    jobId: text("job_id").notNull(),
    number: integer().notNull(),
    userId: text("user_id").notNull(),
    at: integer().notNull(),
    ids: text({ mode: "json" }).$type<string[]>().notNull(),
    dataKey: integer("data_key").notNull(),
    sealed: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.jobId, table.number] }), index("job_pieces_at").on(table.at), index("job_pieces_key").on(table.teamId, table.dataKey)],
);
