import { describe, expect, test } from "vitest";
import { degradedBy } from "../../../../src/domain/recall/degraded.ts";
import { fitReceipt, receiptOf, receiptSchema, type LegReports } from "../../../../src/domain/recall/presentation/receipt.ts";

const ok = { status: "ok", ms: 2.34567, candidates: 10 } as const;
const failed = { status: "failed", ms: 1, candidates: 0 } as const;
const late = { status: "timeout", ms: 150, candidates: 0 } as const;
const off = { status: "off", ms: 0, candidates: 0 } as const;

const hit = (id: string) => ({ id, score: 0.123456, parts: { text: 0.1, vector: 0.023456 }, legs: { memory_text: { rank: 1, score: 9.87654 } }, matched: ["billing"] });
const receipt = receiptOf({
  mode: "hybrid", cache: "l2", legs: { memory_text: ok, memory_vector: off }, hits: ["a", "b", "c"].map(hit),
  drops: [{ reason: "duplicate", id: "d", of: "a" }, { reason: "threshold", id: "e" }, { reason: "threshold", id: "f" }, { reason: "budget", id: "g" }],
  tokensReturned: 300, tokensUnshaped: 1_000,
});

describe("a receipt [U1]", () => {
  test("says of each hit what brought it, what was dropped and why, and the tokens spent and saved", () => {
    expect(receiptSchema.parse(receipt)).toEqual(receipt);
    expect(receipt).toMatchObject({
      hits: [{ id: "a", score: 0.123, legs: { memory_text: { rank: 1, score: 9.877 } } }, {}, {}],
      dropped: { duplicate: { count: 1, items: [{ id: "d", of: "a" }] }, threshold: { count: 2 }, budget: { count: 1 } },
      tokens_returned: 300,
      tokens_prevented: 700,
    });
  });

  test("gives up ids before hits, and hits from the last on", () => {
    const tries: [number, number][] = [];
    expect(fitReceipt(receipt, ({ hits, dropped }) => tries.push([hits.length, dropped.threshold?.items.length ?? -1]) < 0)).toBeUndefined();
    expect(tries).toEqual([[3, 2], [3, 0], [1, 0], [0, 0]]);
  });

  test("names at most ten of a kind and counts them all", () => {
    const drops = Array.from({ length: 40 }, (_, i) => ({ reason: "threshold" as const, id: `m${i}` }));
    const { dropped } = receiptOf({ mode: "text", cache: "off", legs: {}, hits: [], drops, tokensReturned: 0, tokensUnshaped: 0 });
    expect(dropped.threshold).toMatchObject({ count: 40, items: { length: 10 } });
  });

  test("never claims to have saved less than nothing", () => {
    expect(receiptOf({ mode: "text", cache: "off", legs: {}, hits: [], drops: [], tokensReturned: 10, tokensUnshaped: 5 }).tokens_prevented).toBe(0);
  });
});

describe("a degraded answer says so [D5]", () => {
  test.each<[string, LegReports, string[]]>([
    ["nothing when all answered or were off", { memory_text: ok, memory_vector: off }, []],
    ["vectors down", { memory_text: ok, memory_vector: failed }, ["vector search is down: answered from text"]],
    ["vectors late", { memory_text: ok, memory_vector: late, entity_vector: late }, ["vector search is late: answered from text"]],
    ["text down", { memory_text: failed, memory_vector: ok }, ["text search is down: answered from vectors"]],
    ["several", { memory_text: ok, memory_vector: failed, graph: late }, ["vector search and the graph are down: answered from text"]],
    ["reranking down", { memory_text: ok, memory_vector: ok, rerank: failed }, ["reranking is down: answered from text and vectors"]],
    ["everything down", { memory_text: failed }, ["text search is down"]],
  ])("%s", (_what, legs, expected) => {
    expect(degradedBy(legs)).toEqual(expected);
  });
});
