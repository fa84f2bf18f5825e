/**
 * `node scripts/ranker/scale.ts [folder of texts]` measures what the cosines of an embedding model mean, prints it, and writes
 * it into src/domain/embedding/measured-scales.ts: for the built-in model, or, when EMBEDDINGS_URL is set, for the model
 * EMBEDDINGS_MODEL of EMBEDDINGS_DIMENSIONS at that endpoint (EMBEDDINGS_API_KEY and EMBEDDINGS_BATCH as for the product).
 *
 * The texts are the memories of the teams that the order learns from, or of each team-*.json in the folder. The first sentence of each is the query, the rest the passage.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import * as z from "zod";
import type { Embedder, TextKind } from "../../src/domain/embedding/embedder.ts";
import { heldOutPairs } from "../../src/domain/embedding/held-out-pairs.ts";
import { measuredScales } from "../../src/domain/embedding/measured-scales.ts";
import { scaleFrom, type SimilarityScale } from "../../src/domain/embedding/similarity-scale.ts";
import { cosine } from "../../src/domain/embedding/unit-vector.ts";
import { OpenAiEmbedder } from "../../src/platform/ai/openai-embedder.ts";
import { StaticEmbedder } from "../../src/platform/local/static-embedder.ts";
import { staticModel } from "../../src/platform/local/static-model.ts";
import { teamSets } from "../../test/evals/teams.ts";

const root = new URL("../../", import.meta.url);
const target = new URL("src/domain/embedding/measured-scales.ts", root);

type Embed = Pick<Embedder, "embed" | "maxBatch">;

const environment = z
  .object({
    EMBEDDINGS_URL: z.url({ protocol: /^https?$/ }).optional(),
    EMBEDDINGS_MODEL: z.string().min(1).optional(),
    EMBEDDINGS_DIMENSIONS: z.coerce.number<string>().int().min(1).max(1_536).optional(),
    EMBEDDINGS_API_KEY: z.string().min(1).optional(),
    EMBEDDINGS_BATCH: z.coerce.number().int().min(1).max(2_048).default(64),
  })
  .refine(({ EMBEDDINGS_URL, EMBEDDINGS_MODEL, EMBEDDINGS_DIMENSIONS }) => !EMBEDDINGS_URL || (EMBEDDINGS_MODEL && EMBEDDINGS_DIMENSIONS), {
    message: "EMBEDDINGS_URL needs EMBEDDINGS_MODEL and EMBEDDINGS_DIMENSIONS",
  });

const texts = z.object({ memories: z.array(z.object({ content: z.string(), language: z.string().optional(), key: z.string().optional() })) });

function chosenModel(): { name: string; embedder: Embed } {
  const { EMBEDDINGS_URL: url, EMBEDDINGS_MODEL: model = "", EMBEDDINGS_DIMENSIONS: dimensions = 0, EMBEDDINGS_API_KEY: apiKey, EMBEDDINGS_BATCH: maxBatch } = environment.parse(process.env);
  if (url) return { name: `${model}:${dimensions}`, embedder: new OpenAiEmbedder({ url, apiKey, model, dimensions, maxBatch }) };
  const { buffer, byteOffset, byteLength } = readFileSync(new URL("src/platform/local/static-model.bin", root));
  const builtIn = new StaticEmbedder(buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer);
  const name = `${staticModel.name}@${staticModel.revision}:${staticModel.dimensions}`;
  return { name, embedder: { maxBatch: 100, embed: (all) => Promise.resolve(all.map((text) => builtIn.embed(text))) } };
}

async function embedAll({ embed, maxBatch }: Embed, all: string[], kind: TextKind): Promise<Float32Array[]> {
  const vectors: Float32Array[] = [];
  for (let from = 0; from < all.length; from += maxBatch) vectors.push(...(await embed(all.slice(from, from + maxBatch), kind)));
  return vectors;
}

const quantile = (sorted: number[], share: number): string => (sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN).toFixed(3);
const spread = (values: number[]): string => {
  const sorted = values.toSorted((a, b) => a - b);
  return [0.05, 0.25, 0.5, 0.75, 0.95].map((share) => quantile(sorted, share)).join("  ");
};

function written(scales: Record<string, SimilarityScale>): string {
  const lines = Object.entries(scales).sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, { unrelated, related, pairs }]) => `  ${JSON.stringify(name)}: { unrelated: ${unrelated.toFixed(3)}, related: ${related.toFixed(3)}, pairs: ${pairs} },\n`);
  const source = readFileSync(target, "utf8");
  return source.replace(/(SimilarityScale>> = )\{[^]*?\};/, (_, head: string) => `${head}{\n${lines.join("")}};`);
}

const own = new URL("test/evals/sets", root).pathname;
const [folder = own] = process.argv.slice(2);
const files = folder === own ? teamSets.map((name) => `team-${name}.json`) : readdirSync(folder).filter((name) => /^team-.*\.json$/.test(name)).sort();
const memories = files.flatMap((name) => texts.parse(JSON.parse(readFileSync(`${folder}/${name}`, "utf8"))).memories);
const pairs = heldOutPairs(memories.map(({ content }) => ({ content })), memories.length);
const { name, embedder } = chosenModel();
const embed = { maxBatch: embedder.maxBatch, embed: embedder.embed.bind(embedder) };
const queries = await embedAll(embed, pairs.map(({ query }) => query), "query");
const passages = await embedAll(embed, pairs.map(({ passage }) => passage), "passage");
const scale = scaleFrom(queries, passages);

console.log(`${name}: ${pairs.length} pairs of ${memories.length} texts in ${files.join(", ") || folder}`);
console.log("cosines at     5%     25%    50%    75%    95%");
console.log(`of a pair    ${spread(queries.map((query, i) => cosine(query, passages[i] as Float32Array)))}`);
console.log(`of others    ${spread(queries.flatMap((query, i) => passages.flatMap((passage, j) => (i === j ? [] : [cosine(query, passage)]))))}`);
if (!scale) {
  console.error("No scale: too few pairs, or the model does not tell them from other texts. Nothing is written.");
  process.exit(1);
}
console.log(`unrelated ${scale.unrelated.toFixed(3)}, related ${scale.related.toFixed(3)}`);
// Of the built-in model only the present revision can be asked.
const others = Object.entries(measuredScales).filter(([other]) => !(other.startsWith(`${staticModel.name}@`) && name.startsWith(`${staticModel.name}@`)));
writeFileSync(target, written({ ...Object.fromEntries(others), [name]: scale }));
console.log(`Written to ${target.pathname}`);
