import { beforeEach, describe, expect, test } from "vitest";
import { newTeam, type Person } from "../../support/team.ts";

let ada: Person;

beforeEach(async () => {
  ada = (await newTeam()).owner;
});

describe("words of a question [S15]", () => {
  test("stop words neither find a memory nor outweigh the telling ones", async () => {
    await ada.remember("And then what is it that you would have done with this, and why is it not there?");
    await ada.remember("The capital of Peru: Lima.");

    expect(await ada.search("what is the capital and why would you have been there")).toEqual(["The capital of Peru: Lima."]);
  });

  test.each([
    "How many services do we still run?", "List the services that we run", "Please tell me which services we run", "Wie viele services?", "Welche services laufen noch?",
  ])("words that only ask find nothing: %s", async (question) => {
    await ada.remember("Many still list, please tell: wie viele, welche, noch.");
    await ada.remember("The shop runs twelve services.");
    expect(await ada.search(question)).toEqual(["The shop runs twelve services."]);
  });

  test("the same words are looked for where they do not ask", async () => {
    await ada.remember("The list endpoint has pages");
    await ada.remember("The shop answers 429 to too many requests");
    expect(await ada.search("list endpoint")).toEqual(["The list endpoint has pages"]);
    expect(await ada.search("too many")).toEqual(["The shop answers 429 to too many requests"]);
  });

  test("a question of stop words alone is still answered", async () => {
    await ada.remember("to be or not to be");
    expect(await ada.search("to be or not to be")).toEqual(["to be or not to be"]);
  });

  test.each([
    ["getUserById rejects negative ids", "user"],
    ["getUserById rejects negative ids", "getuserbyid"],
    ["parse with HTTPServerConfig", "http server"],
    ["parse with HTTPServerConfig", "config"],
    ["set MAX_RETRY_COUNT to five", "retry"],
    ["see src/http/router.ts", "router"],
    ["upgrade to version 2.14 first", "2.14"],
  ])("the parts of an identifier: %s is found by %s", async (content, question) => {
    await ada.remember(content);
    await ada.remember("nothing of the kind");
    expect(await ada.search(question)).toEqual([content]);
  });

  test("another form of a word is the same word", async () => {
    await ada.remember("Production deploys happen on Tuesdays and Thursdays");
    for (const question of ["deployment days", "when do we deploy", "deployed on which days"]) expect(await ada.search(question), question).toHaveLength(1);
  });

  test.each([
    ["die Brücke ist gesperrt", "brucke"],
    ["il café è chiuso", "CAFE"],
    ["São Paulo office", "sao"],
    ["nai\u0308ve assumption", "naïve"],
    ["Москва не сразу строилась", "москва"],
    ["Ελλάδα το καλοκαίρι", "ΕΛΛΆΔΑ"],
    ["Ελλάδα το καλοκαίρι", "ελλαδα"],
    ["Ёлка стоит в углу", "елка"],
  ])("letters with marks and other alphabets: %s is found by %s", async (content, question) => {
    await ada.remember(content);
    expect(await ada.search(question)).toEqual([content]);
  });

  test.each([
    ["东京的会议室预订系统", "会议室"],
    ["データベースの移行計画", "データベース"],
    ["서울에서 회의를 했습니다", "회의"],
    ["การประชุมที่กรุงเทพ", "ประชุม"],
    ["この猫は黒い", "猫"],
    ["我们使用TypeScript开发", "typescript"],
    ["会议在2024年举行", "2024"],
    ["서울에서 회의를 했습니다".normalize("NFD"), "회의"],
  ])("scripts without spaces: %s is found by %s", async (content, question) => {
    await ada.remember(content);
    await ada.remember("上海天气很好");
    expect(await ada.search(question)).toEqual([content]);
  });

  test("emoji and symbols in a question are no error", async () => {
    await ada.remember("launch day 🚀 went well");
    expect(await ada.search("🚀 launch?!")).toEqual(["launch day 🚀 went well"]);
    expect(await ada.search("🚀")).toEqual([]);
    expect(await ada.search("***")).toEqual([]);
  });
});

describe("what is syntax to the full-text engine is text to us [S15] [S7]", () => {
  const questions = [
    '"', '""', '"whale', "whale*", "wh*", "*", "^whale", "whale AND krill", "whale OR", "NOT whale", "AND", "NEAR(whale krill, 2)",
    "NEAR(", "col:whale", "content:whale", "-whale", "+whale", "(whale", "whale)", "{content label}: whale", "whale' OR '1'='1", "whale; DROP TABLE docs",
    "\\whale", "whale\u0000krill", "now_fts", "rank:bm25(1)", "whale--", "%", "_",
  ];

  test.each(questions)("%j", async (question) => {
    await ada.remember("the whale eats krill");
    const found = await ada.call("omn_retrieve_memory", { query: question, min_relevance: 0 });
    expect(found.status).toBe(200);
    expect(found.error?.code ?? "none").not.toBe("INTERNAL_ERROR");
    if (/\bwhale\b/.test(question) && !found.isError) expect(found.structured["memories"]).toHaveLength(1);
  });

  test("operators are words like any other: a memory that has them is found by them", async () => {
    await ada.remember("use NEAR for proximity");
    await ada.remember("the column content is required");
    expect(await ada.search("NEAR(")).toEqual(["use NEAR for proximity"]);
    expect(await ada.search("content:required")).toEqual(["the column content is required"]);
  });

  test("a question of thousands of words is answered", async () => {
    await ada.remember("the whale eats krill");
    const long = ["whale", ...Array.from({ length: 600 }, (_, n) => `w${n}`)].join(" ").slice(0, 4_000);
    const found = await ada.call("omn_retrieve_memory", { query: long, min_relevance: 0 });
    expect(found.structured["memories"]).toHaveLength(1);
  });
});
