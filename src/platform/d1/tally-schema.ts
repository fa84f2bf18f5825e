import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** How many memories there are, by what statistics name: triggers keep it in the transaction of the change, so that no look at it counts memories. */
export const memoryTallies = sqliteTable(
  "memory_tallies",
  {
    teamId: text("team_id").notNull(),
    visibilityKey: text("home").notNull(),
    archived: integer({ mode: "boolean" }).notNull(),
    visibility: text().notNull(),
    namespace: text().notNull(),
    type: text().notNull(),
    /** '' of memories that name none. */
    agentId: text("agent_id").notNull(),
    runId: text("run_id").notNull(),
    memories: integer().notNull(),
    /** Of them those that are no secret. */
    normal: integer().notNull(),
    versions: integer().notNull(),
    /** Of their contents; of a sealed one as it was before, but for characters of several bytes. */
    bytes: integer().notNull(),
    characters: integer().notNull(),
    /** The latest that there was, of memories that are gone from here, too. */
    changedAt: integer("changed_at").notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.teamId, table.visibilityKey, table.archived, table.visibility, table.namespace, table.type, table.agentId, table.runId] }),
  ],
);

/** The same of tags, of memories that are not archived. */
export const tagTallies = sqliteTable(
  "tag_tallies",
  {
    teamId: text("team_id").notNull(),
    visibilityKey: text("home").notNull(),
    tag: text().notNull(),
    memories: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.visibilityKey, table.tag] })],
);
