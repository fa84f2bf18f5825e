import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { runKinds } from "../../domain/curation/run-store.ts";

/** Runs of the curator over the memories of a team. They count, and hold no text. */
export const curatorRuns = sqliteTable(
  "curator_runs",
  {
    teamId: text("team_id").notNull(),
    /** Also the id of the reversion that records what it did. */
    id: text().notNull(),
    kind: text({ enum: runKinds }).notNull(),
    state: text({ enum: ["waiting", "running", "done", "stopped", "failed"] }).notNull(),
    isDry: integer("is_dry", { mode: "boolean" }).notNull(),
    requestedBy: text("requested_by").notNull(),
    requestedAt: integer("requested_at").notNull(),
    startedAt: integer("started_at"),
    endedAt: integer("ended_at"),
    cursor: text().notNull(),
    counts: text({ mode: "json" }).$type<Record<string, number>>().notNull(),
    /** It reached its limit of changes before the end. */
    isCut: integer("is_cut", { mode: "boolean" }).notNull().default(false),
    failures: integer().notNull().default(0),
    error: text(),
  },
  (table) => [
    primaryKey({ columns: [table.teamId, table.id] }),
    // Of each kind one at a time.
    uniqueIndex("curator_runs_open").on(table.teamId, table.kind).where(sql`state IN ('waiting', 'running')`),
    index("curator_runs_age").on(table.teamId, table.kind, table.requestedAt),
  ],
);
