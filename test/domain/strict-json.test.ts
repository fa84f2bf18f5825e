import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseJson } from "../../src/domain/strict-json.ts";
import { json } from "./memories/arbitrary.ts";

const problemOf = (text: string): string => {
  try {
    parseJson(text);
    return "";
  } catch (error) {
    return (error as Error).message;
  }
};

/** Every character of the key as itself or as an escape. */
const spelled = fc.tuple(...[..."__proto__"].map((character) => {
  const hex = character.charCodeAt(0).toString(16);
  return fc.constantFrom(character, `\\u00${hex}`, `\\u00${hex.toUpperCase()}`);
})).map((parts) => parts.join(""));

describe("the parser of what comes from outside", () => {
  test("reads whatever JSON.stringify writes as JSON.parse does", () => {
    fc.assert(fc.property(json, fc.constantFrom(undefined, 2), (value, indent) => {
      const text = JSON.stringify(value, undefined, indent);
      expect(parseJson(text)).toEqual(JSON.parse(text));
    }), { numRuns: 2_000 });
  });

  test("refuses __proto__ as a key in every spelling and at every depth, and keeps it as text", () => {
    fc.assert(fc.property(spelled, fc.nat(5), fc.constantFrom("", " ", "\n\t "), (key, depth, space) => {
      const nested = (inner: string): string => '{"a":['.repeat(depth) + inner + "]}".repeat(depth);
      expect(problemOf(nested(`{"x":"\\\\","${key}"${space}:1}`))).toContain("__proto__");
      expect(parseJson(nested(`["${key}",": 1"]`))).toBeDefined();
      expect(parseJson(`{"text":"says \\"${key}\\": 1"}`)).toBeDefined();
    }));
  });

  test.each(["9007199254740993", "-9007199254740993", "1e999", "-1e999", "1e-999", "123456789012345678901234567890", "9007199254740993e0", "0.9007199254740993e16", "3.14159265358979323846264338", "1180591620717411303424"])(
    "refuses %s, which would become another number, and says where it stands",
    (written) => {
      for (const text of [`{"a":{"ticket":${written}}}`, `{"ticket":[1,"x",${written}]}`]) expect(problemOf(text)).toBe(`The number ${written} in "ticket" cannot be kept as it is written.`);
      expect(problemOf(written)).toContain("cannot be kept");
      expect(parseJson(`{"ticket":"${written}"}`)).toEqual({ ticket: written });
    },
  );

  test.each(["9007199254740992", "9007199254740994", "1e21", "1E+2", "0.10000000000000001", "1.0000000000000000000000", "100000000000000000000000", "5e-324", "1.7976931348623157e308", "-0.0", "0e999", "0.30000000000000004"])("keeps %s", (written) => {
    expect(parseJson(`[${written}]`)).toEqual([Number(written)]);
  });

  test("any double is kept as it is commonly written", () => {
    fc.assert(fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      for (const written of [String(value), value.toExponential(16), value.toPrecision(17)]) expect(problemOf(`[${written}]`) === "" || Number.isInteger(value), written).toBe(true);
      expect(problemOf(`[${JSON.stringify(value)}]`)).toBe("");
    }), { numRuns: 1_000 });
  });

  test("text that is no JSON is refused as such, however it ends", () => {
    for (const text of ["", "{", '{"__proto__":', '"\\', "[1e999", "__proto__", '{"__proto__" 1}']) expect(() => parseJson(text)).toThrow(SyntaxError);
  });

  test("long and deep texts are gone over once", () => {
    const deep = `${"[".repeat(500_000)}"__proto__"${"]".repeat(500_000)}`;
    expect(problemOf(deep)).toBe("");
    expect(problemOf(`["${"\\\\".repeat(1_000_000)}",1e999]`)).toContain("1e999");
    expect(problemOf(`[1${"0".repeat(1_000_000)}1]`)).toContain("cannot be kept");
  });
});
