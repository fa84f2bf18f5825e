import { textTableNames, textTables } from "../text-index/text-index.ts";

/**
 * Storage of a TeamIndex object. `docs` has one row per version of a memory; the present one has no `until_at`. Under
 * `slot` the text index knows the row, in the part of those who see it; archived rows are in no part. `said` is what the
 * present version states, as `statementKey` says it, `merged_into` the memory that holds what this one said. `body` is the memory in that
 * version as JSON, without what is sealed of a secret and without fields that have their initial value; last, so that a look at the other columns does not read it. `accesses` counts
 * readings, which are no versions.
 */
const version = "15";

/** When it happened, or was last changed (`happenedAt`). */
export const happened = "coalesce(body ->> '$.occurredAt', updated_at)";

const tables = `
  CREATE TABLE sources (
    team_id TEXT PRIMARY KEY, shard TEXT NOT NULL, applied INTEGER NOT NULL, announced INTEGER NOT NULL DEFAULT 0
  ) WITHOUT ROWID;
  CREATE TABLE ahead (team_id TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (team_id, seq)) WITHOUT ROWID;
  CREATE TABLE docs (
    doc INTEGER PRIMARY KEY,
    team_id TEXT NOT NULL, memory_id TEXT NOT NULL, version INTEGER NOT NULL, alias INTEGER NOT NULL,
    from_at INTEGER NOT NULL, until_at INTEGER,
    key TEXT, namespace TEXT NOT NULL, visibility TEXT NOT NULL, owner_id TEXT NOT NULL, author_id TEXT NOT NULL,
    type TEXT NOT NULL, importance REAL NOT NULL, tags TEXT NOT NULL,
    position INTEGER NOT NULL, updated_at INTEGER NOT NULL, expires_at INTEGER, archived INTEGER NOT NULL, secret INTEGER NOT NULL,
    said TEXT, merged_into TEXT, slot INTEGER, part TEXT, length INTEGER,
    body TEXT NOT NULL
  );
  CREATE UNIQUE INDEX docs_version ON docs (team_id, memory_id, version);
  CREATE INDEX docs_thread ON docs (team_id, namespace, position, alias) WHERE until_at IS NULL AND archived = 0;
  CREATE INDEX docs_happened ON docs (team_id, ${happened}) WHERE until_at IS NULL AND archived = 0;
  CREATE INDEX docs_private ON docs (team_id, namespace, owner_id) WHERE until_at IS NULL AND archived = 0 AND visibility = 'private';
  CREATE INDEX docs_alias ON docs (team_id, alias) WHERE until_at IS NULL;
  CREATE INDEX docs_key ON docs (key) WHERE until_at IS NULL AND archived = 0;
  CREATE INDEX docs_said ON docs (said) WHERE said IS NOT NULL AND until_at IS NULL AND archived = 0;
  CREATE INDEX docs_merged ON docs (team_id, merged_into) WHERE merged_into IS NOT NULL AND until_at IS NULL;
  CREATE UNIQUE INDEX docs_slot ON docs (slot) WHERE slot IS NOT NULL;
  CREATE TABLE slots (last INTEGER NOT NULL);
  INSERT INTO slots (last) VALUES (0);
  ${textTables}
  CREATE TABLE accesses (team_id TEXT NOT NULL, memory_id TEXT NOT NULL, count INTEGER NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (team_id, memory_id)) WITHOUT ROWID;
  CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
`;

/** Creates the tables; an index of an older layout is dropped, since it can be rebuilt from D1. */
export function ensureSchema(storage: DurableObjectStorage): void {
  const sql = storage.sql;
  const known = sql.exec<{ name: string }>("SELECT name FROM sqlite_master WHERE name = 'meta'").toArray().length > 0;
  if (known && sql.exec<{ value: string }>("SELECT value FROM meta WHERE name = 'layout'").toArray()[0]?.value === version) return;
  storage.transactionSync(() => {
    for (const table of ["now_fts", "past_fts", "docs", "slots", ...textTableNames, "sources", "ahead", "accesses", "meta"]) sql.exec(`DROP TABLE IF EXISTS ${table}`);
    sql.exec(tables);
    sql.exec("INSERT INTO meta (name, value) VALUES ('layout', ?)", version);
  });
}
