import { EmbeddingFailure, type Embedder, type TextKind } from "../embedding/embedder.ts";
import { StageFailure, type RunLimits } from "./stage.ts";

export interface Embedded {
  vectors: Map<string, Float32Array>;
  /** Texts that the provider refuses, though it takes others. */
  refused: Map<string, string>;
  interrupted?: StageFailure;
}

/** A local model on a slow processor takes seconds for a text; one that needs longer than this for a batch gets smaller ones. */
const callMs = 60_000;
/** Any provider that works at all takes it. */
const probe = "ok";

/**
 * Embeds as many of the texts as time allows, in order. A busy provider interrupts; what came before is kept. When a batch is
 * refused for good, a harmless text shows whether the provider is at fault; if it is not, the function halves the batch until
 * it finds the refused texts.
 */
export async function embedTexts(embedder: Embedder, texts: string[], limits: RunLimits, { timeoutMs = callMs, kind = "passage" }: { timeoutMs?: number; kind?: TextKind } = {}): Promise<Embedded> {
  const found: Embedded = { vectors: new Map(), refused: new Map() };
  let proved = false;

  const call = async (batch: string[]): Promise<Float32Array[]> => {
    const vectors = await withAbortTimeout(timeoutMs, (signal) => embedder.embed(batch, kind, signal));
    if (vectors.length !== batch.length || vectors.some((vector) => !isVector(vector, embedder.dimensions))) {
      throw new EmbeddingFailure(`vectors are not ${batch.length} of dimension ${embedder.dimensions}`, { retryable: false });
    }
    return vectors;
  };
  const prove = async (): Promise<void> => {
    if (proved) return;
    try {
      await call([probe]);
      proved = true;
    } catch (error) {
      throw isRefusal(error) ? new StageFailure("embedder_refuses", { cause: error }) : error;
    }
  };
  const embed = async (batch: string[]): Promise<void> => {
    try {
      const vectors = await call(batch);
      for (const [i, text] of batch.entries()) found.vectors.set(text, vectors[i] as Float32Array);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      await prove();
      if (batch.length === 1) {
        found.refused.set(batch[0] as string, "refused");
        return;
      }
      const half = Math.ceil(batch.length / 2);
      await embed(batch.slice(0, half));
      await embed(batch.slice(half));
    }
  };

  // After failures, smaller batches: what is too much at once for a provider still gets through.
  const size = Math.max(1, embedder.maxBatch >> Math.min(limits.attempts, 10));
  for (let from = 0; from < texts.length; from += size) {
    if (from > 0 && limits.clock() >= limits.deadline) break;
    try {
      await embed(texts.slice(from, from + size));
    } catch (error) {
      found.interrupted = toStageFailure(error);
      break;
    }
  }
  return found;
}

const isRefusal = (error: unknown): boolean => error instanceof EmbeddingFailure && !error.retryable;

const isVector = (vector: unknown, dimensions: number): boolean =>
  vector instanceof Float32Array && vector.length === dimensions && vector.every((value) => Number.isFinite(value));

function toStageFailure(error: unknown): StageFailure {
  if (error instanceof StageFailure) return error;
  return new StageFailure("embedder_unavailable", { retryAfter: error instanceof EmbeddingFailure ? error.retryAfter : undefined, cause: error });
}

/** Rejects in time even when the provider ignores the signal. */
async function withAbortTimeout<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const abort = new AbortController();
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(new EmbeddingFailure(`no answer within ${ms} ms`, { retryable: true }));
    abort.abort();
  }, ms);
  try {
    return await Promise.race([work(abort.signal), late]);
  } finally {
    clearTimeout(timer);
  }
}
