import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Candidate } from "../../../../src/domain/recall/selection/candidate.ts";
import { diversify } from "../../../../src/domain/recall/selection/diversity.ts";

const candidate = (id: string, text: string, score: number, vector?: number[]): Candidate => ({
  kind: "memory", id, text, score, at: 0, ...(vector ? { vector: new Float32Array(vector) } : {}),
});

describe("diversity [A10]", () => {
  test("of what is about equally relevant, the new comes before the repeated", () => {
    const found = [candidate("a", "refund limit euros", 1), candidate("b", "refund limit euros month", 0.9), candidate("c", "approval by finance", 0.88)];
    expect(diversify(found).map(({ id }) => id)).toEqual(["a", "c", "b"]);
  });

  test("what is clearly more relevant stays above", () => {
    const found = [candidate("a", "refund limit euros", 1), candidate("b", "refund limit euros month", 0.9), candidate("c", "approval by finance", 0.4)];
    expect(diversify(found).map(({ id }) => id)).toEqual(["a", "b", "c"]);
  });

  test("meaning counts where vectors are known", () => {
    const found = [candidate("a", "car", 1, [1, 0]), candidate("b", "automobile", 0.9, [1, 0]), candidate("c", "whale", 0.89, [0, 1])];
    expect(diversify(found).map(({ id }) => id)).toEqual(["a", "c", "b"]);
  });

  test("the first stays first, nothing is lost, and below the depth nothing moves", () => {
    const text = fc.array(fc.constantFrom("a1", "b2", "c3", "d4", "e5"), { maxLength: 6 }).map((words) => words.join(" "));
    fc.assert(
      fc.property(fc.array(fc.tuple(text, fc.double({ min: 0, max: 1, noNaN: true })), { maxLength: 60 }), (entries) => {
        const found = entries.sort(([, a], [, b]) => b - a).map(([said, score], i) => candidate(String(i), said, score));
        const diverse = diversify(found);
        expect(diverse[0]).toBe(found[0]);
        expect(diverse.map(({ id }) => id).sort()).toEqual(found.map(({ id }) => id).sort());
        expect(diverse.slice(30)).toEqual(found.slice(30));
      }),
    );
  });

  test("the first few are the same, whether or not the rest is put in order", () => {
    const text = fc.array(fc.constantFrom("a1", "b2", "c3", "d4", "e5"), { maxLength: 6 }).map((words) => words.join(" "));
    fc.assert(
      fc.property(fc.array(fc.tuple(text, fc.double({ min: 0, max: 1, noNaN: true })), { maxLength: 60 }), fc.integer({ min: 1, max: 12 }), (entries, count) => {
        const found = entries.sort(([, a], [, b]) => b - a).map(([said, score], i) => candidate(String(i), said, score));
        const [few, all] = [diversify(found, { count }), diversify(found)];
        expect(few.slice(0, count).map(({ id }) => id)).toEqual(all.slice(0, count).map(({ id }) => id));
        expect(few.map(({ id }) => id).sort()).toEqual(found.map(({ id }) => id).sort());
      }),
    );
  });
});
