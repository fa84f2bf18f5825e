import { sql } from "drizzle-orm";
import { blob, foreignKey, index, integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { memories } from "./shard-schema.ts";

/**
 * How far work that follows the memories has come, and what it made: everything here can be made again from `memories`.
 * A `space` names what a stage makes (for vectors: provider, model, dimension); a new one starts over beside the old one.
 */

/** One row per team, stage and space. `lease` names the run that is at work, so that two consumers never are. */
export const indexProgress = sqliteTable(
  "index_progress",
  {
    teamId: text("team_id").notNull(),
    stage: text().notNull(),
    space: text().notNull(),
    /** Every change up to this sequence number is done, or set aside in `index_failures`. */
    cursor: integer().notNull().default(0),
    /** Runs in a row that failed as a whole; `not_before` is when the next may try. */
    attempts: integer().notNull().default(0),
    notBefore: integer("not_before").notNull().default(0),
    error: text(),
    lease: text(),
    leaseUntil: integer("lease_until").notNull().default(0),
    startedAt: integer("started_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.stage, table.space] })],
);

/** Memories that a stage set aside, to be tried again; never more than one row for each. */
export const indexFailures = sqliteTable(
  "index_failures",
  {
    teamId: text("team_id").notNull(),
    stage: text().notNull(),
    space: text().notNull(),
    memoryId: text("memory_id").notNull(),
    version: integer().notNull(),
    attempts: integer().notNull(),
    nextAttemptAt: integer("next_attempt_at").notNull(),
    /** A code for what failed; never text of a memory. */
    code: text().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.teamId, table.stage, table.space, table.memoryId] }),
    foreignKey({ columns: [table.teamId, table.memoryId], foreignColumns: [memories.teamId, memories.id] }).onDelete("cascade"),
    index("index_failures_due").on(table.nextAttemptAt),
    index("index_failures_memory").on(table.teamId, table.memoryId),
  ],
);

/** The vector space that answers a team's queries. */
export const servingSpaces = sqliteTable("serving_spaces", {
  teamId: text("team_id").primaryKey(),
  space: text().notNull(),
  since: integer().notNull(),
});

/** What the cosines of a space mean, measured on pairs of the team's own memories; without numbers where none came out of it. */
export const similarityScales = sqliteTable(
  "similarity_scales",
  {
    teamId: text("team_id").notNull(),
    space: text().notNull(),
    unrelated: real(),
    related: real(),
    pairs: integer(),
    madeAt: integer("made_at").notNull(),
    /** It is made anew once the team has so many memories. */
    dueFrom: integer("due_from").notNull(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.space] })],
);

/**
 * Entries that the vector index holds, or may hold: a row is written before its vector is, and deleted after the vector is.
 * `hash` is that of the embedded text; without it the vector is to be removed. Triggers (next migration) remove the hash when
 * the memory is erased, and with the last hash that refers to it the vector from the cache.
 */
export const vectorItems = sqliteTable(
  "vector_items",
  {
    teamId: text("team_id").notNull(),
    space: text().notNull(),
    kind: text({ enum: ["memory", "entity", "relationship"] }).notNull(),
    id: text().notNull(),
    hash: text(),
    /** Version whose vector the index acknowledged; 0 before the first, and when a comparison did not find it there. */
    version: integer().notNull().default(0),
    /** When a comparison last found it missing. */
    missedAt: integer("missed_at"),
  },
  (table) => [
    // Erasing asks by id for all spaces, so the space comes last.
    primaryKey({ columns: [table.teamId, table.kind, table.id, table.space] }),
    index("vector_items_hash").on(table.teamId, table.space, table.hash),
    index("vector_items_missed").on(table.teamId, table.space, table.missedAt).where(sql`missed_at IS NOT NULL`),
    index("vector_items_doomed").on(table.teamId, table.space).where(sql`hash IS NULL`),
  ],
);

/** How far the comparison of a team's vectors with the truth has come. */
export const vectorChecks = sqliteTable(
  "vector_checks",
  {
    teamId: text("team_id").notNull(),
    stage: text().notNull(),
    space: text().notNull(),
    /** When the last one was made. */
    at: integer().notNull(),
    /** The next one begins after this entry. */
    kind: text().notNull(),
    id: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.stage, table.space] })],
);

/** Vectors by SHA-256 of their text, of what the team holds now: the same text is embedded once. */
export const vectorCache = sqliteTable(
  "vector_cache",
  {
    teamId: text("team_id").notNull(),
    space: text().notNull(),
    hash: text().notNull(),
    /** Float32, little-endian. */
    vector: blob({ mode: "buffer" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.space, table.hash] })],
);
