import type { SimilarityScale } from "./similarity-scale.ts";
import { formerSpace } from "./vector-space.ts";

/** By model, with its revision if it has one, and dimension. Written by scripts/ranker/scale.ts; none is guessed. */
export const measuredScales: Readonly<Record<string, SimilarityScale>> = {
  "@omnimemory/static@3878cf021f5a:192": { unrelated: 0.265, related: 0.391, pairs: 443 },
};

/** The scale that comes with the model of the space, whoever runs it. */
export function measuredScale(space: string): SimilarityScale | undefined {
  const model = (formerSpace(space) ?? space).replace(/^[^:]*:/, "");
  return Object.hasOwn(measuredScales, model) ? measuredScales[model] : undefined;
}
