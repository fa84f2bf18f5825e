import nlp from "compromise/two";
import { expect, test } from "vitest";
import { entriesOfCompromise } from "../scripts/lexicon.ts";
import { loadLexicon } from "../src/domain/graph/extract/lexicon.ts";
import { lexiconWords } from "../src/domain/graph/extract/lexicon-words.ts";
import { listedClasses, unpackLexicon } from "../src/domain/graph/extract/packed-lexicon.ts";

const lexicon = loadLexicon();
const listed = entriesOfCompromise();
const ofCompromise = Object.keys((nlp.model() as { one: { lexicon: object } }).one.lexicon);

test("holds what compromise says of each word, and no other word (else: node scripts/lexicon.ts)", () => {
  const entries = new Map([...listed].map(([word, { wordClass, noun }]) => [word, 2 * listedClasses.indexOf(wordClass) + Number(noun)]));
  expect(unpackLexicon(lexiconWords)).toEqual(entries);
  expect(entries.size).toBeGreaterThan(14_600);
});

test("answers by it for each word of compromise but those that are everyday words here", () => {
  const answer = (word: string): string => `${lexicon.classOf(word)} ${lexicon.mayBeNoun(word)}`;
  const other = ofCompromise.filter((word) => {
    const { wordClass, noun } = listed.get(word) ?? { wordClass: "unknown", noun: true };
    return answer(word) !== `${wordClass} ${noun}`;
  });
  expect(other).toEqual(expect.arrayContaining(["grace", "grant", "rusty"]));
  expect(other.filter((word) => answer(word) !== "common true")).toEqual([]);
  expect(other.length).toBeLessThan(100);
});

test("leaves out of compromise only what nothing asks for, proper nouns that may name anything, and rare words that name nothing", () => {
  const { lexicon: tags } = (nlp.model() as { one: { lexicon: Record<string, string | string[]> } }).one;
  const left = ofCompromise.filter((word) => !listed.has(word) && word === word.toLowerCase() && !word.includes(" "));
  const rare = left.filter((word) => tags[word] !== "ProperNoun");
  expect(rare.filter((word) => /Name|Person|City|Country|Place|Region|Organization|SportsTeam/.test(String(tags[word])))).toEqual([]);
  expect(rare.filter((word) => ["database", "deploy", "merged", "meeting", "invoice", "quickly"].includes(word))).toEqual([]);
  const names = ofCompromise.filter((words) => words.includes(" ") && /City|Country|Place|Region/.test(String(tags[words])));
  expect(names.filter((words) => !listed.has(words))).toEqual([]);
});

test.each([
  ["caroline", "person", false],
  ["oprah winfrey", "unknown", true],
  ["garcia", "surname", false],
  ["san francisco", "place", false],
  ["texas instruments", "unknown", true],
  ["at&t", "organization", true],
  ["teacher", "common", true],
  ["abandoned", "common", false],
  ["pick up", "unknown", true],
  ["machine learning", "unknown", true],
  ["omnimemory", "unknown", true],
  ["", "unknown", true],
  ["constructor", "unknown", true],
  ["__proto__", "unknown", true],
  ["hasOwnProperty", "unknown", true],
])("%s is %s, and whether it may be a noun: %s", (words, wordClass, noun) => {
  expect([lexicon.classOf(words), lexicon.mayBeNoun(words)]).toEqual([wordClass, noun]);
});
