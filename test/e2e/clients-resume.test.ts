import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { kinds } from "./support/clients.ts";
import { Product } from "./support/product.ts";

const recent = "omnimemory://memories/recent";
const sessionKinds = kinds.filter(([kind]) => kind === "sdk 1 over Streamable HTTP" || kind === "client 2 with sessions");
const otherKinds = kinds.filter(([kind]) => !sessionKinds.some(([other]) => other === kind));

let product: Product;
beforeEach(async () => {
  product = await Product.start();
});
afterEach(() => product.remove());

describe("after the server was restarted [S2] [S11]", () => {
  test.each(sessionKinds)("%s goes on in the session it had", async (_kind, connect) => {
    const client = await connect(product);
    await client.call("omn_store_memory", { key: "before", content: "Stored before the restart." });
    const session = client.sessionId();
    expect(session).toBeDefined();
    await product.restart();
    const found = await client.call("omn_retrieve_memory", { query: "what was stored before the restart" });
    expect(found.structured["memories"]).toEqual([expect.objectContaining({ key: "before" })]);
    const toolOf = async (key: string): Promise<unknown> => (await client.call("omn_retrieve_memory", { key })).structured["memories"][0].tool;
    expect(await toolOf("before")).toMatch(/sdk-1|client-2/);
    const { structured } = await client.call("omn_store_memory", { key: "after", content: "Stored after it." });
    expect(structured["outcome"]).toBe("created");
    expect(client.sessionId()).toBe(session);
    // The session still knows whose it is.
    expect(await toolOf("after")).toBe(await toolOf("before"));
    await client.close();
  });

  test.each(sessionKinds)("%s still hears of what it watches, and of what it missed", async (_kind, connect) => {
    const client = await connect(product);
    const updated: string[] = [];
    await client.watch(recent, { updated: (uri) => updated.push(uri), listChanged: () => undefined });
    await client.call("omn_store_memory", { key: "first", content: "First." });
    await vi.waitFor(() => expect(updated).toEqual([recent]), { timeout: 20_000 });
    await product.restart();
    const [, connectOther] = kinds.find(([kind]) => kind === "client 2 with 2026-07-28") as (typeof kinds)[number];
    const other = await connectOther(product);
    await other.call("omn_store_memory", { key: "second", content: "Second." });
    await vi.waitFor(() => expect(updated.length).toBeGreaterThanOrEqual(2), { timeout: 20_000 });
    await client.close();
    await other.close();
  });

  test.each(otherKinds)("%s connects again and finds everything", async (_kind, connect) => {
    const before = await connect(product);
    await before.call("omn_store_memory", { key: "before", content: "Stored before the restart." });
    await before.close();
    await product.restart();
    const after = await connect(product);
    expect((await after.call("omn_retrieve_memory", { key: "before" })).text).toContain("Stored before the restart.");
    await after.close();
  });

  test("a stateless client need not even connect again", async () => {
    const [, connect] = kinds.find(([kind]) => kind === "client 2 with 2026-07-28") as (typeof kinds)[number];
    const client = await connect(product);
    await product.restart();
    expect((await client.call("omn_health_check")).structured).toEqual({ status: "ok" });
    await client.close();
  });
});
