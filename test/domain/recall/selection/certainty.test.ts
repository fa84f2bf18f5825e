import fc from "fast-check";
import { expect, test } from "vitest";
import { asksForSeveral } from "../../../../src/domain/recall/ranking/several.ts";
import { shownByDefault } from "../../../../src/domain/recall/selection/certainty.ts";
import type { Ranked } from "../../../../src/domain/recall/selection/select-results.ts";
import { certain, few, lead, promising } from "../../../../src/domain/recall/weights.ts";

type Asking = Parameters<typeof shownByDefault>[3];
const shownFor = (asking: Partial<Asking>, ...relevances: number[]): ReturnType<typeof shownByDefault> =>
  shownByDefault(relevances.map((relevance) => ({ relevance }) as Ranked), 10, "hybrid", { isAmongFew: false, asksSeveral: false, ...asking });
const shown = (...relevances: number[]): ReturnType<typeof shownByDefault> => shownFor({}, ...relevances);
const countFor = (asking: Partial<Asking>, ...relevances: number[]): number => relevances.filter((relevance) => relevance >= shownFor(asking, ...relevances).minRelevance).length;
const countOf = (...relevances: number[]): number => countFor({}, ...relevances);

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

test("a question for several things gets more beside a sure answer, and no more of what hardly answers [D5]", () => {
  expect(countFor({ asksSeveral: true }, 0.8, 0.06, 0.06, 0.02)).toBe(3);
  expect(countOf(0.8, 0.06, 0.06, 0.02)).toBe(1);
  expect(countFor({ asksSeveral: true }, 0.95, 0.02)).toBe(1);
});

test.each([
  "What are all the environment variables?", "What bugs were fixed across both projects?", "the complete tech stack", "How many times did we roll back?", "a list of every vendor", "Welche Dienste laufen auf allen Servern?",
  "Wie oft fiel der Build aus?", "tous les services", "¿Cuáles son todos los puertos?", "哪些服务用 Redis", "すべてのポート",
])("asks for several things: %s [D5]", (question) => {
  expect(asksForSeveral(question)).toBe(true);
});

test.each(["When is the all-hands?", "How does full-text search work?", "When is the migration complete?", "Which database do we use?", "mailing list address", "Wer leitet Kestrel?", "Redis 端口是多少"])("asks for one thing: %s [D5]", (question) => {
  expect(asksForSeveral(question)).toBe(false);
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
  expect(shownFor({ isAmongFew: true }, few.least)).toEqual({ minRelevance: few.least, limit: few.most, uncertain: true, leads: true });
  expect(shownFor({ isAmongFew: true }, lead.least)).toMatchObject({ minRelevance: lead.least, limit: lead.most });
});
