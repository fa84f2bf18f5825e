import { beforeAll, describe, expect, test } from "vitest";
import { indexed, newTeam, type Person } from "../support/team.ts";
import { countTokens } from "./o200k.ts";

const section = (about: string, fact: string): string =>
  `## ${about}\n\n${Array.from({ length: 8 }, (_, i) => `The ${about} team looked at option ${i} and wrote its findings down in the usual place.`).join(" ")} ${fact} ${
    Array.from({ length: 8 }, (_, i) => `Nobody objected to point ${i} of the ${about} part.`).join(" ")}`;
const invoices = "Invoices are numbered per country.";
const blobs = "Blobs above 4 MB go to the cold bucket.";
const design = `${section("storage", blobs)}\n\n${section("billing", invoices)}`;

/** What an answer may take that says only the beginning of a text. */
const short = 200;

let ada: Person;
beforeAll(async () => {
  ada = (await newTeam()).owner;
});

describe("a write does not repeat a long text that it was given [U5] [D1]", () => {
  const beginning = expect.stringMatching(/^## storage The storage team .{1,300}…$/) as string;

  test("memory_add with infer: false", async () => {
    const { structured, text } = await ada.call("memory_add", { messages: design, infer: false, user_id: "adding" });
    expect(structured["data"]).toMatchObject([{ id: expect.any(String) as string, event: "ADD", memory: beginning }]);
    expect(countTokens(text)).toBeLessThan(short);
  });

  test("memory_update", async () => {
    const { structured } = await ada.call("memory_add", { messages: "To be written.", infer: false, user_id: "updating" });
    const answer = await ada.call("memory_update", { memory_id: structured["data"][0].id, data: `${design} Changed.` });
    expect(answer.structured["data"]).toEqual({ id: structured["data"][0].id, event: "UPDATE", memory: beginning, version: 2 });
    expect(countTokens(answer.text)).toBeLessThan(short);
  });
});

describe("a long memory that a query finds [U5]", () => {
  let id: string;
  let person: Person;
  beforeAll(async () => {
    person = (await newTeam()).owner;
    id = (await person.call("omn_store_memory", { key: "design.platform", content: design })).structured["memory_id"];
    await indexed(person.principal);
  });

  test.each([
    ["memory_search", { query: "how are invoices numbered" }, "content"],
    ["search_memory", { query: { text: "how are invoices numbered" } }, "text"],
    ["mnemosyne_recall", { query: "how are invoices numbered" }, "content"],
  ])("%s answers with the passage about it", async (tool, args, name) => {
    const { structured } = await person.call(tool, args);
    const [found] = (structured["matches"] ?? structured["results"] ?? structured["data"].results) as Record<string, string>[];
    expect(found).toMatchObject({ truncated: true, [name]: expect.stringContaining(invoices) as string });
    expect(found?.[name]).not.toContain(blobs);
    expect(countTokens(found?.[name] ?? "")).toBeLessThanOrEqual(200);
  });

  test("memory_search keeps what was noted about it, field by field, without what is long as well", async () => {
    const owner = (await newTeam()).owner;
    const add = (about: string, custom: object): Promise<unknown> => owner.call("memory_add", { messages: `${about}. ${design}`, infer: false, metadata: { category: "design", ...custom } });
    await add("Invoices of the north", { ticket: "OPS-12" });
    await add("Payslips of the south", { log: "seen ".repeat(200) });
    const search = async (query: string): Promise<{ truncated: boolean; metadata: object }> => (await owner.call("memory_search", { query })).structured["data"].results[0];
    expect(await search("Invoices of the north")).toMatchObject({ truncated: true, metadata: { category: "design", custom_metadata: { ticket: "OPS-12" } } });
    const { metadata } = await search("Payslips of the south");
    expect(metadata).toMatchObject({ category: "design" });
    expect(metadata).toHaveProperty("custom_metadata", { role: "user" });
  });

  test("memory_search names the tool of its family that brings the whole, which does", async () => {
    const { text } = await person.call("memory_search", { query: "how are invoices numbered" });
    expect(text).toContain("memory_get_history with limit 1");
    const { structured } = await person.call("memory_get_history", { memory_id: id, limit: 1 });
    expect(structured["data"].history).toMatchObject([{ new_memory: design }]);
    expect((await person.call("memory_search", { query: "how are invoices numbered", filters: { category: "none" } })).text).not.toContain("memory_get_history");
  });

  test("search_memory names the tool of its family that brings the whole, which does", async () => {
    const { text } = await person.call("search_memory", { query: { text: "how are invoices numbered" } });
    expect(text).toContain("recall_context by key");
    expect((await person.call("recall_context", { key: "design.platform" })).structured["items"]).toMatchObject([{ content: design }]);
  });

  test("is a beginning in mnemosyne_list and mnemosyne_context, and whole by its id", async () => {
    const beginning = { memory_id: id, truncated: true, content: expect.stringMatching(/^## storage The storage team .*…$/s) as string };
    const listed = await person.call("mnemosyne_list", {});
    expect(listed.structured["memories"]).toMatchObject([beginning]);
    const overview = await person.call("mnemosyne_context", {});
    expect(overview.structured["recent"]).toMatchObject([beginning]);
    for (const { text } of [listed, overview]) expect(countTokens(text)).toBeLessThan(3 * short);
    const [whole] = (await person.call("mnemosyne_context", { memory_ids: [id] })).structured["memories"];
    expect(whole).toMatchObject({ content: design });
    expect(whole).not.toHaveProperty("truncated");
  });
});
