import { WorkerEntrypoint } from "cloudflare:workers";
import * as z from "zod";
import { StaticEmbedder } from "./static-embedder.ts";
import model from "./static-model.bin";
import { staticModel } from "./static-model.ts";

/** https://developers.cloudflare.com/workers-ai/models/bge-m3/ : at most 100 texts a call. */
const maxBatch = 100;

const input = z.object({ text: z.union([z.string(), z.array(z.string()).min(1).max(maxBatch)]) });

let embedder: StaticEmbedder | undefined;

/** Stands in for the Workers AI binding, which has no local simulation: its answer and its refusals, with one model that needs no network. */
export class AiEmulator extends WorkerEntrypoint {
  async run(name: string, raw: unknown): Promise<{ shape: [count: number, dimensions: number]; data: number[][] }> {
    if (name !== staticModel.name) throw new Error(`5007: No such model ${String(name)} or task`);
    const parsed = input.safeParse(raw);
    if (!parsed.success) throw new Error(`5006: Error: ${parsed.error.issues[0]?.message ?? "invalid input"} at '/text'`);
    embedder ??= new StaticEmbedder(model);
    const current = embedder;
    const data = [parsed.data.text].flat().map((text) => Array.from(current.embed(text)));
    return { shape: [data.length, staticModel.dimensions], data };
  }
}
