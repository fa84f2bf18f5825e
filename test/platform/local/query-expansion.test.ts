import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { termOf } from "../../../src/domain/text/query-terms.ts";
import { QueryExpansion } from "../../../src/platform/local/query-expansion.ts";
import { StaticEmbedder } from "../../../src/platform/local/static-embedder.ts";
import model from "../../../src/platform/local/static-model.bin";
import associations from "../../../src/platform/local/word-associations.bin";
import { WordAssociations } from "../../../src/platform/local/word-associations.ts";

const embedder = new StaticEmbedder(model);
const expansion = new QueryExpansion(embedder, new WordAssociations(associations, embedder.rows));

describe("what people say in place of a question's words", () => {
  test.each([
    ["How do I undo a faulty release?", ["revert", "deploy"]],
    ["Who is away with a newborn?", ["baby"]],
    ["Wann kündigen wir den Vertrag?", ["contract", "agreement"]],
    ["payment provider", ["adyen", "stripe"]],
  ])("%s", (question, words) => {
    expect(expansion.expand(question).map(termOf)).toEqual(expect.arrayContaining(words.map(termOf)));
  });

  test("nothing for words that say nothing, and for names", () => {
    expect(expansion.expand("what is it that they have of us")).toEqual([]);
    expect(expansion.expand("zqxflorb wuvmikkel")).toEqual([]);
  });

  test("at most 64 words for any text, each once", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary", maxLength: 200 }), fc.lorem({ maxCount: 40 }), fc.constant("contract release money people work house travel doctor food car school city".repeat(3))), (text) => {
        const words = expansion.expand(text);
        expect(words.length).toBeLessThanOrEqual(64);
        expect(new Set(words).size).toBe(words.length);
      }),
      { numRuns: 200 },
    );
  });
});
