import { index, integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** What calls prevented (`domain/metrics`), rolled up. It holds no text. */
export const prevention = sqliteTable(
  "prevention",
  {
    teamId: text("team_id").notNull(),
    /** '' for the team as a whole. */
    userId: text("user_id").notNull(),
    period: text({ enum: ["hour", "day", "total"] }).notNull(),
    /** Beginning of the hour or day (UTC), ms since the epoch; 0 of a total. */
    start: integer().notNull(),
    operation: text().notNull(),
    calls: integer().notNull().default(0),
    preventedCalls: integer("prevented_calls").notNull().default(0),
    baselineTokens: integer("baseline_tokens").notNull().default(0),
    actualTokens: integer("actual_tokens").notNull().default(0),
    preventedTokens: integer("prevented_tokens").notNull().default(0),
    percentSum: real("percent_sum").notNull().default(0),
    baselineCalls: integer("baseline_calls").notNull().default(0),
    l1Hits: integer("l1_hits").notNull().default(0),
    l2Hits: integer("l2_hits").notNull().default(0),
    cacheMisses: integer("cache_misses").notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.teamId, table.userId, table.period, table.start, table.operation] }),
    // The sweep drops what is old; an account that is erased takes its own along.
    index("prevention_age").on(table.period, table.start),
    index("prevention_user").on(table.userId),
  ],
);
