import { getTableColumns } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { stateFieldNames } from "../../domain/memories/memory-fields.ts";
import type { VersionStamp } from "../../domain/memories/memory-store.ts";
import type { StoredMemory } from "./sealed-rows.ts";
import { memories, versions } from "./shard-schema.ts";
import { isVisible } from "../visibility-sql.ts";

/**
 * Bulk statements over one JSON parameter. D1 binds at most 100 parameters to a query, so rows travel as a
 * JSON array through `json_each(?)`; the column lists come from the schema, so that a column added by a
 * migration is written without touching this file.
 */
const columnsOf = (table: SQLiteTable): [property: string, column: SQLiteColumn][] => Object.entries(getTableColumns(table));

const isJson = (column: SQLiteColumn): boolean => column.dataType === "json";

/** Fields of a row as they must look inside the JSON parameter: JSON columns as text, the rest as they are. */
export function toRow(table: SQLiteTable, record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    columnsOf(table).map(([property, column]) => {
      const value = record[property] ?? null;
      return [property, isJson(column) && value !== null ? JSON.stringify(value) : value];
    }),
  );
}

/** Up to three bytes each in UTF-8; D1 takes 2 MB for a parameter. */
const maxParameterLength = 600_000;

/** The rows as JSON arrays, in order, each small enough for a parameter. */
export function jsonArrays(rows: readonly object[]): string[] {
  const arrays: string[][] = [];
  let length = Number.POSITIVE_INFINITY;
  for (const row of rows) {
    const text = JSON.stringify(row);
    length += text.length + 1;
    if (length > maxParameterLength) {
      arrays.push([]);
      length = text.length;
    }
    (arrays.at(-1) as string[]).push(text);
  }
  return arrays.map((texts) => `[${texts.join(",")}]`);
}

const memoryColumns = columnsOf(memories);

/** `visibilityKey` only serves the unique key; it follows from visibility and owner. */
const readColumns = memoryColumns.filter(([property]) => property !== "visibilityKey").map(([property, column]) => ({ property, name: column.name, isJson: isJson(column) }));

/** Columns of a memory in the order in which `fromRaw` reads them. */
export const selectList = readColumns.map(({ name }) => `m.${name}`).join(", ");

/** Reads a stored memory from a row of `selectList`, which begins at `offset`. */
export function fromRaw(row: readonly unknown[], offset = 0): StoredMemory {
  const memory: Record<string, unknown> = {};
  for (const [i, { property, isJson }] of readColumns.entries()) {
    const value = row[offset + i];
    memory[property] = isJson && typeof value === "string" ? JSON.parse(value) : value;
  }
  return memory as unknown as StoredMemory;
}

/**
 * The reads that every call makes, written out: building them anew costs as much as the query. `?1` team, `?2` user,
 * `?3` now. The rule of who sees what is the same as `visibleTo` in the store.
 */
const visible = `m.team_id = ?1 AND ${isVisible("m", "?2")}`;
const live = `${visible} AND (m.expires_at IS NULL OR m.expires_at > ?3) AND m.archived_at IS NULL`;

/** Vector of the memory's text when it was last embedded, in hexadecimal; null for others, and for secrets. */
const vectorOf = `iif(m.sensitivity = 'normal' AND m.id IN (SELECT value FROM json_each(?6)), (SELECT hex(v.vector) FROM vector_items i
  JOIN vector_cache v ON v.team_id = ?1 AND v.space = ?5 AND v.hash = i.hash
  WHERE i.team_id = ?1 AND i.kind = 'memory' AND i.id = m.id AND i.space = ?5), NULL)`;

/**
 * The team's newest sequence number, the vector, then the memory; at least one row once the team has written. Adds: ?4 ids
 * as JSON, ?5 the space of the vectors, ?6 the ids for which they are wanted.
 */
export const hydrate = `SELECT c.seq, ${vectorOf}, ${selectList} FROM counters c
  LEFT JOIN memories m ON m.id IN (SELECT value FROM json_each(?4)) AND ${live} WHERE c.team_id = ?1`;

/**
 * One's own first, then the team's; the newest first among several namespaces. Without the `+`, SQLite reads all keys of the
 * team in the order of visibility keys.
 */
const nearestFirst = (m: string): string => `+${m}.home DESC, ${m}.updated_at DESC, ${m}.namespace DESC`;
export const orderOfKeys = nearestFirst("memories");

/** In that order. Adds: ?4 key. */
export const byKey = `SELECT ${selectList} FROM memories m WHERE ${live} AND m.key = ?4 ORDER BY ${nearestFirst("m")}`;

/** The memory that holds a name, expired or not. Adds (without ?3): ?3 visibility key, ?4 namespace, ?5 key. */
export const named = `SELECT ${selectList} FROM memories m
  WHERE ${visible} AND m.home = ?3 AND m.namespace = ?4 AND m.key = ?5 AND m.archived_at IS NULL`;

/** Visible to `?2` of the team `?1`, one's own private memory first. Adds: ?3 former ids as JSON. */
export const presentIds = `SELECT f.former_id, m.id FROM json_each(?3) e CROSS JOIN former_ids f ON f.team_id = ?1 AND f.former_id = e.value
  CROSS JOIN memories m ON m.team_id = ?1 AND m.id = f.memory_id
  WHERE ${isVisible("m", "?2")} ORDER BY m.home DESC, m.id`;

/** Asked of every shard. Parameters: team, user, ids as JSON. */
export const takenIds = `SELECT DISTINCT m.id FROM json_each(?3) e CROSS JOIN memories m ON m.id = e.value
  WHERE m.team_id <> ?1 OR (m.visibility = 'private' AND m.owner_id <> ?2)`;

/** Parameters: team, `[{formerId, memoryId}]` as JSON. */
export const insertFormerIds = `INSERT INTO former_ids (team_id, former_id, memory_id)
  SELECT ?1, e.value ->> '$.formerId', e.value ->> '$.memoryId' FROM json_each(?2) e WHERE true ON CONFLICT DO NOTHING`;

/** Those that came to their team by an import. Parameter: `[{teamId, id}]` as JSON. */
export const importedAmong = `SELECT DISTINCT v.team_id, v.memory_id FROM json_each(?1) e
  CROSS JOIN versions v ON v.team_id = e.value ->> '$.teamId' AND v.memory_id = e.value ->> '$.id' WHERE v.action = 'import'`;

const extract = (property: string): string => `e.value ->> '$.${property}'`;

const never = new Set(["teamId", "id", "alias", "createdAt", "createdBy", "createdTool", "accessCount", "accessedAt"]);

/**
 * Takes `n` sequence numbers. Parameters: team, n.
 */
export const takeSequence = `INSERT INTO counters (team_id, seq) VALUES (?1, ?2)
  ON CONFLICT (team_id) DO UPDATE SET seq = seq + excluded.seq RETURNING seq`;

/**
 * Inserts or replaces memories; row i gets the i-th of the numbers just taken, as `seq` and, when new, as
 * `alias`. Parameters: team, rows as JSON, number of rows.
 */
export const upsertMemories = (() => {
  const columns = memoryColumns;
  const sequence = "(SELECT seq FROM counters WHERE team_id = ?1) - ?3 + 1 + e.key";
  const values = columns.map(([property]) =>
    property === "teamId" ? "?1" : property === "seq" || property === "alias" ? sequence : extract(property),
  );
  // Nothing but the version after the present one replaces it: NULL breaks the column's constraint, and the whole batch.
  const updates = columns
    .filter(([property]) => !never.has(property))
    .map(([property, { name }]) =>
      property === "version" ? "version = iif(excluded.version = memories.version + 1, excluded.version, NULL)" : `${name} = excluded.${name}`,
    );
  return `INSERT INTO memories (${columns.map(([, column]) => column.name).join(", ")})
    SELECT ${values.join(", ")} FROM json_each(?2) e WHERE true
    ON CONFLICT (team_id, id) DO UPDATE SET ${updates.join(", ")}`;
})();

/** Condition for the memories whose change took the last `n` numbers. Parameters: ?1 team, ?2 n. */
const justWritten = "m.team_id = ?1 AND m.seq > (SELECT seq FROM counters WHERE team_id = ?1) - ?2";

const stateJson = (() => {
  const columns = new Map(memoryColumns);
  const pairs = stateFieldNames.map((field) => {
    const column = columns.get(field) as SQLiteColumn;
    return `'${field}', ${isJson(column) ? `json(m.${column.name})` : `m.${column.name}`}`;
  });
  return `json_object(${pairs.join(", ")})`;
})();

const stamped = (property: keyof VersionStamp, own: string): string => `coalesce(json_extract(?5, '$."' || m.id || '".${property}'), m.${own})`;

/** The version row of every memory just written. Parameters: team, n, actions by memory id as JSON, request id, stamps by memory id as JSON. */
export const insertVersions = `INSERT INTO versions
  (team_id, memory_id, version, prev_version, at, actor_id, tool, action, request_id, state, data_key)
  SELECT m.team_id, m.id, m.version,
    CASE WHEN m.version > 1 THEN m.version - 1 END,
    ${stamped("at", "updated_at")}, ${stamped("actorId", "updated_by")}, ${stamped("tool", "updated_tool")}, json_extract(?3, '$."' || m.id || '"'), ?4, ${stateJson}, m.data_key
  FROM memories m WHERE ${justWritten}`;

/** Versions that a memory brings along from an export. Parameters: rows as JSON, in chain order. */
export const insertHistory = (() => {
  const columns = columnsOf(versions);
  return `INSERT INTO versions (${columns.map(([, column]) => column.name).join(", ")})
    SELECT ${columns.map(([property]) => extract(property)).join(", ")} FROM json_each(?1) e WHERE true`;
})();

/** Earlier versions, sealed or opened with their memory. Parameters: team, `[{memoryId, version, was, dataKey, state}]` as JSON. */
export const reviseVersions = `UPDATE versions SET state = e.value ->> '$.state', data_key = e.value ->> '$.dataKey' FROM json_each(?2) e
  WHERE versions.team_id = ?1 AND versions.memory_id = e.value ->> '$.memoryId' AND versions.version = e.value ->> '$.version'
    AND versions.data_key IS e.value ->> '$.was'`;

/** Audits damage to a memory once a minute. Parameters: at, team, user, credential, memory id. */
export const auditDamage = `INSERT INTO audit (at, team_id, user_id, credential_id, tool, action, memory_id, count, request_id)
  SELECT ?1, ?2, ?3, ?4, '', 'secret-refused', ?5, 1, '' WHERE NOT EXISTS (
    SELECT 1 FROM audit WHERE team_id = ?2 AND at > ?1 - 60000 AND action = 'secret-refused' AND memory_id = ?5)`;

/** Parameters: team, n. */
export const dropTags = `DELETE FROM memory_tags WHERE team_id = ?1
  AND memory_id IN (SELECT m.id FROM memories m WHERE ${justWritten})`;
export const insertTags = `INSERT INTO memory_tags (team_id, tag, memory_id)
  SELECT m.team_id, t.value, m.id FROM memories m, json_each(m.tags) t WHERE ${justWritten}`;

/** Parameters: team, n, ids whose previous version was public as JSON. */
export const insertOutbox = `INSERT INTO outbox (team_id, seq, memory_id, op, is_public, created_at)
  SELECT m.team_id, m.seq, m.id, 'upsert',
    m.visibility = 'public' OR m.id IN (SELECT value FROM json_each(?3)), m.updated_at
  FROM memories m WHERE ${justWritten}`;

/**
 * Tombstones, of just these versions: one that has changed or is gone breaks the column's constraint, and the whole
 * batch. Parameters: team, `[{id, version, visibility}]` as JSON, number of them, now.
 */
export const insertTombstones = `INSERT INTO outbox (team_id, seq, memory_id, op, is_public, created_at)
  SELECT ?1, (SELECT seq FROM counters WHERE team_id = ?1) - ?3 + 1 + e.key,
    (SELECT m.id FROM memories m WHERE m.team_id = ?1 AND m.id = e.value ->> '$.id' AND m.version = e.value ->> '$.version'),
    'erase', e.value ->> '$.visibility' = 'public', ?4
  FROM json_each(?2) e`;
/** By the id that a memory had elsewhere only what its own owner has there: anybody's import may name any id. Parameters: team, `[{id}]` as JSON. */
export const keptBackFor = `SELECT m.id, m.version, m.visibility FROM memories m WHERE m.team_id = ?1 AND m.quarantine IS NOT NULL
  AND m.id NOT IN (SELECT value ->> '$.id' FROM json_each(?2)) AND (m.quarantine ->> '$.target' IN (SELECT value ->> '$.id' FROM json_each(?2))
    OR (m.quarantine ->> '$.target', m.owner_id) IN (SELECT f.former_id, d.owner_id FROM former_ids f CROSS JOIN memories d ON d.team_id = ?1 AND d.id = f.memory_id
      WHERE f.team_id = ?1 AND f.memory_id IN (SELECT value ->> '$.id' FROM json_each(?2))))`;
/** Old outbox rows of an erased memory name it, but hold none of its text. Parameters: team, `[{id}]` as JSON. */
export const deleteMemories = `DELETE FROM memories WHERE team_id = ?1 AND id IN (SELECT value ->> '$.id' FROM json_each(?2))`;
export const deleteIdempotency = `DELETE FROM idempotency WHERE team_id = ?1 AND memory_id IN (SELECT value ->> '$.id' FROM json_each(?2))`;

/**
 * One that is decided already breaks the column's constraint, and the whole batch. What it proposed is the memory's by now.
 * Parameters: team, proposal, who decides, now.
 */
export const fulfilProposal = `UPDATE proposals SET state = iif(state = 'pending', 'accepted', NULL), decided_by = ?3, decided_at = ?4,
    proposed = NULL, data_key = NULL, links = NULL
  WHERE team_id = ?1 AND id = ?2`;

/** Parameters: team, user, key, hash, memory, version, outcome, now. */
export const insertIdempotency = `INSERT INTO idempotency
  (team_id, user_id, key, request_hash, memory_id, version, outcome, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)`;
