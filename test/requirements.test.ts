import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { citationsIn, citationsUnder, report, unknownIds } from "../scripts/requirements.ts";
import { requirements } from "./requirements.ts";

/** Written apart, so that the samples below do not count as citations of this file. */
const cited = (id: string): string => `[${id}]`;

describe("requirements as data [S8]", () => {
  test("every id is unique, well formed and in the order of its section", () => {
    const ids = requirements.map((row) => row.id);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
    for (const section of new Set(requirements.map((row) => row.section))) {
      const rows = requirements.filter((row) => row.section === section);
      expect(rows.map((row) => row.id)).toEqual(rows.map((_, at) => `${section[0]}${at + 1}`));
    }
  });

  test("no row of the features is missing, and every row says what counts", () => {
    const count = (letter: string): number => requirements.filter((row) => row.id.startsWith(letter)).length;
    expect(Object.fromEntries([..."ABCDEFUS"].map((letter) => [letter, count(letter)]))).toEqual(
      { A: 17, B: 5, C: 10, D: 6, E: 4, F: 9, U: 13, S: 17 },
    );
    expect(requirements.filter((row) => !row.title.trim() || !row.works.trim()).map((row) => row.id)).toEqual([]);
  });

  test("every id that a test cites exists", () => {
    const citations = citationsUnder(fileURLToPath(new URL(".", import.meta.url)));
    expect(citations.map((citation) => citation.id)).toContain("S8");
    expect(unknownIds(citations)).toEqual([]);
  });

  test("a citation of an unknown id is named with its file", () => {
    const citations = citationsIn(`test("${cited("B1")} ${cited("Z9")} a title", () => {});`, "test/some.test.ts");
    expect(unknownIds(citations)).toEqual([
      `test/some.test.ts cites Z9, which test/requirements.ts does not have ("[B1] [Z9] a title")`,
    ]);
  });

  test.each([
    ["a title's tail", `test("stores ${cited("A1")}", run);`, [["A1", false]]],
    ["a describe", `describe("${cited("A1")} x", () => { it("y", run); });`, [["A1", false]]],
    ["a template", `test(\`${cited("A1")} \${name} ${cited("B2")}\`, run);`, [["A1", false], ["B2", false]]],
    ["a table of tests", `test.each([[1]])("${cited("A1")} %s", run);`, [["A1", false]]],
    ["a table of titles", `const rows = [{ title: "x ${cited("A1")}" }];`, [["A1", false]]],
    ["a run without vitest", `heading("conformance ${cited("S1")}");`, [["S1", false]]],
    ["a skipped test", `test.skip("${cited("A1")} x", run);`, [["A1", true]]],
    ["a test in a skipped describe", `describe.skip("x", () => { test("${cited("A1")} y", run); });`, [["A1", true]]],
    ["a comment", `// ${cited("A1")}\nrun();`, []],
    ["an index", `rows${cited("A1")} = 1;`, []],
    ["the middle of other text", `log("see ${cited("A1")} first");`, []],
  ])("%s cites what it should", (_name, source, expected) => {
    expect(citationsIn(source, "x.test.ts").map(({ id, skipped }) => [id, skipped])).toEqual(expected);
  });

  test("the report names each row's tests, and counts the rows that have one", () => {
    const citation = { file: "test/x.test.ts", title: "stores", skipped: false };
    const lines = report([{ ...citation, id: "A1" }, { ...citation, id: "A1" }, { ...citation, id: "A2", skipped: true }]);
    const after = (id: string): string | undefined => lines[lines.findIndex((line) => line.startsWith(`  ${id} `)) + 1]?.trim();
    expect(after("A1")).toBe("test/x.test.ts: stores");
    expect(after("A2")).toBe("not yet");
    expect(lines.filter((line) => line.includes("test/x.test.ts"))).toHaveLength(1);
    expect(lines.at(-1)).toBe(`1 of ${requirements.length} requirements have tests, ${requirements.length - 1} not yet`);
  });
});
