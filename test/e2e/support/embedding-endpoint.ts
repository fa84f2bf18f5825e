import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface EmbeddingRequest {
  model: string;
  input: string[];
  dimensions?: number;
}

export interface Seen {
  path: string;
  authorization: string | undefined;
  body: EmbeddingRequest;
}

type Answerer = (response: ServerResponse, request: EmbeddingRequest) => void;

/** A server of OpenAI's `/embeddings` on a real socket; a vector tells its text by its first value. */
export class EmbeddingEndpoint {
  readonly seen: Seen[] = [];
  /** How the next requests are answered, one each; after them `usual`. */
  readonly script: Answerer[] = [];
  usual: Answerer = vectorsOf(4);
  readonly #server = createServer((request, response) => void this.#answer(request, response));

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    const body = JSON.parse(text) as EmbeddingRequest;
    this.seen.push({ path: request.url ?? "", authorization: request.headers.authorization, body });
    (this.script.shift() ?? this.usual)(response, body);
  }
}

export function json(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(typeof body === "string" ? body : JSON.stringify(body));
}

/** `t7` becomes a vector whose first value is 7 times the others. */
const vectorOf = (text: string, dimensions: number): number[] => [Number(text.replaceAll(/\D/g, "")), ...Array<number>(dimensions - 1).fill(1)];

/** The vectors in reverse, which OpenAI's form allows: `index` says whose they are. */
export function vectorsOf(dimensions: number): Answerer {
  return (response, { input, model, dimensions: asked }) =>
    json(response, 200, {
      object: "list",
      model,
      data: input.map((text, index) => ({ object: "embedding", index, embedding: vectorOf(text, asked ?? dimensions) })).reverse(),
      usage: { prompt_tokens: 1, total_tokens: 1 },
    });
}

export const refusal = (status: number, headers: Record<string, string> = {}): Answerer => (response, { input }) =>
  json(response, status, { error: { message: `cannot embed: ${input.join(" ")}`, type: "x", code: "x" } }, headers);

export const silence: Answerer = () => undefined;
