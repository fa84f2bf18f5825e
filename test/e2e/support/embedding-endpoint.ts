import type { IncomingMessage } from "node:http";
import { type Answerer, json, ScriptedEndpoint } from "./scripted-endpoint.ts";

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

/** OpenAI's `/embeddings`; a vector tells its text by its first value. */
export class EmbeddingEndpoint extends ScriptedEndpoint<Seen> {
  usual = vectorsOf(4);

  protected override read(request: IncomingMessage, text: string): Seen {
    return { path: request.url ?? "", authorization: request.headers.authorization, body: JSON.parse(text) as EmbeddingRequest };
  }
}

/** `t7` becomes a vector whose first value is 7 times the others. */
const vectorOf = (text: string, dimensions: number): number[] => [Number(text.replaceAll(/\D/g, "")), ...Array<number>(dimensions - 1).fill(1)];

/** The vectors in reverse, which OpenAI's form allows: `index` says whose they are. */
export function vectorsOf(dimensions: number): Answerer<Seen> {
  return (response, { body: { input, model, dimensions: asked } }) =>
    json(response, 200, {
      object: "list",
      model,
      data: input.map((text, index) => ({ object: "embedding", index, embedding: vectorOf(text, asked ?? dimensions) })).reverse(),
      usage: { prompt_tokens: 1, total_tokens: 1 },
    });
}

export const refusal = (status: number, headers: Record<string, string> = {}): Answerer<Seen> => (response, { body: { input } }) =>
  json(response, status, { error: { message: `cannot embed: ${input.join(" ")}`, type: "x", code: "x" } }, headers);
