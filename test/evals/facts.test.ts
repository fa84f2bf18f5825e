import { expect, test } from "vitest";
import { facts, readConversations } from "./facts.ts";
import { factGroups, type Rules, scoreConversation } from "./facts-score.ts";
import { isHeld } from "./held.ts";

const rulesOf = (text: string, event: string, target?: number): Rules => ({ extract: () => ({ facts: [{ text, confidence: 1 }] }), decide: () => ({ memory: [{ event, target, text, confidence: 1 }] }) });
const conversation = { id: "en/x", messages: [["user", "I moved to Oslo."]] as [["user", string]], present: ["User lives in Berlin."], facts: [["UPDATE 0", "User", "Oslo"]] as [[string, string, string]] };

test("a fact counts as found when it holds all words, its decision when event and memory are as expected", () => {
  const counts = (rules: Rules) => scoreConversation(conversation, rules).counts;
  expect(counts(rulesOf("User lives in Oslo.", "UPDATE", 0))).toMatchObject({ found: 1, right: 1, decidedRight: 1, changes: 1, changesRight: 1 });
  expect(counts(rulesOf("User lives in Oslo.", "ADD"))).toMatchObject({ found: 1, decidedRight: 0, changes: 0, changesExpected: 1 });
  expect(counts(rulesOf("I live in Oslo.", "UPDATE", 0))).toMatchObject({ found: 0, extracted: 1, right: 0, changes: 1, changesRight: 0 });
  expect(scoreConversation(conversation, rulesOf("User lives in Oslo.", "DELETE", 3)).impossible).toHaveLength(1);
});

test("the held half comes first, and its texts are in no miss", () => {
  const { groups, misses } = facts(undefined);
  expect(groups.slice(0, 2).map(({ name }) => name)).toEqual(["held half", "other half"]);
  expect(misses.filter(({ id }) => isHeld(id))).toEqual([]);
  expect(factGroups([])).toEqual([]);
});

test("the set has enough conversations of each language, with ids of their own and facts about memories that there are", () => {
  const all = readConversations();
  const of = (language: string) => all.filter(({ id }) => id.startsWith(`${language}/`));
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  expect(all.length).toBeGreaterThanOrEqual(60);
  for (const language of ["de", "zh", "ja"]) expect(of(language).length, language).toBeGreaterThanOrEqual(10);
  for (const { id, messages, present, facts: expected } of all) {
    expect(messages.length, id).toBeGreaterThan(1);
    expect(messages.length, id).toBeLessThanOrEqual(12);
    for (const [decision, ...words] of expected) {
      expect(decision, id).toMatch(/^(?:ADD|(?:UPDATE|DELETE|NONE) \d)$/);
      if (decision !== "ADD") expect(present[Number(decision.split(" ")[1])], id).toBeDefined();
      expect(words.length, id).toBeGreaterThan(0);
    }
  }
});
