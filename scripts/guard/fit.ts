/**
 * Fits the weights of what says that a passage gives orders to a model: a logistic regression over the cues of `order-cues.ts` and over
 * the words beside them, most of whose weights are zero. It learns from the halves of the evaluation sets that are not held and from the project's
 * own ordinary texts, and sets the threshold by what it says of texts it did not learn from.
 *
 *   node scripts/guard/fit.ts            prints, and writes src/domain/guard/order-weights.json
 *   node scripts/guard/fit.ts --dry      only prints
 *   node scripts/guard/fit.ts --judge    also how it does on the half of `guard-broad.json` that is kept apart: seldom, each look is a little leak
 *   node scripts/guard/fit.ts --misses   also what it gets wrong of the half that it may learn from
 */
import { writeFileSync } from "node:fs";
import { featureNames } from "../../src/domain/guard/order-features.ts";
import { type Example, examples, ordinaryPieces } from "./examples.ts";
import { fitOrders } from "./order-model.ts";

/** More words find a point more, keep back a point more of what only looks like an order, and take 1 KiB of the bundle for each 300. */
const mostWords = Number(process.env.WORDS ?? 550);
/** So often an ordinary text that looks like an order may be taken for one, and a piece of any other text. */
const allowed = { lookAlike: 0.03, piece: 0.007 };
const folds = 4;
/** Weights are rounded: those of words more, because there are many. */
const grid = { cue: 0.1, word: 0.25 };

const { learnt, judged } = examples();
const pieces = ordinaryPieces();
const isDry = process.argv.includes("--dry");
const orders = (list: readonly Example[]): Example[] => list.filter(({ isOrder }) => isOrder);
const others = (list: readonly Example[]): Example[] => list.filter(({ isOrder }) => !isOrder);

/** Each example as judged by a model that has not learnt from it. */
const unseen = Array.from({ length: folds }, (_, fold) => {
  const isIn = <T>(list: readonly T[]): T[] => list.filter((__, i) => i % folds === fold);
  const isOut = <T>(list: readonly T[]): T[] => list.filter((__, i) => i % folds !== fold);
  const model = fitOrders(isOut(learnt), isOut(pieces.learnt), mostWords);
  return [...isIn(learnt), ...isIn(pieces.learnt)].map((example) => ({ example, isPiece: example.language === "", top: model.top(example) }));
}).flat();
const quantile = (share: number, isPiece: boolean): number => {
  const tops = unseen.filter((one) => !one.example.isOrder && one.isPiece === isPiece).map(({ top }) => top).sort((a, b) => b - a);
  return tops[Math.floor(share * tops.length)] as number;
};
const [forLookAlikes, forPieces] = [quantile(allowed.lookAlike, false), quantile(allowed.piece, true)];
console.log(`thresholds: ${forLookAlikes.toFixed(2)} for look-alikes, ${forPieces.toFixed(2)} for pieces`);
const threshold = Math.max(forLookAlikes, forPieces);
const model = fitOrders(learnt, pieces.learnt, mostWords);

const share = (list: readonly { top: number }[]): string => `${((100 * list.filter(({ top }) => top > threshold).length) / Math.max(1, list.length)).toFixed(1)}% of ${list.length}`;
const shareOf = (list: readonly Example[]): string => share(list.map((example) => ({ top: model.top(example) })));
console.log(`folds: orders found ${share(unseen.filter(({ example }) => example.isOrder))}, ordinary ones taken for orders ${share(unseen.filter(({ example, isPiece }) => !example.isOrder && !isPiece))}, pieces ${share(unseen.filter(({ isPiece }) => isPiece))}`);
for (const set of ["", "broad-", "more-", "wide-", "rules-", "habits-"]) {
  const isOf = (kind: string) => unseen.filter(({ example }) => example.id.startsWith(`${set}${kind}/`));
  console.log(`  of ${set || "the first "}set: ${share(isOf("injection"))}, ${share(isOf("ordinary"))}`);
}
for (const [name, list] of [["learnt from", learnt], ["kept apart", process.argv.includes("--judge") ? judged : []]] as const) if (list.length > 0) console.log(`${name}: orders found ${shareOf(orders(list))}, ordinary ones taken for orders ${shareOf(others(list))}`);
console.log(`pieces of ordinary text: learnt from ${shareOf(pieces.learnt)}, kept apart ${shareOf(pieces.judged)}`);

const rounded = (value: number, step: number): number => Math.round(Math.round(value / step) * step * 100) / 100;
const cues = featureNames.map((name) => [name, rounded(model.weights.get(name) as number, grid.cue)] as const).filter(([, weight]) => weight !== 0);
/** By their weight. */
const words = new Map<number, string[]>();
for (const [name, weight] of model.weights) {
  const near = rounded(weight, grid.word);
  if (name.startsWith(":") && near !== 0) words.set(near, [...(words.get(near) ?? []), name.slice(1)]);
}
const byWeight = [...words].sort(([a], [b]) => a - b).map(([weight, list]) => [String(weight), list.sort().join("|")]);
const json = `${JSON.stringify({ threshold: rounded(threshold - model.bias, grid.cue), weights: Object.fromEntries(cues), words: Object.fromEntries(byWeight) })}\n`.replaceAll(/","/g, '",\n"');
console.log(`${cues.length} weights and ${[...words.values()].flat().length} of words in ${json.length} bytes`);
if (!isDry) writeFileSync(new URL("../../src/domain/guard/order-weights.json", import.meta.url), json);
if (process.argv.includes("--misses")) for (const { example, top } of unseen) if (example.isOrder !== top > threshold) console.log(example.isOrder ? "MISSED" : "ALARM ", example.id, JSON.stringify(example.text.slice(0, 160)));
