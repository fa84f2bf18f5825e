import { send } from "../http/raw.ts";

const version = "2025-11-25";
const initialize = {
  jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: version, capabilities: {}, clientInfo: { name: "old-client", version: "1" } },
};
const initialized = { jsonrpc: "2.0", method: "notifications/initialized" };
const none = { "mcp-method": null, "mcp-name": null };

export interface SessionAnswer {
  status: number;
  text: string;
}

/** A client that is connected in one way or another and stays so. */
export interface Connection {
  call(token: string, name: string, args?: Record<string, unknown>): Promise<SessionAnswer>;
}

const toolCall = (id: number, name: string, args: Record<string, unknown>) => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } });

/** Streamable HTTP of the session era. */
export class Session implements Connection {
  readonly #path: string;
  readonly id: string;
  #calls = 10;

  private constructor(path: string, id: string) {
    this.#path = path;
    this.id = id;
  }

  /** `headers`: of the request that opens it; `capabilities`: of the client. */
  static async open(token: string, path = "/mcp", headers: Record<string, string> = {}, capabilities = {}): Promise<Session> {
    const answer = await send({ token, path, body: { ...initialize, params: { ...initialize.params, capabilities } }, headers: { ...none, ...headers, "mcp-protocol-version": null } });
    await answer.text();
    const session = new Session(path, answer.headers.get("mcp-session-id") ?? "");
    await (await session.post(token, initialized)).text();
    return session;
  }

  post(token: string, body: unknown): Promise<Response> {
    return send({ token, path: this.#path, body, headers: { ...none, "mcp-protocol-version": version, "mcp-session-id": this.id } });
  }

  /** The stream of what the server has to say by itself; or the one that was lost after this event. */
  stream(token: string, lastEventId?: string): Promise<Response> {
    const resumed = lastEventId === undefined ? {} : { "last-event-id": lastEventId };
    return send({ token, path: this.#path, method: "GET", headers: { ...none, ...resumed, accept: "text/event-stream", "mcp-protocol-version": version, "mcp-session-id": this.id } });
  }

  /** Calls a tool, and answers the question that comes back once `meanwhile` has happened. */
  async callAsked(token: string, name: string, args: Record<string, unknown>, result: unknown, meanwhile: () => Promise<void>): Promise<SessionAnswer> {
    const { status, body } = await this.post(token, toolCall((this.#calls += 1), name, args));
    const reader = (body as ReadableStream<Uint8Array>).getReader();
    const decoder = new TextDecoder();
    let text = "";
    let isAnswered = false;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return { status, text };
      text += decoder.decode(value, { stream: true });
      const question = /data: (\{.*"elicitation\/create".*\})\n/.exec(text)?.[1];
      if (question === undefined || isAnswered) continue;
      isAnswered = true;
      await meanwhile();
      const { id } = JSON.parse(question) as { id: number };
      await (await this.post(token, { jsonrpc: "2.0", id, result })).text();
    }
  }

  async call(token: string, name: string, args: Record<string, unknown> = {}): Promise<SessionAnswer> {
    const answer = await this.post(token, toolCall((this.#calls += 1), name, args));
    return { status: answer.status, text: await answer.text() };
  }
}

/** HTTP with SSE, the transport of 2024-11-05: answers come by the stream. */
export class SseSession implements Connection {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  #endpoint = "";
  #text = "";
  #calls = 10;

  private constructor(stream: ReadableStream<Uint8Array>) {
    this.#reader = stream.getReader();
  }

  static async open(token: string, path = "/sse", headers: Record<string, string> = {}): Promise<SseSession> {
    const answer = await send({ token, path, method: "GET", headers: { ...none, ...headers, accept: "text/event-stream", "mcp-protocol-version": null } });
    if (!answer.body) throw new Error("there is no stream");
    const session = new SseSession(answer.body);
    await session.#until(/event: endpoint\ndata: (\S+)/);
    session.#endpoint = /event: endpoint\ndata: (\S+)/.exec(session.#text)?.[1] ?? "";
    await session.post(token, initialize);
    await session.#until(/"id":1\b/);
    await session.post(token, initialized);
    return session;
  }

  async call(token: string, name: string, args: Record<string, unknown> = {}): Promise<SessionAnswer> {
    const id = (this.#calls += 1);
    const status = await this.post(token, toolCall(id, name, args));
    if (status !== 202) return { status, text: "" };
    const line = new RegExp(`data: (\\{.*"id":${id}\\b.*)`);
    await this.#until(line);
    return { status: 200, text: line.exec(this.#text)?.[1] ?? "" };
  }

  close(): Promise<void> {
    return this.#reader.cancel();
  }

  /** The status of what is posted; its answers come by the stream. */
  async post(token: string, body: unknown): Promise<number> {
    const answer = await send({ token, path: this.#endpoint, body, headers: { ...none, "mcp-protocol-version": null } });
    await answer.text();
    return answer.status;
  }

  async #until(pattern: RegExp): Promise<void> {
    const decoder = new TextDecoder();
    while (!pattern.test(this.#text)) {
      const { done, value } = await this.#reader.read();
      if (done) throw new Error(`the stream ended before ${pattern}`);
      this.#text += decoder.decode(value, { stream: true });
    }
  }
}
