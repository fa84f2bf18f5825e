import type { Embedder, Embedders } from "../../domain/embedding/embedder.ts";
import { OpenAiEmbedder } from "./openai-embedder.ts";
import { WorkersAiEmbedder, type AiBinding } from "./workers-ai-embedder.ts";
import { defaultModel, knownModels, workersAiModel } from "./workers-ai-models.ts";

export interface EmbeddingsOptions {
  provider: "workers-ai" | "openai";
  model: string | undefined;
  dimensions: number | undefined;
  url: string | undefined;
  apiKey: string | undefined;
  batch: number;
}

/** @throws when the configuration names no embedder, so that the Worker does not start with it */
export function embeddersOf(options: EmbeddingsOptions, env: { AI?: AiBinding }): Embedders {
  const current = options.provider === "openai" ? openAi(options) : workersAi(options, env.AI);
  const earlier = new Map<string, Embedder | undefined>([[current.space, current]]);
  return {
    current,
    bySpace(space) {
      if (!earlier.has(space)) earlier.set(space, ofSpace(space, options, env.AI));
      return earlier.get(space);
    },
  };
}

function workersAi({ model: name = defaultModel, dimensions }: EmbeddingsOptions, ai: AiBinding | undefined): Embedder {
  if (!ai) throw new Error("OmniMemory cannot start: EMBEDDINGS=workers-ai needs the binding AI");
  const model = workersAiModel(name, dimensions);
  if (model) return new WorkersAiEmbedder(ai, model);
  const native = workersAiModel(name)?.dimensions;
  throw new Error(
    native === undefined
      ? `OmniMemory cannot start: EMBEDDINGS_MODEL=${name} needs EMBEDDINGS_DIMENSIONS; known without are ${knownModels.join(", ")}`
      : `OmniMemory cannot start: ${name} makes vectors of ${native} dimensions, EMBEDDINGS_DIMENSIONS says ${dimensions}; leave it out`,
  );
}

function openAi({ url, apiKey, model, dimensions, batch }: EmbeddingsOptions): Embedder {
  if (!url || !model || !dimensions) throw new Error("OmniMemory cannot start: EMBEDDINGS=openai needs EMBEDDINGS_URL, EMBEDDINGS_MODEL and EMBEDDINGS_DIMENSIONS");
  return new OpenAiEmbedder({ url, apiKey, model, dimensions, maxBatch: batch });
}

/** While texts are embedded anew, questions still have to be asked in the space of the vectors that serve. */
function ofSpace(space: string, options: EmbeddingsOptions, ai: AiBinding | undefined): Embedder | undefined {
  const [, provider, name = "", digits] = /^(workers-ai|openai):(.+):(\d+)$/.exec(space) ?? [];
  const dimensions = Number(digits);
  if (provider === "openai") return options.url ? openAi({ ...options, model: name, dimensions }) : undefined;
  const model = provider === "workers-ai" ? workersAiModel(name.replace(/(?<=.)@[0-9a-f]+$/, ""), dimensions) : undefined;
  const embedder = ai && model ? new WorkersAiEmbedder(ai, model) : undefined;
  // An earlier revision of a model cannot be asked any more.
  return embedder?.space === space ? embedder : undefined;
}
