import { beforeAll, describe, expect, test } from "vitest";
import { newTeam, type Person } from "../support/team.ts";

let ada: Person;
beforeAll(async () => {
  ada = (await newTeam()).owner;
  for (const n of [1, 2, 3]) await ada.call("omn_store_memory", { content: `Pier ${n} has a lamp.`, metadata: { tags: ["pier"] } });
});

describe("values in quotation marks, as clients and models send them [S7] [A1]", () => {
  test("numbers, switches, lists and objects are taken for what they say", async () => {
    const { structured } = await ada.call("omn_retrieve_memory", { query: "lamp", limit: "2", min_relevance: "0.0", receipt: "true", without: '["dedupe"]', filters: '{"tags":["pier"]}' });
    expect(structured["memories"]).toHaveLength(2);
    expect(structured["receipt"]).toBeDefined();
    const stored = await ada.call("omn_store_memory", { content: "Pier 4 is closed.", metadata: '{"tags": ["pier"], "importance": 0.9}' });
    expect((await ada.call("omn_retrieve_memory", { id: stored.structured["memory_id"] })).structured["memories"]).toMatchObject([{ metadata: { tags: ["pier"], importance: 0.9 } }]);
  });

  test("inside of objects and lists as well", async () => {
    expect((await ada.call("omn_retrieve_memory", { query: "lamp", filters: { min_importance: "0", tags: '["pier"]' }, min_relevance: 0 })).structured["memories"].length).toBeGreaterThan(0);
  });

  test.each([
    [{ limit: "two" }, "limit"], [{ limit: "1e3" }, "limit"], [{ limit: "0" }, "limit"], [{ limit: "1.5" }, "limit"], [{ limit: "" }, "limit"], [{ receipt: "yes" }, "receipt"], [{ filters: "{tags: pier}" }, "filters"],
    [{ filters: '{"nonsense":1}' }, "filters"], [{ without: "dedupe" }, "without"], [{ without: "[dedupe" }, "without"], [{ filters: { tags: "pier" } }, "filters.tags"],
  ])("what says nothing of the kind is refused as it came: %j", async (args, field) => {
    const { error } = await ada.call("omn_retrieve_memory", { query: "lamp", ...args });
    expect(error).toMatchObject({ code: "VALIDATION_ERROR", message: expect.stringContaining(field) });
  });

  test("what would be another value once it is read is refused, and nothing is stored", async () => {
    for (const metadata of ['{"big": 12345678901234567890}', '{"__proto__": {"tags": ["pier"]}}']) {
      const { error } = await ada.call("omn_store_memory", { content: "Pier 9 is new.", metadata });
      expect(error).toMatchObject({ code: "VALIDATION_ERROR", message: expect.stringContaining("metadata") });
    }
    expect((await ada.call("omn_retrieve_memory", { query: "pier 9 new", mode: "text" })).text).not.toContain("Pier 9");
  });

  test("a text stays a text", async () => {
    const { structured } = await ada.call("omn_store_memory", { content: "42", key: "true" });
    expect((await ada.call("omn_retrieve_memory", { key: "true" })).structured["memories"]).toMatchObject([{ memory_id: structured["memory_id"], content: "42" }]);
  });
});

test.each([
  ["omn_retrieve_memory", { q: "lamp" }, "q is called query"], ["omn_retrieve_memory", { text: "lamp" }, "text is called query"], ["omn_retrieve_memory", { memory_id: "1" }, "memory_id is called id"],
  ["omn_retrieve_memory", { query: "lamp", top_k: 3 }, "top_k is called limit"], ["omn_retrieve_memory", { query: "lamp", filters: { tag: "pier" } }, "tag is called tags"], ["omn_store_memory", { text: "Pier 5" }, "text is called content"],
  ["omn_store_memory", { content: "Pier 5", memory_type: "insight" }, "memory_type is called type"], ["omn_store_memory", { content: "Pier 5", tags: ["a"] }, "tags belongs into metadata"],
])("%s with %j names the argument that is meant [S7]", async (tool, args, told) => {
  expect((await ada.call(tool, args)).error?.message).toContain(told);
});
