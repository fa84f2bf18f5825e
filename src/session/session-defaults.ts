import type { SessionDefaults } from "../domain/memories/session-scope.ts";
import type { ConnectionDefaults, InitialisedSession } from "../tools/define-tool.ts";

/** Session Management Configuration of the memory-server document. */
const defaultsMs = 60 * 60 * 1_000;
const mostKept = 1_000;

/**
 * What the clients of one person said with `memory_init_session`, each under its connection: a protocol session, or, where the protocol has none,
 * the client by its name. It holds for an hour and survives the object's eviction.
 */
export class SessionDefaultsTable {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec("CREATE TABLE IF NOT EXISTS session_defaults (connection TEXT PRIMARY KEY, defaults TEXT NOT NULL, created_at INTEGER NOT NULL) WITHOUT ROWID");
  }

  of(client: { tool: string; sessionId: string | undefined }, headers: SessionDefaults | undefined): ConnectionDefaults {
    const connection = client.sessionId === undefined ? `client:${client.tool}` : `session:${client.sessionId}`;
    return {
      headers,
      initialised: (now) => this.#read(connection, now),
      initialise: (defaults, now) => this.#write(connection, defaults, now),
    };
  }

  #read(connection: string, now: number): SessionDefaults | undefined {
    const [row] = this.#sql.exec<{ defaults: string }>("SELECT defaults FROM session_defaults WHERE connection = ? AND created_at > ?", connection, now - defaultsMs).toArray();
    return row && (JSON.parse(row.defaults) as SessionDefaults);
  }

  #write(connection: string, defaults: SessionDefaults, now: number): InitialisedSession {
    this.#sql.exec("INSERT INTO session_defaults VALUES (?, ?, ?) ON CONFLICT (connection) DO UPDATE SET defaults = excluded.defaults, created_at = excluded.created_at", connection, JSON.stringify(defaults), now);
    this.#sql.exec("DELETE FROM session_defaults WHERE created_at <= ? OR connection IN (SELECT connection FROM session_defaults ORDER BY created_at DESC LIMIT -1 OFFSET ?)", now - defaultsMs, mostKept);
    return { connectionId: connection, createdAt: now, until: now + defaultsMs };
  }
}
