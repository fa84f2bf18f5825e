import { Agent, request } from "node:http";

/**
 * One keep-alive connection, so that a figure is one request's latency and nothing else. Sends what
 * @modelcontextprotocol/client 2.4 sends in the stateless era (2026-07-28): no session, the envelope in `_meta`,
 * the method and the tool's name mirrored in headers.
 */
const protocolVersion = "2026-07-28";

const envelope = {
  "io.modelcontextprotocol/protocolVersion": protocolVersion,
  "io.modelcontextprotocol/clientInfo": { name: "omnimemory-bench", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

export interface Timed {
  /** From the first byte of the request to the last of the answer; parsing is not in it. */
  ms: number;
  /** Size of the answer's body. */
  bytes: number;
}

export interface ToolResult {
  content?: { type: string; text?: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

export interface Answer extends Timed {
  result: ToolResult;
}

interface RpcMessage {
  id?: number;
  result?: ToolResult;
  error?: { code: number; message: string };
}

interface RawAnswer extends Timed {
  status: number;
  type: string;
  body: string;
}

export class BenchClient {
  readonly #origin: URL;
  readonly #path: string;
  readonly #authorization: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  #id = 0;

  constructor(mcpUrl: string, apiKey: string) {
    this.#origin = new URL(mcpUrl);
    // The surface whose answers programs can read.
    this.#path = `${this.#origin.pathname}?surface=all`;
    this.#authorization = `Bearer ${apiKey}`;
  }

  async health(): Promise<Timed> {
    const answer = await this.#send("GET", "/health", {});
    if (answer.status !== 200) throw new Error(`GET /health answered ${answer.status}`);
    return answer;
  }

  /** Throws on any failure: a bench that times error messages would look splendid. */
  callTool(name: string, args: Record<string, unknown>): Promise<Answer> {
    return this.#call(this.#path, name, args);
  }

  /**
   * The same call by the address of the older HTTP transport, which serves this one as well. The server hands a call that comes
   * this way to the MCP SDK, never to its own short path, so its time stays comparable from version to version.
   */
  callThroughSdk(name: string, args: Record<string, unknown>): Promise<Answer> {
    return this.#call(this.#path.replace("/mcp", "/sse"), name, args);
  }

  async #call(path: string, name: string, args: Record<string, unknown>): Promise<Answer> {
    this.#id += 1;
    const id = this.#id;
    const message = { jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args, _meta: envelope } };
    const answer = await this.#send(
      "POST",
      path,
      {
        authorization: this.#authorization,
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
        "mcp-protocol-version": protocolVersion,
        "mcp-method": "tools/call",
        "mcp-name": name,
      },
      JSON.stringify(message),
    );
    if (answer.status !== 200) throw new Error(`${name}: HTTP ${answer.status}: ${answer.body.slice(0, 300)}`);
    const reply = parseReply(answer, id);
    if (reply.error) throw new Error(`${name}: ${reply.error.code} ${reply.error.message.slice(0, 300)}`);
    const result = reply.result ?? {};
    if (result.isError) throw new Error(`${name}: ${result.content?.[0]?.text?.slice(0, 300) ?? "isError"}`);
    return { ms: answer.ms, bytes: answer.bytes, result };
  }

  close(): void {
    this.#agent.destroy();
  }

  #send(method: string, path: string, headers: Record<string, string>, body?: string): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      const payload = body === undefined ? undefined : Buffer.from(body);
      const start = performance.now();
      const outgoing = request(
        {
          agent: this.#agent,
          host: this.#origin.hostname,
          port: this.#origin.port,
          method,
          path,
          headers: payload ? { ...headers, "content-length": String(payload.length) } : headers,
        },
        (incoming) => {
          const chunks: Buffer[] = [];
          incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
          incoming.on("error", reject);
          incoming.on("end", () => {
            const ms = performance.now() - start;
            const whole = Buffer.concat(chunks);
            const type = incoming.headers["content-type"] ?? "";
            resolve({ ms, bytes: whole.length, status: incoming.statusCode ?? 0, type, body: whole.toString("utf8") });
          });
        },
      );
      outgoing.on("error", reject);
      outgoing.end(payload);
    });
  }
}

function parseReply(answer: RawAnswer, id: number): RpcMessage {
  const texts = answer.type.startsWith("text/event-stream") ? sseData(answer.body) : [answer.body];
  for (const text of texts) {
    const message = JSON.parse(text) as RpcMessage;
    if (message.id === id) return message;
  }
  throw new Error(`no answer to request ${id} in: ${answer.body.slice(0, 300)}`);
}

/** The `data` of each event (HTML Living Standard, 9.2.6), as far as an MCP server writes them. */
function sseData(body: string): string[] {
  return body
    .split(/\r?\n\r?\n/)
    .map((event) =>
      event
        .split(/\r?\n/)
        .filter((line) => line.startsWith("data:"))
        .map((line) => line.slice(5).trimStart())
        .join("\n"),
    )
    .filter((data) => data !== "");
}

/** How many memories an answer carries: the longest list in its structured content. */
export function countHits(result: ToolResult): number {
  const lists = Object.values(result.structuredContent ?? {}).filter((value) => Array.isArray(value));
  return Math.max(0, ...lists.map((list) => list.length));
}
