import { AsyncLocalStorage } from "node:async_hooks";
import type { EventStore, JSONRPCMessage, RequestId } from "@modelcontextprotocol/server";
import { secretMeta } from "./tool-result.ts";

/** The SDK's name for the GET stream of a session (streamableHttp.ts, `_standaloneSseStreamId`). */
const standaloneStream = "_GET_stream";

const maxEvents = 1_000;
/** A notification says to a client that comes back an hour later what to read again. */
const maxAgeMs = 60 * 60 * 1_000;
/** A message that may hold memory text waits for a client that lost its connection, and no longer. */
const maxSealedAgeMs = 5 * 60 * 1_000;
/** A larger message, or a secret, is delivered but cannot be replayed: a row of a Durable Object holds at most 2 MB. */
const maxMessageChars = 1_000_000;
const pruneEvery = 64;
/** In the range that JSON-RPC leaves to servers. */
const notKept = -32_002;

/** A secret is kept encrypted with its team's key or not at all. */
const isSecret = (message: JSONRPCMessage): boolean => "result" in message && message.result._meta?.[secretMeta] === true;

/** The empty object is the SDK's priming event, which only gives a stream an id to resume from. */
const isPriming = (message: JSONRPCMessage): boolean => Object.keys(message).length === 0;
const holdsNoText = (message: JSONRPCMessage): boolean =>
  isPriming(message) || ("method" in message && /^notifications\/(?:resources|tools|prompts)\//.test(message.method));

/** Event ids are at least `milliseconds * 1000`, so that they show their age. */
const idAt = (ms: number): number => ms * 1_000;

/**
 * The scopes of the caller of the present call. The SDK passes its event store neither the request nor the caller, so they
 * travel with the asynchronous context of the call.
 */
export const callerScopes = new AsyncLocalStorage<readonly string[]>();

/** Encrypts copies of messages, as long as nothing that they may show was taken away (`sealed-copy.ts`). */
export interface Copies {
  /** `undefined` when no copy may be kept now. */
  seal(about: string, text: string): Promise<string | undefined>;
  /** `undefined` when the copy may not be read any more. */
  open(about: string, sealed: string): Promise<string | undefined>;
}

interface Row {
  [column: string]: SqlStorageValue;
  seq: number;
  message: string;
  sealed: number;
  answers: string | null;
}

/**
 * The messages of a session's streams, so that `Last-Event-ID` can replay them (2025-11-25, basic/transports, Resumability).
 */
export class SqlEventStore implements EventStore {
  static createTables(sql: SqlStorage): void {
    // Its predecessor held answers in the clear.
    sql.exec("DROP TABLE IF EXISTS mcp_event");
    sql.exec(`CREATE TABLE IF NOT EXISTS mcp_stream_event (
      session_id TEXT NOT NULL, seq INTEGER NOT NULL, stream_id TEXT NOT NULL, message TEXT NOT NULL,
      sealed INTEGER NOT NULL, answers TEXT, scopes TEXT NOT NULL,
      PRIMARY KEY (session_id, seq)) WITHOUT ROWID`);
  }

  static purge(sql: SqlStorage, now: number): void {
    sql.exec("DELETE FROM mcp_stream_event WHERE seq < ? OR sealed AND seq < ?", idAt(now - maxAgeMs), idAt(now - maxSealedAgeMs));
  }

  static forget(sql: SqlStorage, sessionId: string): void {
    sql.exec("DELETE FROM mcp_stream_event WHERE session_id = ?", sessionId);
  }

  readonly #sql: SqlStorage;
  readonly #copies: Copies;
  readonly #sessionId: string;
  #listening: boolean;
  #lastSeq: number | undefined;
  #sincePrune = 0;

  constructor(sql: SqlStorage, copies: Copies, sessionId: string, listening: boolean) {
    this.#sql = sql;
    this.#copies = copies;
    this.#sessionId = sessionId;
    this.#listening = listening;
  }

  /** Before the session's first GET nobody can hold an event id of that stream, so nothing is kept for it. */
  listen(): void {
    this.#listening = true;
  }

  /** Keeps a notification for a session that is not in memory. */
  async notify(message: JSONRPCMessage): Promise<void> {
    await this.storeEvent(standaloneStream, message);
  }

  async storeEvent(streamId: string, message: JSONRPCMessage): Promise<string> {
    const seq = this.#nextSeq();
    // The GET stream belongs to the person; what it says needs no scope.
    const scopes = streamId === standaloneStream ? [] : (callerScopes.getStore() ?? []);
    const text = JSON.stringify(message);
    if (text.length <= maxMessageChars && !isSecret(message) && (streamId !== standaloneStream || this.#listening)) {
      const plain = holdsNoText(message);
      const kept = plain ? text : await this.#copies.seal(this.#about(seq), text);
      if (kept !== undefined) {
        const answers = "id" in message && !("method" in message) ? JSON.stringify(message.id) : null;
        this.#sql.exec("INSERT INTO mcp_stream_event (session_id, seq, stream_id, message, sealed, answers, scopes) VALUES (?, ?, ?, ?, ?, ?, ?)",
          this.#sessionId, seq, streamId, kept, plain ? 0 : 1, answers, JSON.stringify(scopes));
        // Answers come as events only when they took long: few are, and each may be large.
        if (!plain || ++this.#sincePrune >= pruneEvery) this.#prune();
      }
    }
    return String(seq);
  }

  /**
   * Whether a caller with these scopes can resume from the event: not once it was pruned, never in another session, and not
   * where the stream answered somebody who may do more.
   */
  knows(eventId: string, scopes: readonly string[]): boolean {
    const streamId = this.#streamOf(eventId);
    if (streamId === undefined) return false;
    const rows = this.#sql.exec<{ scopes: string }>("SELECT DISTINCT scopes FROM mcp_stream_event WHERE session_id = ? AND stream_id = ?", this.#sessionId, streamId);
    return rows.toArray().every((row) => (JSON.parse(row.scopes) as string[]).every((scope) => scopes.includes(scope)));
  }

  // `getStreamIdForEventId` is left out on purpose: with it, the SDK answers 409 while it takes the old connection for alive,
  // and the client whose network just changed could not resume. Without it the newer connection takes over.
  async replayEventsAfter(
    lastEventId: string,
    { send }: { send: (eventId: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const streamId = this.#streamOf(lastEventId);
    if (streamId === undefined) throw new Error("Unknown event id");
    const rows = this.#sql.exec<Row>(
      "SELECT seq, message, sealed, answers FROM mcp_stream_event WHERE session_id = ? AND stream_id = ? AND seq > ? ORDER BY seq",
      this.#sessionId, streamId, Number(lastEventId)).toArray();
    for (const row of rows) {
      const message = await this.#messageOf(row);
      if (message !== undefined && !isPriming(message)) await send(String(row.seq), message);
    }
    return streamId;
  }

  /** A client whose answer is no longer kept gets an error, and need not wait for it. */
  async #messageOf({ seq, message, sealed, answers }: Row): Promise<JSONRPCMessage | undefined> {
    const text = sealed ? await this.#copies.open(this.#about(seq), message) : message;
    if (text !== undefined) return JSON.parse(text) as JSONRPCMessage;
    if (answers === null) return undefined;
    return { jsonrpc: "2.0", id: JSON.parse(answers) as RequestId, error: { code: notKept, message: "This answer is kept no longer: memories that it may have shown were erased or withdrawn. Call again." } };
  }

  #about(seq: number): string {
    return `event:${this.#sessionId}:${seq}`;
  }

  #streamOf(eventId: string): string | undefined {
    if (!/^\d{1,16}$/.test(eventId)) return undefined;
    const rows = this.#sql.exec<{ stream_id: string }>(
      "SELECT stream_id FROM mcp_stream_event WHERE session_id = ? AND seq = ?", this.#sessionId, Number(eventId));
    return rows.toArray()[0]?.stream_id;
  }

  /** Rises over restarts: a client may come back with an id it got from an earlier life of the object. */
  #nextSeq(): number {
    this.#lastSeq ??= this.#sql.exec<{ seq: number | null }>(
      "SELECT max(seq) AS seq FROM mcp_stream_event WHERE session_id = ?", this.#sessionId).one().seq ?? 0;
    this.#lastSeq = Math.max(this.#lastSeq + 1, idAt(Date.now()));
    return this.#lastSeq;
  }

  #prune(): void {
    this.#sincePrune = 0;
    SqlEventStore.purge(this.#sql, Date.now());
    this.#sql.exec(
      `DELETE FROM mcp_stream_event WHERE session_id = ?1 AND seq <=
        (SELECT seq FROM mcp_stream_event WHERE session_id = ?1 ORDER BY seq DESC LIMIT 1 OFFSET ?2)`,
      this.#sessionId, maxEvents);
  }
}
