import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Candidate } from "../../../src/domain/recall/selection/candidate.ts";
import { dedupe } from "../../../src/domain/recall/selection/dedupe.ts";
import { containment, PairOverlap, WordOverlap, wordPairs } from "../../../src/domain/recall/selection/overlap.ts";
import { stopWords } from "../../../src/domain/text/query-terms.ts";
import { sameContent } from "../../../src/domain/recall/weights.ts";

const word = fc.constantFrom("heron", "lake", "the", "of", "boat", "north", "south", "wind", "morning", "fish", "café", "湖");
const text = fc.array(word, { maxLength: 30 }).map((words) => words.join(" "));
const texts = fc.array(text, { minLength: 2, maxLength: 8 });

describe("how much texts have in common", () => {
  test("is the share of telling words that two of them share, as sets count it [D5]", () => {
    fc.assert(
      fc.property(texts, (all) => {
        const overlaps = new WordOverlap(all.map((one) => ({ text: one })));
        const sets = all.map((one) => new Set(one.split(" ").filter((part) => part !== "" && !stopWords.has(part))));
        for (const [a, left] of sets.entries()) {
          for (const [b, right] of sets.entries()) {
            if (a === b) continue;
            const union = new Set([...left, ...right]).size;
            expect(overlaps.jaccard(a, b)).toBe(union === 0 ? 0 : [...left].filter((part) => right.has(part)).length / union);
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  test("never makes a repeat of a text whose word pairs no kept one holds, and of none that adds nothing two [D5]", () => {
    fc.assert(
      fc.property(texts, (all) => {
        const candidates = all.map((one, i): Candidate => ({ kind: "memory", id: `m${i}`, text: one, score: 1 - i / 10, at: 0 }));
        const { kept, repeats } = dedupe(candidates, 10);
        for (const { candidate, of } of repeats) {
          const isSame = candidate.text === of.text;
          expect(isSame || containment(wordPairs(candidate), new Set(wordPairs(of))) >= sameContent).toBe(true);
        }
        const shown = kept.map((candidate) => candidate.text).filter((one) => one !== "");
        expect(new Set(shown).size).toBe(shown.length);
      }),
      { numRuns: 500 },
    );
  });

  test("a long text that says most of another is always compared with it in full, whatever the rest is [D5]", () => {
    const seldom = fc.integer({ min: 0, max: 400 }).map((n) => `word${n}`);
    const many = fc.array(seldom, { minLength: 100, maxLength: 600 });
    fc.assert(
      fc.property(many, many, fc.array(fc.nat(), { maxLength: 40 }), (said, more, changes) => {
        const changed = [...said];
        for (const change of changes) changed[change % changed.length] = "other";
        const [part, whole] = [changed.join(" "), [...more, ...said].join(" ")].map((one) => ({ text: one }));
        const share = containment(wordPairs(part as { text: string }), new Set(wordPairs(whole as { text: string })));
        if (share >= sameContent) expect(new PairOverlap([part as { text: string }, whole as { text: string }], sameContent).mayHold(1, 0)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test("long texts that share few word pairs are not compared in full [D5]", () => {
    const parts = Array.from({ length: 20 }, (_, text) => Array.from({ length: 400 }, (_, i) => `w${text}x${i}`).join(" "));
    const overlap = new PairOverlap(parts.map((one, i) => ({ text: `${one} ${parts[(i + 1) % 20]?.slice(0, 300) ?? ""}` })), sameContent);
    for (let a = 0; a < 20; a += 1) for (let b = 0; b < 20; b += 1) expect(overlap.mayHold(a, b)).toBe(a === b);
  });
});
