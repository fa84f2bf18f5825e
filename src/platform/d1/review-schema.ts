import { sql } from "drizzle-orm";
import { foreignKey, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { defaultGuard, instructionPolicies, secretPolicies } from "../../domain/guard/guard-policy.ts";
import { defaultEvolution, evolutionPolicies } from "../../domain/evolution/evolution-policy.ts";
import type { LinkChanges } from "../../domain/memories/proposal-store.ts";
import { memories } from "./shard-schema.ts";

/** A team's setting for all its memories; a team without a row has the default. */
export const teamPolicies = sqliteTable("team_policies", {
  teamId: text("team_id").primaryKey(),
  /** Whether an admin looks at what a member shares, or changes of what others see, before others see it. */
  reviewRequired: integer("review_required", { mode: "boolean" }).notNull().default(false),
  /** What becomes of a write that holds a secret, and of one that reads like instructions for a model. */
  secretPolicy: text("secret_policy", { enum: secretPolicies }).notNull().default(defaultGuard.secrets),
  instructionPolicy: text("instruction_policy", { enum: instructionPolicies }).notNull().default(defaultGuard.instructions),
  /** Whether the memories evolve by schedule. */
  evolutionPolicy: text("evolution_policy", { enum: evolutionPolicies }).notNull().default(defaultEvolution),
  /** Set while a person has the curator pause, and who. */
  curatorPausedAt: integer("curator_paused_at"),
  curatorPausedBy: text("curator_paused_by"),
  /** Set while the team is deleted, so that other teams do not find what was public. The directory decides; this follows it. */
  closedAt: integer("closed_at"),
});

/** Members' changes of what others see or are to see, based on just one version of a memory. They go with the memory. */
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
    /** The whole state that the memory is to have; NULL when only its visibility is to change, and once it is accepted. */
    proposed: text({ mode: "json" }).$type<Record<string, unknown>>(),
    /** As of a version, for what `proposed` holds. */
    dataKey: integer("data_key"),
    /** Links to make and to take away. */
    links: text({ mode: "json" }).$type<LinkChanges>(),
  },
  (table) => [
    primaryKey({ columns: [table.teamId, table.id] }),
    foreignKey({ columns: [table.teamId, table.memoryId], foreignColumns: [memories.teamId, memories.id] }).onDelete("cascade"),
    uniqueIndex("proposals_pending").on(table.teamId, table.memoryId, table.proposedBy).where(sql`state = 'pending'`),
    index("proposals_memory").on(table.teamId, table.memoryId),
    index("proposals_secret").on(table.teamId, table.dataKey).where(sql`data_key IS NOT NULL`),
  ],
);
