import { afterAll, beforeAll, expect, test } from "vitest";
import { kinds, type Connect } from "./support/clients.ts";
import { Product } from "./support/product.ts";

let product: Product;
beforeAll(async () => {
  product = await Product.start({ OMNIMEMORY_RATE_LIMIT: "off", RERANK_MODEL: "@cf/baai/bge-reranker-base" });
});
afterAll(() => product.remove());

// One machine has no such model: the configured one is asked for, refuses, and the answer comes without it.
test("a reranking model that does not answer leaves the answer to the rest, which says so [D5]", async () => {
  const [, connect] = kinds[0] as [string, Connect];
  const client = await connect(product);
  for (const bird of ["heron", "stork"]) await client.call("omn_store_memory", { key: bird, content: `A ${bird} stood by the lake` });
  const { structured } = await client.call("omn_retrieve_memory", { query: "the bird by the lake", receipt: true, min_relevance: 0 });
  expect(structured["memories"]).toHaveLength(2);
  expect(structured["degraded"]).toEqual([expect.stringMatching(/^reranking is down/)]);
  expect(structured["receipt"].legs.rerank.status).toBe("failed");
  const without = await client.call("omn_retrieve_memory", { query: "the bird by the lake", receipt: true, min_relevance: 0, without: ["rerank"] });
  expect(without.structured["degraded"]).toBeUndefined();
  await client.close();
});
