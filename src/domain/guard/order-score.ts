import type { Finding } from "./finding.ts";
import { featureNames, isTalk, type Passage, passagesOf } from "./order-features.ts";
import model from "./order-weights.json" with { type: "json" };

const indexOf = (name: string): number => {
  const index = featureNames.indexOf(name);
  if (index < 0) throw new Error(`order-weights.json names ${name}, which is no feature`);
  return index;
};
const single = new Float64Array(featureNames.length);
for (const [name, weight] of Object.entries(model.weights)) single[indexOf(name)] = weight;
const worth = new Map(Object.entries(model.words).flatMap(([weight, parts]) => parts.split("|").map((part) => [part, Number(weight)] as const)));
const isWorth = (part: string): boolean => worth.has(part);

/** Of `order-weights.json`, which `scripts/guard/fit.ts` fits. */
function scoreOf({ features, said }: Passage): number {
  let score = 0;
  for (let i = 0; i < features.length; i += 1) if (features[i]) score += single[i] as number;
  said.forEach((parts, i) => {
    for (const part of parts) if (!said.slice(0, i).some((before) => before.has(part))) score += worth.get(part) as number;
  });
  return score;
}

/** What an order does, by its features: the first of them that it has. */
const kinds: readonly (readonly [kind: string, ...of: (readonly string[])[]])[] = [
  ["an order to ignore instructions", ["override"], ["yourrules", "rules"]],
  ["concealment", ["kept", "hide"]],
  ["an order to send data away", ["send"], ["secrets", "context", "link"]],
  ["a change of role", ["role"], ["unbound"]],
  ["a made-up turn", ["turn", "template"]],
];
const indexed = kinds.map(([kind, ...needs]) => ({ kind, needs: needs.map((names) => names.map(indexOf)) }));
const kindOf = (features: Uint8Array): string => indexed.find(({ needs }) => needs.every((one) => one.some((index) => features[index] === 1)))?.kind ?? "an order to a model";

/** More is asked of an order in a talk, and in a long text, where some sentence looks like one by chance. */
const [inTalk, inLong] = [1.5, 0.6];
/** In UTF-16 units. */
const long = 800;

function orders(text: string): Passage[] {
  const threshold = model.threshold + (isTalk(text) ? inTalk : text.length > long ? inLong : 0);
  return passagesOf(text, isWorth).filter((one) => scoreOf(one) > threshold);
}

/** Without what introduces it ("The note says: …"), where the rest is an order by itself. */
function withoutLead(text: string, { start, end }: Passage): number {
  const colon = text.slice(start, end).search(/[:：]\s*\p{L}/u);
  const from = colon < 0 ? start : start + colon + 1;
  return from > start && orders(text.slice(from, end)).length > 0 ? from + text.slice(from).search(/\S/) : start;
}

/** Passages that order a model to do something; the shortest ones that do so by themselves. */
export function findOrders(text: string): Finding[] {
  const found = orders(text);
  const shortest = found.filter((one) => !found.some((other) => other !== one && one.start <= other.start && other.end <= one.end));
  return shortest.map((one) => ({ kind: kindOf(one.features), start: withoutLead(text, one), end: one.end }));
}
