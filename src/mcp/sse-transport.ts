import {
  parseJSONRPCMessage,
  type AuthInfo, type JSONRPCMessage, type MessageExtraInfo, type Server, type Transport,
} from "@modelcontextprotocol/server";
import { invalidRequest, rpcError, sessionNotFound } from "./json-rpc.ts";
import { lowLevel, type ServerFactory } from "./product-server.ts";
import { sendListChanged, sendResourceUpdated, serveSubscriptions, type ListChange, type WatchProblem } from "./subscriptions.ts";

const keepAliveMs = 15_000;
const maxSessions = 64;
const encoder = new TextEncoder();

/** The stream of one client of the first HTTP transport (2024-11-05, basic/transports, HTTP with SSE). */
export class SseTransport implements Transport {
  readonly sessionId: string;
  readonly response: Response;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: (<T extends JSONRPCMessage>(message: T, extra?: MessageExtraInfo) => void) | undefined;

  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #keepAlive: ReturnType<typeof setInterval> | undefined;

  constructor(sessionId: string, endpoint: string) {
    this.sessionId = sessionId;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
        controller.enqueue(encoder.encode(`event: endpoint\ndata: ${endpoint}\n\n`));
      },
      cancel: () => this.close(),
    });
    this.response = new Response(body, {
      headers: { "Content-Type": "text/event-stream", "Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no" },
    });
  }

  async start(): Promise<void> {
    this.#keepAlive = setInterval(() => this.#write(": keepalive\n\n"), keepAliveMs);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.#write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  }

  async close(): Promise<void> {
    const controller = this.#controller;
    if (controller === undefined) return;
    this.#controller = undefined;
    if (this.#keepAlive !== undefined) clearInterval(this.#keepAlive);
    try {
      controller.close();
    } catch {
      // The client closed it first.
    }
    this.onclose?.();
  }

  #write(frame: string): void {
    // Without its stream this transport cannot answer, and a client that is gone is no error of the call that ran.
    try {
      this.#controller?.enqueue(encoder.encode(frame));
    } catch {
      void this.close();
    }
  }
}

interface SseSession {
  transport: SseTransport;
  server: Server;
  subscriptions: Set<string>;
}

/** The sessions of the old transport. They live as long as their stream, so nothing of them is stored. */
export class SseSessions {
  readonly #sessions = new Map<string, SseSession>();
  readonly #buildServer: ServerFactory;
  readonly #onerror: (error: Error) => void;
  readonly #watchProblem: WatchProblem;

  constructor(options: { buildServer: ServerFactory; watchProblem: WatchProblem; onerror: (error: Error) => void }) {
    this.#buildServer = options.buildServer;
    this.#onerror = options.onerror;
    this.#watchProblem = options.watchProblem;
  }

  /** `GET /sse`: the stream, whose first event says where to post. */
  async open(request: Request, authInfo: AuthInfo): Promise<Response> {
    const sessionId = crypto.randomUUID();
    const product = this.#buildServer({ era: "legacy", request, authInfo, sessionId });
    const server = lowLevel(product);
    const subscriptions = new Set<string>();
    serveSubscriptions(server, {
      add: (uri) => subscriptions.add(uri),
      remove: (uri) => subscriptions.delete(uri),
    }, this.#watchProblem);
    const transport = new SseTransport(sessionId, `/sse/messages?sessionId=${sessionId}`);
    transport.onclose = () => this.#sessions.delete(sessionId);
    transport.onerror = this.#onerror;
    await product.connect(transport);
    this.#sessions.set(sessionId, { transport, server, subscriptions });
    if (this.#sessions.size > maxSessions) {
      // A client that loses connections may leave streams behind that only look alive; the oldest are the likeliest.
      const [oldest] = this.#sessions.values();
      await oldest?.transport.close();
    }
    return transport.response;
  }

  /** `POST /sse/messages?sessionId=…`: 202, the answer goes over the stream. */
  receive(request: Request, body: unknown, sessionId: string | null, authInfo: AuthInfo): Response {
    const session = sessionId === null ? undefined : this.#sessions.get(sessionId);
    if (session === undefined) return sessionNotFound(body);
    let messages: JSONRPCMessage[];
    try {
      messages = (Array.isArray(body) ? body : [body]).map((message) => parseJSONRPCMessage(message));
    } catch {
      return rpcError(400, invalidRequest, "Invalid Request: not a JSON-RPC message", body);
    }
    for (const message of messages) session.transport.onmessage?.(message, { request, authInfo });
    return new Response("Accepted", { status: 202 });
  }

  watched(prefix: string): string[] {
    return [...this.#sessions.values()].flatMap(({ subscriptions }) => [...subscriptions].filter((uri) => uri.startsWith(prefix)));
  }

  countSubscriptions(): number {
    return [...this.#sessions.values()].reduce((count, { subscriptions }) => count + subscriptions.size, 0);
  }

  async resourceUpdated(uri: string): Promise<void> {
    for (const { server, subscriptions } of this.#sessions.values()) {
      if (subscriptions.has(uri)) await sendResourceUpdated(server, uri);
    }
  }

  async listChanged(change: ListChange): Promise<void> {
    for (const { server } of this.#sessions.values()) await sendListChanged(server, change);
  }
}
