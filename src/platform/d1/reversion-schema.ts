import { foreignKey, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { memories } from "./shard-schema.ts";

/** Bulk reverts that somebody confirmed. They name memories and versions, and hold no text. */
export const reversions = sqliteTable(
  "reversions",
  {
    teamId: text("team_id").notNull(),
    /** The token by which it was confirmed. */
    id: text().notNull(),
    userId: text("user_id").notNull(),
    tool: text().notNull(),
    at: integer().notNull(),
    /** What was to be reverted: author, tool, session, request and instants. */
    selection: text({ mode: "json" }).$type<Record<string, string | number>>().notNull(),
    /** How many memories were to change: a run that has fewer was interrupted, or some of them are erased. */
    memories: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.id] })],
);

/** What a run did to a memory, written in the transaction that did it. It goes with the memory. */
export const revertedMemories = sqliteTable(
  "reverted_memories",
  {
    teamId: text("team_id").notNull(),
    reversionId: text("reversion_id").notNull(),
    memoryId: text("memory_id").notNull(),
    beforeVersion: integer("before_version").notNull(),
    afterVersion: integer("after_version").notNull(),
    /** The version whose state it has again; NULL when the memory was archived, because all of it was reverted. */
    restoredVersion: integer("restored_version"),
    /** The version by which it was undone. */
    undoVersion: integer("undo_version"),
  },
  (table) => [
    primaryKey({ columns: [table.teamId, table.reversionId, table.memoryId] }),
    foreignKey({ columns: [table.teamId, table.reversionId], foreignColumns: [reversions.teamId, reversions.id] }).onDelete("cascade"),
    foreignKey({ columns: [table.teamId, table.memoryId], foreignColumns: [memories.teamId, memories.id] }).onDelete("cascade"),
    index("reverted_memories_memory").on(table.teamId, table.memoryId),
  ],
);
