import { DurableObject, WorkerEntrypoint } from "cloudflare:workers";
import { MutationQueue } from "./mutation-queue.ts";
import type { IndexedType } from "./vectorize-filter.ts";
import { checkIds, checkQuery, checkValues, checkVectors, limits, type Metadata, type QueryOptions, refuse, type StoredVector } from "./vectorize-limits.ts";
import { VectorStore } from "./vector-store.ts";

/** How an index was created, and its metadata indexes; comes with the binding. */
export interface IndexProps {
  index: string;
  dimensions: number;
  metadataIndexes: Record<string, IndexedType>;
  /** How long it takes until a change is seen; Vectorize itself: 30 s mostly, 2 minutes rarely. */
  visibleAfterMs: number;
}

interface VectorMatch extends Omit<StoredVector, "values"> {
  score: number;
  values?: number[];
}

/** One index, metric cosine: the same calls, limits and delay as Vectorize v2. */
export class LocalVectors extends DurableObject {
  #opened: { store: VectorStore; queue: MutationQueue } | undefined;

  change(props: IndexProps, kind: "insert" | "upsert" | "delete", vectors: StoredVector[]): { mutationId: string } {
    const { queue } = this.#open(props);
    const mutationId = crypto.randomUUID();
    queue.add({ mutationId, kind, dueAt: Date.now() + props.visibleAfterMs }, vectors);
    this.#process(props);
    return { mutationId };
  }

  query(props: IndexProps, values: ArrayLike<number>, options: QueryOptions): { matches: VectorMatch[]; count: number } {
    checkValues(values, props.dimensions);
    checkQuery(options);
    const store = this.#process(props);
    const { topK = 5, namespace, filter, returnValues = false, returnMetadata = "none" } = options;
    const matches = store.search(values, { namespace, filter, topK }).map(({ id, score, namespace, indexed }): VectorMatch => {
      const all = returnValues || returnMetadata === true || returnMetadata === "all" ? store.get(id) : undefined;
      const metadata = returnMetadata === "indexed" ? indexed : returnMetadata === "none" || returnMetadata === false ? undefined : all?.metadata;
      return {
        id, score,
        ...(namespace === "" ? {} : { namespace }),
        ...(returnValues && all ? { values: Array.from(all.values) } : {}),
        ...(metadata === undefined ? {} : { metadata }),
      };
    });
    return { matches, count: matches.length };
  }

  get(props: IndexProps, ids: string[]): { id: string; namespace?: string; values: number[]; metadata?: Metadata }[] {
    const store = this.#process(props);
    return ids.flatMap((id) => {
      const found = store.get(id);
      if (!found) return [];
      const { namespace, values, metadata } = found;
      return [{ id, values: Array.from(values), ...(namespace === "" ? {} : { namespace }), ...(metadata === undefined ? {} : { metadata }) }];
    });
  }

  describe(props: IndexProps): { vectorCount: number; dimensions: number; processedUpToDatetime: number; processedUpToMutation: string } {
    const store = this.#process(props);
    const { at, mutationId } = this.#open(props).queue.processed;
    return { vectorCount: store.count, dimensions: props.dimensions, processedUpToDatetime: at, processedUpToMutation: mutationId };
  }

  /** Makes visible what is due. */
  #process(props: IndexProps): VectorStore {
    const { store, queue } = this.#open(props);
    const now = Date.now();
    if (!queue.isDue(now)) return store;
    try {
      this.ctx.storage.transactionSync(() => queue.process(now, store));
    } catch (error) {
      // The memory may be ahead of a transaction that was rolled back.
      this.#opened = undefined;
      throw error;
    }
    return store;
  }

  #open({ dimensions, metadataIndexes }: IndexProps): { store: VectorStore; queue: MutationQueue } {
    refuse(dimensions > limits.dimensions, `an index has at most ${limits.dimensions} dimensions, not ${dimensions}`);
    refuse(Object.keys(metadataIndexes).length > limits.metadataIndexes, `an index has at most ${limits.metadataIndexes} metadata indexes`);
    const { sql } = this.ctx.storage;
    this.#opened ??= { store: new VectorStore(sql, dimensions, metadataIndexes), queue: new MutationQueue(sql) };
    return this.#opened;
  }
}

/**
 * The binding: what Vectorize's is in production. Answers are copied: handed on as it came from the object, an answer would
 * keep whoever asked in memory until it is disposed of (Workers RPC, lifecycle), which nobody does with a binding.
 */
export class VectorizeEmulator extends WorkerEntrypoint<{ VECTORS: DurableObjectNamespace<LocalVectors> }, IndexProps> {
  get #object() {
    return this.env.VECTORS.getByName(this.ctx.props.index);
  }

  async describe() {
    return { ...(await this.#object.describe(this.ctx.props)) };
  }

  async insert(vectors: StoredVector[]) {
    checkVectors(vectors, this.ctx.props.dimensions);
    return { ...(await this.#object.change(this.ctx.props, "insert", vectors)) };
  }

  async upsert(vectors: StoredVector[]) {
    checkVectors(vectors, this.ctx.props.dimensions);
    return { ...(await this.#object.change(this.ctx.props, "upsert", vectors)) };
  }

  async deleteByIds(ids: string[]) {
    checkIds(ids, limits.deleteByIds);
    return { ...(await this.#object.change(this.ctx.props, "delete", ids.map((id) => ({ id, values: [] })))) };
  }

  async query(values: ArrayLike<number>, options: QueryOptions = {}) {
    return { ...(await this.#object.query(this.ctx.props, values, options)) };
  }

  async queryById(id: string, options: QueryOptions = {}) {
    const [vector] = await this.#object.get(this.ctx.props, [id]);
    if (!vector) throw new Error(`VECTORIZE_ERROR: there is no vector "${id}"`);
    return { ...(await this.#object.query(this.ctx.props, vector.values, options)) };
  }

  async getByIds(ids: string[]) {
    checkIds(ids, limits.getByIds);
    return [...(await this.#object.get(this.ctx.props, ids))];
  }
}
