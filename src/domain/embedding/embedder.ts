export type TextKind = "query" | "passage";

/** Turns text into vectors of one space. */
export interface Embedder {
  /**
   * Names the vector space: provider, model and dimension, such as `workers-ai:@cf/baai/bge-m3:1024`. Vectors of
   * different spaces are never compared.
   */
  readonly space: string;
  readonly dimensions: number;
  /** Most texts per call of `embed`. */
  readonly maxBatch: number;
  /** Some thirty short texts take hardly longer than one. */
  readonly takesMany: boolean;
  /** Unit vectors in the order of the texts. @throws EmbeddingFailure */
  embed(texts: string[], kind: TextKind, signal?: AbortSignal): Promise<Float32Array[]>;
}

export interface Embedders {
  /** Embeds what is written from now on. */
  readonly current: Embedder;
  /** The embedder of an earlier space, as long as its provider is still configured. */
  bySpace(space: string): Embedder | undefined;
}

/** No vectors came back. Retryable: the provider was busy or away; otherwise these texts, or the configuration, are at fault. */
export class EmbeddingFailure extends Error {
  readonly retryable: boolean;
  /** ms, when the provider said how long to wait. */
  readonly retryAfter: number | undefined;

  constructor(message: string, options: { retryable: boolean; retryAfter?: number; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.name = "EmbeddingFailure";
    this.retryable = options.retryable;
    this.retryAfter = options.retryAfter;
  }
}
