/**
 * Fits the weights of what says that a passage gives orders to a model: a logistic regression over the cues of `order-cues.ts` and over
 * pairs of them, most of whose weights are zero. It learns from the halves of the evaluation sets that are not held and from the project's
 * own ordinary texts, sets the threshold by what it says of texts it did not learn from, and prints how it does on the half of
 * `guard-broad.json` that it has not seen.
 *
 *   node scripts/guard/fit.ts            prints, and writes src/domain/guard/order-weights.json
 *   node scripts/guard/fit.ts --dry      only prints
 *   node scripts/guard/fit.ts --misses   also what it gets wrong of the half that it may learn from
 */
import { writeFileSync } from "node:fs";
import { featureNames, passagesOf } from "../../src/domain/guard/order-features.ts";
import { type Example, examples, ordinaryPieces } from "./examples.ts";
import { fitSparse, type Row } from "./sparse-logistic.ts";

/** An order is somewhere in its text: each round learns from the passage that the round before thinks is it. */
const rounds = 3;
const steps = 250;
/** What a weight costs for its size. */
const penalty = 0.00012;
/** A pair that fewer orders have says nothing. */
const leastSupport = 3;
/** A pair that weighs less is not worth its bytes. */
const leastPair = 0.2;
const weightOf = { order: 2, lookAlike: 2, piece: 1, hard: 1 };
/** Orders of the third set are worded to be hard to find: many of them have no cue that would tell. */
const hardOrders = { prefix: "more-", weight: 0.8 };
/** Rounds after the first learn those ordinary passages once more that look most like orders. */
const mostHard = 600;
/** So often an ordinary text that looks like an order may be taken for one, and a piece of any other text. */
const allowed = { lookAlike: 0.025, piece: 0.006 };
const folds = 5;

const names = featureNames;
const passages = new Map<Example, Uint8Array[]>();
function featuresOf(example: Example): Uint8Array[] {
  const known = passages.get(example) ?? passagesOf(example.text).map(({ features }) => features);
  passages.set(example, known);
  return known;
}

interface Model {
  pairs: [number, number][];
  weights: Float64Array;
  bias: number;
  top(example: Example): number;
}

function fit(learnt: readonly Example[], pieces: readonly Example[]): Model {
  const pairs = pairsOf(learnt.filter(({ isOrder }) => isOrder));
  const inputsOf = (features: Uint8Array): number[] => [
    ...names.flatMap((_, i) => (features[i] ? [i] : [])),
    ...pairs.flatMap(([a, b], i) => (features[a] && features[b] ? [names.length + i] : [])),
  ];
  const inputs = new Map<Uint8Array, number[]>();
  const cached = (features: Uint8Array): number[] => {
    const known = inputs.get(features) ?? inputsOf(features);
    inputs.set(features, known);
    return known;
  };
  let weights: Float64Array = new Float64Array(names.length + pairs.length);
  let bias = 0;
  const score = (one: readonly number[]): number => one.reduce((sum, input) => sum + (weights[input] as number), bias);
  const ordinary = (example: Example, weight: number): Row[] => featuresOf(example).map(cached).filter(({ length }) => length > 0).map((one, _, all) => ({ inputs: one, isOrder: false, weight: weight / Math.sqrt(all.length) }));
  const quiet = [...learnt.filter(({ isOrder }) => !isOrder).flatMap((one) => ordinary(one, weightOf.lookAlike)), ...pieces.flatMap((one) => ordinary(one, weightOf.piece))];
  const hardest = (): Row[] => quiet.map((row) => ({ row, top: score(row.inputs) })).sort((a, b) => b.top - a.top).slice(0, mostHard).map(({ row }) => ({ ...row, weight: weightOf.hard }));
  for (let round = 0; round < rounds; round += 1) {
    const orders = learnt.filter(({ isOrder }) => isOrder).flatMap((example): Row[] => {
      const [top] = featuresOf(example).map(cached).sort((a, b) => score(b) - score(a) || b.length - a.length);
      return top ? [{ inputs: top, isOrder: true, weight: example.id.startsWith(hardOrders.prefix) ? hardOrders.weight : weightOf.order }] : [];
    });
    ({ weights, bias } = fitSparse([...orders, ...quiet, ...(round === 0 ? [] : hardest())], weights.length, penalty, steps));
  }
  return { pairs, weights, bias, top: (example) => Math.max(-99, ...featuresOf(example).map((features) => score(cached(features)))) };
}

function pairsOf(orders: readonly Example[]): [number, number][] {
  const support = new Map<number, number>();
  for (const example of orders) {
    const said = featuresOf(example).flatMap((features) => names.flatMap((_, a) => (features[a] ? names.flatMap((__, b) => (b > a && features[b] ? [a * names.length + b] : [])) : [])));
    for (const pair of new Set(said)) support.set(pair, (support.get(pair) ?? 0) + 1);
  }
  return [...support].filter(([, count]) => count >= leastSupport).map(([pair]) => [Math.floor(pair / names.length), pair % names.length]);
}

const { learnt, judged } = examples();
const pieces = ordinaryPieces();
const orders = (list: readonly Example[]): Example[] => list.filter(({ isOrder }) => isOrder);
const others = (list: readonly Example[]): Example[] => list.filter(({ isOrder }) => !isOrder);

/** Each example as judged by a model that has not learnt from it. */
const unseen = Array.from({ length: folds }, (_, fold) => {
  const isIn = <T>(list: readonly T[]): T[] => list.filter((__, i) => i % folds === fold);
  const isOut = <T>(list: readonly T[]): T[] => list.filter((__, i) => i % folds !== fold);
  const model = fit(isOut(learnt), isOut(pieces.learnt));
  return [...isIn(learnt), ...isIn(pieces.learnt)].map((example) => ({ example, isPiece: example.language === "", top: model.top(example) }));
}).flat();
const quantile = (share: number, isPiece: boolean): number => {
  const tops = unseen.filter((one) => !one.example.isOrder && one.isPiece === isPiece).map(({ top }) => top).sort((a, b) => b - a);
  return tops[Math.floor(share * tops.length)] as number;
};
console.log(`thresholds: ${quantile(allowed.lookAlike, false).toFixed(2)} for look-alikes, ${quantile(allowed.piece, true).toFixed(2)} for pieces`);
const threshold = Math.max(quantile(allowed.lookAlike, false), quantile(allowed.piece, true));
const model = fit(learnt, pieces.learnt);

const share = (list: readonly { top: number }[]): string => `${((100 * list.filter(({ top }) => top > threshold).length) / Math.max(1, list.length)).toFixed(1)}% of ${list.length}`;
const shareOf = (list: readonly Example[]): string => share(list.map((example) => ({ top: model.top(example) })));
console.log(`folds: orders found ${share(unseen.filter(({ example }) => example.isOrder))}, ordinary ones taken for orders ${share(unseen.filter(({ example, isPiece }) => !example.isOrder && !isPiece))}, pieces ${share(unseen.filter(({ isPiece }) => isPiece))}`);
for (const set of ["", "broad-", "more-"]) {
  const isOf = (kind: string) => unseen.filter(({ example }) => example.id.startsWith(`${set}${kind}/`));
  console.log(`  of ${set || "the first "}set: ${share(isOf("injection"))}, ${share([...isOf("ordinary"), ...isOf("secret")])}`);
}
for (const [name, list] of [["learnt from", learnt], ["kept apart", judged]] as const) console.log(`${name}: orders found ${shareOf(orders(list))}, ordinary ones taken for orders ${shareOf(others(list))}`);
for (const language of ["en", "de", "zh", "ja", "fr", "es"]) {
  const spoken = judged.filter((one) => one.language === language);
  console.log(`  ${language}: ${shareOf(orders(spoken))}, ${shareOf(others(spoken))}`);
}
console.log(`pieces of ordinary text: learnt from ${shareOf(pieces.learnt)}, kept apart ${shareOf(pieces.judged)}`);

const rounded = (value: number): number => Math.round(value * 10) / 10;
const kept = (entries: (readonly [string, number])[]): Record<string, number> => Object.fromEntries(entries.map(([name, weight]) => [name, rounded(weight)] as const).filter(([, weight]) => weight !== 0));
const weights = kept(names.map((name, i) => [name, model.weights[i] as number] as const));
/** By their first feature. */
const pairs: Record<string, Record<string, number>> = {};
model.pairs.forEach(([a, b], i) => {
  const weight = rounded(model.weights[names.length + i] as number);
  if (Math.abs(weight) >= leastPair) (pairs[names[a] as string] ??= {})[names[b] as string] = weight;
});
const json = `${JSON.stringify({ threshold: rounded(threshold - model.bias), weights, pairs })}\n`.replaceAll(/\},"/g, '},\n"');
console.log(`${Object.keys(weights).length} weights and ${Object.values(pairs).flatMap(Object.keys).length} of pairs in ${json.length} bytes`);
if (!process.argv.includes("--dry")) writeFileSync(new URL("../../src/domain/guard/order-weights.json", import.meta.url), json);
if (process.argv.includes("--misses")) for (const { example, top } of unseen) if (example.isOrder !== top > threshold) console.log(example.isOrder ? "MISSED" : "ALARM ", example.id, JSON.stringify(example.text.slice(0, 160)));
