import { WorkerEntrypoint } from "cloudflare:workers";
import { StaticEmbedder } from "./static-embedder.ts";
import model from "./static-model.bin";
import { QueryExpansion } from "./query-expansion.ts";
import { queryExpansionModel, staticModel, wordMatchModel } from "./static-model.ts";
import associations from "./word-associations.bin";
import { WordAssociations } from "./word-associations.ts";
import { WordMatcher } from "./word-matcher.ts";

/** https://developers.cloudflare.com/workers-ai/models/bge-m3/ : at most 100 texts a call. */
const maxBatch = 100;

/** Without zod: cold as this Worker mostly is, that takes as long as the embedding. */
function textsOf(input: unknown): string[] | undefined {
  const text: unknown = (input as { text?: unknown } | null | undefined)?.text;
  const texts: unknown[] = Array.isArray(text) ? text : [text];
  return texts.length > 0 && texts.length <= maxBatch && texts.every((one) => typeof one === "string") ? texts : undefined;
}

const isChat = (input: unknown): boolean => Array.isArray((input as { messages?: unknown } | null | undefined)?.messages);

let embedder: StaticEmbedder | undefined;
let wordAssociations: WordAssociations | undefined;
let matcher: WordMatcher | undefined;
let expansion: QueryExpansion | undefined;
const staticEmbedder = (): StaticEmbedder => (embedder ??= new StaticEmbedder(model));
const associated = (): WordAssociations => (wordAssociations ??= new WordAssociations(associations, staticEmbedder().rows));

interface Embedded {
  shape: [count: number, dimensions: number];
  data: number[][];
}

interface Scored {
  response: { id: number; score: number }[];
}

interface Expanded {
  response: string[];
}

/** Stands in for the Workers AI binding, which has no local simulation: its answer and its refusals, with one model that needs no network. */
export class AiEmulator extends WorkerEntrypoint {
  run<Name extends string>(name: Name, raw: unknown): Promise<Name extends typeof wordMatchModel ? Scored : Name extends typeof queryExpansionModel ? Expanded : Embedded>;
  async run(name: string, raw: unknown): Promise<Embedded | Scored | Expanded> {
    if (name === wordMatchModel) return this.#match(raw);
    if (name === queryExpansionModel) return { response: (expansion ??= new QueryExpansion(staticEmbedder(), associated())).expand((raw as { text: string }).text) };
    if (isChat(raw)) throw new Error("5007: There are no language models on this machine: INTELLIGENCE_PROVIDER=openai-compatible asks a local one");
    if (name !== staticModel.name) throw new Error(`5007: No such model ${String(name)} or task`);
    const texts = textsOf(raw);
    if (!texts) throw new Error(`5006: Error: must be a text or 1 to ${maxBatch} texts at '/text'`);
    const current = staticEmbedder();
    const data = texts.map((text) => Array.from(current.embed(text)));
    return { shape: [data.length, staticModel.dimensions], data };
  }

  #match(raw: unknown): Scored {
    const { query, contexts } = raw as { query: string; contexts: { text: string }[] };
    matcher ??= new WordMatcher(staticEmbedder(), associated());
    const scores = matcher.match(query, contexts.map(({ text }) => text));
    return { response: scores.map((score, id) => ({ id, score })) };
  }
}
