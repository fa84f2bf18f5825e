import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type Answerer<Seen> = (response: ServerResponse, seen: Seen) => void;

/** A server of a model's service on a real socket: it keeps what it is asked, and answers as its script says. */
export abstract class ScriptedEndpoint<Seen> {
  readonly seen: Seen[] = [];
  /** How the next requests are answered, one each; after them `usual`. */
  readonly script: Answerer<Seen>[] = [];
  abstract usual: Answerer<Seen>;
  readonly #server = createServer((request, response) => void this.#answer(request, response));

  /** The URL of its API, up to the version. */
  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  protected abstract read(request: IncomingMessage, text: string): Seen;

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    const seen = this.read(request, text);
    this.seen.push(seen);
    (this.script.shift() ?? this.usual)(response, seen);
  }
}

export function json(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(typeof body === "string" ? body : JSON.stringify(body));
}

export const silence = (): void => undefined;
