import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kinds } from "./support/clients.ts";
import { Product } from "./support/product.ts";

let product: Product;
beforeAll(async () => {
  product = await Product.start();
});
afterAll(() => product.remove());

describe.each(kinds)("%s [S2] [S11]", (kind, connect) => {
  test("speaks its own era of the protocol", async () => {
    const client = await connect(product);
    expect(client.era).toBe(["client 2 with 2026-07-28", "client 2 that negotiates"].includes(kind) ? "stateless" : "sessions");
    await client.close();
  });

  test("gets the tools of the surface it asks for [F2]", async () => {
    const core = await connect(product, "");
    const names = (await core.listTools()).map(({ name }) => name);
    expect(names.length).toBeLessThanOrEqual(9);
    expect(names).toContain("omn_retrieve_memory");
    await core.close();
    const chatgpt = await connect(product, "?surface=chatgpt");
    expect((await chatgpt.listTools()).map(({ name }) => name)).toEqual(["search", "fetch"]);
    await chatgpt.close();
  });

  test("is answered with text alone where a model reads, and with the structured form on a surface for programs [U5]", async () => {
    const core = await connect(product, "");
    await core.listTools();
    expect(await core.call("omn_list_memories")).toEqual({ isError: false, structured: {}, text: "No memories.", error: undefined });
    await core.close();
    const omn = await connect(product, "?surface=omn");
    await omn.listTools();
    expect(await omn.call("omn_list_memories")).toMatchObject({ isError: false, structured: { memories: [] }, text: "No memories." });
    await omn.close();
  });

  test("is told which surfaces there are when it asks for another [F2]", async () => {
    // Two of the clients keep to themselves what the server said: over SSE all but the status, pinned all of it.
    const shown = kind.includes("SSE") ? /400/ : kind.includes("2026") ? /2026-07-28/ : /everything.*core/s;
    await expect(connect(product, "?surface=everything")).rejects.toThrow(shown);
  });
});
