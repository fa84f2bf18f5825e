import { sql } from "drizzle-orm";
import { foreignKey, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { memories } from "./shard-schema.ts";

/** What a team decided for all its memories; a team without a row decided nothing. */
export const teamPolicies = sqliteTable("team_policies", {
  teamId: text("team_id").primaryKey(),
  /** Whether an admin looks at what a member wants to share before others see it. */
  reviewRequired: integer("review_required", { mode: "boolean" }).notNull().default(false),
  /** Set while the team is deleted, so that other teams do not find what was public. The directory decides; this follows it. */
  closedAt: integer("closed_at"),
});

/** Members' wishes that others may see a memory, in just the version that they proposed. They go with the memory. */
export const proposals = sqliteTable(
  "proposals",
  {
    teamId: text("team_id").notNull(),
    id: text().notNull(),
    memoryId: text("memory_id").notNull(),
    version: integer().notNull(),
    visibility: text({ enum: ["shared", "public"] }).notNull(),
    proposedBy: text("proposed_by").notNull(),
    proposedAt: integer("proposed_at").notNull(),
    tool: text().notNull(),
    state: text({ enum: ["pending", "accepted", "refused"] }).notNull(),
    decidedBy: text("decided_by"),
    decidedAt: integer("decided_at"),
  },
  (table) => [
    primaryKey({ columns: [table.teamId, table.id] }),
    foreignKey({ columns: [table.teamId, table.memoryId], foreignColumns: [memories.teamId, memories.id] }).onDelete("cascade"),
    uniqueIndex("proposals_pending").on(table.teamId, table.memoryId).where(sql`state = 'pending'`),
    uniqueIndex("proposals_version").on(table.teamId, table.memoryId, table.version, table.visibility),
  ],
);
