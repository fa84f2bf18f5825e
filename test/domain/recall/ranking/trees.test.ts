import fc from "fast-check";
import { expect, test } from "vitest";
import { inner, Trees, type TreeModel } from "../../../../src/domain/recall/ranking/trees.ts";

const width = 4;
const eighths = fc.integer({ min: -40, max: 40 }).map((n) => n / 8);
const list = <T>(of: fc.Arbitrary<T>, length: number): fc.Arbitrary<T[]> => fc.array(of, { minLength: length, maxLength: length });
const model = fc.integer({ min: 1, max: 6 }).chain((count): fc.Arbitrary<TreeModel> => fc.record({
  base: eighths, features: list(list(fc.nat(width - 1), inner), count), thresholds: list(list(eighths, inner), count), leaves: list(list(eighths, inner + 1), count),
}));
const rows = fc.array(list(eighths, width).map((values) => Float32Array.from(values)), { maxLength: 8 });

/** As the model says it: at most the threshold goes left. */
function walked({ base, features, thresholds, leaves }: TreeModel, row: Float32Array): number {
  return leaves.reduce((sum, values, tree) => {
    let node = 0;
    while (node < inner) node = 2 * node + ((row[features[tree]?.[node] as number] as number) <= (thresholds[tree]?.[node] as number) ? 1 : 2);
    return sum + (values[node - inner] as number);
  }, base);
}

test("each candidate is scored by the leaves that its own values lead to, beside whatever others [D5]", () => {
  fc.assert(fc.property(model, rows, (trees, candidates) => {
    const scorer = new Trees(trees);
    expect(scorer.scores(candidates)).toEqual(candidates.map((row) => walked(trees, row)));
    expect(candidates.map((row) => scorer.score(row))).toEqual(scorer.scores(candidates));
  }));
});

test("what the features bring adds up to the score, with what the trees say of anything [U1]", () => {
  fc.assert(fc.property(model, rows, (trees, candidates) => {
    const scorer = new Trees(trees);
    const usual = trees.base + trees.leaves.reduce((sum, values) => sum + values.reduce((all, value) => all + value, 0) / values.length, 0);
    for (const row of candidates) expect(scorer.contributions(row).reduce((sum, part) => sum + part, usual)).toBeCloseTo(scorer.score(row), 3);
  }));
});
