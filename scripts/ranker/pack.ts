import { digits, lowest, type PackedTrees } from "../../src/domain/recall/ranking/packed-trees.ts";
import type { TreeModel } from "../../src/domain/recall/ranking/trees.ts";

/** Three digits of a threshold, hundredths of a leaf: the bundle pays for each. @throws RangeError where the trees need more than their digits can say */
export function packed({ base, features, thresholds, leaves }: TreeModel): PackedTrees {
  const short = (value: number): number => Number(value.toPrecision(3));
  const nodes = features.flatMap((tree, t) => tree.map((feature, i) => ({ feature, threshold: short(thresholds[t]?.[i] as number) })));
  const width = Math.max(...nodes.map(({ feature }) => feature)) + 1;
  const used = Array.from({ length: width }, (_, feature) => [...new Set(nodes.flatMap((node) => (node.feature === feature ? [node.threshold] : [])))].sort((a, b) => a - b));
  return {
    base: Number(base.toFixed(2)),
    thresholds: used,
    nodes: nodes.map(({ feature, threshold }) => digit(feature) + digit((used[feature] as number[]).indexOf(threshold))).join(""),
    leaves: leaves.flat().map((value) => Math.round(value * 100) - lowest).map((value) => digit(Math.floor(value / digits.length)) + digit(value % digits.length)).join(""),
  };
}

function digit(value: number): string {
  const found = digits[value];
  if (found === undefined) throw new RangeError(`${value} is no digit of base64`);
  return found;
}
