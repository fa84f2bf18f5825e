import { createMcpHandler, isJsonContentType, isLegacyRequest, type AuthInfo, type McpHttpHandler, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { httpError, internalError, methodNotAllowed, readJson, rpcError } from "./json-rpc.ts";
import { LegacySessions } from "./legacy-sessions.ts";
import type { BuildServer, ServerFactory } from "./product-server.ts";
import { SseSessions } from "./sse-transport.ts";
import { listenProblem, type ListChange, maxSubscriptions, noSuchResource, type WatchProblem } from "./subscriptions.ts";

export type { BuildServer, McpServerContext } from "./product-server.ts";

export interface McpEndpointOptions {
  storage: DurableObjectStorage;
  buildServer: BuildServer;
  /** Whether a URI names a resource, by its form: nothing else is watched. */
  isResource: (uri: string) => boolean;
  /** What clients did wrong and what streams died of; they have been told. */
  onerror?: (error: Error) => void;
  /** What went wrong here; the client got a 500. */
  onfault: (error: unknown) => void;
  /** In bytes. */
  maxRequestBodySize: number;
}

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
  readonly #maxBodySize: number;
  readonly #onerror: (error: Error) => void;
  readonly #onfault: (error: unknown) => void;

  constructor(options: McpEndpointOptions) {
    const { storage, maxRequestBodySize } = options;
    const announce = (change: ListChange): void => this.#announce(change);
    const buildServer: ServerFactory = (ctx) => options.buildServer({ ...ctx, announce });
    const onerror = options.onerror ?? (() => {});
    this.#onerror = onerror;
    this.#onfault = options.onfault;
    this.#maxBodySize = maxRequestBodySize;
    this.#modern = createMcpHandler(
      ({ requestInfo, authInfo }) => {
        if (requestInfo === undefined) throw new Error("The SDK built a server without a request");
        return buildServer({ era: "modern", request: requestInfo, ...(authInfo && { authInfo }) });
      },
      { legacy: "reject", onerror, maxRequestBodySize },
    );
    this.#isResource = options.isResource;
    const watchProblem: WatchProblem = (uri) => {
      if (!this.#isResource(uri)) return noSuchResource;
      const isFull = this.#legacy.countSubscriptions() + this.#sse.countSubscriptions() >= maxSubscriptions;
      return isFull ? `Your clients watch ${maxSubscriptions} resources, which is the most; unsubscribe from some first` : undefined;
    };
    this.#legacy = new LegacySessions({ sql: storage.sql, buildServer, watchProblem, onerror });
    this.#sse = new SseSessions({ buildServer, watchProblem, onerror, maxRequestBodySize });
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
          // A Streamable HTTP client may have been given this URL; its GET tells itself apart by the session it names.
          return request.method === "GET" && !request.headers.has("mcp-session-id")
            ? await this.#sse.open(request, authInfo)
            : await this.#streamable(request, authInfo);
        case "/sse/messages":
        case "/sse/messages/":
          return await this.#sse.receive(request, url.searchParams.get("sessionId"), authInfo);
        default:
          return rpcError(404, httpError, "Not found");
      }
    } catch (error) {
      this.#onfault(error);
      return rpcError(500, internalError, "Internal server error");
    }
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
      case "POST": {
        if (!isJsonContentType(request.headers.get("content-type"))) {
          return rpcError(415, httpError, "Unsupported Media Type: Content-Type must be application/json");
        }
        const read = await readJson(request, this.#maxBodySize);
        if ("rejected" in read) return read.rejected;
        if (await isLegacyRequest(request, read.body)) return this.#legacy.handle(request, read.body, authInfo);
        const problem = listenProblem(read.body, this.#isResource);
        if (problem !== undefined) return rpcError(400, ProtocolErrorCode.InvalidParams, problem, read.body);
        return this.#modern.fetch(request, { authInfo, parsedBody: read.body });
      }
      case "GET":
      case "DELETE":
        return this.#legacy.handle(request, undefined, authInfo);
      default:
        return methodNotAllowed("GET, POST, DELETE");
    }
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
