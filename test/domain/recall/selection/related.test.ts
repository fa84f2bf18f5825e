import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Candidate } from "../../../../src/domain/recall/selection/candidate.ts";
import type { Tie } from "../../../../src/domain/graph/graph-store.ts";
import { relate as relateFor } from "../../../../src/domain/recall/selection/related.ts";

const relate = (answer: string[], drawn: Tie[], attached: Map<string, Candidate[]>) => relateFor(answer, drawn, attached, () => undefined);
const other = (id: string, content: string, quarantined = false): Tie["other"] => ({ id, key: null, content, quarantined, updatedBy: "grace", expiresAt: null });
const ties: Tie[] = [
  { source: "a", target: "x", type: "references", strength: 0.3, other: other("x", "X") },
  { source: "y", target: "a", type: "supersedes", strength: 0.9, other: other("y", "Y") },
  { source: "b", target: "z", type: "extends", strength: 1, other: other("z", `Z ${"long ".repeat(50)}`, true) },
];
const entity: Candidate = { kind: "entity", id: "e9", text: "PostgreSQL (technology)", score: 1, at: 0 };

describe("related items [D5]", () => {
  test("links come first, strongest first, read from the side of the memory", () => {
    expect(relate(["a"], ties, new Map()).get("a")).toEqual([
      { kind: "memory", id: "y", title: "Y", why: "superseded by" },
      { kind: "memory", id: "x", title: "X", why: "references" },
    ]);
  });

  test("titles are short and quarantine is shown", () => {
    const [related] = relate(["b"], ties, new Map()).get("b") ?? [];
    expect(related).toMatchObject({ id: "z", why: "extends", quarantined: true });
    expect(related?.title.length).toBeLessThanOrEqual(80);
  });

  test("who wrote what stands behind a link is told, unless it was the reader", () => {
    const [related] = relateFor(["b"], ties, new Map(), ({ updatedBy }) => `Dr ${updatedBy}`).get("b") ?? [];
    expect(related).toMatchObject({ id: "z", author: "Dr grace" });
  });

  test("an entity that matched is shown with the memory that tells it", () => {
    expect(relate(["c"], ties, new Map([["c", [entity]]])).get("c")).toEqual([{ kind: "entity", id: "e9", title: "PostgreSQL (technology)", why: "matched, told here" }]);
  });

  test("at most two each, nothing twice, nothing that the answer holds", () => {
    const id = fc.constantFrom("a", "b", "c", "x", "y", "z");
    const tie = fc.tuple(id, id, fc.double({ min: 0, max: 1, noNaN: true })).map(([source, target, strength]): Tie => ({ source, target, type: "extends", strength, other: other(target, target) }));
    fc.assert(
      fc.property(fc.uniqueArray(id, { maxLength: 5 }), fc.array(tie), (answer, drawn) => {
        const all = [...relate(answer, drawn, new Map()).values()];
        const ids = all.flat().map((related) => related.id);
        for (const own of all) expect(own.length).toBeLessThanOrEqual(2);
        expect(new Set(ids).size).toBe(ids.length);
        for (const one of ids) expect(answer).not.toContain(one);
      }),
    );
  });
});
