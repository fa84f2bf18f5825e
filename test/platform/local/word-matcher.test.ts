import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { StaticEmbedder } from "../../../src/platform/local/static-embedder.ts";
import model from "../../../src/platform/local/static-model.bin";
import associations from "../../../src/platform/local/word-associations.bin";
import { WordAssociations } from "../../../src/platform/local/word-associations.ts";
import { WordMatcher } from "../../../src/platform/local/word-matcher.ts";

const embedder = new StaticEmbedder(model);
const matcher = new WordMatcher(embedder, new WordAssociations(associations, embedder.rows));
const bestOf = (question: string, texts: string[]): string => {
  const scores = matcher.match(question, texts);
  return texts[scores.indexOf(Math.max(...scores))] as string;
};

const notes = [
  "The backup of the database runs every night at three and is kept for thirty days",
  "Kenji prefers to be called by telephone and not by e-mail",
  "Invoices are sent on the first working day of each month",
  "The office has a new coffee machine in the kitchen",
  "Holidays have to be entered two weeks ahead",
];

describe("words compared by meaning", () => {
  test.each([
    ["Wann läuft die Sicherung der Datenbank?", 0],
    ["Quand envoie-t-on les factures ?", 2],
    ["¿Dónde está la máquina de café?", 3],
    ["数据库什么时候备份？", 0],
    ["請求書はいつ送られますか", 2],
  ])("%s", (question, at) => {
    expect(bestOf(question, notes)).toBe(notes[at]);
  });

  test.each([
    ["How do I undo a faulty release?", 0],
    ["Whose autograph does an agreement need?", 1],
    ["Who is away with a newborn?", 2],
    ["What made the machines too hot?", 3],
    ["Wie macht man eine Auslieferung rückgängig?", 0],
  ])("a question wholly in other words: %s", (question, at) => {
    const texts = [
      "Rollback of a bad deploy: ship --previous, it keeps five builds",
      "Contracts above 5,000 are signed by the managing director",
      "Lina is on parental leave until May, Omar covers her queue",
      "The cooling in the basement failed, the servers shut down by themselves",
      "Lunch on Fridays is paid by the company",
      "The printer on the second floor jams with thick paper",
    ];
    expect(bestOf(question, texts)).toBe(texts[at]);
  });

  test.each([
    ["payroll database", 0],
    ["Which message broker do we use?", 1],
    ["error tracking", 2],
    ["Wohin mit den Geheimnissen?", 3],
    ["frontend framework", 4],
  ])("a product by its kind: %s", (question, at) => {
    const texts = ["Payroll runs on MariaDB 11", "Payroll events go out through Redpanda", "The payroll app reports to Bugsnag", "Payroll gets its keys from Infisical", "Payroll has a SvelteKit client"];
    expect(bestOf(question, texts)).toBe(texts[at]);
  });

  test("a word that few texts are near to counts more than one that all are near to", () => {
    const texts = ["We talked about the money of the team", "We talked about the money of the choir", "We talked about the budget of the team"];
    expect(bestOf("money of the choir", texts)).toBe(texts[1]);
  });

  test("of two texts that say the same the shorter one meets the question better", () => {
    const short = "The backup runs at three";
    expect(bestOf("backup", [`${short}. ${notes.slice(1).join(". ")}`, short])).toBe(short);
  });

  test("a name that the table does not know is met by itself alone", () => {
    const [own, other] = matcher.match("zqxflorb", ["ask zqxflorb first", "ask wuvmikkel first"]);
    expect(own).toBeGreaterThan(0.1);
    expect(other).toBe(0);
  });

  test("any texts have a score between 0 and 1 each, the same when asked again", () => {
    const text = fc.oneof(fc.string({ unit: "binary", maxLength: 100 }), fc.lorem(), fc.constantFrom("", " ", "漢字", "\ud800", "!!!", ...notes));
    fc.assert(
      fc.property(text, fc.array(text, { maxLength: 20 }), (question, texts) => {
        const scores = matcher.match(question, texts);
        expect(scores).toHaveLength(texts.length);
        for (const score of scores) expect(score).toSatisfy((value: number) => value >= 0 && value <= 1);
        expect(matcher.match(question, texts)).toEqual(scores);
      }),
      { numRuns: 200 },
    );
  });
});
