/** The part of Vectorize's binding that is used. */
export interface VectorizeBinding {
  describe(): Promise<{ dimensions: number }>;
  query(values: Float32Array, options: VectorizeQueryOptions): Promise<{ matches: { id: string; score: number; metadata?: Record<string, VectorizeVectorMetadata> }[] }>;
  upsert(vectors: VectorizeVector[]): Promise<unknown>;
  getByIds(ids: string[]): Promise<{ id: string; namespace?: string; metadata?: Record<string, VectorizeVectorMetadata> }[]>;
  deleteByIds(ids: string[]): Promise<unknown>;
}

/**
 * The indexes that are bound, by dimension: an index has one for good, so that a model of another one needs an index of its
 * own beside the old one.
 */
export class VectorizeBindings {
  readonly #bound: Readonly<Record<string, VectorizeBinding>>;
  readonly #dimensions = new Map<string, number>();

  constructor(bound: Readonly<Record<string, VectorizeBinding>>) {
    this.#bound = bound;
  }

  /** `VECTORIZE`, and `VECTORIZE_NEXT` while a model of another dimension is moved to. */
  static of(env: object): VectorizeBindings {
    // wrangler types the binding as the beta's, whose `describe` was another one.
    const { VECTORIZE, VECTORIZE_NEXT } = env as { VECTORIZE: VectorizeBinding; VECTORIZE_NEXT?: VectorizeBinding };
    return new VectorizeBindings({ VECTORIZE, ...(VECTORIZE_NEXT ? { VECTORIZE_NEXT } : {}) });
  }

  /** @throws when no index has this dimension */
  async withDimensions(dimensions: number): Promise<VectorizeBinding> {
    const found = await this.find(dimensions);
    if (found) return found;
    const have = [...this.#dimensions].map(([name, size]) => `${name} has ${size}`).join(", ");
    throw new Error(`No Vectorize index has ${dimensions} dimensions (${have || "none is bound"}). Create one and bind it as VECTORIZE_NEXT.`);
  }

  /** Asks each index that is bound. @throws when one does not answer */
  async describe(): Promise<void> {
    await Promise.all(Object.values(this.#bound).map((binding) => binding.describe()));
  }

  async find(dimensions: number): Promise<VectorizeBinding | undefined> {
    for (const [name, binding] of Object.entries(this.#bound)) {
      const known = this.#dimensions.get(name) ?? (await binding.describe()).dimensions;
      this.#dimensions.set(name, known);
      if (known === dimensions) return binding;
    }
    return undefined;
  }
}
