import { expect, test } from "vitest";
import { cachedTokenizer } from "../../../src/platform/text-index/cached-tokenizer.ts";
import { Analyzer, contextFrequencyOf, ownFrequencyOf } from "../../../src/platform/text-index/term-bag.ts";

const split = (text: string): string[] => text.split(" ").filter((term) => term !== "");
const analyzer = new Analyzer({
  fields: { symbol: { weight: 3, lengthWeight: 0 }, body: { weight: 1 }, callers: { weight: 0.5, context: true } },
  resolution: 10,
  tokenize: split,
});
const read = (packed = 0): number[] => [ownFrequencyOf(packed), contextFrequencyOf(packed)];

test("each field counts with its weight, and the context apart from the document's own text", () => {
  const { terms, length } = analyzer.bagOf({ symbol: "getUser", body: "getUser reads user", callers: ["user main", "main"] });
  expect(read(terms.get("getUser"))).toEqual([40, 0]);
  expect(read(terms.get("user"))).toEqual([10, 5]);
  expect(read(terms.get("main"))).toEqual([0, 10]);
  // Three words of the body and three of callers; the symbol does not make it longer.
  expect(length).toBe(Math.ceil(3 + 3 * 0.5));
});

test("a word that is repeated very often stays within its bits", () => {
  const { terms } = analyzer.bagOf({ body: "x ".repeat(5_000), callers: "x ".repeat(5_000) });
  expect(read(terms.get("x"))).toEqual([1_023, 63]);
});

test("a text that is indexed again is tokenized once, until newer ones take its place", () => {
  const asked: string[] = [];
  const tokenize = cachedTokenizer((text) => {
    asked.push(text);
    return split(text);
  }, 20);
  for (const text of ["first text", "next", "first text", "some other text", "first text"]) expect(tokenize(text)).toEqual(split(text));
  expect(asked).toEqual(["first text", "next", "some other text", "first text"]);
});
