/**
 * Storage of a TeamIndex object. `docs` has one row per version of a memory; the present one has no
 * `until_at`. `now_fts` indexes the present rows with their neighbours in the thread, `past_fts` the others.
 *
 * Both FTS tables keep no text of their own (contentless): `docs.content` has it once.
 * Weights (bm25): content 1, label .5, near ±1 turn .3, far ±2 turns .15, moment .3; they follow the columns that did best
 * in the retrieval baselines (text 1, neighbours .3, speaker and date .3; BM25F ±2 turns .15).
 */
const version = "4";

const tables = `
  CREATE TABLE sources (
    team_id TEXT PRIMARY KEY, shard TEXT NOT NULL, applied INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE ahead (team_id TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (team_id, seq)) WITHOUT ROWID;
  CREATE TABLE docs (
    doc INTEGER PRIMARY KEY,
    team_id TEXT NOT NULL, memory_id TEXT NOT NULL, version INTEGER NOT NULL, alias INTEGER NOT NULL,
    from_at INTEGER NOT NULL, until_at INTEGER,
    key TEXT, content TEXT NOT NULL, label TEXT NOT NULL, moment TEXT NOT NULL,
    namespace TEXT NOT NULL, visibility TEXT NOT NULL, owner_id TEXT NOT NULL, author_id TEXT NOT NULL,
    type TEXT NOT NULL, importance REAL NOT NULL, tags TEXT NOT NULL,
    position INTEGER NOT NULL, updated_at INTEGER NOT NULL, expires_at INTEGER, archived INTEGER NOT NULL
  );
  CREATE UNIQUE INDEX docs_version ON docs (team_id, memory_id, version);
  CREATE INDEX docs_thread ON docs (team_id, namespace, position, alias) WHERE until_at IS NULL AND archived = 0;
  CREATE INDEX docs_private ON docs (team_id, namespace, owner_id) WHERE until_at IS NULL AND archived = 0 AND visibility = 'private';
  CREATE INDEX docs_key ON docs (key) WHERE until_at IS NULL AND archived = 0;
  CREATE VIRTUAL TABLE now_fts USING fts5(
    content, label, near, far, moment, content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2'
  );
  CREATE VIRTUAL TABLE past_fts USING fts5(
    content, label, near, far, moment, content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2'
  );
  INSERT INTO now_fts (now_fts, rank) VALUES ('rank', 'bm25(1.0, 0.5, 0.3, 0.15, 0.3)');
  INSERT INTO past_fts (past_fts, rank) VALUES ('rank', 'bm25(1.0, 0.5, 0.3, 0.15, 0.3)');
  CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
`;

/** Creates the tables; an index of an older layout is dropped, since it can be rebuilt from D1. */
export function ensureSchema(storage: DurableObjectStorage): void {
  const sql = storage.sql;
  const known = sql.exec<{ name: string }>("SELECT name FROM sqlite_master WHERE name = 'meta'").toArray().length > 0;
  if (known && sql.exec<{ value: string }>("SELECT value FROM meta WHERE name = 'layout'").toArray()[0]?.value === version) return;
  storage.transactionSync(() => {
    for (const table of ["now_fts", "past_fts", "docs", "sources", "ahead", "meta"]) sql.exec(`DROP TABLE IF EXISTS ${table}`);
    sql.exec(tables);
    sql.exec("INSERT INTO meta (name, value) VALUES ('layout', ?)", version);
  });
}
