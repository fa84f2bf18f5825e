import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kinds, type TestClient } from "./support/clients.ts";
import { Product } from "./support/product.ts";

let product: Product;
beforeAll(async () => {
  product = await Product.start();
});
afterAll(() => product.remove());

describe.each(kinds)("%s [S2] [S14]", (kind, connect) => {
  let client: TestClient;
  beforeAll(async () => {
    client = await connect(product);
  });
  afterAll(() => client.close());

  test("is told how far a long import and export are while they work, where it asks, and gets the same answer", async () => {
    const memories = Array.from({ length: 590 }, (_, i) => ({ key: `${kind} ${i}`, content: `Crate ${i} of the warehouse for ${kind}` }));
    const told: [progress: number, total: number | undefined][] = [];
    const { structured } = await client.call("omn_import_memories", { memories }, ({ progress, total }) => told.push([progress, total]));
    expect(structured).toMatchObject({ created: 590, count: 590 });
    expect(told).toEqual([[200, 590], [400, 590]]);
    const exported: [progress: number, total: number | undefined][] = [];
    expect((await client.call("omn_export_memories", { limit: 500 }, ({ progress, total }) => exported.push([progress, total]))).structured).toMatchObject({ count: 500 });
    expect(exported).toEqual([[0, 500]]);
    expect((await client.call("omn_import_memories", { memories: memories.slice(0, 5) })).structured).toMatchObject({ unchanged: 5 });
  });
});
