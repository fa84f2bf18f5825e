import { inner, type TreeModel } from "./trees.ts";

/**
 * Trees as `model.json` holds them: the places of features and thresholds, and what the leaves say, as digits of base64
 * (RFC 4648 §4), tree by tree. Compressed it is four fifths of what decimal numbers are, and every start reads the bundle.
 */
export interface PackedTrees {
  base: number;
  /** By feature: the values it is split at. */
  thresholds: number[][];
  /** Two digits for each inner node: which feature it looks at, and at which of the feature's thresholds. */
  nodes: string;
  /** Two digits for each leaf: its value in hundredths, above `lowest`. */
  leaves: string;
}

export const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** In hundredths: 0 is in the middle of what two digits hold. */
export const lowest = -(digits.length ** 2) / 2;

export function unpacked({ base, thresholds, nodes, leaves }: PackedTrees): TreeModel {
  const pairs = (text: string): [number, number][] => (text.match(/../g) ?? []).map((pair) => [digits.indexOf(pair[0] as string), digits.indexOf(pair[1] as string)]);
  const byTree = <T>(all: T[], size: number): T[][] => Array.from({ length: all.length / size }, (_, tree) => all.slice(tree * size, (tree + 1) * size));
  const splits = byTree(pairs(nodes), inner);
  return {
    base,
    features: splits.map((tree) => tree.map(([feature]) => feature)),
    thresholds: splits.map((tree) => tree.map(([feature, at]) => thresholds[feature]?.[at] as number)),
    leaves: byTree(pairs(leaves).map(([high, low]) => (high * digits.length + low + lowest) / 100), inner + 1),
  };
}
