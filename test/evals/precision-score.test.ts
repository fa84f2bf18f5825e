import { describe, expect, test } from "vitest";
import { type Belief, type Case, mainUser } from "./precision-cases.ts";
import { contextOf, scoreCase, scoreTurn } from "./precision-score.ts";

const belief = (_id: string, rest: Partial<Belief> = {}): Belief => ({
  _id, user_id: mainUser, type: "entity", canonical_name: _id, aliases: [], content: "", why_it_matters: "", scope: ["domain:code"],
  epistemic_status: "active", confidence: 1, pinned: false, resolved_at: null, superseded_by: null, ...rest,
});

const seed = new Map(
  [
    belief("redis"), belief("react"), belief("poem", { scope: ["domain:writing"] }),
    belief("database", { pinned: true }), belief("old", { pinned: true, resolved_at: "2026-01-01" }),
    belief("auth-question", { type: "open_question", pinned: true }),
    belief("auth-needs-redis", { type: "relation", participants: ["redis", "auth-question", "poem"] }),
  ].map((entry) => [entry._id, entry]),
);

const asked = (expected: string[] | undefined, rest: Partial<Case> = {}): Case => ({
  id: "case", category: "", userId: mainUser, scope: ["domain:code"], query: "?", maxBeliefs: 20,
  expect: expected ? { relevantBeliefs: { shouldOnlyInclude: expected } } : {}, ...rest,
});

const relevantOf = (one: Case, ranked: string[]): string[] => [...contextOf(one, ranked, seed).relevant];

describe("context of a PrecisionMemBench case", () => {
  test("what is pinned is there anyway and not looked for; pinned questions are not facts", () => {
    expect(relevantOf(asked([]), ["database", "auth-question", "react"])).toEqual(["auth-question", "react"]);
    expect([...contextOf(asked([]), [], seed).pinned]).toEqual(["database"]);
  });

  test("a relation brings those participants that are in scope and no questions", () => {
    expect(relevantOf(asked([]), ["auth-needs-redis"])).toEqual(["auth-needs-redis", "redis"]);
  });

  test("pinned facts and found ones share the budget", () => {
    expect(relevantOf(asked([], { maxBeliefs: 2 }), ["redis", "react"])).toEqual(["redis"]);
    expect(relevantOf(asked([], { maxBeliefs: 1 }), ["redis"])).toEqual([]);
  });
});

describe("score of a PrecisionMemBench case", () => {
  const score = (expected: string[], ranked: string[]) => scoreCase(asked(expected), contextOf(asked(expected), ranked, seed));

  test("nothing for nothing has no precision, anything for nothing has 0, nothing for something has 0", () => {
    expect(score([], [])).toEqual({ precision: undefined, recall: undefined, passed: true });
    expect(score([], ["redis"])).toEqual({ precision: 0, recall: undefined, passed: false });
    expect(score(["redis"], [])).toEqual({ precision: 0, recall: 0, passed: false });
  });

  test("junk costs precision, what is missing costs recall, both cost the pass", () => {
    expect(score(["redis"], ["redis", "react"])).toEqual({ precision: 0.5, recall: 1, passed: false });
    expect(score(["redis", "react"], ["redis"])).toEqual({ precision: 1, recall: 0.5, passed: false });
    expect(score(["redis"], ["redis", "redis"])).toEqual({ precision: 1, recall: 1, passed: true });
  });

  test("what must not surface fails the case, also as a pinned fact", () => {
    const one = asked(undefined, { expect: { relevantBeliefs: { mustExclude: ["database"] } } });
    expect(scoreCase(one, contextOf(one, [], seed)).passed).toBe(false);
  });

  test("in a session an empty answer has no precision", () => {
    const one = asked(["redis"]);
    expect(scoreTurn(one, contextOf(one, [], seed))).toEqual({ precision: undefined, recall: 0, passed: false });
  });
});
