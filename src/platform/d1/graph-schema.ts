import { sql } from "drizzle-orm";
import { foreignKey, index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { linkMakers } from "../../domain/graph/graph.ts";
import { memories } from "./shard-schema.ts";

/**
 * The knowledge graph of a shard, drawn from its memories and rebuildable from them. `home` is the home of the memory that
 * says it: '' for what the team shares, the owner's id for what is private. Nobody reads a row of another home, so a thing
 * that only a private memory names exists for its owner alone.
 *
 * A mention goes with its memory and with each new version of it (triggers of the migration `graph_triggers`); counts
 * follow the mentions, and what nothing mentions any more is gone in the same transaction.
 */

/**
 * A name of an entity under a visibility key. `entity` is the normal form of its main name; `norm` differs from it for an
 * alias.
 */
export const entities = sqliteTable(
  "entities",
  {
    row: integer().primaryKey(),
    teamId: text("team_id").notNull(),
    visibilityKey: text("home").notNull(),
    entity: text().notNull(),
    norm: text().notNull(),
    /** As written. */
    name: text().notNull(),
    /** Id of the entity under this visibility key. */
    id: text().notNull(),
    type: text().notNull(),
    mentions: integer().notNull().default(0),
    /** Sum of the confidence of its mentions, in thousandths: whole numbers add up the same in any order. */
    weight: integer().notNull().default(0),
    /** How many mentions never expire; `until` is when the last of the others does. */
    lasting: integer().notNull().default(0),
    until: integer().notNull().default(0),
  },
  (table) => [
    uniqueIndex("entities_name").on(table.teamId, table.entity, table.visibilityKey, table.name),
    index("entities_norm").on(table.teamId, table.norm, table.visibilityKey),
    index("entities_id").on(table.teamId, table.id),
  ],
);

export const entityMentions = sqliteTable(
  "entity_mentions",
  {
    teamId: text("team_id").notNull(),
    memoryId: text("memory_id").notNull(),
    entityRow: integer("entity_row")
      .notNull()
      .references(() => entities.row),
    confidence: real().notNull(),
    expiresAt: integer("expires_at"),
  },
  (table) => [
    primaryKey({ columns: [table.teamId, table.memoryId, table.entityRow] }),
    foreignKey({ columns: [table.teamId, table.memoryId], foreignColumns: [memories.teamId, memories.id] }).onDelete("cascade"),
    index("entity_mentions_row").on(table.entityRow, table.memoryId, table.expiresAt),
  ],
);

/** Words by which an entity is found. */
export const entityTokens = sqliteTable(
  "entity_tokens",
  {
    teamId: text("team_id").notNull(),
    token: text().notNull(),
    visibilityKey: text("home").notNull(),
    /** The part of the name that the word is, 0–1. */
    share: real().notNull(),
    row: integer()
      .notNull()
      .references(() => entities.row, { onDelete: "cascade" }),
  },
  (table) => [
    // The names of which a word makes up most are read first.
    primaryKey({ columns: [table.teamId, table.token, table.visibilityKey, table.share, table.row] }),
    index("entity_tokens_row").on(table.row, table.token, table.share),
  ],
);

/** A statement about two entities, by their normal names. */
export const relationships = sqliteTable(
  "relationships",
  {
    row: integer().primaryKey(),
    teamId: text("team_id").notNull(),
    visibilityKey: text("home").notNull(),
    source: text().notNull(),
    type: text().notNull(),
    target: text().notNull(),
    id: text().notNull(),
    mentions: integer().notNull().default(0),
    weight: integer().notNull().default(0),
    lasting: integer().notNull().default(0),
    until: integer().notNull().default(0),
  },
  (table) => [
    uniqueIndex("relationships_source").on(table.teamId, table.source, table.visibilityKey, table.type, table.target),
    index("relationships_target").on(table.teamId, table.target, table.visibilityKey),
    index("relationships_id").on(table.teamId, table.id),
  ],
);

export const relationshipMentions = sqliteTable(
  "relationship_mentions",
  {
    teamId: text("team_id").notNull(),
    memoryId: text("memory_id").notNull(),
    relationshipRow: integer("relationship_row")
      .notNull()
      .references(() => relationships.row),
    sourceName: text("source_name").notNull(),
    targetName: text("target_name").notNull(),
    context: text(),
    validFrom: integer("valid_from"),
    validTo: integer("valid_to"),
    confidence: real().notNull(),
    expiresAt: integer("expires_at"),
  },
  (table) => [
    primaryKey({ columns: [table.teamId, table.memoryId, table.relationshipRow] }),
    foreignKey({ columns: [table.teamId, table.memoryId], foreignColumns: [memories.teamId, memories.id] }).onDelete("cascade"),
    index("relationship_mentions_row").on(table.relationshipRow, table.memoryId),
  ],
);

export const relationshipTokens = sqliteTable(
  "relationship_tokens",
  {
    teamId: text("team_id").notNull(),
    token: text().notNull(),
    visibilityKey: text("home").notNull(),
    share: real().notNull(),
    row: integer()
      .notNull()
      .references(() => relationships.row, { onDelete: "cascade" }),
  },
  (table) => [
    // The names of which a word makes up most are read first.
    primaryKey({ columns: [table.teamId, table.token, table.visibilityKey, table.share, table.row] }),
    index("relationship_tokens_row").on(table.row, table.token, table.share),
  ],
);

/** Directed ties between memories. Drawn ones go with the version that gave rise to them, explicit ones stay until unlinked. */
export const memoryLinks = sqliteTable(
  "memory_links",
  {
    teamId: text("team_id").notNull(),
    sourceId: text("source_id").notNull(),
    targetId: text("target_id").notNull(),
    type: text({ enum: ["extends", "contradicts", "implements", "references", "supersedes"] }).notNull(),
    strength: real().notNull(),
    reason: text().notNull(),
    origin: text({ enum: ["explicit", "drawn"] }).notNull(),
    createdAt: integer("created_at").notNull(),
    createdBy: text("created_by"),
    madeBy: text("made_by", { enum: linkMakers }).notNull().default("said"),
    /** Its strength as it was made; NULL where that is its strength. */
    base: real(),
  },
  (table) => [
    primaryKey({ columns: [table.teamId, table.sourceId, table.targetId, table.type] }),
    foreignKey({ columns: [table.teamId, table.sourceId], foreignColumns: [memories.teamId, memories.id] }).onDelete("cascade"),
    foreignKey({ columns: [table.teamId, table.targetId], foreignColumns: [memories.teamId, memories.id] }).onDelete("cascade"),
    index("memory_links_target").on(table.teamId, table.targetId),
    index("memory_links_derived").on(table.teamId, table.sourceId, table.targetId, table.type).where(sql`made_by IN ('rule', 'model')`),
    index("memory_links_contradicting").on(table.teamId, table.sourceId).where(sql`type = 'contradicts'`),
  ],
);

/** What runs of the curator did to links, written in the transaction that did it. It goes with either memory. */
export const linkChanges = sqliteTable(
  "link_changes",
  {
    teamId: text("team_id").notNull(),
    runId: text("run_id").notNull(),
    sourceId: text("source_id").notNull(),
    targetId: text("target_id").notNull(),
    type: text().notNull(),
    /** The row as it was. */
    before: text({ mode: "json" }).$type<Record<string, string | number | null>>().notNull(),
    /** The strength that it got; NULL where it was dropped. */
    after: real(),
    undoneAt: integer("undone_at"),
  },
  (table) => [
    primaryKey({ columns: [table.teamId, table.runId, table.sourceId, table.targetId, table.type] }),
    foreignKey({ columns: [table.teamId, table.sourceId], foreignColumns: [memories.teamId, memories.id] }).onDelete("cascade"),
    foreignKey({ columns: [table.teamId, table.targetId], foreignColumns: [memories.teamId, memories.id] }).onDelete("cascade"),
    index("link_changes_source").on(table.teamId, table.sourceId, table.targetId, table.type),
    index("link_changes_target").on(table.teamId, table.targetId),
  ],
);

/** Keys and ids of other memories that a memory names, also of those that do not exist yet. */
export const memoryReferences = sqliteTable(
  "memory_references",
  {
    teamId: text("team_id").notNull(),
    name: text().notNull(),
    memoryId: text("memory_id").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.teamId, table.name, table.memoryId] }),
    foreignKey({ columns: [table.teamId, table.memoryId], foreignColumns: [memories.teamId, memories.id] }).onDelete("cascade"),
    index("memory_references_memory").on(table.teamId, table.memoryId),
  ],
);

/** Entities and relationships whose document changed or went, for indexes that follow; each stands once, by its last change. */
export const graphOutbox = sqliteTable(
  "graph_outbox",
  {
    seq: integer().primaryKey({ autoIncrement: true }),
    teamId: text("team_id").notNull(),
    kind: text({ enum: ["entity", "relationship"] }).notNull(),
    id: text().notNull(),
  },
  (table) => [uniqueIndex("graph_outbox_document").on(table.teamId, table.kind, table.id), index("graph_outbox_team").on(table.teamId, table.seq)],
);
