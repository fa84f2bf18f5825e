import { beforeAll, describe, expect, test } from "vitest";
import { receiptSchema } from "../../src/domain/recall/presentation/receipt.ts";
import { keyFor, newTenant } from "../domain/tenancy/tenant.ts";
import { callTool, type ToolAnswer } from "../support/mcp.ts";
import { countTokens } from "./o200k.ts";

const section = (about: string, fact: string): string =>
  `## ${about}\n\n${Array.from({ length: 8 }, (_, i) => `The ${about} team looked at option ${i} and wrote its findings down in the usual place.`).join(" ")} ${fact} ${
    Array.from({ length: 8 }, (_, i) => `Nobody objected to point ${i} of the ${about} part.`).join(" ")}`;
const facts = { storage: "Blobs above 4 MB go to the cold bucket.", billing: "Invoices are numbered per country.", search: "Synonyms are rebuilt at 03:00." };
const design = Object.entries(facts).map(([about, fact]) => section(about, fact)).join("\n\n");

type Shown = { memory_id: string; content: string; truncated?: boolean; tokens_total?: number };
const shownIn = ({ structured }: ToolAnswer): Shown[] => structured["memories"];

describe("a long memory that a query finds [U5]", () => {
  let token: string;
  let id: string;
  beforeAll(async () => {
    const tenant = await newTenant();
    ({ token } = await keyFor(tenant, tenant.ownerId));
    const stored = await callTool(token, "omn_store_memory", { key: "design.platform", content: design });
    id = stored.structured["memory_id"];
    await callTool(token, "omn_store_memory", { key: "billing.tax", content: "Invoices to Spain carry the tax number of the shop." });
  });
  const recall = (args: Record<string, unknown>) => callTool(token, "omn_retrieve_memory", args);

  test("answers with the passage about it, and says how to get the rest", async () => {
    const answer = await recall({ query: "how are invoices numbered" });
    const [found, short] = shownIn(answer).toSorted((a, b) => b.content.length - a.content.length);
    expect(found?.content).toContain(facts.billing);
    expect(found?.content).not.toContain(facts.storage);
    expect(found?.content).toMatch(/^….*…$/s);
    expect(countTokens(found?.content ?? "")).toBeLessThanOrEqual(200);
    expect(found).toMatchObject({ memory_id: id, truncated: true });
    expect(found?.tokens_total).toBeGreaterThanOrEqual(countTokens(design));
    expect(answer.text).toContain('truncated="true"');
    expect(answer.text).toMatch(/recall by id, .*decompress: true.* whole/);
    expect(short).toMatchObject({ content: "Invoices to Spain carry the tax number of the shop." });
    expect(short?.truncated).toBeUndefined();
  });

  test("comes whole by id, by key, and where the query asks for it", async () => {
    for (const how of [{ id }, { key: "design.platform" }, { query: "how are invoices numbered", decompress: true }]) {
      const answer = await recall(how);
      expect(shownIn(answer).find(({ memory_id }) => memory_id === id)?.content, JSON.stringify(how)).toBe(design);
      expect(answer.text).not.toContain("for the whole");
    }
    expect((await callTool(token, "fetch", { id })).structured["text"]).toBe(design);
  });

  test("says in another question what stands elsewhere in it, also when both were asked before", async () => {
    for (let i = 0; i < 2; i += 1) {
      expect(shownIn(await recall({ query: "when are synonyms rebuilt" }))[0]?.content).toContain(facts.search);
      expect(shownIn(await recall({ query: "when are synonyms rebuilt", decompress: true }))[0]?.content).toBe(design);
      expect(shownIn(await recall({ query: "blobs in the cold bucket" }))[0]?.content).toContain(facts.storage);
    }
  });

  test("keeps to max_tokens", async () => {
    for (const max_tokens of [60, 120, 250, 2_000]) {
      const answer = await recall({ query: "how are invoices numbered", max_tokens });
      expect(countTokens(answer.text)).toBeLessThanOrEqual(max_tokens);
      expect(countTokens(JSON.stringify(answer.structured))).toBeLessThanOrEqual(max_tokens);
    }
  });

  test("counts in the receipt what was left out", async () => {
    const receipt = receiptSchema.parse((await recall({ query: "how are invoices numbered", receipt: true })).structured["receipt"]);
    expect(receipt.dropped.passage).toEqual({ count: 1, items: [{ id }] });
    expect(receipt.tokens_prevented).toBeGreaterThan(400);
  });
});

test("ten long memories answer in less than 1,200 tokens, the first at most length [U5]", async () => {
  const tenant = await newTenant();
  const { token } = await keyFor(tenant, tenant.ownerId);
  const memories = Array.from({ length: 10 }, (_, i) => ({ key: `design.${i}`, content: `Design ${i}, by ${["Ada", "Bo", "Cy", "Di", "Ed", "Flo", "Gus", "Hal", "Ina", "Jo"][i]}\n\n${section(`part${i}`, `Invoices of region ${i} are numbered from ${i * 7_919}.`)}` }));
  expect((await callTool(token, "omn_import_memories", { memories })).error).toBeUndefined();
  const answer = await callTool(token, "omn_retrieve_memory", { query: "invoices numbered", min_relevance: 0 });
  const shown = shownIn(answer);
  expect(shown).toHaveLength(10);
  expect(countTokens(answer.text)).toBeLessThan(1_200);
  for (const { content } of shown) expect(content).toMatch(/Invoices of region \d are numbered/);
  expect(shown.slice(1).every(({ content }) => countTokens(content) <= countTokens(shown[0]?.content ?? ""))).toBe(true);
});
