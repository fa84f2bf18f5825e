import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { kinds, type TestClient } from "./support/clients.ts";
import { Product } from "./support/product.ts";

const recent = "omnimemory://memories/recent";

let product: Product;
const clients = new Map<string, TestClient>();
beforeAll(async () => {
  product = await Product.start();
  for (const [kind, connect] of kinds) clients.set(kind, await connect(product));
});
afterAll(async () => {
  await Promise.all([...clients.values()].map((client) => client.close()));
  await product.remove();
});

const clientOf = (kind: string): TestClient => clients.get(kind) as TestClient;

/** One writer of each era: what they cause must reach the others, and themselves, in both directions. */
const writers = ["sdk 1 over Streamable HTTP", "client 2 with 2026-07-28"];

describe.each(kinds)("%s [S2]", (kind) => {
  const updated: string[] = [];
  let listChanges = 0;
  beforeAll(() =>
    clientOf(kind).watch(recent, {
      updated: (uri) => updated.push(uri),
      listChanged: () => (listChanges += 1),
    }),
  );
  const forget = (): void => {
    updated.length = 0;
    listChanges = 0;
  };
  const expectHeard = (expected: { updated: string[]; listChanges: number }): Promise<void> =>
    vi.waitFor(() => expect({ updated, listChanges }).toEqual(expected), { timeout: 20_000 });

  test.each(writers)("learns what %s writes, and reads it", async (writer) => {
    forget();
    const key = `heard.by.${kind}.from.${writer}`.replaceAll(" ", "-");
    await clientOf(writer).call("omn_store_memory", { key, content: `News from ${writer}.` });
    await expectHeard({ updated: [recent], listChanges: 1 });
    expect(await clientOf(kind).readResource(recent)).toContain(`News from ${writer}.`);
    expect((await clientOf(kind).listResources()).map(({ name }) => name)).toContain(key);
  });

  test.each(writers)("learns that %s changed a memory, whose place in the list is the same", async (writer) => {
    forget();
    const key = `changed.for.${kind}.by.${writer}`.replaceAll(" ", "-");
    await clientOf(writer).call("write_memory", { key, value: 1, scope: "global" });
    await expectHeard({ updated: [recent], listChanges: 1 });
    forget();
    await clientOf(writer).call("omn_update_memory", { key, content: "2", metadata: { importance: 1 } });
    await expectHeard({ updated: [recent], listChanges: 0 });
  });

  test("is not told of what changed nothing, nor of reading", async () => {
    const other = clientOf(writers[0] === kind ? (writers[1] as string) : (writers[0] as string));
    const key = `same.for.${kind}`.replaceAll(" ", "-");
    forget();
    await other.call("omn_store_memory", { key, content: "The same text." });
    await expectHeard({ updated: [recent], listChanges: 1 });
    forget();
    await other.call("omn_store_memory", { key, content: "The same text." });
    await other.call("omn_retrieve_memory", { key });
    await other.call("omn_forget_memory", { key });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect({ updated, listChanges }).toEqual({ updated: [], listChanges: 0 });
  });
});

describe("a single memory [S2]", () => {
  test("is watched by its own URI, across eras", async () => {
    const writer = clientOf("client 2 that negotiates");
    const { structured } = await writer.call("omn_store_memory", { key: "watched", content: "Version one." });
    const uri = `omnimemory://memory/${structured["memory_id"]}`;
    const seen: string[] = [];
    const [, connect] = kinds[0] as (typeof kinds)[number];
    const watcher = await connect(product);
    await watcher.watch(uri, { updated: (changed) => seen.push(changed), listChanged: () => undefined });
    await writer.call("omn_store_memory", { key: "unrelated", content: "Something else." });
    await writer.call("omn_update_memory", { key: "watched", content: "Version two." });
    await vi.waitFor(() => expect(seen).toEqual([uri]), { timeout: 20_000 });
    expect(await watcher.readResource(uri)).toContain("Version two.");
    await watcher.close();
  });
});
