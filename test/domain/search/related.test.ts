import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Candidate } from "../../../src/domain/search/candidate.ts";
import { relate, type GraphSlice } from "../../../src/domain/search/related.ts";

const memory = (content: string, quarantined = false) => ({ key: null, content, trust: { quarantined } });
const slice: GraphSlice = {
  links: [
    { source: "a", target: "x", type: "references", strength: 0.3 },
    { source: "y", target: "a", type: "supersedes", strength: 0.9 },
    { source: "a", target: "hidden", type: "extends", strength: 1 },
  ],
  entities: [
    { id: "e1", name: "TypeScript", mentions: 15, memories: ["b", "x", "y"] },
    { id: "e2", name: "billing-api", mentions: 2, memories: ["b", "z"] },
    { id: "e3", name: "Everything", mentions: 400, memories: ["c", "z"] },
  ],
  memories: new Map([["x", memory("X")], ["y", memory("Y")], ["z", memory(`Z ${"long ".repeat(50)}`, true)]]),
};
const entity: Candidate = { kind: "entity", id: "e9", text: "PostgreSQL (technology)", score: 1, at: 0 };

describe("[D5] related items", () => {
  test("links come first, strongest first, read from the side of the memory", () => {
    expect(relate(["a"], slice).get("a")).toEqual([
      { kind: "memory", id: "y", title: "Y", why: "superseded by" },
      { kind: "memory", id: "x", title: "X", why: "references" },
    ]);
  });

  test("then what shares the rarest entity; titles are short and quarantine is shown", () => {
    const related = relate(["b"], slice).get("b");
    expect(related?.[0]).toMatchObject({ id: "z", why: "also about billing-api", quarantined: true });
    expect(related?.[0]?.title.length).toBeLessThanOrEqual(80);
    expect(related?.[1]).toMatchObject({ id: "x", why: "also about TypeScript" });
  });

  test("what everything mentions relates nothing", () => {
    expect(relate(["c"], slice)).toEqual(new Map());
  });

  test("an entity that matched is shown with the memory that tells it", () => {
    expect(relate(["c"], slice, new Map([["c", [entity]]])).get("c")).toEqual([{ kind: "entity", id: "e9", title: "PostgreSQL (technology)", why: "matched, told here" }]);
  });

  test("at most two each, nothing twice, nothing that the answer holds or the slice does not", () => {
    const id = fc.constantFrom("a", "b", "c", "x", "y", "z", "hidden");
    fc.assert(
      fc.property(fc.uniqueArray(id, { maxLength: 5 }), fc.array(fc.record({ source: id, target: id, type: fc.constant("extends"), strength: fc.double({ min: 0, max: 1 }) })), (answer, links) => {
        const all = [...relate(answer, { ...slice, links }).values()];
        const ids = all.flat().map((related) => related.id);
        for (const own of all) expect(own.length).toBeLessThanOrEqual(2);
        expect(new Set(ids).size).toBe(ids.length);
        for (const one of ids) {
          expect(answer).not.toContain(one);
          expect(slice.memories.has(one)).toBe(true);
        }
      }),
    );
  });
});
