import * as z from "zod";
import type { QueryExpander } from "../../domain/recall/retrievers/query-expansion.ts";
import { queryExpansionModel, staticModel } from "../local/static-model.ts";
import { errorCode, type AiBinding } from "./workers-ai-embedder.ts";

const answer = z.object({ response: z.array(z.string()) });

class ExpansionFailure extends Error {}

class WorkersAiExpander implements QueryExpander {
  readonly #ai: AiBinding;

  constructor(ai: AiBinding) {
    this.#ai = ai;
  }

  async expand(text: string): Promise<string[]> {
    try {
      return answer.parse(await this.#ai.run(queryExpansionModel, { text })).response;
    } catch (error) {
      // The binding's own words may repeat the text, so they go no further.
      throw new ExpansionFailure(`${queryExpansionModel} has no words for the question (${errorCode(error) ?? "no code"})`);
    }
  }
}

/** Where the built-in table is the model: it alone has a list of what people say in place of what. */
export const queryExpanderOf = ({ embeddings }: { embeddings: { model: string | undefined } }, ai: AiBinding | undefined): QueryExpander | undefined =>
  ai && embeddings.model === staticModel.name ? new WorkersAiExpander(ai) : undefined;
