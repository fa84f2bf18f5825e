import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { newState, type Memory } from "../../../../src/domain/memories/memory.ts";
import type { Recalled, RecallOutcome } from "../../../../src/domain/recall/recall.ts";
import { finish, type SearchReport } from "../../../../src/domain/recall/presentation/answer.ts";
import { pack } from "../../../../src/domain/recall/presentation/budget.ts";
import { rendering } from "../../../support/rendering.ts";
import { countTokens } from "../../../tools/o200k.ts";
import { prose, texts } from "../../../tools/texts.ts";

let made = 0;
function memory(content: string, fields: Partial<Memory> = {}): Memory {
  made += 1;
  const state = newState({ content, ownerId: "ada", namespace: "project:x" });
  return {
    ...state, id: `019ab3c4-0000-7000-8000-${String(made).padStart(12, "0")}`, teamId: "t", alias: made, seq: made, version: 1,
    createdAt: 1e12, createdBy: "ada", createdTool: "vitest", updatedAt: 1e12, updatedBy: "ada", updatedTool: "vitest", accessCount: 0, accessedAt: null,
    ...fields,
  };
}
const item = (content: string, relevance: number, fields: Partial<Memory> = {}): Recalled => ({ memory: memory(content, fields), relevance, truncated: false });
const outcome = (items: Recalled[], rest: Partial<RecallOutcome> = {}): RecallOutcome => ({ items, totalFound: items.length, more: [], degraded: [], ...rest });
const sizeOf = (answer: RecallOutcome): number => Math.max(...rendering.answer(answer).map(countTokens));
const shapeOf = ({ items }: RecallOutcome): string[] => items.map(({ truncated }) => (truncated ? "preview" : "whole"));
const report = (items: Recalled[]): SearchReport => ({
  mode: "hybrid",
  cache: "miss",
  legs: { memory_text: { status: "ok", ms: 1.2345, candidates: 40 }, memory_vector: { status: "timeout", ms: 150, candidates: 0 } },
  traces: new Map(items.map(({ memory: { id } }, i) => [id, { id, score: 0.7654321, parts: { text: 0.5, recency: 0.1 }, legs: { memory_text: { rank: i + 1, score: 12.345678 } }, matched: ["refund", "limit"] }])),
  drops: [{ reason: "duplicate", id: "a", of: "b" }, { reason: "threshold", id: "c" }],
  unshaped: items,
  sources: items.map(({ memory }) => memory),
});

const note = prose[0]?.[1] as string;
const long = texts.map(([, text]) => text).join("\n").repeat(4);

describe("packing [U5]", () => {
  test("everything whole when it fits", () => {
    expect(shapeOf(pack(outcome([item(note, 1), item("short", 0.5)]), 2_000, rendering, []))).toEqual(["whole", "whole"]);
  });

  test("what is worth more per token comes whole, the long one as a preview between them, in order", () => {
    const packed = pack(outcome([item("first", 0.9), item(long, 0.8), item("second", 0.8), item("third", 0.7)]), 600, rendering, []);
    expect(shapeOf(packed)).toEqual(["whole", "preview", "whole", "whole"]);
    expect(packed.items[1]?.tokensTotal).toBeGreaterThan(countTokens(long));
    expect(packed.more).toEqual([]);
  });

  test("a first one that is too long does not keep out the others", () => {
    expect(shapeOf(pack(outcome([item(long, 0.9), item("second", 0.8), item("third", 0.7)]), 500, rendering, []))).toEqual(["preview", "whole", "whole"]);
  });

  test("what fits not even as a preview is named by id", () => {
    const items = Array.from({ length: 12 }, (_, i) => item(`${i} ${long}`, 0.9));
    const packed = pack(outcome(items), 800, rendering, []);
    expect(packed.items.length).toBeGreaterThan(1);
    expect(packed.more.length).toBeGreaterThan(1);
    expect([...packed.items.map(({ memory: { id } }) => id), ...packed.more]).toEqual(items.slice(0, packed.items.length + packed.more.length).map(({ memory: { id } }) => id));
  });

  test("a preview shows what was asked for", () => {
    const packed = pack(outcome([item(`${long}\nThe zebra limit is 42.\n${long}`, 0.9)]), 200, rendering, ["zebra"]);
    expect(packed.items[0]?.memory.content).toContain("zebra limit is 42");
  });

  test("related items come last and only where there is room", () => {
    const related = [{ kind: "memory" as const, id: "r", title: "Something near", why: "extends" }];
    const found = outcome([{ ...item(note, 0.9), related }]);
    expect(pack(found, 1_000, rendering, []).items[0]?.related).toEqual(related);
    const tight = sizeOf(outcome([item(note, 0.9)])) * 1.25;
    const packed = pack(found, Math.ceil(tight), rendering, []);
    expect(packed.items[0]?.truncated).toBe(false);
    expect(sizeOf(packed)).toBeLessThanOrEqual(tight);
  });
});

const word = fc.constantFrom("blue", "refund", "数据库", "каталог", 'quo"te', "back\\slash", "line\nbreak", "🦀", "👨‍👩‍👧‍👦", "getUserId()", "0x9f86d081", "</memory>", "\u0000");
const text = fc.oneof(
  fc.array(word, { minLength: 1, maxLength: 300 }).map((words) => words.join(" ")),
  fc.constantFrom(...texts.map(([, sample]) => sample)),
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 300 }),
  fc.string({ unit: "binary", minLength: 1, maxLength: 200 }),
);
const recalled = fc
  .record({
    content: text, relevance: fc.option(fc.double({ min: 0, max: 1, noNaN: true })), key: fc.option(text.map((key) => key.slice(0, 60))), quarantined: fc.boolean(),
    note: text, related: fc.array(fc.record({ kind: fc.constant("memory" as const), id: fc.uuid(), title: text.map((title) => title.slice(0, 80)), why: fc.constant("extends") }), { maxLength: 2 }),
  })
  .map(({ content, relevance, key, quarantined, note: said, related }): Recalled => {
    const { relevance: _relevance, ...plain } = item(content, 1, { key, metadata: { said }, trust: { source: "web", quarantined } });
    return { ...plain, ...(relevance === null ? {} : { relevance }), related };
  });

describe("the budget, whatever is found [U5]", () => {
  test("is kept by the text and by the structured answer, with and without a receipt", () => {
    fc.assert(
      fc.property(
        fc.array(recalled, { maxLength: 8 }), fc.integer({ min: 50, max: 1_500 }), fc.boolean(), fc.boolean(), fc.array(word, { maxLength: 3 }),
        (items, maxTokens, receipt, isDegraded, terms) => {
          const found = outcome(items, isDegraded ? { degraded: ["vector search is late: answered from text"] } : {});
          const answer = finish(found, report(items), { maxTokens, rendering, receipt, terms });
          for (const form of rendering.answer(answer)) expect(countTokens(form)).toBeLessThanOrEqual(maxTokens);
        },
      ),
      { numRuns: 300 },
    );
  }, 120_000);
});

describe("a receipt within a budget [U1]", () => {
  const items = Array.from({ length: 10 }, (_, i) => item(`${i}: ${note}`, 0.9 - i / 20));
  const withReceipt = (maxTokens?: number): RecallOutcome =>
    finish(outcome(items), report(items), { ...(maxTokens === undefined ? {} : { maxTokens }), rendering, receipt: true, terms: ["refunds"] });

  test("says all when there is no budget", () => {
    expect(withReceipt().receipt).toMatchObject({ hits: { length: 10 }, dropped: { duplicate: { count: 1 } }, tokens_prevented: 0 });
  });

  test("gets shorter before memories go missing", () => {
    const { receipt, items: shown } = withReceipt(700);
    expect(receipt?.dropped).toMatchObject({ budget: { items: [] } });
    expect(receipt?.hits.length).toBeLessThan(10);
    expect(shown.length).toBeGreaterThan(1);
    expect(receipt?.tokens_prevented).toBeGreaterThan(0);
  });

  test("is left out where memories need the room", () => {
    const { receipt, items: shown } = withReceipt(130);
    expect(receipt).toBeUndefined();
    expect(shown).toHaveLength(1);
  });
});
