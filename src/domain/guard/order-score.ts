import { featureNames, passagesOf } from "./order-features.ts";
import model from "./order-weights.json" with { type: "json" };

const indexOf = (name: string): number => {
  const index = featureNames.indexOf(name);
  if (index < 0) throw new Error(`order-weights.json names ${name}, which is no feature`);
  return index;
};
const single = new Float64Array(featureNames.length);
for (const [name, weight] of Object.entries(model.weights)) single[indexOf(name)] = weight;
/** By their first feature. */
const paired = featureNames.map((): [other: number, weight: number][] => []);
for (const [names, weight] of Object.entries(model.pairs)) {
  const [one, other] = names.split(" ").map(indexOf) as [number, number];
  (paired[one] as [number, number][]).push([other, weight]);
}

/** Of `order-weights.json`, which `scripts/guard/fit.ts` fits. */
function scoreOf(features: Uint8Array): number {
  let score = 0;
  for (let i = 0; i < features.length; i += 1) {
    if (!features[i]) continue;
    score += single[i] as number;
    for (const [other, weight] of paired[i] as [number, number][]) if (features[other]) score += weight;
  }
  return score;
}

/** The passages that, as a whole, order a model to do something. */
export const orderingPassages = (text: string): { start: number; end: number }[] =>
  passagesOf(text).filter(({ features }) => scoreOf(features) > model.threshold);
