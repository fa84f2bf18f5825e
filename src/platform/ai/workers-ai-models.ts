import type { TextKind } from "../../domain/embedding/embedder.ts";
import { staticModel } from "../local/static-model.ts";
import { prefixed } from "./task-prefixes.ts";

export interface WorkersAiModel {
  name: string;
  dimensions: number;
  /** Texts per call: a limit of the platform. */
  maxBatch: number;
  /** Changes when the same name stands for other vectors. */
  revision?: string;
  input(texts: string[], kind: TextKind): Record<string, unknown>;
}

export const defaultModel = "@cf/baai/bge-m3";

const known: WorkersAiModel[] = [
  { name: defaultModel, dimensions: 1_024, maxBatch: 100, input: (text) => ({ text, truncate_inputs: true }) },
  {
    name: "@cf/qwen/qwen3-embedding-0.6b",
    dimensions: 1_024,
    maxBatch: 32,
    input: (texts, kind) =>
      kind === "query" ? { queries: texts, instruction: "Given a question, retrieve memories that answer it" } : { documents: texts },
  },
  { name: "@cf/google/embeddinggemma-300m", dimensions: 768, maxBatch: 100, input: (texts, kind) => ({ text: prefixed("embeddinggemma", texts, kind) }) },
  // `cls` is what these were trained with; the platform's default, `mean`, is kept there for vectors made long ago.
  { name: "@cf/baai/bge-small-en-v1.5", dimensions: 384, maxBatch: 100, input: (texts, kind) => ({ text: prefixed("bge-small-en", texts, kind), pooling: "cls" }) },
  // Answered by the local stand-in of the AI binding only; Cloudflare refuses the name.
  { ...staticModel, maxBatch: 100, input: (text) => ({ text }) },
];

/** A model by name; one that is not in the table is taken to speak the common form, if its dimension is known. */
export function workersAiModel(name: string, dimensions?: number): WorkersAiModel | undefined {
  const model = known.find((candidate) => candidate.name === name);
  if (model) return dimensions === undefined || dimensions === model.dimensions ? model : undefined;
  return dimensions === undefined ? undefined : { name, dimensions, maxBatch: 100, input: (texts, kind) => ({ text: prefixed(name, texts, kind) }) };
}

export const knownModels = known.map(({ name }) => name);
