import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findTerms } from "../../../src/domain/recall/find-terms.ts";
import { indexTerms } from "../../../src/domain/text/query-terms.ts";

/** Letters, signs and endings that the fast path, the stemmer and the rules of Unicode treat each in their own way. */
const letters = fc.constantFrom(..."aeiouysdgnrtlAEIXY0129 .,-_=<'\n\t");
const others = fc.constantFrom("é", "e\u0301", "\u0338", "’", "日本語", "ー", "ß", "ﬁ", "½", "№", "\u00a0", "Я", "İ", "´", "ไทย");
const endings = fc.constantFrom("ies", "sses", "ing", "ed", "y", "ational", "ability", "ibly", "ization", "getUserId", "HTTPServer", " ays ", " eying ", " ties ");
const text = fc.array(fc.oneof({ weight: 6, arbitrary: letters }, others, endings), { maxLength: 60 }).map((parts) => parts.join(""));

describe("the terms of a question in a text", () => {
  test("are found where the index has them, whatever the text is made of [D5]", () => {
    fc.assert(
      fc.property(text, text, fc.array(fc.nat(), { maxLength: 6 }), (held, asked, picks) => {
        const terms = indexTerms(held);
        const pool = [...terms, ...indexTerms(asked)];
        const wanted = new Set(pool.length === 0 ? [] : picks.map((pick) => pool[pick % pool.length] as string));
        const hits = terms.flatMap((term, position) => (wanted.has(term) ? [{ term, position }] : []));
        expect(findTerms(held, wanted)).toEqual({ hits, count: terms.length });
      }),
      { numRuns: 2_000 },
    );
  });
});
