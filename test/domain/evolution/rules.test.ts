import fc from "fast-check";
import { expect, test } from "vitest";
import { dayMs, type MemoryFacts } from "../../../src/domain/evolution/facts.ts";
import { evolutionOf } from "../../../src/domain/evolution/rules.ts";

const now = Date.UTC(2026, 10, 20, 12);
const facts = (given: Partial<MemoryFacts> = {}): MemoryFacts => {
  const createdAt = given.createdAt ?? now - 400 * dayMs;
  return {
    id: "a", version: 1, audience: "", importance: 0.5, tier: "episodic", isNamed: false, isLinked: false, isExpiring: false, createdAt, updatedAt: createdAt,
    changedAt: createdAt, accessCount: 0, accessedAt: null, baseImportance: 0.5, isHeld: false, ...given,
  };
};
const evolved = (given: Partial<MemoryFacts>, at = now, archive = true) => evolutionOf(facts(given), at, { archive });

test.each([
  ["what is a week old stays as it is", { createdAt: now - 7 * dayMs }, undefined],
  ["half a year without use costs some importance", { createdAt: now - 200 * dayMs }, { wish: { importance: 0.4 }, rules: ["importance"] }],
  ["two years cost more", { createdAt: now - 720 * dayMs }, { wish: { importance: 0.2 }, rules: ["importance"] }],
  ["use adds some, and knowledge is what is asked for again and again", { accessCount: 31, accessedAt: now }, { wish: { importance: 0.8, tier: "semantic" }, rules: ["importance", "promotion"] }],
  ["use of long ago counts less", { accessCount: 31, accessedAt: now - 180 * dayMs, tier: "semantic" }, undefined],
  ["what the words say is where it begins", { importance: 0.8, baseImportance: 0.8, createdAt: now - 720 * dayMs }, { wish: { importance: 0.5 }, rules: ["importance"] }],
  ["what a person said stays", { importance: 0.9, baseImportance: null, createdAt: now - 720 * dayMs }, undefined],
  ["of little importance, and a year untouched: archived", { importance: 0.2, baseImportance: null, createdAt: now - 366 * dayMs }, { wish: { archive: true }, rules: ["archival"] }],
  ["not a day earlier", { importance: 0.2, baseImportance: null, createdAt: now - 364 * dayMs }, undefined],
  ["nobody said so: after two years", { createdAt: now - 731 * dayMs }, { wish: { importance: 0.2, archive: true }, rules: ["importance", "archival"] }],
  ["read once", { importance: 0.2, baseImportance: null, createdAt: now - 800 * dayMs, accessCount: 1, accessedAt: now - 790 * dayMs }, undefined],
  ["named", { importance: 0.2, baseImportance: null, createdAt: now - 800 * dayMs, isNamed: true }, undefined],
  ["linked", { importance: 0.2, baseImportance: null, createdAt: now - 800 * dayMs, isLinked: true }, undefined],
  ["with an end of its own", { importance: 0.2, baseImportance: null, createdAt: now - 800 * dayMs, isExpiring: true }, undefined],
  ["what somebody undid", { createdAt: now - 800 * dayMs, isHeld: true }, undefined],
] as const)("%s", (_, given, wanted) => {
  expect(evolved(given)).toEqual(wanted);
});

test("where nothing may be archived, it is not", () => {
  expect(evolved({ importance: 0.2, baseImportance: null, createdAt: now - 800 * dayMs }, now, false)).toBeUndefined();
});

test("a clock that was put back changes nothing, and one that jumps forward moves importance by its formula only", () => {
  expect(evolved({ changedAt: now + 1 })).toBeUndefined();
  expect(evolved({ createdAt: now - 10 * dayMs }, now + 36_500 * dayMs, false)?.wish).toEqual({ importance: 0.2 });
});

const anyFacts = fc.record({
  importance: fc.constantFrom(0, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1),
  baseImportance: fc.constantFrom(null, 0, 0.2, 0.5, 0.9, 1),
  tier: fc.constantFrom("episodic" as const, "semantic" as const),
  createdAt: fc.integer({ min: now - 1_500 * dayMs, max: now }),
  accessCount: fc.nat(100),
  accessedAt: fc.option(fc.integer({ min: now - 1_000 * dayMs, max: now + 5 * dayMs })),
  isNamed: fc.boolean(),
  isLinked: fc.boolean(),
  isExpiring: fc.boolean(),
});

test("asked again at the same instant, the rules want nothing more, and importance stays between 0 and 1", () => {
  fc.assert(
    fc.property(anyFacts, (given) => {
      const before = facts(given);
      const evolution = evolutionOf(before, now, { archive: true });
      if (!evolution || evolution.wish.archive) return;
      const { importance = before.importance, tier = before.tier } = evolution.wish;
      expect(importance).toBeGreaterThanOrEqual(0);
      expect(importance).toBeLessThanOrEqual(1);
      const after = { ...before, importance, tier, version: 2, changedAt: now };
      expect(evolutionOf(after, now, { archive: true })).toBeUndefined();
    }),
    { numRuns: 2_000 },
  );
});
