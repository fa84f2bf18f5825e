import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { citations, citesFilesOf, currentHashes, freshnessOf, normalPath } from "../../../src/domain/memories/citations.ts";
import { quickest } from "../../support/quickest.ts";
import { citation } from "./arbitrary.ts";

const hashesOf = (given: Record<string, string | null>) => currentHashes.parse(given);

describe("paths of citations", () => {
  test.each([
    ["./src/a.ts", "src/a.ts"],
    ["src\\lib\\a.ts", "src/lib/a.ts"],
    ["src//./a.ts/", "src/a.ts"],
    ["src/x/../a.ts", "src/a.ts"],
    ["../up.md", "../up.md"],
    ["/abs/a.ts", "/abs/a.ts"],
    ["C:\\work\\a.ts", "C:/work/a.ts"],
    ["gro\u0308\u00dfe.md", "gr\u00f6\u00dfe.md"],
  ])("%j is %j", (given, normal) => {
    expect(normalPath(given)).toBe(normal);
  });

  test("have one form, whatever they are, and are read in little time", () => {
    fc.assert(fc.property(fc.array(fc.constantFrom("a", "b c", ".", "..", "", "漢字", "/", "\\"), { maxLength: 12 }).map((parts) => parts.join("/")), (path) => {
      expect(normalPath(normalPath(path))).toBe(normalPath(path));
    }));
    for (const part of ["../", "./", "a", "字", "\\", " "]) {
      const ms = quickest(() => {
        citations.safeParse([{ path: part.repeat(10_000), hash: part.repeat(10_000) }]);
        normalPath(part.repeat(10_000));
      });
      expect(ms).toBeLessThan(50);
    }
  });

  test.each([
    [{ path: "" }], [{ path: "./" }], [{ path: "a\nb" }], [{ path: "a", lines: [9, 2] }], [{ path: "a", lines: [0, 2] }], [{ path: "a", hash: "" }], [{ path: "a", more: 1 }],
  ])("%j is refused", (bad) => {
    expect(citations.safeParse([bad]).success).toBe(false);
  });
});

describe("freshness", () => {
  test("a hash that is equal in any letter case is fresh, another drifted, null or nothing is gone, and silence says nothing", () => {
    const cited = citations.parse([{ path: "./a.ts", hash: "ABC1" }, { path: "b.ts", hash: "abc1" }, { path: "c.ts", hash: "x" }, { path: "d.ts", hash: "x" }, { path: "e.ts" }, { path: "f.ts" }, { path: "g.ts", hash: "x" }]);
    expect(freshnessOf(cited, hashesOf({ ".\\a.ts": "aBc1", "b.ts": "abc2", "c.ts": null, "d.ts": " ", "e.ts": "y", "f.ts": null }))).toEqual([
      { path: "a.ts", state: "fresh" }, { path: "b.ts", state: "drifted" }, { path: "c.ts", state: "orphaned" }, { path: "d.ts", state: "orphaned" }, { path: "f.ts", state: "orphaned" },
    ]);
  });

  test("each cited file has one state, and it is fresh only where every hash that it is cited with is the present one", () => {
    const current = fc.dictionary(fc.constantFrom("src", "a b.ts", "src/src"), fc.option(fc.constantFrom("aa", "BB"), { nil: null }), { noNullPrototype: true });
    const hash = fc.constantFrom("aa", "bb", undefined);
    const cited = fc.array(fc.record({ path: fc.constantFrom("src", "a b.ts", "src/src", "other"), hash }), { maxLength: 6 });
    fc.assert(fc.property(cited, current, (cited, given) => {
      const hashes = hashesOf(given);
      const states = freshnessOf(cited, hashes);
      expect(new Set(states.map(({ path }) => path)).size).toBe(states.length);
      for (const { path, state } of states) {
        const said = cited.filter((one) => one.path === path && one.hash !== undefined).map((one) => one.hash);
        expect(hashes.has(path)).toBe(true);
        expect(state).toBe(hashes.get(path) === null ? "orphaned" : said.every((one) => one === hashes.get(path)) ? "fresh" : "drifted");
      }
    }), { numRuns: 300 });
  });

  test("what the rule accepted once it accepts again, unchanged", () => {
    fc.assert(fc.property(fc.array(citation, { maxLength: 5 }), (said) => void expect(citations.parse(said)).toEqual(said)));
  });

  test("names that every object has are names of files, and more than a thousand files are refused", () => {
    expect(freshnessOf([{ path: "constructor", hash: "a" }, { path: "toString", hash: "a" }], hashesOf({ constructor: "b" }))).toEqual([{ path: "constructor", state: "drifted" }]);
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, "a"]));
    expect(currentHashes.safeParse(many(1_000)).success).toBe(true);
    expect(currentHashes.safeParse(many(1_001)).error?.issues[0]?.message).toContain("1000 files");
  });

  test.each([
    ["shop", "project:shop", true], ["shop", "session:shop/1", true], ["shop", "global", true], ["shop", "project:blog", false], ["shop", "session:blog/1", false], [undefined, "project:blog", true],
  ])("a client in %s judges what %s cites: %s", (project, namespace, judged) => {
    expect(citesFilesOf(project, { namespace })).toBe(judged);
  });
});
