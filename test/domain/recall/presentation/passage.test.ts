import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findTerms } from "../../../../src/domain/recall/find-terms.ts";
import { passage } from "../../../../src/domain/recall/presentation/passage.ts";
import { unitsOf } from "../../../../src/domain/recall/presentation/text-units.ts";
import { queryTerms } from "../../../../src/domain/text/query-terms.ts";
import { estimateTokens } from "../../../../src/domain/text/token-count.ts";
import { countTokens } from "../../../tools/o200k.ts";
import { texts } from "../../../tools/texts.ts";

/** Words of a question, each rarer than the one before. */
const weightsOf = (question: string): Map<string, number> => new Map(queryTerms(question).map(({ term }, i) => [term, 1 + i]));
const remarks = (about: string, count = 12): string => Array.from({ length: count }, (_, i) => `Remark ${i} on ${about} that nobody asked for.`).join(" ");

describe("a passage of a long text [U5]", () => {
  const text = `${remarks("weather")} The review took long. Refunds above 500 euros need approval by finance. It was Maria's idea. ${remarks("lunch")}`;

  test("is the sentences around the question's words", () => {
    const shown = passage(text, weightsOf("approval of refunds"), 60);
    expect(shown).toContain("The review took long. Refunds above 500 euros need approval by finance.");
    expect(shown).toMatch(/^….*…$/s);
  });

  test("prefers the rare word over the common one, wherever the common one stands", () => {
    expect(passage(`Remark one. ${text}`, new Map([["remark", 0.5], ["financ", 5]]), 40)).toContain("finance");
  });

  test("shows a second place where other words of the question stand", () => {
    const shown = passage(`${remarks("weather", 20)}\n\nThe gateway restarts at noon.\n\n${remarks("lunch", 20)}\n\nIts certificate is from Umbra.\n\n${remarks("tea", 20)}`, weightsOf("gateway certificate"), 120);
    expect(shown).toContain("The gateway restarts at noon.");
    expect(shown).toContain("Its certificate is from Umbra.");
    expect(shown.split("…")).toHaveLength(4);
  });

  test("ends before a heading or label of what is not shown", () => {
    const text = `${remarks("weather")}\n## Locking\nThe job locks rows by their ids.\n## Rollout\n${remarks("lunch")}`;
    expect(passage(text, weightsOf("locks rows"), 40)).toMatch(/ids\.…$/);
    expect(passage(text.replace("## Rollout\n", "Rollout. "), weightsOf("locks rows"), 40)).toMatch(/ids\.…$/);
  });

  test("has no border behind the number of a day or of a list's entry", () => {
    const text = "Pflicht (12. Mai) ist das ab dem 1. Januar 2028. Actions: 1. Page on age. 2. Write the runbook.\n1. One\n2. Two";
    const shown = unitsOf(text, { tokens: 50, shift: 0 }).map(({ start, end }) => text.slice(start, end).trim());
    expect(shown).toEqual(["Pflicht (12. Mai) ist das ab dem 1. Januar 2028.", "Actions: 1. Page on age.", "2. Write the runbook.", "1. One", "2. Two"]);
  });

  test("is the opening where no word of the question stands", () => {
    expect(passage(text, weightsOf("zebra"), 60)).toMatch(/^Remark 0 on weather that nobody asked for\. Remark 1.*…$/s);
    expect(passage(text, new Map(), 60)).toMatch(/^Remark 0/);
  });

  test("is the whole where that fits", () => {
    expect(passage("  Short.\n", weightsOf("short"), 60)).toBe("  Short.\n");
  });

  test("keeps a block of code, its identifiers and a table's line in one piece", () => {
    const code = "```ts\nexport function chargeCustomer(id: string) {\n\n  return gateway.charge(id);\n}\n```";
    const shown = passage(`${remarks("weather")}\n\n${code}\n\n${remarks("lunch")}`, weightsOf("charge gateway"), 80);
    expect(shown).toContain(code);
    const row = "| eu-west-1 | db.r6g.large | primary-writer-0 |";
    expect(passage(`${"| us-east-1 | db.t3.small | replica-7 |\n".repeat(40)}${row}\n${"| us-east-2 | db.t3.small | replica-9 |\n".repeat(40)}`, weightsOf("primary writer"), 60)).toContain(row);
  });

  test("of one endless sentence begins and ends between words, and of a sentence in Chinese between clauses", () => {
    const endless = passage(`${"lorem ipsum dolor ".repeat(200)}needle ${"sit amet ".repeat(200)}`, weightsOf("needle"), 40);
    expect(endless).toMatch(/^…(?:lorem|ipsum|dolor) .*\bneedle\b.* (?:sit|amet)…$/);
    expect(passage(`${"今天天气很好，".repeat(60)}退款超过五百欧元需要批准，${"今天天气很好，".repeat(60)}`, weightsOf("退款"), 60)).toContain("退款超过五百欧元需要批准，");
  });
});

describe("a passage of any text [U5]", () => {
  const word = fc.constantFrom("blue", "refund", "数据库", "каталог", "getUserId()", "0x9f86d081", "Apex.", "gateway,", "🦀", "…", "\n", "\n\n", "```\n", "# Head\n", "退款超过五百欧元需要批准", "- item");
  const any = fc.oneof(
    fc.array(word, { minLength: 1, maxLength: 200 }).map((words) => words.join(" ")),
    fc.constantFrom(...texts.map(([, sample]) => sample)),
    fc.string({ unit: "grapheme", maxLength: 400 }),
    fc.string({ unit: "binary", maxLength: 200 }),
  );
  const asked = fc.uniqueArray(fc.constantFrom("blue", "refund", "数据库", "каталог", "user", "apex", "gateway", "item", "退款", "批准", "the", "return", "1"), { maxLength: 5 });

  test("is made of its parts in their order, holds its heaviest word of the question, and keeps to its tokens", () => {
    fc.assert(
      fc.property(any, asked, fc.integer({ min: 30, max: 250 }), (text, words, tokens) => {
        const weights = weightsOf(words.join(" "));
        const shown = passage(text, weights, tokens);
        expect(countTokens(shown)).toBeLessThanOrEqual(tokens);
        if (estimateTokens(text) <= tokens) return void expect(shown).toBe(text);
        let from = 0;
        for (const part of shown.split("…").map((piece) => piece.trim())) {
          const at = text.indexOf(part, from);
          expect(at, part).toBeGreaterThanOrEqual(0);
          from = at + part.length;
        }
        const wanted = new Set(weights.keys());
        const termsOf = (said: string): string[] => [...new Set(findTerms(said, wanted).hits.map(({ term }) => term))].sort((a, b) => (weights.get(b) as number) - (weights.get(a) as number));
        const [heaviest] = termsOf(text);
        if (heaviest !== undefined) expect(termsOf(shown)).toContain(heaviest);
      }),
      { numRuns: 500 },
    );
  });
});
