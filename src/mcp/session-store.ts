import type { LoggingLevel } from "@modelcontextprotocol/server";
import { SqlEventStore } from "./event-store.ts";

const lastSeenEveryMs = 60 * 60 * 1_000;
const idleMs = 30 * 24 * 60 * 60 * 1_000;
/** Far above what one person's tools open; it only stops a client that initializes in a loop. */
const maxSessions = 1_000;

/** The data needed to rebuild a session of the 2025 era after the object was evicted (protocol.md, MCP). */
export interface StoredSession {
  id: string;
  initialize: Record<string, unknown>;
  protocolVersion: string;
  loggingLevel: LoggingLevel | undefined;
  /** The session has opened its GET stream at least once. */
  listens: boolean;
}

type Row = {
  id: string; initialize: string; protocol_version: string; logging_level: string | null; listens: number; last_seen: number;
};

export class SessionStore {
  readonly #sql: SqlStorage;
  readonly #lastSeen = new Map<string, number>();
  /** Whether there may be a subscription; undefined until somebody asks. */
  #isWatched: boolean | undefined;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(`CREATE TABLE IF NOT EXISTS mcp_session (
      id TEXT PRIMARY KEY, initialize TEXT NOT NULL, protocol_version TEXT NOT NULL, logging_level TEXT,
      listens INTEGER NOT NULL DEFAULT 0, last_seen INTEGER NOT NULL) WITHOUT ROWID`);
    sql.exec(`CREATE TABLE IF NOT EXISTS mcp_subscription (
      uri TEXT NOT NULL, session_id TEXT NOT NULL, PRIMARY KEY (uri, session_id)) WITHOUT ROWID`);
    sql.exec("CREATE INDEX IF NOT EXISTS mcp_subscription_session ON mcp_subscription (session_id)");
    SqlEventStore.createTables(sql);
  }

  /** Returns the ids of sessions that had to make room: those unused for longest. */
  insert(session: StoredSession, now: number): string[] {
    this.#sql.exec("INSERT INTO mcp_session (id, initialize, protocol_version, last_seen) values (?, ?, ?, ?)",
      session.id, JSON.stringify(session.initialize), session.protocolVersion, now);
    this.#lastSeen.set(session.id, now);
    const surplus = this.#sql.exec<{ id: string }>(
      "SELECT id FROM mcp_session ORDER BY last_seen DESC, id LIMIT -1 OFFSET ?", maxSessions).toArray();
    return surplus.map(({ id }) => {
      this.delete(id);
      return id;
    });
  }

  get(id: string): StoredSession | undefined {
    const row = this.#sql.exec<Row>("SELECT * FROM mcp_session WHERE id = ?", id).toArray()[0];
    if (row === undefined) return undefined;
    this.#lastSeen.set(id, row.last_seen);
    return {
      id,
      initialize: JSON.parse(row.initialize) as Record<string, unknown>,
      protocolVersion: row.protocol_version,
      loggingLevel: (row.logging_level ?? undefined) as LoggingLevel | undefined,
      listens: row.listens === 1,
    };
  }

  has(id: string): boolean {
    return this.#sql.exec("SELECT 1 FROM mcp_session WHERE id = ?", id).toArray().length > 0;
  }

  /** Written at most once an hour: a row write per call would hold back every answer. */
  touch(id: string, now: number): void {
    if (now - (this.#lastSeen.get(id) ?? 0) < lastSeenEveryMs) return;
    this.#lastSeen.set(id, now);
    this.#sql.exec("UPDATE mcp_session SET last_seen = ? WHERE id = ?", now, id);
  }

  setListens(id: string): void {
    this.#sql.exec("UPDATE mcp_session SET listens = 1 WHERE id = ? AND listens = 0", id);
  }

  setLoggingLevel(id: string, level: LoggingLevel): void {
    this.#sql.exec("UPDATE mcp_session SET logging_level = ? WHERE id = ?", level, id);
  }

  subscribe(id: string, uri: string): void {
    this.#isWatched = true;
    this.#sql.exec("INSERT OR IGNORE INTO mcp_subscription (uri, session_id) values (?, ?)", uri, id);
  }

  watched(prefix: string): string[] {
    if (!this.#hasWatchers()) return [];
    return this.#sql.exec<{ uri: string }>("SELECT DISTINCT uri FROM mcp_subscription WHERE uri >= ?1 AND uri < ?1 || char(1114111)", prefix).toArray().map(({ uri }) => uri);
  }

  /** Counts the subscriptions of all sessions. */
  countSubscriptions(): number {
    return this.#sql.exec<{ count: number }>("SELECT count(*) AS count FROM mcp_subscription").one().count;
  }

  unsubscribe(id: string, uri: string): void {
    this.#sql.exec("DELETE FROM mcp_subscription WHERE uri = ? AND session_id = ?", uri, id);
  }

  /** Most objects have none, and every store asks of several resources. */
  #hasWatchers(): boolean {
    return (this.#isWatched ??= this.countSubscriptions() > 0);
  }

  subscribers(uri: string): { id: string; listens: boolean }[] {
    if (!this.#hasWatchers()) return [];
    return this.#sql.exec<{ id: string; listens: number }>(
      "SELECT s.id, s.listens FROM mcp_subscription u JOIN mcp_session s ON s.id = u.session_id WHERE u.uri = ?", uri,
    ).toArray().map(({ id, listens }) => ({ id, listens: listens === 1 }));
  }

  delete(id: string): void {
    this.#lastSeen.delete(id);
    this.#sql.exec("DELETE FROM mcp_session WHERE id = ?", id);
    this.#sql.exec("DELETE FROM mcp_subscription WHERE session_id = ?", id);
    SqlEventStore.forget(this.#sql, id);
  }

  /** Deletes what was idle for 30 days, and events too old to replay. Returns the ids of the deleted sessions. */
  purge(now: number): string[] {
    SqlEventStore.purge(this.#sql, now);
    const idle = this.#sql.exec<{ id: string }>("SELECT id FROM mcp_session WHERE last_seen < ?", now - idleMs).toArray();
    return idle.map(({ id }) => {
      this.delete(id);
      return id;
    });
  }
}
