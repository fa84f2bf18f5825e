import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { defaultIntelligence, intelligenceProviders } from "../../domain/intelligence/intelligence-setting.ts";

/** Who understands a team's texts; a team without a row has what its deployment offers. */
export const intelligenceSettings = sqliteTable("intelligence_settings", {
  teamId: text("team_id").primaryKey(),
  provider: text({ enum: intelligenceProviders }).notNull().default(defaultIntelligence.provider),
  extractionPrompt: text("extraction_prompt"),
  updatePrompt: text("update_prompt"),
  dailyTokens: integer("daily_tokens"),
});

/** What calls of models took, for each team, day and model. It holds no text. */
export const intelligenceUsage = sqliteTable(
  "intelligence_usage",
  {
    teamId: text("team_id").notNull(),
    /** YYYY-MM-DD, UTC. */
    day: text().notNull(),
    /** Such as `anthropic:claude-haiku-4-5`. */
    model: text().notNull(),
    calls: integer().notNull().default(0),
    inputTokens: integer("input_tokens").notNull().default(0),
    outputTokens: integer("output_tokens").notNull().default(0),
    /** Of calls on their way. Those of a process that died stay until the day is over. */
    reservedTokens: integer("reserved_tokens").notNull().default(0),
    /** Millionths of a dollar. */
    costMicros: integer("cost_micros").notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.day, table.model] })],
);
