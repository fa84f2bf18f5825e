import * as z from "zod";
import { RerankFailure, type Reranker } from "../../domain/recall/ranking/rerank.ts";
import { staticModel, wordMatchModel } from "../local/static-model.ts";
import { errorCode, type AiBinding } from "./workers-ai-embedder.ts";

const answer = z.object({ response: z.array(z.object({ id: z.int().nonnegative(), score: z.number() })) });

/** After a failure searches do without for so long, ms: one that is busy or slow costs each of them its whole deadline otherwise. */
const restMs = 5_000;

/** Models of the form of `@cf/baai/bge-reranker-base`. Asked once: a search has no time for another attempt. */
export class WorkersAiReranker implements Reranker {
  readonly #ai: AiBinding;
  readonly #model: string;
  #restsUntil = 0;

  constructor(ai: AiBinding, model: string) {
    this.#ai = ai;
    this.#model = model;
  }

  async score(question: string, texts: string[], signal: AbortSignal): Promise<number[]> {
    if (texts.length === 0) return [];
    if (Date.now() < this.#restsUntil) throw new RerankFailure(`${this.#model} did not answer of late and is left alone for a while`);
    const rest = (): void => {
      this.#restsUntil = Date.now() + restMs;
    };
    signal.addEventListener("abort", rest, { once: true });
    try {
      return scoresOf(await this.#run(question, texts), texts.length, this.#model);
    } catch (error) {
      rest();
      throw error;
    } finally {
      signal.removeEventListener("abort", rest);
    }
  }

  async #run(query: string, texts: string[]): Promise<unknown> {
    try {
      return await this.#ai.run(this.#model, { query, contexts: texts.map((text) => ({ text })), top_k: texts.length });
    } catch (error) {
      // The binding's own words may repeat the texts, so they go no further.
      throw new RerankFailure(`Workers AI has no scores from ${this.#model} (${errorCode(error) ?? "no code"})`);
    }
  }
}

/** Best first as they come, each with the position of its text. @throws RerankFailure when not every text has one score */
function scoresOf(raw: unknown, count: number, model: string): number[] {
  const { data } = answer.safeParse(raw);
  const scores = new Map(data?.response.map(({ id, score }) => [id, score]));
  const ordered = Array.from({ length: count }, (_, id) => scores.get(id));
  if (data?.response.length !== count || ordered.includes(undefined)) {
    throw new RerankFailure(`${model} did not answer with one score for each text; check that RERANK_MODEL is a reranking model`);
  }
  return ordered as number[];
}

/** Where Workers AI itself is bound; what stands in for it on one machine runs no such model. */
const usualModel = "@cf/baai/bge-reranker-base";

/**
 * `off` asks none.
 * @throws when the configuration names a model that nothing can ask, so that the Worker does not start with it
 */
export function rerankerOf({ rerankModel, production }: { rerankModel: string | undefined; production: boolean }, ai: AiBinding | undefined): Reranker | undefined {
  const model = rerankModel ?? (production && ai ? usualModel : "off");
  if (model === "off") return undefined;
  if (!ai) throw new Error("OmniMemory cannot start: RERANK_MODEL needs the binding AI");
  return new WorkersAiReranker(ai, model);
}

/** Compares words by meaning where the built-in table is the model; larger models know that from whole texts. */
export const wordMatcherOf = ({ embeddings }: { embeddings: { model: string | undefined } }, ai: AiBinding | undefined): Reranker | undefined =>
  ai && embeddings.model === staticModel.name ? new WorkersAiReranker(ai, wordMatchModel) : undefined;
