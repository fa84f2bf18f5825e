import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { junkReason } from "../../../src/domain/memories/junk.ts";
import { quickest } from "../../support/quickest.ts";

const stamp = (n: number): string => `2026-01-01T10:00:${String(n % 60).padStart(2, "0")}Z`;
const repeated = (count: number, line: (n: number) => string): string => Array.from({ length: count }, (_, n) => line(n)).join("\n");

describe("junk", () => {
  test.each([
    ["---", "has no words"],
    ["…", "has no words"],
    ["Thanks!", "is chatter"],
    ["ok, thanks", "is chatter"],
    ["Good morning.", "is chatter"],
    ["谢谢！", "is chatter"],
    ["ありがとうございます。", "is chatter"],
    ["Vielen Dank!", "is chatter"],
    ["The user said hi", "is chatter"],
    ["User said: \"ok\"", "is chatter"],
    ["The user greeted the assistant.", "is chatter"],
    ["[object Object]", "is a placeholder"],
    ["Lorem ipsum dolor sit amet", "is a placeholder"],
    ["Summary: <summary>\nDecision: <decision>\nOwner: TBD", "is a template that nobody filled in"],
    ["# Retro\n\n**Went well:**\n**Went badly:** ...", "is a template that nobody filled in"],
    [repeated(20, (n) => `${stamp(n)} INFO request ${n} took 5 ms`), "is a raw log"],
    [repeated(20, (n) => `[WARN] retry ${n}`), "is a raw log"],
    [`TypeError: x is undefined\n${repeated(18, (n) => `    at run (/srv/app/${n}.js:${n}:7)`)}`, "is a raw log"],
    [repeated(16, (n) => `✓ handles case ${n}`), "is a raw log"],
  ])("%j %s", (content, reason) => {
    expect(junkReason({ key: "a.key", content })).toBe(reason);
  });

  test.each([
    "We deploy on Tuesdays.",
    "Use pnpm.",
    "The user said they prefer tea.",
    "The user thanked Grace for the review of the billing service.",
    "Thanks to the new index, search takes 3 ms.",
    "Hello World is the sample of the tutorial we follow.",
    "Decision: PostgreSQL\nStatus: TODO",
    "env:\n  API_TOKEN: {{token}}\n  SITE_ID: {{site}}",
    "- buy milk\n- call Ada\n- todo",
    "42", "🎉 = release day", "€", "C++", "好",
    `The deploy failed with:\n${repeated(5, (n) => `${stamp(n)} ERROR disk full`)}\nThe fix was to rotate the logs daily.`,
    repeated(20, (n) => `${n + 1}. Step ${n} of the release, as agreed.`),
    repeated(20, (n) => `- 2026-01-${n + 10}: met the team of customer ${n}`),
    repeated(20, (n) => `const value${n} = compute(${n});`),
  ])("%j is none", (content) => {
    expect(junkReason({ key: "a.key", content })).toBeUndefined();
  });

  test("one word is a value under a key, and junk without one", () => {
    for (const content of ["ok", "Done.", "n/a", "none", "是", "ja"]) {
      expect(junkReason({ key: "tests.status", content })).toBeUndefined();
      expect(junkReason({ key: null, content })).toContain("without a key");
    }
  });

  test("a template that is kept on purpose is none", () => {
    const content = "Summary:\nTests:\nRisks:";
    expect(junkReason({ key: "shop.pr-template", content })).toBeUndefined();
    expect(junkReason({ key: "shop.pr", content })).toContain("template");
  });

  test("a sentence with words of its own is never chatter", () => {
    const words = fc.array(fc.constantFrom("database", "Tuesday", "invoice", "größe", "端口", "needs", "because"), { minLength: 3, maxLength: 12 });
    fc.assert(fc.property(fc.constantFrom("ok ", "thanks: ", "The user said ", "hi, "), words, fc.option(fc.constant("k"), { nil: null }), (opening, rest, key) => {
      expect(junkReason({ key, content: opening + rest.join(" ") })).toBeUndefined();
    }));
  });

  test("is decided in little time, whatever the text", () => {
    for (const part of ["a", " ", "字", "\n", "a:\n", "- ", "[", "{{", "<", "at a:1 ", "the user said ", "2026-01-01 10:00 \n", "!?"]) {
      for (const length of [80, 10_000]) {
        const content = part.repeat(length).slice(0, length);
        expect(quickest(() => junkReason({ key: null, content })), JSON.stringify(part)).toBeLessThan(25);
      }
    }
  });
});
