import * as z from "zod";
import { EmbeddingFailure, type Embedder, type TextKind } from "../../domain/embedding/embedder.ts";
import { withRetries } from "./retry.ts";
import { malformed, unitVectors } from "./unit-vectors.ts";
import type { WorkersAiModel } from "./workers-ai-models.ts";

/** The part of the Workers AI binding that is used. */
export interface AiBinding {
  run(model: string, input: Record<string, unknown>): Promise<unknown>;
}

/** Rows are looked into while they are made unit vectors. */
const answer = z.object({ data: z.array(z.unknown()) });

const defaultDeadlineMs = 30_000;

export class WorkersAiEmbedder implements Embedder {
  readonly space: string;
  readonly dimensions: number;
  readonly maxBatch: number;
  readonly takesMany = true;
  readonly #ai: AiBinding;
  readonly #model: WorkersAiModel;
  readonly #deadlineMs: number;

  constructor(ai: AiBinding, model: WorkersAiModel, deadlineMs = defaultDeadlineMs) {
    const revision = model.revision === undefined ? "" : `@${model.revision}`;
    this.space = `workers-ai:${model.name}${revision}:${model.dimensions}`;
    this.dimensions = model.dimensions;
    this.maxBatch = model.maxBatch;
    this.#ai = ai;
    this.#model = model;
    this.#deadlineMs = deadlineMs;
  }

  async embed(texts: string[], kind: TextKind, signal?: AbortSignal): Promise<Float32Array[]> {
    if (texts.length === 0) return [];
    const input = this.#model.input(texts, kind);
    const raw = await withRetries(() => this.#run(input), { deadlineMs: this.#deadlineMs, signal });
    const parsed = answer.safeParse(raw);
    if (!parsed.success) throw malformed(this.#model.name, "no list of vectors");
    return unitVectors(parsed.data.data, { model: this.#model.name, count: texts.length, dimensions: this.dimensions });
  }

  async #run(input: Record<string, unknown>): Promise<unknown> {
    try {
      return await this.#ai.run(this.#model.name, input);
    } catch (error) {
      throw failureOf(error, this.#model.name);
    }
  }
}

/**
 * https://developers.cloudflare.com/workers-ai/platform/errors/ : errors that another attempt does not repair; 5xxx and 8xxx
 * are all refusals of the request.
 */
const permanent = /^(?:3003|3006|3023|3039|3041|3042|5\d{3}|8\d{3})$/;
const unknownModel = new Set(["5007", "3042"]);
/** The day's free allocation is used up; it returns at midnight UTC. */
const allocationUsedUp = "3036";
const hourMs = 3_600_000;

export const errorCode = (error: unknown): string | undefined => /\b(\d{4}):/.exec(error instanceof Error ? error.message : String(error))?.[1];

/** The binding throws errors whose message begins with (or holds) "code: text". The text may repeat the input, so it goes no further. */
function failureOf(error: unknown, model: string): EmbeddingFailure {
  const code = errorCode(error);
  if (code !== undefined && unknownModel.has(code)) {
    return new EmbeddingFailure(`Workers AI knows no model ${model} (${code}): set EMBEDDINGS_MODEL to one it offers`, { retryable: false });
  }
  if (code !== undefined && permanent.test(code)) {
    return new EmbeddingFailure(`Workers AI refused the request to ${model} (${code})`, { retryable: false });
  }
  return new EmbeddingFailure(`Workers AI has no answer from ${model} now (${code ?? "no code"})`, {
    retryable: true,
    ...(code === allocationUsedUp ? { retryAfter: hourMs } : {}),
  });
}
