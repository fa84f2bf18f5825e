import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { indexed } from "../support/team.ts";
import { keyFor, newTenant, principalOf } from "../domain/tenancy/tenant.ts";
import { callTool } from "../support/mcp.ts";
import { countTokens } from "./o200k.ts";
import { prose, texts } from "./texts.ts";

const word = fc.constantFrom("blue", "whale", "billing", "数据库", "каталог", 'quo"te', "back\\slash", "line\nbreak", "🦀", "aGVsbG8gd29ybGQ", "0x9f86d081");
const text = fc.oneof(fc.array(word, { minLength: 1, maxLength: 400 }).map((words) => words.join(" ")), fc.constantFrom(...texts.map(([, sample]) => sample)));
const memory = fc.record(
  {
    content: text.map((content) => `whale ${content}`.slice(0, 9_000).trim()),
    key: fc.uuid().map((id) => `whale.${id}`),
    metadata: fc.record({
      tags: fc.array(word.map((tag) => tag.trim()), { maxLength: 5 }),
      importance: fc.double({ min: 0, max: 1, noNaN: true }),
      note: fc.array(word, { maxLength: 100 }).map((words) => words.join(" ").slice(0, 900)),
    }),
  },
  { requiredKeys: ["content", "key"] },
);

describe("max_tokens of omn_retrieve_memory [U5] [A1]", () => {
  let token: string;
  beforeAll(async () => {
    const tenant = await newTenant();
    ({ token } = await keyFor(tenant, tenant.ownerId));
  });

  test("neither the text nor the structured answer ever takes more, whatever is stored", async () => {
    await callTool(token, "omn_store_memory", { key: "fact", content: "Maria Lopez uses PostgreSQL for the invoices of Globex." });
    const seen = { receipts: 0, previews: 0, related: 0, ids: 0, whole: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(memory, { minLength: 1, maxLength: 5 }), fc.integer({ min: 50, max: 1_500 }), fc.boolean(), async (memories, budget, receipt) => {
        const imported = await callTool(token, "omn_import_memories", { memories });
        expect(imported.error).toBeUndefined();
        // With what the graph knows, an answer has related items.
        await indexed(await principalOf(token));
        const asked = [{ query: "whale" }, { query: "what does Maria use PostgreSQL for" }, { query: "whale", mode: "vector" }, { key: "whale.*" }, { key: memories[0]?.key }];
        for (const how of asked) {
          const answer = await callTool(token, "omn_retrieve_memory", { ...how, max_tokens: budget, limit: 20, receipt });
          expect(answer.error).toBeUndefined();
          expect(countTokens(answer.text)).toBeLessThanOrEqual(budget);
          expect(countTokens(JSON.stringify(answer.structured))).toBeLessThanOrEqual(budget);
          const shown = answer.structured["memories"] as { truncated?: boolean; related?: unknown[] }[];
          seen.receipts += answer.structured["receipt"] ? 1 : 0;
          seen.ids += answer.structured["more"] ? 1 : 0;
          for (const { truncated, related } of shown) {
            seen.previews += truncated ? 1 : 0;
            seen.whole += truncated ? 0 : 1;
            seen.related += related ? 1 : 0;
          }
        }
      }),
      { numRuns: 25 },
    );
    console.info(`budget: ${JSON.stringify(seen)}`);
    for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(0);
  }, 120_000);
});

describe("a budget that holds part of what is known [U5]", () => {
  let token: string;
  beforeAll(async () => {
    const tenant = await newTenant();
    ({ token } = await keyFor(tenant, tenant.ownerId));
    // The newest comes first: a short note, then long ones.
    for (const [i, times] of [8, 12, 1].entries()) {
      const stored = await callTool(token, "omn_store_memory", { key: `note.${i}`, content: prose[i]?.[1].repeat(times) });
      expect(stored.error).toBeUndefined();
    }
  });
  const recall = (max_tokens: number) => callTool(token, "omn_retrieve_memory", { key: "note.*", max_tokens });

  test("is spent in order: whole memories, then previews with the id to fetch the whole by", async () => {
    const { structured, text: shown } = await recall(600);
    const memories = structured["memories"] as { memory_id: string; content: string; truncated?: boolean; tokens_total?: number }[];
    expect(memories.map(({ truncated = false }) => truncated)).toEqual([false, true, true]);
    const preview = memories.at(-1);
    expect(preview?.content.endsWith("…")).toBe(true);
    expect(shown).toContain('truncated="true"');
    // What it says the whole takes is enough to get the whole.
    const enough = await callTool(token, "omn_retrieve_memory", { id: preview?.memory_id, max_tokens: (preview?.tokens_total ?? 0) + 40 });
    expect(enough.structured["memories"][0].truncated).toBeUndefined();
    const whole = await callTool(token, "omn_retrieve_memory", { id: preview?.memory_id });
    expect(whole.structured["memories"][0].content.startsWith(preview?.content.slice(0, -1))).toBe(true);
  });

  test("gives a preview even of 120 tokens", async () => {
    expect((await recall(120)).structured["memories"]).toHaveLength(1);
  });

  test("says so when it is too small for any memory", async () => {
    const { structured, text: shown } = await recall(50);
    expect(structured).toMatchObject({ memories: [], total_found: 3 });
    expect(shown).toMatch(/3 found.*max_tokens/);
    const needed = Number(/(\d+) shows the first/.exec(shown)?.[1]);
    expect((await recall(needed)).structured["memories"]).toHaveLength(1);
  });

  test("is not spent on what was not asked for: without max_tokens everything comes whole", async () => {
    const { structured } = await callTool(token, "omn_retrieve_memory", { key: "note.*" });
    expect(structured["memories"].map(({ truncated }: { truncated?: boolean }) => truncated)).toEqual([undefined, undefined, undefined]);
  });
});
