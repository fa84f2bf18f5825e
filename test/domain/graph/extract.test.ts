import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { extract, type Hints } from "../../../src/domain/graph/extract/extract.ts";
import { loadLexicon } from "../../../src/domain/graph/extract/lexicon.ts";
import { quickest } from "../../support/quickest.ts";
import { sentences } from "./sentences.ts";

const at = Date.UTC(2026, 10, 20);
const lexicon = loadLexicon();
const draw = (text: string, hints: Partial<Hints> = {}) => extract(text, { at, dated: false, ...hints }, lexicon);

describe("what is drawn from a sentence", () => {
  test.each(sentences)("%s", (text, entities, relationships = [], absent = []) => {
    const drawn = draw(text, { project: "shop" });
    expect(drawn.entities.map(({ name, type }) => `${name}:${type}`)).toEqual(expect.arrayContaining(entities));
    expect(drawn.relationships.map(({ source, type, target }) => `${source} ${type} ${target}`)).toEqual(expect.arrayContaining(relationships));
    if (relationships.length === 0) expect(drawn.relationships.map(({ type }) => type)).toEqual([]);
    const names = drawn.entities.flatMap(({ name, aliases }) => [name, ...aliases]);
    for (const name of absent) if (!entities.some((entity) => entity.startsWith(`${name}:`)) && name !== "AWS") expect(names).not.toContain(name);
  });
});

describe("one thing under several names", () => {
  test("is one entity when the text says so, by its long name", () => {
    expect(draw("Kubernetes (k8s) is here. k8s restarts. KUBERNETES again.").entities).toMatchObject([{ name: "Kubernetes", aliases: ["k8s"] }]);
    expect(draw("AWS is dear. Amazon Web Services (AWS) bills monthly.").entities).toMatchObject([{ name: "Amazon Web Services", aliases: ["AWS"] }]);
  });
  test("whatever case, hyphens and dots do not tell apart", () => {
    expect(draw("Node.js and NodeJS; user_id and userId.").entities).toHaveLength(2);
  });
  test("and two when the text does not say so", () => {
    expect(draw("Kubernetes and k8s.").entities.map(({ aliases }) => aliases)).toEqual([[], []]);
  });
  test("numbers are told apart", () => {
    expect(draw("Node 1.2 and Node 12.").entities.map(({ name }) => name).sort()).toEqual(["Node", "Node 1.2", "Node 12"]);
  });
});

describe("when it holds", () => {
  const when = (text: string, hints: Partial<Hints> = {}) => draw(text, hints).relationships[0];
  test("since opens, until closes", () => {
    expect(when("Bob works at Google since 2024-05-01.")).toMatchObject({ temporalContext: "since 2024-05-01", validFrom: Date.UTC(2024, 4, 1), validTo: null });
    expect(when("Bob worked at Google from 2020 until March 2022.")).toMatchObject({ validFrom: Date.UTC(2020, 0), validTo: Date.UTC(2022, 3) });
  });
  test("what is said of a day counts from the day of the memory", () => {
    expect(when("Bob joined Google yesterday.")).toMatchObject({ temporalContext: "yesterday", validFrom: Date.UTC(2026, 10, 19) });
    expect(when("Bob joined Google last year.")).toMatchObject({ validFrom: Date.UTC(2025, 0), validTo: null });
    expect(when("Bob joined Google 3 days ago.")).toMatchObject({ validFrom: Date.UTC(2026, 10, 17) });
  });
  test("a memory that has a day but no date in it says that day", () => {
    expect(when("Bob works at Google.", { dated: true })).toMatchObject({ temporalContext: "2026-11-20", validFrom: null, validTo: null });
    expect(when("Bob works at Google.")).toMatchObject({ temporalContext: null });
  });
  test("a date beyond a semicolon belongs to something else", () => {
    expect(when("Bob works at Google; the office opened in 2019.")).toMatchObject({ temporalContext: null });
  });
  test("a day that no calendar has is no date", () => {
    expect(draw("Due 2026-02-31.").entities).toEqual([]);
  });
});

describe("whatever the text", () => {
  const piece = fc.oneof(
    fc.constantFrom("Alice", "uses", "Redis", ",", "and ", "(k8s)", "was replaced by ", "aka ", "[[", "`", "src/", "a.b", "@1.2", "…", "\n", "\n- ", "'s", "2026-", "-", "_", "::", "https://", "Dr. ", "from ", " to ", "\u0301", "🦀", "数据库", "A", "é"),
    fc.string(),
    fc.string({ unit: "binary" }),
  );
  const hostile = fc.array(fc.tuple(piece, fc.integer({ min: 1, max: 3_000 })), { minLength: 1, maxLength: 6 }).map((parts) => parts.map(([text, n]) => text.repeat(n)).join("").slice(0, 20_000));

  test("few things are drawn, each named in it, ends of relationships among them, and in time", () => {
    const started = performance.now();
    let slowest = 0;
    fc.assert(
      fc.property(hostile, (text) => {
        const began = performance.now();
        const { entities, relationships } = draw(text);
        slowest = Math.max(slowest, performance.now() - began);
        expect(entities.length).toBeLessThanOrEqual(20);
        expect(relationships.length).toBeLessThanOrEqual(10);
        const names = new Set(entities.map(({ name }) => name));
        for (const { name, confidence } of entities) {
          expect(name.trim()).not.toBe("");
          expect(name.length).toBeLessThanOrEqual(400);
          expect(confidence > 0 && confidence <= 1).toBe(true);
        }
        for (const { source, target } of relationships) expect(names.has(source) && names.has(target)).toBe(true);
      }),
      { numRuns: 200 },
    );
    expect(performance.now() - started).toBeLessThan(25_000);
  }, 60_000);

  test.each(["Alice uses Redis and ", "Alice, ", "Alice and ", "Mr. ", "( ", "Aa ", "A.b.", "a_", "a/", "Aa", "uses ", "'", "`a` ", "Kubernetes (k8s) aka "])(
    "8,000 characters of %j take no longer than prose",
    (unit) => {
      const prose = time("Maria said that the billing service depends on PostgreSQL since 2024 and runs on AWS. ".repeat(100));
      expect(time(unit.repeat(Math.ceil(8_000 / unit.length)))).toBeLessThan(10 * prose + 50);
    },
  );

  const time = (text: string): number => quickest(() => draw(text));

  test("what stands beyond 8 KB is not read", () => {
    expect(draw(`${"word ".repeat(2_000)} Kubernetes`).entities).toEqual([]);
  });
});
