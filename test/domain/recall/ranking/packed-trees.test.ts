import fc from "fast-check";
import { expect, test } from "vitest";
import { packed } from "../../../../scripts/ranker/pack.ts";
import { unpacked } from "../../../../src/domain/recall/ranking/packed-trees.ts";
import { inner, type TreeModel } from "../../../../src/domain/recall/ranking/trees.ts";

const hundredths = (most: number): fc.Arbitrary<number> => fc.integer({ min: -most, max: most }).map((n) => n / 100);
const list = <T>(of: fc.Arbitrary<T>, length: number): fc.Arbitrary<T[]> => fc.array(of, { minLength: length, maxLength: length });
const model = fc.integer({ min: 1, max: 4 }).chain((count): fc.Arbitrary<TreeModel> => fc.record({
  base: hundredths(1_000), features: list(list(fc.nat(63), inner), count), thresholds: list(list(hundredths(9), inner), count), leaves: list(list(hundredths(2_047), inner + 1), count),
}));

test("the models are read as they were fitted [D5]", () => {
  fc.assert(fc.property(model, (trees) => {
    expect(unpacked(packed(trees))).toEqual(trees);
  }));
});

test("a model that its digits cannot say is not written [D5]", () => {
  const tree = (feature: number, leaf: number): TreeModel => ({ base: 0, features: [Array.from({ length: inner }, () => feature)], thresholds: [Array.from({ length: inner }, () => 0)], leaves: [Array.from({ length: inner + 1 }, () => leaf)] });
  expect(() => packed(tree(64, 0))).toThrow(RangeError);
  expect(() => packed(tree(0, 21))).toThrow(RangeError);
});
