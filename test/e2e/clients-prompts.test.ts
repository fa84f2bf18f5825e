import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kinds, type TestClient } from "./support/clients.ts";
import { Product } from "./support/product.ts";

let product: Product;
beforeAll(async () => {
  product = await Product.start();
});
afterAll(() => product.remove());

describe.each(kinds)("%s [A9] [S2]", (_kind, connect) => {
  let client: TestClient;
  beforeAll(async () => {
    client = await connect(product, "?surface=omn&project=shop");
  });
  afterAll(() => client.close());

  test("lists the prompts, completes their arguments and gets one that the project's memory fills", async () => {
    await client.call("omn_store_memory", { key: "ledger.order", content: "Rows are locked in order of account.", citations: [{ path: "src/ledger.ts" }] });
    expect((await client.listPrompts()).map(({ name }) => name)).toContain("explain-code");
    expect(await client.complete("explain-code", "detail_level", "b")).toEqual(["brief"]);
    expect(await client.complete("explain-code", "file_path", "led")).toEqual(["src/ledger.ts"]);
    const text = await client.getPrompt("explain-code", { file_path: "src/ledger.ts", detail_level: "brief" });
    expect(text).toContain("Please provide a brief explanation");
    expect(text).toContain("Rows are locked in order of account.");
  });

  test("is told what is wrong with an argument", async () => {
    await expect(client.getPrompt("explain-code", { detail_level: "loud", file_path: "a" })).rejects.toThrow("detail_level");
  });
});
