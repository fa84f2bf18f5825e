import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { excerpt } from "../../../../src/domain/recall/presentation/excerpt.ts";
import { countTokens } from "../../../tools/o200k.ts";
import { texts } from "../../../tools/texts.ts";

const filler = (about: string): string => Array.from({ length: 12 }, (_, i) => `Remark ${i} on ${about} that nobody asked for.`).join(" ");

describe("previews show what was asked for [U5]", () => {
  const text = `${filler("weather")} The review took long. Refunds above 500 euros need approval by finance. It was Maria's idea. ${filler("lunch")}`;

  test("the sentences around the words, not the beginning", () => {
    const shown = excerpt(text, ["refund", "approval"], 40);
    expect(shown).toContain("Refunds above 500 euros need approval by finance.");
    expect(shown.startsWith("…")).toBe(true);
    expect(shown.endsWith("…")).toBe(true);
  });

  test("the window with most of the words, the rare ones first", () => {
    expect(excerpt(`Remark one. ${text}`, ["remark", "finance"], 40)).toContain("finance");
  });

  test("the paragraph about it, not the words of its neighbours", () => {
    const services = ["gateway", "email renderer", "fraud scorer", "tax calculator", "ledger"];
    const sections = services.map((name, n) =>
      `Section ${n}. About the ${name}.\nThe ${name} is written in Go and has ${n + 2} replicas. ${filler(name)} It has a cold start of ${n + 15} seconds. Its runbook is RB-20${n}.`);
    const manual = sections.join("\n\n");
    expect(excerpt(manual, ["cold", "start", "fraud", "scorer"], 60)).toMatch(/cold start of 17 seconds/);
    expect(excerpt(manual, ["runbook", "tax", "calculator"], 60)).toContain("RB-203");
    expect(excerpt(manual.replaceAll(/(About the .*)\.\n/g, "$1\n\n"), ["cold", "start", "fraud", "scorer"], 60), "under a heading").toMatch(/cold start of 17 seconds/);
  });

  test("the beginning when none of the words occurs, and the whole when it fits", () => {
    expect(excerpt(text, ["zebra"], 30)).toMatch(/^Remark 0/);
    expect(excerpt(text, [], 30)).toMatch(/^Remark 0/);
    expect(excerpt(text, ["refund"], 10_000)).toBe(text);
  });

  test("inside one endless sentence, at the beginning of a word", () => {
    const shown = excerpt(`${"lorem ipsum dolor ".repeat(200)} needle ${"sit amet ".repeat(200)}`, ["needle"], 40);
    expect(shown).toContain("needle");
    expect(shown).toMatch(/^…(?:lorem|ipsum|dolor) /);
  });

  test("sentences of Chinese, and lines of code", () => {
    expect(excerpt(`${"今天天气很好。".repeat(40)}退款超过五百欧元需要批准。${"今天天气很好。".repeat(40)}`, ["退款"], 60)).toContain("退款超过五百欧元需要批准。");
    expect(excerpt(`${"const a = 1;\n".repeat(60)}function getUserId() {}\n${"const b = 2;\n".repeat(60)}`, ["user"], 40)).not.toMatch(/^const a/);
  });

  test("never more than its room, of any text", () => {
    const any = fc.oneof(fc.constantFrom(...texts.map(([, sample]) => sample)), fc.string({ unit: "grapheme", maxLength: 400 }), fc.string({ unit: "binary", maxLength: 200 }));
    fc.assert(
      fc.property(any, fc.array(fc.constantFrom("refund", "the", "e", "用", "return", "1", "🦀"), { maxLength: 3 }), fc.integer({ min: 3, max: 120 }), (said, terms, tokens) => {
        expect(countTokens(excerpt(said, terms, tokens))).toBeLessThanOrEqual(tokens);
      }),
      { numRuns: 500 },
    );
  });
});
