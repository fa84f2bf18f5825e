import { featureNames, passagesOf } from "../../src/domain/guard/order-features.ts";
import type { Example } from "./examples.ts";
import { fitSparse, type Row } from "./sparse-logistic.ts";

/** An order is somewhere in its text: each round learns from the passage that the round before thinks is it. */
const rounds = 3;
const steps = 150;
/** What a weight costs for its size; half as much when only the chosen ones are fitted. */
const penalty = 0.00006;
/** In texts, of which an ordinary one that looks like an order counts a half and a piece of another text a quarter: fewer say nothing of a word. */
const leastSupport = 4;
const supportOf = { order: 1, lookAlike: 0.5, piece: 0.25 };
const weightOf = { order: 2, lookAlike: 2, piece: 1, hard: 1 };
/** Orders of the third set are worded to be hard to find: many of them have nothing that would tell. */
const hardOrders = { prefix: "more-", weight: 1.2 };
/** Rounds after the first learn those ordinary passages once more that look most like orders. */
const mostHard = 600;

export interface Model {
  weights: ReadonlyMap<string, number>;
  bias: number;
  /** Of the passage that looks most like an order. */
  top(example: Example): number;
}

interface Said {
  cues: number[];
  words: string[];
}

const read = new Map<Example, Said[]>();
function saidIn(example: Example): Said[] {
  const known = read.get(example) ?? passagesOf(example.text, () => true).map(({ features, said }) => ({ cues: featureNames.flatMap((_, i) => (features[i] ? [i] : [])), words: [...new Set(said.flatMap((parts) => [...parts]))] }));
  read.set(example, known);
  return known;
}
const isPiece = ({ language }: Example): boolean => language === "";

/** Of the words, the `most` that do most are kept, and all weights fitted to these anew. */
export function fitOrders(learnt: readonly Example[], pieces: readonly Example[], most: number): Model {
  const all = [...learnt, ...pieces];
  const ids = new Map<string, number>(featureNames.map((name, i) => [name, i]));
  const support = new Map<string, number>();
  for (const example of all) {
    const counts = example.isOrder ? supportOf.order : isPiece(example) ? supportOf.piece : supportOf.lookAlike;
    for (const word of new Set(saidIn(example).flatMap(({ words }) => words))) support.set(word, (support.get(word) ?? 0) + counts);
  }
  for (const [word, count] of support) if (count >= leastSupport) ids.set(`:${word}`, ids.size);
  const names = [...ids.keys()];
  const inputsOf = ({ cues, words }: Said): Int32Array => Int32Array.from([...cues, ...words.flatMap((word) => ids.get(`:${word}`) ?? [])]);
  const inputs = new Map(all.map((example) => [example, saidIn(example).map(inputsOf)] as const));
  let model: { weights: Float64Array; bias: number } = { weights: new Float64Array(names.length), bias: 0 };
  const score = (one: Int32Array): number => one.reduce((sum, input) => sum + (model.weights[input] as number), model.bias);

  const merged = new Map<string, Row>();
  for (const example of all.filter(({ isOrder }) => !isOrder)) {
    const said = (inputs.get(example) as Int32Array[]).filter(({ length }) => length > 0);
    const weight = ((isPiece(example) ? weightOf.piece : weightOf.lookAlike) * (example.times ?? 1)) / Math.sqrt(said.length);
    for (const one of said) {
      const name = one.join();
      const row = merged.get(name) ?? { inputs: one, isOrder: false, weight: 0 };
      row.weight += weight;
      merged.set(name, row);
    }
  }
  const quiet = [...merged.values()];
  const hardest = (): Row[] => quiet.map((row) => ({ row, top: score(row.inputs) })).sort((a, b) => b.top - a.top).slice(0, mostHard).map(({ row }) => ({ ...row, weight: weightOf.hard }));
  const orders = (): Row[] =>
    learnt.filter(({ isOrder }) => isOrder).flatMap((example): Row[] => {
      const [top] = [...(inputs.get(example) as Int32Array[])].sort((a, b) => score(b) - score(a) || b.length - a.length);
      return top ? [{ inputs: top, isOrder: true, weight: example.id.startsWith(hardOrders.prefix) ? hardOrders.weight : weightOf.order }] : [];
    });
  for (let round = 0; round < rounds; round += 1) model = fitSparse([...orders(), ...quiet, ...(round === 0 ? [] : hardest())], model, penalty, steps);

  const rows = [...orders(), ...quiet, ...hardest()];
  const uses = new Float64Array(names.length);
  for (const { inputs: said, isOrder, weight } of [...orders(), ...quiet]) for (const input of said) uses[input] = (uses[input] as number) + (isOrder ? 1 : weight / 2);
  const does = (input: number): number => Math.abs(model.weights[input] as number) * Math.sqrt(uses[input] as number);
  const words = names.map((_, i) => i).slice(featureNames.length).sort((a, b) => does(b) - does(a));
  const dropped = new Set(words.slice(most));
  const kept = (said: Int32Array): Int32Array => said.filter((input) => !dropped.has(input));
  const start = { weights: model.weights.map((weight, i) => (dropped.has(i) ? 0 : weight)), bias: model.bias };
  model = fitSparse(rows.map((row) => ({ ...row, inputs: kept(row.inputs) })), start, penalty / 2, steps);
  const final = model;
  return {
    weights: new Map(names.map((name, i) => [name, final.weights[i] as number])),
    bias: final.bias,
    top: (example) => Math.max(-99, ...saidIn(example).map((said) => inputsOf(said).reduce((sum, input) => sum + (final.weights[input] as number), final.bias))),
  };
}
