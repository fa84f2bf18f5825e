import { isInitializeRequest, isSpecType, type AuthInfo, type Server } from "@modelcontextprotocol/server";
import { callerScopes, type Copies, SqlEventStore } from "./event-store.ts";
import { httpError, invalidRequest, isRecord, methodNotAllowed, methodOf, rpcError, sessionNotFound } from "./json-rpc.ts";
import { lowLevel, type ServerFactory } from "./product-server.ts";
import { SessionStore, type StoredSession } from "./session-store.ts";
import { StreamableTransport } from "./streamable-transport.ts";
import { sendListChanged, sendResourceUpdated, serveSubscriptions, type ListChange, type WatchProblem } from "./subscriptions.ts";
import { trackStream } from "./tracked-stream.ts";

const sessionHeader = "mcp-session-id";
/** Sessions kept in memory. One that was dropped costs a replayed `initialize` (about a millisecond) at its next call. */
const maxLive = 64;
/** GET streams open at once; beyond them the oldest makes way, which is the likeliest to have lost its client. */
const maxStreams = 64;
const maxInitializeChars = 65_536;

interface LiveSession {
  id: string;
  server: Server;
  transport: StreamableTransport;
  events: SqlEventStore;
  listens: boolean;
  /** Requests being answered and streams being open; such a session must not be dropped from memory. */
  busy: number;
}

/** Sessions of the revisions 2025-03-26 to 2025-11-25 (Streamable HTTP): they outlive the object that holds them. */
export class LegacySessions {
  /** In order of use: the first is the one unused for longest. */
  readonly #live = new Map<string, LiveSession>();
  /** Those with an open GET stream, the one opened first in front. */
  readonly #listening = new Map<LiveSession, symbol>();
  readonly #restoring = new Map<string, Promise<LiveSession | undefined>>();
  readonly #sql: SqlStorage;
  readonly #store: SessionStore;
  readonly #buildServer: ServerFactory;
  readonly #watchProblem: WatchProblem;
  readonly #onerror: (error: Error) => void;
  readonly #copies: Copies;

  constructor(options: { sql: SqlStorage; copies: Copies; buildServer: ServerFactory; watchProblem: WatchProblem; onerror: (error: Error) => void }) {
    this.#sql = options.sql;
    this.#copies = options.copies;
    this.#store = new SessionStore(options.sql);
    this.#buildServer = options.buildServer;
    this.#watchProblem = options.watchProblem;
    this.#onerror = options.onerror;
  }

  async handle(request: Request, body: unknown, authInfo: AuthInfo): Promise<Response> {
    // A client that starts over with a dead session's header means a new session.
    if (methodOf(body) === "initialize") return this.#initialize(request, body, authInfo);
    const id = request.headers.get(sessionHeader);
    if (id === null) {
      return rpcError(400, httpError, "Bad Request: the Mcp-Session-Id header is required; send initialize first", body);
    }
    if (request.method === "DELETE") return this.#end(id);
    const session = this.#live.get(id) ?? (await this.#restore(id, request, authInfo));
    if (session === undefined) return sessionNotFound(body);
    this.#live.delete(id);
    this.#live.set(id, session);
    this.#store.touch(id, Date.now());
    switch (request.method) {
      case "POST": return this.#post(session, request, body, authInfo);
      case "GET": return this.#listen(session, request, authInfo);
      default: return methodNotAllowed("GET, POST, DELETE");
    }
  }

  watched(prefix: string): string[] {
    return this.#store.watched(prefix);
  }

  countSubscriptions(): number {
    return this.#store.countSubscriptions();
  }

  async resourceUpdated(uri: string): Promise<void> {
    for (const { id, listens } of this.#store.subscribers(uri)) {
      const live = this.#live.get(id);
      if (live !== undefined) await sendResourceUpdated(live.server, uri);
      // Not in memory since the last eviction: its client finds this when it resumes the GET stream it lost.
      else if (listens) await new SqlEventStore(this.#sql, this.#copies, id, true).notify({ jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri } });
    }
  }

  async listChanged(change: ListChange): Promise<void> {
    for (const { server } of this.#live.values()) await sendListChanged(server, change);
  }

  purge(now: number): void {
    for (const session of this.#live.values()) if (session.busy > 0) this.#store.touch(session.id, now);
    for (const id of this.#store.purge(now)) this.#drop(id);
  }

  /** Ends all that is in memory, calls under way among it. */
  close(): void {
    for (const id of this.#live.keys()) this.#drop(id);
  }

  async #initialize(request: Request, body: unknown, authInfo: AuthInfo): Promise<Response> {
    if (!isInitializeRequest(body) || JSON.stringify(body.params).length > maxInitializeChars) {
      return rpcError(400, invalidRequest, "Invalid Request: malformed initialize", body);
    }
    const id = crypto.randomUUID();
    const session = await this.#connect({ id, listens: false }, request, authInfo);
    const response = await this.#post(session, request, body, authInfo);
    const protocolVersion = session.server.getNegotiatedProtocolVersion();
    if (protocolVersion === undefined) {
      this.#drop(id);
      return response;
    }
    const stored: StoredSession = { id, initialize: { ...body.params }, protocolVersion, loggingLevel: undefined, listens: false };
    for (const removed of this.#store.insert(stored, Date.now())) this.#drop(removed);
    return response;
  }

  async #post(session: LiveSession, request: Request, body: unknown, authInfo: AuthInfo): Promise<Response> {
    if (methodOf(body) === "logging/setLevel" && isRecord(body) && isRecord(body.params)) {
      const { level } = body.params;
      if (isSpecType.LoggingLevel(level)) this.#store.setLoggingLevel(session.id, level);
    }
    return this.#whileBusy(session, callerScopes.run(authInfo.scopes, () => session.transport.post(request, body, authInfo)));
  }

  async #listen(session: LiveSession, request: Request, authInfo: AuthInfo): Promise<Response> {
    // Left to the SDK to refuse, before an open stream makes way for it.
    if (!request.headers.get("accept")?.includes("text/event-stream")) return session.transport.listen(request);
    if (!session.listens) {
      session.listens = true;
      session.events.listen();
      this.#store.setListens(session.id);
    }
    const lastEventId = request.headers.get("last-event-id");
    let forwarded = request;
    if (lastEventId === null || !session.events.knows(lastEventId, authInfo.scopes)) {
      // A client that reconnects after its network changed must get neither 409 for a stream that only looks alive, nor 4xx for
      // an event that is no longer kept, or not for this caller: it would go without notifications from then on.
      session.transport.closeStandaloneSSEStream();
      if (lastEventId !== null) {
        forwarded = new Request(request);
        forwarded.headers.delete("last-event-id");
      }
    }
    const stream = Symbol("stream");
    this.#listening.delete(session);
    this.#listening.set(session, stream);
    const [oldest] = this.#listening.keys();
    if (oldest && this.#listening.size > maxStreams) {
      this.#listening.delete(oldest);
      oldest.transport.closeStandaloneSSEStream();
    }
    return this.#whileBusy(session, session.transport.listen(forwarded), () => {
      // Not the stream that took its place.
      if (this.#listening.get(session) === stream) this.#listening.delete(session);
    });
  }

  #end(id: string): Response {
    if (!this.#store.has(id)) return sessionNotFound();
    this.#store.delete(id);
    this.#drop(id);
    return new Response(null, { status: 200 });
  }

  /** One rebuild per session, however many requests wait for it. */
  #restore(id: string, request: Request, authInfo: AuthInfo): Promise<LiveSession | undefined> {
    let restoring = this.#restoring.get(id);
    if (restoring === undefined) {
      restoring = this.#rebuild(id, request, authInfo).finally(() => this.#restoring.delete(id));
      this.#restoring.set(id, restoring);
    }
    return restoring;
  }

  async #rebuild(id: string, request: Request, authInfo: AuthInfo): Promise<LiveSession | undefined> {
    const stored = this.#store.get(id);
    if (stored === undefined) return undefined;
    const session = await this.#connect(stored, request, authInfo);
    // The version agreed on, not the one asked for: a newer SDK might accept more than the client was promised.
    await this.#replay(session, request, authInfo, "initialize", { ...stored.initialize, protocolVersion: stored.protocolVersion });
    if (stored.loggingLevel !== undefined) {
      await this.#replay(session, request, authInfo, "logging/setLevel", { level: stored.loggingLevel });
    }
    return session;
  }

  async #replay(
    session: LiveSession, request: Request, authInfo: AuthInfo, method: string, params: Record<string, unknown>,
  ): Promise<void> {
    await session.transport.dispatch(request, { jsonrpc: "2.0", id: `replay:${method}`, method, params }, authInfo);
  }

  async #connect(
    { id, listens }: Pick<StoredSession, "id" | "listens">, request: Request, authInfo: AuthInfo,
  ): Promise<LiveSession> {
    const product = this.#buildServer({ era: "legacy", request, authInfo, sessionId: id });
    const server = lowLevel(product);
    serveSubscriptions(server, {
      add: (uri) => this.#store.subscribe(id, uri),
      remove: (uri) => this.#store.unsubscribe(id, uri),
    }, this.#watchProblem);
    const events = new SqlEventStore(this.#sql, this.#copies, id, listens);
    const transport = new StreamableTransport(id, events);
    transport.onerror = this.#onerror;
    await product.connect(transport);
    const session: LiveSession = { id, server, transport, events, listens, busy: 0 };
    this.#live.set(id, session);
    this.#makeRoom();
    return session;
  }

  async #whileBusy(session: LiveSession, answering: Promise<Response>, over?: () => void): Promise<Response> {
    session.busy += 1;
    let ended = false;
    const end = (): void => {
      if (!ended) {
        session.busy -= 1;
        over?.();
      }
      ended = true;
    };
    try {
      return trackStream(await answering, end);
    } catch (error) {
      end();
      throw error;
    }
  }

  #makeRoom(): void {
    if (this.#live.size <= maxLive) return;
    for (const { id, busy } of this.#live.values()) {
      if (busy > 0) continue;
      this.#drop(id);
      return;
    }
  }

  /** Forgets a session in memory, ending its streams. Its row, if it still has one, can bring it back. */
  #drop(id: string): void {
    const session = this.#live.get(id);
    this.#live.delete(id);
    session?.transport.close().catch(this.#onerror);
  }
}
