import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { compileKeyPattern } from "../../src/platform/d1/key-pattern.ts";
import { newTeam, type Person } from "../support/team.ts";

/** The same, said with a regular expression. */
function model(pattern: string): RegExp {
  const escaped = pattern.split("*").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\/-]/g, "\\$&"));
  return new RegExp(`^${escaped.join("[^]*")}$`);
}

/** Few letters, so that patterns match often; some that mean something to GLOB, LIKE and regular expressions. */
const letter = fc.constantFrom("a", "b", ".", "a.b", "%", "_", "?", "[", "\\", "^", "$", "é", "漢", "🧠", "\u{10ffff}", "\ud7ff", "\ue000");
const keys = fc.array(letter, { minLength: 1, maxLength: 8 }).map((parts) => parts.join(""));
const patterns = fc.array(fc.oneof({ weight: 2, arbitrary: letter }, { weight: 1, arbitrary: fc.constant("*") }), { minLength: 1, maxLength: 8 }).map((parts) => parts.join(""));
const wildcards = patterns.filter((pattern) => pattern.includes("*"));

describe("key patterns [A1] [B1]", () => {
  test("match what a regular expression with .* in place of * would match", () => {
    fc.assert(
      fc.property(patterns, keys, (pattern, key) => {
        expect(compileKeyPattern(pattern).matches(key)).toBe(model(pattern).test(key));
      }),
      { numRuns: 5_000 },
    );
  });

  test("a key made from the pattern matches", () => {
    fc.assert(
      fc.property(wildcards, fc.array(keys, { minLength: 8, maxLength: 8 }), (pattern, fillings) => {
        let n = 0;
        expect(compileKeyPattern(pattern).matches(pattern.replaceAll("*", () => fillings[n++] ?? ""))).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  test("a hostile pattern takes no time", () => {
    const pattern = `${"*a".repeat(120)}*b`;
    const started = performance.now();
    for (let n = 0; n < 2_000; n += 1) expect(compileKeyPattern(pattern).matches("a".repeat(255))).toBe(false);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});

describe("look-up by pattern, through the database [A1] [B1]", () => {
  let ada: Person;
  let stored: string[];

  beforeAll(async () => {
    ada = (await newTeam()).owner;
    stored = [...new Set([...fc.sample(keys, { numRuns: 85, seed: 7 }), "a", "a.b", "a.b.c", "%", "_", "a\u{10ffff}b", "a\u{10ffff}", "\u{10ffff}", "\u{10ffff}a", "\ud7ff", "\ue000"])];
    const answer = await ada.call("omn_import_memories", { memories: stored.map((key) => ({ key, content: key })) });
    expect(answer.structured).toMatchObject({ created: stored.length });
  });

  test("finds exactly the matching keys, whatever characters they hold", async () => {
    await fc.assert(
      fc.asyncProperty(wildcards, async (pattern) => {
        const found = (await ada.recall({ key: pattern, limit: 1_000 }, Date.now())).map(({ memory }) => memory.key);
        expect(found.sort()).toEqual(stored.filter((key) => model(pattern).test(key)).sort());
      }),
      { numRuns: 150, examples: [["a*"], ["a\u{10ffff}*"], ["\u{10ffff}*"], ["\ud7ff*"], ["*\u{10ffff}"], ["%*"], ["_*"]] },
    );
  });

  test("goes on past the first five hundred candidates until enough match", async () => {
    const grace = (await newTeam()).owner;
    const memories = Array.from({ length: 1_000 }, (_, n) => ({ key: `log.${n}.${n === 3 ? "wanted" : "other"}`, content: `${n}` }));
    await grace.call("omn_import_memories", { memories: memories.slice(0, 500) });
    await grace.call("omn_import_memories", { memories: memories.slice(500) });
    expect((await grace.recall({ key: "log.*.wanted" }, Date.now())).map(({ memory }) => memory.content)).toEqual(["3"]);
    const page = await grace.call("read_memory", { pattern: "log.*" });
    expect((page.structured["memory"] as unknown[]).length).toBe(100);
  });
});
