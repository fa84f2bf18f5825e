import { createMcpHandler, isJsonContentType, isLegacyRequest, type AuthInfo, type McpHttpHandler, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { BodyBound } from "../http/bounded-body.ts";
import { RequestRefused } from "../http/request-refused.ts";
import { requestIdHeader } from "../session/session-call.ts";
import type { Copies } from "./event-store.ts";
import { batchTooLong, httpError, internalError, messagesOf, methodNotAllowed, methodOf, readJson, rpcError, rpcRefused } from "./json-rpc.ts";
import { LegacySessions } from "./legacy-sessions.ts";
import type { BuildServer, ServerFactory } from "./product-server.ts";
import { SseSessions } from "./sse-transport.ts";
import { listenedUris, listenProblem, type ListChange, maxSubscriptions, noSuchResource, type WatchProblem } from "./subscriptions.ts";

export type { BuildServer, McpServerContext } from "./product-server.ts";

export interface McpEndpointOptions {
  storage: DurableObjectStorage;
  buildServer: BuildServer;
  copies: Copies;
  /** Whether a URI names a resource, by its form: nothing else is watched. */
  isResource: (uri: string) => boolean;
  /** A client begins to watch: what others change concerns it from now on. */
  onwatch: () => void;
  /** Errors of clients and reasons why streams ended; the clients have their answer. */
  onerror?: (error: Error) => void;
  /** Faults of the server; the client got a 500. */
  onfault: (error: unknown) => void;
  /** The bound of a body that this caller sends. */
  bodyBound: (authInfo: AuthInfo) => BodyBound;
  /** Asked for the messages of a body before any of them is handled. @throws RequestRefused */
  admit: (messages: readonly unknown[], authInfo: AuthInfo) => Promise<void>;
}

const watchedMs = 24 * 60 * 60 * 1_000;

/** Streams of `subscriptions/listen` open at once, like those of the older eras. */
const maxListening = 64;

/**
 * Speaks MCP to all clients of one user in one team, in both protocol eras (protocol.md, section MCP). It runs inside the
 * Durable Object of that (team, user), which is what binds a session to its user: an id means nothing in another object.
 *
 * Handlers find the caller in `ctx.http?.authInfo`, whichever transport the message came by, and the session's id, if
 * there is one, in `ctx.sessionId`.
 */
export class McpEndpoint {
  readonly #modern: McpHttpHandler;
  readonly #legacy: LegacySessions;
  readonly #sse: SseSessions;
  readonly #isResource: (uri: string) => boolean;
  readonly #bodyBound: McpEndpointOptions["bodyBound"];
  readonly #admit: McpEndpointOptions["admit"];
  readonly #onerror: (error: Error) => void;
  readonly #onwatch: () => void;
  /** When a stream was opened last; it may be open as long as it is not known to have ended. */
  #streamAt = -Infinity;
  readonly #onfault: (error: unknown) => void;
  /** What streams of `subscriptions/listen` watch, the SDK keeps to itself; those that ended are not heard of. */
  readonly #listened = new Set<string>();

  constructor(options: McpEndpointOptions) {
    const { storage, copies } = options;
    const announce = (change: ListChange): void => this.#announce(change);
    const buildServer: ServerFactory = (ctx) => options.buildServer({ ...ctx, announce });
    const onerror = options.onerror ?? (() => {});
    this.#onerror = onerror;
    this.#onfault = options.onfault;
    this.#bodyBound = options.bodyBound;
    this.#admit = options.admit;
    this.#onwatch = options.onwatch;
    this.#modern = createMcpHandler(
      ({ requestInfo, authInfo }) => {
        if (requestInfo === undefined) throw new Error("The SDK built a server without a request");
        return buildServer({ era: "modern", request: requestInfo, ...(authInfo && { authInfo }) });
      },
      { legacy: "reject", onerror, maxSubscriptions: maxListening },
    );
    this.#isResource = options.isResource;
    const watchProblem: WatchProblem = (uri) => {
      if (!this.#isResource(uri)) return noSuchResource;
      this.#onwatch();
      const isFull = this.#legacy.countSubscriptions() + this.#sse.countSubscriptions() >= maxSubscriptions;
      return isFull ? `Your clients watch ${maxSubscriptions} resources, which is the most; unsubscribe from some first` : undefined;
    };
    this.#legacy = new LegacySessions({ sql: storage.sql, copies, buildServer, watchProblem, onerror });
    this.#sse = new SseSessions({ buildServer, watchProblem, onerror });
  }

  /** Paths: `/mcp`, `/sse` and `/sse/messages`, with or without a slash at the end. Never throws. */
  async fetch(request: Request, authInfo: AuthInfo): Promise<Response> {
    try {
      const url = new URL(request.url);
      switch (url.pathname) {
        case "/mcp":
        case "/mcp/":
          return await this.#streamable(request, authInfo);
        case "/sse":
        case "/sse/":
          // A Streamable HTTP client may have been given this URL; the session that its GET names distinguishes it.
          return request.method === "GET" && !request.headers.has("mcp-session-id")
            ? await this.#opened(() => this.#sse.open(request, authInfo))
            : await this.#streamable(request, authInfo);
        case "/sse/messages":
        case "/sse/messages/":
          return await this.#posted(request, authInfo, (body) => this.#sse.receive(request, body, url.searchParams.get("sessionId"), authInfo));
        default:
          return rpcError(404, httpError, "Not found");
      }
    } catch (error) {
      if (error instanceof RequestRefused) return rpcRefused(error, request.headers.get(requestIdHeader) ?? "");
      this.#onfault(error);
      return rpcError(500, internalError, "Internal server error");
    }
  }

  /** Whether somebody may be watching: a subscription, or a stream that was opened within a day. */
  isWatched(now: number): boolean {
    return now - this.#streamAt < watchedMs || this.#legacy.countSubscriptions() + this.#sse.countSubscriptions() > 0;
  }

  /** URIs beginning so that some client watches, or watched not long ago. */
  watched(prefix: string): string[] {
    return [...new Set([...this.#legacy.watched(prefix), ...this.#sse.watched(prefix), ...[...this.#listened].filter((uri) => uri.startsWith(prefix))])];
  }

  /** Nobody watches here any more: sessions in memory end. Streams end by themselves, with their credentials. */
  stopWatching(): void {
    this.#streamAt = -Infinity;
    this.#listened.clear();
    this.#legacy.close();
  }

  #listening(): void {
    this.#streamAt = Date.now();
    this.#onwatch();
  }

  #listensTo(uris: readonly string[]): void {
    this.#listening();
    for (const uri of uris) this.#listened.add(uri);
    for (const oldest of [...this.#listened].slice(0, -maxSubscriptions)) this.#listened.delete(oldest);
  }

  async #opened(open: () => Promise<Response>): Promise<Response> {
    this.#listening();
    return open();
  }

  /** Tells every client that watches this resource, in both eras. */
  resourceUpdated(uri: string): void {
    this.#modern.notify.resourceUpdated(uri);
    this.#send(this.#legacy.resourceUpdated(uri), this.#sse.resourceUpdated(uri));
  }

  resourcesChanged(): void {
    this.#announce("resources");
  }

  toolsChanged(): void {
    this.#announce("tools");
  }

  promptsChanged(): void {
    this.#announce("prompts");
  }

  /** Ends sessions nobody used for 30 days. To be called now and then, for instance from the object's alarm. */
  purgeExpiredSessions(now: number): void {
    this.#legacy.purge(now);
  }

  async #streamable(request: Request, authInfo: AuthInfo): Promise<Response> {
    switch (request.method) {
      case "POST":
        return this.#posted(request, authInfo, async (body) => {
          if (await isLegacyRequest(request, body)) return this.#legacy.handle(request, body, authInfo);
          const problem = listenProblem(body, this.#isResource);
          if (problem !== undefined) return rpcError(400, ProtocolErrorCode.InvalidParams, problem, body);
          if (methodOf(body) === "subscriptions/listen") this.#listensTo(listenedUris(body));
          return this.#modern.fetch(request, { authInfo, parsedBody: body });
        });
      case "GET":
        this.#listening();
        return this.#legacy.handle(request, undefined, authInfo);
      case "DELETE":
        return this.#legacy.handle(request, undefined, authInfo);
      default:
        return methodNotAllowed("GET, POST, DELETE");
    }
  }

  /** The one way by which messages come in, whatever the transport: read within bounds, and admitted as a whole. */
  async #posted(request: Request, authInfo: AuthInfo, handle: (body: unknown) => Response | Promise<Response>): Promise<Response> {
    if (request.method !== "POST") return methodNotAllowed("POST");
    if (!isJsonContentType(request.headers.get("content-type"))) {
      return rpcError(415, httpError, "Unsupported Media Type: Content-Type must be application/json");
    }
    const read = await readJson(request, this.#bodyBound(authInfo));
    if ("rejected" in read) return read.rejected;
    const messages = messagesOf(read.body);
    if (messages === undefined) return batchTooLong();
    await this.#admit(messages, authInfo);
    return handle(read.body);
  }

  #announce(change: ListChange): void {
    this.#modern.notify[`${change}Changed`]();
    this.#send(this.#legacy.listChanged(change), this.#sse.listChanged(change));
  }

  /** A notification nobody can receive is not the concern of whoever caused it. */
  #send(...sending: Promise<void>[]): void {
    for (const sent of sending) sent.catch(this.#onerror);
  }
}
