import {
  WebStandardStreamableHTTPServerTransport, isJSONRPCErrorResponse, isJSONRPCRequest, isJSONRPCResultResponse, isSpecType,
  type AuthInfo, type EventStore, type JSONRPCMessage, type JSONRPCRequest, type MessageExtraInfo, type RequestId,
  type Transport, type TransportSendOptions,
} from "@modelcontextprotocol/server";
import { callerScopes } from "./event-store.ts";
import { httpError, invalidRequest, rpcError, sessionNotFound } from "./json-rpc.ts";

/** A call that is still silent after this long gets its stream, and with it an event id to resume from. */
const holdMs = 250;
/** How long a client waits before it reconnects a stream that ended. */
const retryMs = 1_000;
/** MCP names no code for this; it is that of the Language Server Protocol. */
const requestCancelled = -32800;
/** The first revision in which a stream may begin with an empty event, so that a client can resume before any message. */
const resumableSince = "2025-11-25";

/** A call whose answer has not begun. */
interface Waiting {
  message: JSONRPCRequest;
  request: Request;
  authInfo: AuthInfo;
  since: number;
  answer: (response: Response) => void;
  streaming?: Promise<void>;
}

/**
 * Streamable HTTP for one session (2025-11-25, basic/transports): the SDK's transport, except that a call is answered with
 * one JSON body when its handler sends nothing but the result. The SDK's must choose between JSON and SSE before the
 * handler runs (its transport for 2026-07-28 need not); a stream costs a no-op call as much again as the call itself.
 *
 * How: a call goes straight to the protocol layer. Once something else than its result is sent for it, or it takes long,
 * it is handed to the SDK's transport, which opens the stream and whose second dispatch of the call is swallowed.
 */
export class StreamableTransport implements Transport {
  readonly sessionId: string;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: (<T extends JSONRPCMessage>(message: T, extra?: MessageExtraInfo) => void) | undefined;

  readonly #sdk: WebStandardStreamableHTTPServerTransport;
  readonly #waiting = new Map<RequestId, Waiting>();
  /** Calls the protocol layer already has, on their way through the SDK's transport to get a stream. */
  readonly #handedOver = new Set<RequestId>();
  #supported: string[] = [];
  #watching = false;

  constructor(sessionId: string, eventStore: EventStore) {
    this.sessionId = sessionId;
    this.#sdk = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => sessionId, eventStore, retryInterval: retryMs,
    });
    this.#sdk.onclose = () => this.#closed();
    this.#sdk.onerror = (error) => this.onerror?.(error);
    this.#sdk.onmessage = (message, extra) => {
      if (isJSONRPCRequest(message) && this.#handedOver.delete(message.id)) return;
      this.onmessage?.(message, extra);
    };
  }

  /** Opens the SDK's transport, which insists on an `initialize` of its own; the real one is dispatched like any call. */
  async start(): Promise<void> {
    await this.#sdk.start();
    const id = "open";
    this.#handedOver.add(id);
    const response = await this.#sdk.handleRequest(
      new Request("http://session/mcp", {
        method: "POST", headers: { Accept: "application/json, text/event-stream", "Content-Type": "application/json" },
      }),
      {
        parsedBody: {
          jsonrpc: "2.0", id, method: "initialize",
          params: { protocolVersion: "2025-03-26", capabilities: {}, clientInfo: { name: "open", version: "0" } },
        },
      },
    );
    await response.body?.cancel();
  }

  setSupportedProtocolVersions(versions: string[]): void {
    this.#supported = versions;
    this.#sdk.setSupportedProtocolVersions(versions);
  }

  /** A POST of a client, its body already parsed. */
  post(request: Request, body: unknown, authInfo: AuthInfo): Promise<Response> {
    // Notifications, answers and batches have nothing to gain, and errors are the SDK's to word.
    if (!isJSONRPCRequest(body)) return this.#notify(request, body, authInfo);
    const accept = request.headers.get("accept") ?? "";
    if (!accept.includes("application/json") || !accept.includes("text/event-stream")) {
      return Promise.resolve(rpcError(406, httpError, "Not Acceptable: accept both application/json and text/event-stream", body));
    }
    const version = request.headers.get("mcp-protocol-version");
    if (version !== null && !this.#supported.includes(version)) {
      return Promise.resolve(rpcError(400, httpError, `Bad Request: unsupported protocol version ${version}`, body));
    }
    if (this.#waiting.has(body.id)) {
      return Promise.resolve(rpcError(400, invalidRequest, "Invalid Request: this id is in use by another call", body));
    }
    return this.dispatch(request, body, authInfo);
  }

  /** A call the protocol layer has not seen, answered as soon as it is known how. */
  dispatch(request: Request, message: JSONRPCRequest, authInfo: AuthInfo): Promise<Response> {
    return new Promise((answer) => {
      const waiting: Waiting = { message, request, authInfo, since: Date.now(), answer };
      this.#waiting.set(message.id, waiting);
      this.#watch();
      const resumable = (request.headers.get("mcp-protocol-version") ?? "") >= resumableSince;
      this.onmessage?.(message, {
        request, authInfo,
        ...(resumable && {
          closeSSEStream: () => void this.#stream(waiting).then(() => this.#sdk.closeSSEStream(message.id)),
          closeStandaloneSSEStream: () => this.#sdk.closeStandaloneSSEStream(),
        }),
      });
    });
  }

  /** The GET stream, new or resumed. */
  listen(request: Request): Promise<Response> {
    return this.#sdk.handleRequest(request);
  }

  closeStandaloneSSEStream(): void {
    this.#sdk.closeStandaloneSSEStream();
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const isAnswer = isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message);
    const id = isAnswer ? message.id : options?.relatedRequestId;
    const waiting = id === undefined ? undefined : this.#waiting.get(id);
    if (waiting !== undefined) {
      if (isAnswer) this.#waiting.delete(waiting.message.id);
      if (isAnswer && waiting.streaming === undefined) {
        waiting.answer(Response.json(message, { headers: { "Mcp-Session-Id": this.sessionId } }));
        return;
      }
      await this.#stream(waiting);
    }
    await this.#sdk.send(message, options?.relatedRequestId === undefined ? {} : { relatedRequestId: options.relatedRequestId });
  }

  async close(): Promise<void> {
    await this.#sdk.close();
  }

  async #notify(request: Request, body: unknown, authInfo: AuthInfo): Promise<Response> {
    const response = await this.#sdk.handleRequest(request, { parsedBody: body, authInfo });
    if (isSpecType.CancelledNotification(body)) {
      const { requestId: id } = body.params;
      // The protocol layer answers a cancelled call with nothing, which would leave its HTTP request open for good.
      if (id !== undefined && this.#waiting.has(id)) {
        await this.send({ jsonrpc: "2.0", id, error: { code: requestCancelled, message: "Request cancelled" } });
      }
    }
    return response;
  }

  /** From now on the SDK's transport answers this call. Messages wait here, so that they keep their order. */
  #stream(waiting: Waiting): Promise<void> {
    waiting.streaming ??= (async () => {
      const { message, request, authInfo } = waiting;
      this.#handedOver.add(message.id);
      // It may be the timer that asks, which runs in the context of another call.
      const response = await callerScopes.run(authInfo.scopes, () => this.#sdk.handleRequest(request, { parsedBody: message, authInfo }));
      // Still there if the transport refused the call; a later one may have the same id.
      this.#handedOver.delete(message.id);
      waiting.answer(response);
    })();
    return waiting.streaming;
  }

  /** One timer for all calls: most are answered long before it fires. */
  #watch(): void {
    if (this.#watching) return;
    this.#watching = true;
    setTimeout(() => {
      this.#watching = false;
      const due = Date.now() - holdMs;
      for (const waiting of this.#waiting.values()) {
        if (waiting.streaming !== undefined) continue;
        if (waiting.since <= due) this.#stream(waiting).catch((error: Error) => this.onerror?.(error));
        else this.#watch();
      }
    }, holdMs);
  }

  #closed(): void {
    for (const { answer, message, streaming } of this.#waiting.values()) {
      if (streaming === undefined) answer(sessionNotFound(message));
    }
    this.#waiting.clear();
    this.onclose?.();
  }
}
