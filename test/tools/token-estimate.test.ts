import fc from "fast-check";
import bpeRanks from "gpt-tokenizer/data/o200k_base.tiktoken?raw";
import { describe, expect, test } from "vitest";
import { inRankOrder, unpackTokens } from "../../src/domain/text/packed-tokens.ts";
import { packedTokens } from "../../src/domain/text/token-ranks.ts";
import { cutTo, estimateTokens, tokenOf } from "../../src/domain/text/token-count.ts";
import { countTokens } from "./o200k.ts";
import { prose, texts } from "./texts.ts";

const latin = fc.string({ unit: fc.constantFrom(..."abcdefghijklmnopqrstuvwxyz"), maxLength: 200 });
const identifier = fc.string({ unit: fc.constantFrom(..."abcXYZ_$0189"), maxLength: 120 });
const spacing = fc.string({ unit: fc.constantFrom(" ", "\n", "\t", "\r\n", "\u3000", "a", "1", "-"), maxLength: 200 });
const cjk = fc.string({ unit: fc.integer({ min: 0x3040, max: 0x9fff }).map((code) => String.fromCodePoint(code)), maxLength: 200 });
const anyText = fc.oneof(fc.string({ unit: "grapheme", maxLength: 300 }), fc.string({ unit: "binary", maxLength: 300 }), latin, identifier, spacing, cjk);

describe("the token estimate [U5]", () => {
  test.each(texts)("is never below what o200k takes, over %s", (_kind, text) => {
    expect(estimateTokens(text)).toBeGreaterThanOrEqual(countTokens(text));
  });

  test("is never below what o200k takes, over any text", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(estimateTokens(text)).toBeGreaterThanOrEqual(countTokens(text));
      }),
      { numRuns: 3_000 },
    );
  });

  test.each(prose)("is at most 30% above over English prose: %s", (_kind, text) => {
    expect(estimateTokens(text) / countTokens(text)).toBeLessThanOrEqual(1.3);
  });

  test("does not depend on what was counted before, nor on where a text stands among words", () => {
    fc.assert(
      fc.property(fc.array(anyText, { minLength: 2, maxLength: 6 }), (parts) => {
        const text = parts.join("a a");
        const counted = estimateTokens(text);
        // Strings of JSON end parts that are counted by themselves.
        estimateTokens(JSON.stringify({ text }));
        expect(estimateTokens(text)).toBe(counted);
        expect(estimateTokens(`${text}a ${text}a`)).toBe(estimateTokens(`${text}a`) + estimateTokens(` ${text}a`));
      }),
      { numRuns: 500 },
    );
  });

  // The clock of workerd stands still while code runs, so the limit of the test is the measure: by the square, it takes minutes.
  test("takes time in proportion to a text without spaces", { timeout: 5_000 }, () => {
    for (const unit of ["漢字", "zqx", "=-", "👨‍👩‍👧"]) expect(estimateTokens(unit.repeat(20_000))).toBeGreaterThan(20_000);
  });

  test("stands on the first tokens of the vocabulary (else: node scripts/token-ranks.ts)", () => {
    const kept = unpackTokens(packedTokens).map(tokenOf);
    const first = bpeRanks.split("\n", 256 + kept.length).slice(256).map((line) => atob(line.slice(0, line.indexOf(" "))));
    expect(kept.slice(0, inRankOrder)).toEqual(first.slice(0, inRankOrder));
    expect(new Set(kept)).toEqual(new Set(first));
  });
});

describe("a text cut to a budget [U5]", () => {
  test("keeps the budget, is a beginning of the text, and is whole when it fits", () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 150 }), (text, budget) => {
        const cut = cutTo(text, budget);
        expect(countTokens(cut)).toBeLessThanOrEqual(budget);
        if (estimateTokens(text) <= budget) expect(cut).toBe(text);
        else expect(text.startsWith(cut.slice(0, -1)) && cut.endsWith("…")).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  test("never splits a character", () => {
    for (let budget = 1; budget < 60; budget += 1) expect(cutTo("🦀🦜🐙".repeat(40), budget).isWellFormed()).toBe(true);
  });

  test("uses most of what it may", () => {
    for (const [, text] of prose) expect(countTokens(cutTo(text, 100))).toBeGreaterThan(65);
  });
});
