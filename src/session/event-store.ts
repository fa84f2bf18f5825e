import type { EventStore, JSONRPCMessage } from "@modelcontextprotocol/server";
import { secretMeta } from "../mcp/seen-secrets.ts";

/** The SDK's name for the GET stream of a session (streamableHttp.ts, `_standaloneSseStreamId`). */
const standaloneStream = "_GET_stream";

const maxEvents = 1_000;
const maxAgeMs = 60 * 60 * 1_000;
/** A larger message, or a secret, is delivered but cannot be replayed: a row of a Durable Object holds at most 2 MB. */
const maxMessageChars = 1_000_000;
const pruneEvery = 64;

/** A secret is kept encrypted or not at all. */
const isSecret = (message: JSONRPCMessage): boolean => "result" in message && message.result._meta?.[secretMeta] === true;

/** Event ids are at least `milliseconds * 1000`, so that they tell their age. */
const idAt = (ms: number): number => ms * 1_000;

/** What a session's streams sent, so that `Last-Event-ID` can replay it (2025-11-25, basic/transports, Resumability). */
export class SqlEventStore implements EventStore {
  static createTables(sql: SqlStorage): void {
    sql.exec(`CREATE TABLE IF NOT EXISTS mcp_event (
      session_id TEXT NOT NULL, seq INTEGER NOT NULL, stream_id TEXT NOT NULL, message TEXT NOT NULL,
      PRIMARY KEY (session_id, seq)) WITHOUT ROWID`);
  }

  static purge(sql: SqlStorage, now: number): void {
    sql.exec("DELETE FROM mcp_event WHERE seq < ?", idAt(now - maxAgeMs));
  }

  /** Keeps a notification for a session that is not in memory. */
  static async append(sql: SqlStorage, sessionId: string, message: JSONRPCMessage): Promise<void> {
    await new SqlEventStore(sql, sessionId, true).storeEvent(standaloneStream, message);
  }

  readonly #sql: SqlStorage;
  readonly #sessionId: string;
  #listening: boolean;
  #lastSeq: number | undefined;
  #sincePrune = 0;

  constructor(sql: SqlStorage, sessionId: string, listening: boolean) {
    this.#sql = sql;
    this.#sessionId = sessionId;
    this.#listening = listening;
  }

  /** Before the session's first GET nobody can hold an event id of that stream, so nothing is kept for it. */
  listen(): void {
    this.#listening = true;
  }

  storeEvent(streamId: string, message: JSONRPCMessage): Promise<string> {
    const seq = this.#nextSeq();
    const text = JSON.stringify(message);
    if (text.length <= maxMessageChars && !isSecret(message) && (streamId !== standaloneStream || this.#listening)) {
      this.#sql.exec("INSERT INTO mcp_event (session_id, seq, stream_id, message) values (?, ?, ?, ?)",
        this.#sessionId, seq, streamId, text);
      if (++this.#sincePrune >= pruneEvery) this.#prune();
    }
    return Promise.resolve(String(seq));
  }

  /** Whether the event can still be resumed from: not once it was pruned, and never by another session. */
  knows(eventId: string): boolean {
    return this.#streamOf(eventId) !== undefined;
  }

  // `getStreamIdForEventId` is left out on purpose: with it, the SDK answers 409 while it believes the old connection
  // alive, and the client whose network just changed could not resume. Without it the newer connection takes over.
  async replayEventsAfter(
    lastEventId: string,
    { send }: { send: (eventId: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const streamId = this.#streamOf(lastEventId);
    if (streamId === undefined) throw new Error("Unknown event id");
    const rows = this.#sql.exec<{ seq: number; message: string }>(
      "SELECT seq, message FROM mcp_event WHERE session_id = ? AND stream_id = ? AND seq > ? ORDER BY seq",
      this.#sessionId, streamId, Number(lastEventId)).toArray();
    for (const row of rows) {
      // An empty object is the priming event that only gave the stream an id to resume from.
      if (row.message !== "{}") await send(String(row.seq), JSON.parse(row.message) as JSONRPCMessage);
    }
    return streamId;
  }

  #streamOf(eventId: string): string | undefined {
    if (!/^\d{1,16}$/.test(eventId)) return undefined;
    const rows = this.#sql.exec<{ stream_id: string }>(
      "SELECT stream_id FROM mcp_event WHERE session_id = ? AND seq = ?", this.#sessionId, Number(eventId));
    return rows.toArray()[0]?.stream_id;
  }

  /** Rises over restarts: a client may come back with an id it got from an earlier life of the object. */
  #nextSeq(): number {
    this.#lastSeq ??= this.#sql.exec<{ seq: number | null }>(
      "SELECT max(seq) AS seq FROM mcp_event WHERE session_id = ?", this.#sessionId).one().seq ?? 0;
    this.#lastSeq = Math.max(this.#lastSeq + 1, idAt(Date.now()));
    return this.#lastSeq;
  }

  #prune(): void {
    this.#sincePrune = 0;
    this.#sql.exec(
      `DELETE FROM mcp_event WHERE session_id = ?1 AND (seq < ?2 OR seq <=
        (SELECT seq FROM mcp_event WHERE session_id = ?1 ORDER BY seq DESC LIMIT 1 OFFSET ?3))`,
      this.#sessionId, idAt(Date.now() - maxAgeMs), maxEvents);
  }
}
