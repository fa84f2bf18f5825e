import { expect, test } from "vitest";
import { shownByDefault } from "../../../../src/domain/recall/selection/certainty.ts";
import type { Ranked } from "../../../../src/domain/recall/selection/select-results.ts";
import { certain, few, lead, promising, shownBeside } from "../../../../src/domain/recall/weights.ts";

const shown = (...relevances: number[]): ReturnType<typeof shownByDefault> => shownByDefault(relevances.map((relevance) => ({ relevance }) as Ranked), 10, "hybrid", false);

test("the best of a search decides how much is shown, and whether it is called certain [D5]", () => {
  expect(shown(certain, 0.2)).toEqual({ minRelevance: shownBeside, limit: 10, uncertain: false, leads: false });
  expect(shown(certain - 0.01)).toEqual({ minRelevance: shownBeside, limit: 10, uncertain: true, leads: false });
  expect(shown(promising)).toEqual({ minRelevance: shownBeside, limit: 10, uncertain: true, leads: false });
  expect(shown(promising - 0.01)).toEqual({ minRelevance: lead.least, limit: lead.most, uncertain: true, leads: true });
  expect(shown()).toMatchObject({ leads: true });
});

test("where few memories were searched, the best is a lead", () => {
  expect(shownByDefault([{ relevance: few.least } as Ranked], 10, "hybrid", true)).toEqual({ minRelevance: few.least, limit: few.most, uncertain: true, leads: true });
  expect(shownByDefault([{ relevance: lead.least } as Ranked], 10, "hybrid", true)).toMatchObject({ minRelevance: lead.least, limit: lead.most });
});
