import * as z from "zod";
import { EmbeddingFailure, type Embedder, type TextKind } from "../../domain/embedding/embedder.ts";
import { retryAfterMs } from "../retry-after.ts";
import { withRetries } from "./retry.ts";
import { prefixed } from "./task-prefixes.ts";
import { unitVectors } from "./unit-vectors.ts";

export interface OpenAiOptions {
  /** URL of the API, up to and including its version: `http://127.0.0.1:11434/v1`. */
  url: string;
  apiKey?: string | undefined;
  model: string;
  dimensions: number;
  maxBatch: number;
  deadlineMs?: number;
}

const defaultDeadlineMs = 30_000;

/** `index` says which text a vector belongs to; where it is left out the order does. */
const answer = () => z.object({ data: z.array(z.object({ index: z.int().nonnegative().optional(), embedding: z.array(z.number()) })) });

/** Any endpoint of the form of OpenAI's `/embeddings`: OpenAI, Ollama, LM Studio, vLLM, … */
export class OpenAiEmbedder implements Embedder {
  readonly space: string;
  readonly dimensions: number;
  readonly maxBatch: number;
  /** One on the same machine may take a second for thirty. */
  readonly takesMany = false;
  readonly #options: OpenAiOptions;
  /**
   * Some models shorten their vectors on request (Matryoshka); others refuse the parameter, so it is sent only when vectors are
   * too long.
   */
  #shorten = false;

  constructor(options: OpenAiOptions) {
    // Without the address: the same model behind another port makes the same vectors.
    this.space = `openai:${options.model}:${options.dimensions}`;
    this.dimensions = options.dimensions;
    this.maxBatch = options.maxBatch;
    this.#options = options;
  }

  async embed(texts: string[], kind: TextKind, signal?: AbortSignal): Promise<Float32Array[]> {
    if (texts.length === 0) return [];
    const { model, dimensions, deadlineMs = defaultDeadlineMs } = this.#options;
    const values = prefixed(model, texts, kind);
    const vectors = (rows: unknown[]): Float32Array[] => unitVectors(rows, { model, count: texts.length, dimensions });
    return withRetries(async (stop) => {
      const rows = await this.#request(values, this.#shorten, stop);
      if (this.#shorten || !rows.some((row) => Array.isArray(row) && row.length > dimensions)) return vectors(rows);
      const shorter = vectors(await this.#request(values, true, stop).catch((error: unknown) => (isFinal(error) ? rows : Promise.reject(error))));
      this.#shorten = true;
      return shorter;
    }, { deadlineMs, signal });
  }

  async #request(input: string[], shorten: boolean, signal: AbortSignal): Promise<unknown[]> {
    const { url, apiKey, model, dimensions } = this.#options;
    const response = await fetch(`${url.replace(/\/+$/, "")}/embeddings`, {
      method: "POST",
      headers: { "content-type": "application/json", ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}) },
      body: JSON.stringify({ model, input, encoding_format: "float", ...(shorten ? { dimensions } : {}) }),
      signal,
    }).catch(() => {
      // The error's own words may hold the request with its texts.
      throw new EmbeddingFailure("The endpoint at EMBEDDINGS_URL cannot be reached", { retryable: true });
    });
    if (!response.ok) {
      // A refusal may repeat the texts: nobody reads it.
      await response.body?.cancel();
      throw failureOf(response.status, response.headers.get("retry-after") ?? undefined, model);
    }
    const parsed = answer().safeParse(await response.json().catch(() => undefined));
    if (!parsed.success) throw failureOf(response.status, undefined, model);
    const rows: unknown[] = [];
    for (const [position, { index = position, embedding }] of parsed.data.data.entries()) rows[index] = embedding;
    return rows;
  }
}

const isFinal = (error: unknown): boolean => error instanceof EmbeddingFailure && !error.retryable;

function failureOf(status: number, retryAfterHeader: string | undefined, model: string): EmbeddingFailure {
  if (status === 408 || status === 409 || status === 429 || status >= 500) {
    const retryAfter = retryAfterMs(retryAfterHeader);
    return new EmbeddingFailure(`The endpoint at EMBEDDINGS_URL is busy or out of order (HTTP ${status})`, {
      retryable: true,
      ...(retryAfter === undefined ? {} : { retryAfter }),
    });
  }
  return new EmbeddingFailure(refusal(status, model), { retryable: false });
}

function refusal(status: number, model: string): string {
  if (status < 300) return `The endpoint at EMBEDDINGS_URL answered with something else than vectors: the URL usually ends in /v1`;
  if (status === 401 || status === 403) return `The endpoint at EMBEDDINGS_URL refused the key (HTTP ${status}): check EMBEDDINGS_API_KEY`;
  if (status === 404) return `The endpoint at EMBEDDINGS_URL has no /embeddings or no model ${model} (HTTP 404): check EMBEDDINGS_URL and EMBEDDINGS_MODEL`;
  return `The endpoint at EMBEDDINGS_URL refused the request (HTTP ${status}): texts too long for ${model}, or EMBEDDINGS_DIMENSIONS it does not offer`;
}
