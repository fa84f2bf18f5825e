import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fingerprintOf, mayRepeat, repeats } from "../../../src/domain/memories/repetition.ts";

const words = ["deploy", "staging", "Redis", "cache", "timeout", "30", "retries", "never", "AuthService", "src/app.ts", "v2.1", "not", "Postgres", "queue", "nightly", "C#"];
const word = fc.constantFrom(...words);
const sentence = fc.array(word, { minLength: 4, maxLength: 10 });
const memory = fc.array(sentence, { minLength: 1, maxLength: 4 });
const said = (sentences: string[][]): string => sentences.map((one) => `${one.join(" ")}.`).join(" ");

const both = (text: string, other: string): boolean => {
  const told = fingerprintOf(other);
  const answer = repeats(text, other);
  // The fingerprint must not overlook what the texts would show.
  if (answer) expect(mayRepeat(fingerprintOf(text), { all: told.all, sentences: new Set(told.sentences) })).toBe(true);
  return answer;
};

/** Ways in which a model hands on the same text. */
const reformatted: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.toUpperCase(),
  (text) => ` \n${text.replaceAll(" ", "  \n ")}\t`,
  (text) => `**${text}**`,
  (text) => `> "${text}"`,
  (text) => `- ${text}`,
  (text) => `## ${text}`,
  (text) => text.replaceAll("Redis", "`Redis`").replaceAll("cache", "_cache_"),
  (text) => `\`\`\`text\n${text}\n\`\`\``,
  (text) => `<memory id="1" when="2026-01-01">\n${text}\n</memory>`,
  (text) => `The ${text}`,
  (text) => text.replace(/\.$/, ""),
];

describe("what repeats a text [U3]", () => {
  test("the same in another form does", () => {
    fc.assert(
      fc.property(memory, fc.constantFrom(...reformatted), (sentences, form) => {
        expect(both(form(said(sentences)), said(sentences))).toBe(true);
      }),
    );
  });

  test("whole sentences of it do, in any order", () => {
    fc.assert(
      fc.property(memory.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: 1 }))), ([all, some]) => {
        fc.pre(said(some).length > 44);
        expect(both(said(some), said(all))).toBe(true);
      }),
    );
  });

  test("a text with a word that is new never does, wherever it stands", () => {
    const fresh = fc.constantFrom("tomorrow", "31", "-30", "v2.2", "Redis-7", "cannot", "src/api.ts", "$5", "%", "≥");
    fc.assert(
      fc.property(memory, fc.nat(), fc.nat(), fresh, fc.constantFrom(...reformatted), (sentences, s, w, added, form) => {
        const told = said(sentences);
        const changed = sentences.map((one, i) => (i === s % sentences.length ? one.toSpliced(w % (one.length + 1), 0, added) : one));
        expect(both(form(said(changed)), told)).toBe(false);
      }),
    );
  });

  test("nor one with a word exchanged, left out or moved within its sentence", () => {
    fc.assert(
      fc.property(memory, fc.nat(), fc.nat(), word, fc.constantFrom("exchange", "omit", "move"), (sentences, s, w, other, how) => {
        const at = s % sentences.length;
        const one = sentences[at] as string[];
        const place = w % one.length;
        const rest = one.toSpliced(place, 1);
        const changed = how === "exchange" ? one.with(place, other) : how === "omit" ? rest : [...rest, one[place] as string];
        const known = sentences.some((sentence) => sentence.join(" ") === changed.join(" "));
        fc.pre(!known);
        expect(both(said(sentences.with(at, changed)), said(sentences))).toBe(false);
      }),
    );
  });

  test.each([
    ["We use Redis for sessions in production, and have done so for years.", "We do not use Redis for sessions in production, and have done so for years."],
    ["Migrate from MySQL to Postgres before the end of the year.", "Migrate from Postgres to MySQL before the end of the year."],
    ["use Redis for the sessions of the web application", "Never do this:\n- use Redis for the sessions of the web application"],
    ["The limit is 1,000 requests.", "The limit is 1.000 requests."],
    ["It must be below 10² metres.", "It must be below 102 metres."],
    ["Is the cache shared between all the tenants of a shard?", "Is the cache shared between all the tenants of a shard."],
    ["Run it with -v", "Run it with v"],
    ["It holds while a != b", "It holds while a = b"],
    ["Written in C", "Written in C#"],
    ["Dark mode", "The user prefers dark mode. Tabs over spaces."],
    ["in progress", "in progress"],
    ["", ""],
    ["...", "…"],
  ])("%j says something else than %j", (text, other) => {
    expect(both(text, other)).toBe(false);
  });

  test.each([
    ["user prefers dark mode", "The user prefers dark mode."],
    ['{"a": 1, "b": [2, 3]}', '{"a":1,"b":[2,3]}'],
    ["用户喜欢深色模式。", "用户喜欢深色模式"],
    ["Tabs over spaces, in every file of this repository.", "The user prefers dark mode. Tabs over spaces, in every file of this repository!"],
  ])("%j says nothing but %j", (text, other) => {
    expect(both(text, other)).toBe(true);
  });
});
