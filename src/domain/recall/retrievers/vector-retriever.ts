import type { Principal } from "../../tenancy/principal.ts";
import type { Embedder, Embedders } from "../../embedding/embedder.ts";
import { cosine } from "../../embedding/unit-vector.ts";
import { withTimeout } from "../../timeout.ts";
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

/** The text of a memory that is so new that the index has no vector of it. */
export interface Passage {
  id: string;
  text: string;
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
/** How long a question waits for the vectors of passages, ms. */
const passagesMs = 300;

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

  /**
   * Nothing while there are no vectors. `vector`: the question, embedded by whoever asks. `passages` are compared, too, where the embedder
   * takes many texts as quickly as one. @throws EmbeddingFailure
   */
  async nearest(
    principal: Principal,
    now: number,
    text: string,
    options: { kinds: VectorKind[]; limit: number; signal: AbortSignal; others?: boolean; vector?: number[] | undefined; passages?: () => readonly Passage[] },
  ): Promise<Nearest> {
    const { kinds, limit, signal, others, vector } = options;
    const serving = await this.#serving(principal, now);
    const { space, scale } = serving ?? this.#present();
    const embedder = this.#embedderOf(space);
    const passages = embedder.takesMany && kinds.includes("memory") ? (options.passages?.() ?? []) : [];
    if (serving === undefined && passages.length === 0) return { hits: [] };
    const given = vector && Float32Array.from(vector);
    if (given && given.length !== embedder.dimensions) throw new Error(`The question's vector is not one of the space ${space}`);
    // Not kept, as the pipeline is about to bring them. What fails here, it meets as well and reports.
    const embedding = passages.length === 0 ? [] : withTimeout(passagesMs, embedder.embed(passages.map((passage) => passage.text), "passage", signal)).catch(() => []);
    const values = given ?? (await this.#embed(space, text, signal));
    const [found, embedded] = await Promise.all([this.#ports.index.query(principal, space, values, { kinds, limit, others }), embedding]);
    const fresh = embedded.map((passage, i): VectorHit => ({ kind: "memory", id: (passages[i] as Passage).id, similarity: cosine(values, passage) }));
    const hits = fresh.length === 0 ? found : withFresh(found, fresh);
    return { hits, asked: { space, values }, ...(scale ? { scale } : {}) };
  }

  /** Where an update took the embedder of the space away, the present one's, whose vectors are on their way. */
  async #serving(principal: Principal, now: number): Promise<ServingSpace | undefined> {
    const serving = await this.#ports.servingSpace(principal, now);
    return serving === undefined || this.#ports.embedders.bySpace(serving.space) ? serving : this.#present();
  }

  #present(): ServingSpace {
    const { space } = this.#ports.embedders.current;
    const scale = measuredScale(space);
    return { space, ...(scale ? { scale } : {}) };
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

/** What was written a moment ago takes the place of what the index has of it. */
function withFresh(found: readonly VectorHit[], fresh: readonly VectorHit[]): VectorHit[] {
  const ids = new Set(fresh.map(({ id }) => id));
  return [...found.filter(({ id, teamId }) => teamId !== undefined || !ids.has(id)), ...fresh].sort((a, b) => b.similarity - a.similarity);
}
