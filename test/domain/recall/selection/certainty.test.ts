import fc from "fast-check";
import { expect, test } from "vitest";
import { shownByDefault } from "../../../../src/domain/recall/selection/certainty.ts";
import type { Ranked } from "../../../../src/domain/recall/selection/select-results.ts";
import { certain, few, lead, promising } from "../../../../src/domain/recall/weights.ts";

const shown = (...relevances: number[]): ReturnType<typeof shownByDefault> => shownByDefault(relevances.map((relevance) => ({ relevance }) as Ranked), 10, "hybrid", false);
const countOf = (...relevances: number[]): number => relevances.filter((relevance) => relevance >= shown(...relevances).minRelevance).length;

test("the best of a search decides how much is shown, and whether it is called certain [D5]", () => {
  expect(shown(certain, 0.2)).toEqual({ minRelevance: 0.2, limit: 10, uncertain: false, leads: false });
  expect(shown(certain - 0.01)).toMatchObject({ uncertain: true, leads: false });
  expect(shown(promising)).toEqual({ minRelevance: promising, limit: 10, uncertain: true, leads: false });
  expect(shown(promising - 0.01)).toEqual({ minRelevance: lead.least, limit: lead.most, uncertain: true, leads: true });
  expect(shown()).toMatchObject({ leads: true });
});

test("beside a sure answer fewer are shown than beside one that may be it [D5]", () => {
  expect(countOf(0.95, 0.1, 0.1, 0.1)).toBe(1);
  expect(countOf(0.3, 0.1, 0.1, 0.1)).toBe(4);
  expect(countOf(0.95, 0.9, 0.02)).toBe(2);
});

test("whatever is shown, all that is as relevant is, and another memory never brings one back that is less so", () => {
  const relevance = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(fc.property(fc.array(relevance, { minLength: 1, maxLength: 30 }), relevance, (some, another) => {
    const best = Math.max(...some);
    if (best < promising) return;
    expect(shown(...some).minRelevance).toBeLessThanOrEqual(best);
    expect(shown(...some, another).minRelevance).toBeGreaterThanOrEqual(Math.min(another, shown(...some).minRelevance));
  }));
});

test("where few memories were searched, the best is a lead", () => {
  expect(shownByDefault([{ relevance: few.least } as Ranked], 10, "hybrid", true)).toEqual({ minRelevance: few.least, limit: few.most, uncertain: true, leads: true });
  expect(shownByDefault([{ relevance: lead.least } as Ranked], 10, "hybrid", true)).toMatchObject({ minRelevance: lead.least, limit: lead.most });
});
