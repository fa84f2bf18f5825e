import { EmbeddingFailure, type TextKind } from "../../../src/domain/embedding/embedder.ts";
import { OpenAiEmbedder, type OpenAiOptions } from "../../../src/platform/ai/openai-embedder.ts";
import { notedTimers } from "./noted-timers.ts";

export interface EmbedCall {
  options: OpenAiOptions;
  texts: string[];
  kind: TextKind;
  /** ms after which the caller leaves. */
  leaveAfter?: number;
}

export type EmbedAnswer = { vectors: number[][] } | { failure: { name: string; message: string; retryable: boolean; retryAfter: number | undefined; report: string; timers: number[] } };

let embedder: OpenAiEmbedder | undefined;

/** The embedder inside workerd; one for the life of the Worker, as in the product. */
export default {
  async fetch(request: Request): Promise<Response> {
    const { options, texts, kind, leaveAfter } = (await request.json()) as EmbedCall;
    notedTimers.length = 0;
    if (embedder?.space !== `openai:${options.model}:${options.dimensions}`) embedder = new OpenAiEmbedder(options);
    try {
      const vectors = await embedder.embed(texts, kind, leaveAfter === undefined ? undefined : AbortSignal.timeout(leaveAfter));
      return Response.json({ vectors: vectors.map((vector) => [...vector]) });
    } catch (error) {
      if (!(error instanceof EmbeddingFailure)) throw error;
      const { name, message, retryable, retryAfter, stack, cause } = error;
      return Response.json({ failure: { name, message, retryable, retryAfter, report: `${stack}${String(cause)}`, timers: notedTimers } });
    }
  },
};
