import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { identifiers, oldWordsIn, phrases } from "../scripts/old-words.ts";

const words = (source: string, file = "src/x.ts"): string[] => oldWordsIn(source, file).map(({ word }) => word);

describe("the lint for old words [S12]", () => {
  test.each([
    ["a declaration", "export class WriteRace extends Error {}", ["WriteRace"]],
    ["a use", "throw new WriteRace();", ["WriteRace"]],
    ["a private member", "class A { #lenders = 1; }", ["lenders"]],
    ["a property", "const { withheld } = memory;", ["withheld"]],
    ["a comment", "/** Terms that neighbours lend. */\nexport const a = 1;", ["lend"]],
    ["a comment at the end of a line", "run(); // mends the index", ["mends"]],
  ])("finds %s", (_name, source, expected) => {
    expect(words(source)).toEqual(expected);
  });

  test.each([
    ["a longer name", "const withheldTax = lentils;"],
    ["the text of a string", 'const text = "he lent a book and withheld his name";'],
    ["a standard term", "throw new WriteConflict(); // the writer reads again"],
  ])("lets pass %s", (_name, source) => {
    expect(words(source)).toEqual([]);
  });

  test("reads documents as comments, and names the line", () => {
    expect(oldWordsIn("# Text\n\nA neighbour lends its words.", "docs/x.md")).toEqual([
      { file: "docs/x.md", line: 3, word: "lends", instead: expect.stringContaining("context") },
    ]);
  });

  test("no old word is a term of the glossary, and every replacement is", () => {
    const glossary = readFileSync(fileURLToPath(new URL("../docs/glossary.md", import.meta.url)), "utf8");
    for (const [old, instead] of Object.entries(identifiers)) {
      expect(Object.hasOwn(identifiers, instead), instead).toBe(false);
      expect(glossary, `the glossary's list of replaced names has ${old}`).toContain(`\`${old}\``);
    }
  });

  test("the project has none of them", () => {
    const root = fileURLToPath(new URL("..", import.meta.url));
    const files = ["src", "test", "scripts", "docs"].flatMap((folder) => readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name.replaceAll("\\", "/")}`));
    const found = files.filter((file) => /\.(?:tsx?|md)$/.test(file)).flatMap((file) => oldWordsIn(readFileSync(join(root, file), "utf8"), file));
    expect(found).toEqual([]);
    expect(phrases.length).toBeGreaterThan(0);
  });
});
