import type { Principal } from "../../tenancy/principal.ts";
import type { Embedder, Embedders } from "../../embedding/embedder.ts";
import { measuredScale } from "../../embedding/measured-scales.ts";
import type { SimilarityScale } from "../../embedding/similarity-scale.ts";
import type { VectorHit, VectorIndex, VectorKind } from "../../embedding/vector-index.ts";

/** The space of the vectors that answer a team's questions. */
export interface ServingSpace {
  space: string;
  /** What its cosines mean; nobody knows before they were measured. */
  scale?: SimilarityScale;
}

export interface SemanticPorts {
  embedders: Embedders;
  index: Pick<VectorIndex, "query">;
  /** Undefined when nothing of the team was embedded yet. */
  servingSpace(principal: Principal, now: number): Promise<ServingSpace | undefined>;
}

export interface Nearest {
  /** Nearest first. */
  hits: VectorHit[];
  /** The question as a unit vector. */
  asked?: { space: string; values: Float32Array };
  /** What the similarities mean. */
  scale?: SimilarityScale;
}

/** Embedded questions kept, oldest out: people and their tools ask the same again. */
const maxQuestions = 256;

/** Search by meaning, in whatever space serves the team. */
export class Semantic {
  readonly #ports: SemanticPorts;
  readonly #questions = new Map<string, Float32Array>();

  constructor(ports: SemanticPorts) {
    this.#ports = ports;
  }

  /** Of the space that answers the team's questions; the present one before anything is embedded. */
  async embedder(principal: Principal, now: number): Promise<Embedder> {
    const serving = await this.#serving(principal, now);
    return serving === undefined ? this.#ports.embedders.current : this.#embedderOf(serving.space);
  }

  /** Nothing while there are no vectors. `vector`: the question, embedded by whoever asks. @throws EmbeddingFailure */
  async nearest(
    principal: Principal,
    now: number,
    text: string,
    options: { kinds: VectorKind[]; limit: number; signal: AbortSignal; others?: boolean; vector?: number[] | undefined },
  ): Promise<Nearest> {
    const serving = await this.#serving(principal, now);
    if (serving === undefined) return { hits: [] };
    const { space, scale } = serving;
    const given = options.vector && Float32Array.from(options.vector);
    if (given && given.length !== this.#embedderOf(space).dimensions) throw new Error(`The question's vector is not one of the space ${space}`);
    const values = given ?? (await this.#embed(space, text, options.signal));
    const hits = await this.#ports.index.query(principal, space, values, { kinds: options.kinds, limit: options.limit, others: options.others });
    return { hits, asked: { space, values }, ...(scale ? { scale } : {}) };
  }

  /** Where an update took the embedder of the space away, the present one's, whose vectors are on their way. */
  async #serving(principal: Principal, now: number): Promise<ServingSpace | undefined> {
    const serving = await this.#ports.servingSpace(principal, now);
    const { current } = this.#ports.embedders;
    if (serving === undefined || this.#ports.embedders.bySpace(serving.space)) return serving;
    const scale = measuredScale(current.space);
    return { space: current.space, ...(scale ? { scale } : {}) };
  }

  #embedderOf(space: string): Embedder {
    const embedder = this.#ports.embedders.bySpace(space);
    if (!embedder) throw new Error(`No embedder is configured for the space ${space}`);
    return embedder;
  }

  async #embed(space: string, text: string, signal: AbortSignal): Promise<Float32Array> {
    const embedder = this.#embedderOf(space);
    const key = `${space}\n${text}`;
    const known = this.#questions.get(key);
    if (known) return known;
    const [values] = await embedder.embed([text], "query", signal);
    if (!values) throw new Error("The embedder gave no vector");
    if (this.#questions.size >= maxQuestions) this.#questions.delete(this.#questions.keys().next().value as string);
    this.#questions.set(key, values);
    return values;
  }
}
