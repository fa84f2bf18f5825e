import { WorkerEntrypoint } from "cloudflare:workers";
import { StaticEmbedder } from "./static-embedder.ts";
import model from "./static-model.bin";
import { staticModel } from "./static-model.ts";

/** https://developers.cloudflare.com/workers-ai/models/bge-m3/ : at most 100 texts a call. */
const maxBatch = 100;

/** Without zod: cold as this Worker mostly is, that takes as long as the embedding. */
function textsOf(input: unknown): string[] | undefined {
  const text: unknown = (input as { text?: unknown } | null | undefined)?.text;
  const texts: unknown[] = Array.isArray(text) ? text : [text];
  return texts.length > 0 && texts.length <= maxBatch && texts.every((one) => typeof one === "string") ? texts : undefined;
}

let embedder: StaticEmbedder | undefined;

/** Stands in for the Workers AI binding, which has no local simulation: its answer and its refusals, with one model that needs no network. */
export class AiEmulator extends WorkerEntrypoint {
  async run(name: string, raw: unknown): Promise<{ shape: [count: number, dimensions: number]; data: number[][] }> {
    if (name !== staticModel.name) throw new Error(`5007: No such model ${String(name)} or task`);
    const texts = textsOf(raw);
    if (!texts) throw new Error(`5006: Error: must be a text or 1 to ${maxBatch} texts at '/text'`);
    embedder ??= new StaticEmbedder(model);
    const current = embedder;
    const data = texts.map((text) => Array.from(current.embed(text)));
    return { shape: [data.length, staticModel.dimensions], data };
  }
}
