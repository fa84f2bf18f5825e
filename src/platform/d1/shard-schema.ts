import { sql } from "drizzle-orm";
import { foreignKey, index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { Citation, EnrichmentMark, Quarantine } from "../../domain/memories/memory-values.ts";

/**
 * Shard database (`SHARD_n`): the memories of many teams, the truth that every index is rebuilt from.
 * `team_id` leads every key and index. Instants in ms since the epoch.
 */

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/**
 * One row per team: the last sequence number handed out (every change of a memory takes the next one), and how much the team
 * stores. Triggers keep the two sums in the transaction of the change, whoever makes it.
 */
export const counters = sqliteTable("counters", {
  teamId: text("team_id").primaryKey(),
  seq: integer().notNull(),
  /** Archived and expired memories count until they are erased. */
  memories: integer().notNull().default(0),
  /** Bytes of text, as it is stored, in memories, their versions and the links that people made. */
  bytes: integer().notNull().default(0),
});

export const memories = sqliteTable(
  "memories",
  {
    teamId: text("team_id").notNull(),
    id: text().notNull(),
    /** Integer name of the memory within its team: the sequence number of its creation. Never changes. */
    alias: integer().notNull(),
    /** Sequence number of the last change: an index that has applied all up to it is current. */
    seq: integer().notNull(),
    version: integer().notNull(),
    /** Where the key is unique: the owner's id for private memories, '' for those the team shares. */
    visibilityKey: text("home").notNull(),
    key: text(),
    content: text().notNull(),
    value: text({ mode: "json" }).$type<Json>(),
    summary: text(),
    namespace: text().notNull(),
    visibility: text({ enum: ["private", "shared", "public"] }).notNull(),
    ownerId: text("owner_id").notNull(),
    agentId: text("agent_id"),
    runId: text("run_id"),
    type: text().notNull(),
    importance: real().notNull(),
    confidence: real().notNull(),
    tags: text({ mode: "json" }).$type<string[]>().notNull(),
    keywords: text({ mode: "json" }).$type<string[]>().notNull(),
    metadata: text({ mode: "json" }).$type<Record<string, Json>>().notNull(),
    relatedFiles: text("related_files", { mode: "json" }).$type<string[]>().notNull(),
    citations: text({ mode: "json" }).$type<Citation[]>().notNull().default([]),
    sensitivity: text({ enum: ["normal", "secret"] }).notNull(),
    /** Number of the team's data key with which content, value, summary and the like are sealed; NULL when they are not. */
    dataKey: integer("data_key"),
    /** Where the text came from and whether it is quarantined: `{source, quarantined}`. */
    trust: text({ mode: "json" }).$type<{ source: string; quarantined: boolean }>().notNull(),
    tier: text({ enum: ["episodic", "semantic"] }).notNull(),
    compressed: text(),
    compressionRatio: real("compression_ratio"),
    occurredAt: integer("occurred_at"),
    validFrom: integer("valid_from"),
    validTo: integer("valid_to"),
    expiresAt: integer("expires_at"),
    archivedAt: integer("archived_at"),
    supersededBy: text("superseded_by"),
    supersededReason: text("superseded_reason"),
    /** Which fields are derived from the content, and by whom. */
    enrichment: text({ mode: "json" }).$type<EnrichmentMark>(),
    /** Why the write guard keeps it back, and what it is to be once it is released. */
    quarantine: text({ mode: "json" }).$type<Quarantine>(),
    createdAt: integer("created_at").notNull(),
    createdBy: text("created_by").notNull(),
    createdTool: text("created_tool").notNull(),
    updatedAt: integer("updated_at").notNull(),
    updatedBy: text("updated_by").notNull(),
    updatedTool: text("updated_tool").notNull(),
    accessCount: integer("access_count").notNull().default(0),
    accessedAt: integer("accessed_at"),
  },
  (table) => [
    primaryKey({ columns: [table.teamId, table.id] }),
    uniqueIndex("memories_key")
      .on(table.teamId, table.visibilityKey, table.namespace, table.key)
      .where(sql`key IS NOT NULL AND archived_at IS NULL`),
    index("memories_by_key").on(table.teamId, table.key),
    uniqueIndex("memories_alias").on(table.teamId, table.alias),
    uniqueIndex("memories_seq").on(table.teamId, table.seq),
    // An import asks of each new id whether another team holds it.
    index("memories_id").on(table.id),
    index("memories_expiry").on(table.expiresAt).where(sql`expires_at IS NOT NULL`),
    // What the report card looks for, which is little of what there is.
    index("memories_quarantined").on(table.teamId, table.id).where(sql`quarantine IS NOT NULL`),
    index("memories_citing").on(table.teamId, table.id).where(sql`citations <> '[]' AND sensitivity = 'normal'`),
    index("memories_relating").on(table.teamId, table.id).where(sql`related_files <> '[]' AND sensitivity = 'normal'`),
    index("memories_superseded").on(table.teamId, table.id).where(sql`superseded_by IS NOT NULL AND archived_at IS NULL`),
    index("memories_secret").on(table.teamId, table.dataKey).where(sql`sensitivity = 'secret'`),
  ],
);

/**
 * Every state a memory has had, the present one included. `prev_version` refers to the version before, so a chain with a hole,
 * or two writers that both wrote version 4, cannot be committed.
 */
export const versions = sqliteTable(
  "versions",
  {
    teamId: text("team_id").notNull(),
    memoryId: text("memory_id").notNull(),
    version: integer().notNull(),
    prevVersion: integer("prev_version"),
    at: integer().notNull(),
    actorId: text("actor_id").notNull(),
    tool: text().notNull(),
    action: text().notNull(),
    requestId: text("request_id").notNull(),
    state: text({ mode: "json" }).$type<Record<string, Json>>().notNull(),
    /** As of the memory, for what this state holds. */
    dataKey: integer("data_key"),
  },
  (table) => [
    primaryKey({ columns: [table.teamId, table.memoryId, table.version] }),
    foreignKey({ columns: [table.teamId, table.memoryId], foreignColumns: [memories.teamId, memories.id] }).onDelete("cascade"),
    foreignKey({
      columns: [table.teamId, table.memoryId, table.prevVersion],
      foreignColumns: [table.teamId, table.memoryId, table.version],
    }),
    index("versions_at").on(table.teamId, table.at),
    index("versions_secret").on(table.teamId, table.dataKey).where(sql`data_key IS NOT NULL`),
  ],
);

/**
 * Ids that memories had where they were imported from, when another team held them here: within the team they lead to the
 * memory that was made of them. Each person who imports such an id for themselves has a memory of their own.
 */
export const formerIds = sqliteTable(
  "former_ids",
  {
    teamId: text("team_id").notNull(),
    formerId: text("former_id").notNull(),
    memoryId: text("memory_id").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.teamId, table.formerId, table.memoryId] }),
    foreignKey({ columns: [table.teamId, table.memoryId], foreignColumns: [memories.teamId, memories.id] }).onDelete("cascade"),
    index("former_ids_memory").on(table.teamId, table.memoryId),
  ],
);

export const memoryTags = sqliteTable(
  "memory_tags",
  {
    teamId: text("team_id").notNull(),
    tag: text().notNull(),
    memoryId: text("memory_id").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.teamId, table.tag, table.memoryId] }),
    foreignKey({ columns: [table.teamId, table.memoryId], foreignColumns: [memories.teamId, memories.id] }).onDelete("cascade"),
    index("memory_tags_memory").on(table.teamId, table.memoryId),
  ],
);

/** Changes that later stages must still follow; an `erase` row is the tombstone of a memory that is gone. */
export const outbox = sqliteTable(
  "outbox",
  {
    teamId: text("team_id").notNull(),
    seq: integer().notNull(),
    memoryId: text("memory_id").notNull(),
    op: text({ enum: ["upsert", "erase"] }).notNull(),
    /** Whether the change touches a public memory, so that the organization's index must hear of it too. */
    isPublic: integer("is_public", { mode: "boolean" }).notNull(),
    /** Set on tombstones once every index has heard of them; they are kept for indexes that come back late. */
    swept: integer({ mode: "boolean" }).notNull().default(false),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.seq] })],
);

/** Remembered answers to writes that carried an idempotency key, for seven days. */
export const idempotency = sqliteTable(
  "idempotency",
  {
    teamId: text("team_id").notNull(),
    userId: text("user_id").notNull(),
    key: text().notNull(),
    requestHash: text("request_hash").notNull(),
    memoryId: text("memory_id").notNull(),
    version: integer().notNull(),
    outcome: text().notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.userId, table.key] }), index("idempotency_age").on(table.createdAt)],
);

/** Append-only, which triggers enforce: what was done to the team's memories, by whom, with which credential and tool. */
export const memoryAudit = sqliteTable(
  "audit",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    at: integer().notNull(),
    teamId: text("team_id").notNull(),
    userId: text("user_id").notNull(),
    credentialId: text("credential_id").notNull(),
    tool: text().notNull(),
    action: text().notNull(),
    memoryId: text("memory_id"),
    count: integer().notNull(),
    requestId: text("request_id").notNull(),
    /** The client's address, as far as the edge knows it. */
    address: text(),
  },
  (table) => [index("audit_team").on(table.teamId, table.at)],
);
