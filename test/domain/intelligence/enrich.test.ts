import { describe, expect, test } from "vitest";
import { enrichment } from "../../../src/domain/intelligence/answers.ts";
import { enrichByRules } from "../../../src/domain/intelligence/rules/enrich.ts";
import { summariseByRules } from "../../../src/domain/intelligence/rules/summarise.ts";
import { estimateTokens } from "../../../src/domain/text/token-count.ts";
import { quickest } from "../../support/quickest.ts";

const typeOf = (content: string, key?: string): string => enrichByRules({ content, key }).type;

describe("enrichment by rules [C3]", () => {
  test.each([
    ["We decided to use SQLite instead of Postgres for the desktop build.", "architecture_decision"],
    ["Wir haben uns für Rust entschieden, weil der Dienst klein bleiben soll.", "architecture_decision"],
    ["Fixed the crash on start: the root cause was a missing index.", "bug_fix"],
    ["修复登录页白屏，原因是接口超时没有处理。", "bug_fix"],
    ["Passwords must never be written to the log.", "constraint"],
    ["個人のメールアドレスをログに出力してはならない。", "constraint"],
    ["I prefer short answers with code first.", "preference"],
    ["El equipo prefiere reuniones cortas.", "preference"],
    ["Runbook for the mail relay: https://wiki.example/mail", "reference"],
    ["The cache listens on port 6380 and maxmemory is set to 1gb.", "configuration"],
  ])("%s is of type %s", (content, type) => expect(typeOf(content)).toBe(type));

  test("a note without cues claims no type, unless its key does", () => {
    expect(enrichByRules({ content: "The blue boxes stand in the cellar." })).toMatchObject({ type: "standard" });
    expect(enrichByRules({ content: "The blue boxes stand in the cellar." }).confidence).toBeLessThan(0.5);
    expect(typeOf("JSON over HTTP.", "project.api.decision")).toBe("architecture_decision");
  });

  test("what binds others is more important than what passes", () => {
    const { importance } = enrichByRules({ content: "Personal data of customers must never leave the EU, this is in the contract." });
    expect(importance).toBeGreaterThan(0.7);
    expect(enrichByRules({ content: "Lunch with the team today at noon." }).importance).toBeLessThan(0.4);
  });

  test("keywords are names and rare words of the note, as it writes them", () => {
    const { keywords } = enrichByRules({ content: "We will keep the ledger in PostgreSQL; withRetry() wraps the calls to Nordbank." });
    expect(keywords).toEqual(expect.arrayContaining(["PostgreSQL", "withRetry", "Nordbank"]));
    expect(keywords.length).toBeLessThanOrEqual(5);
  });

  test("an address, a hash or a number is no keyword", () => {
    const { keywords } = enrichByRules({ content: "See https://wiki.example/secret-path 4f2c1aa09be84f2c1aa09be8 and 2025-01-31, 840ms." });
    expect(keywords).toEqual([]);
  });

  test("a summary consists of sentences of the text", () => {
    const filler = "Somebody looked at the dashboard for a while. ";
    const content = `The checkout stalled for forty minutes. ${filler.repeat(10)}We decided to raise the pool of PostgreSQL to 30. ${filler.repeat(5)}`;
    expect(enrichByRules({ content }).summary).toBe("The checkout stalled for forty minutes. We decided to raise the pool of PostgreSQL to 30.");
  });

  test.each(["", " ", "\n", ".", "中", "a", "\ud83d\ude00", "`", "#"])("%j gives a valid enrichment, and the same again", (content) => {
    const found = enrichByRules({ content: content.repeat(3) });
    if (content.trim() !== "") expect(enrichment.safeParse(found).success).toBe(true);
    expect(enrichByRules({ content: content.repeat(3) })).toEqual(found);
  });

  test.each(["a", "中", "中。", "/", "a_", "http://", "docs/", "1,", "we decided ", "not ", "picked x", "` ", "= ", "ア", "a.", "\u0301"])("10,000 characters of %j take no more than a moment", (part) => {
    const content = part.repeat(Math.ceil(10_000 / part.length));
    expect(quickest(() => enrichByRules({ content }))).toBeLessThan(100);
  });
});

test("a summary keeps its bound of tokens and says only what the text says", () => {
  const text = Array.from({ length: 40 }, (_, i) => `In step ${i} the team moved table t_${i} to the new cluster.`).join(" ");
  const { text: summary } = summariseByRules(text, { maxTokens: 80 });
  expect(estimateTokens(summary)).toBeLessThanOrEqual(80);
  for (const sentence of summary.split(/(?<=\.)\s+/)) expect(text).toContain(sentence);
  expect(summariseByRules("One short sentence.", { maxTokens: 80 })).toEqual({ text: "One short sentence." });
});
