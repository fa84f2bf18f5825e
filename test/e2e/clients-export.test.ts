import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kinds, type TestClient } from "./support/clients.ts";
import { Product } from "./support/product.ts";

let product: Product;
beforeAll(async () => {
  product = await Product.start();
});
afterAll(() => product.remove());

interface Page {
  format: string;
  data: string;
  sha256: string;
  count: number;
}

const sha256 = (text: string): string => createHash("sha256").update(text, "utf8").digest("hex");

describe.each(kinds)("%s [S2] [S14] [U10]", (kind, connect) => {
  const namespace = `project:${kind.replaceAll(/\W+/g, "-")}`;
  let client: TestClient;
  beforeAll(async () => {
    client = await connect(product);
    await client.listTools();
    const state = { namespace, metadata: { tags: ["ß", "two words"], importance: 0.25, nested: { list: [1, null, "🦀"] } }, type: "insight" };
    await client.call("omn_store_memory", { key: "kept.plain", content: "Plain text.", namespace });
    const { structured: rich } = await client.call("omn_store_memory", { key: "kept.rich", content: "Zeile 1\nLine 2\t“quotes” \\ \u2028 漢字", ...state, occurred_at: "1999-12-31T23:59:59Z" });
    await client.call("omn_update_memory", { id: rich["memory_id"], content: "Second version.", summary: "Of three." });
    const last = await client.call("omn_update_memory", { id: rich["memory_id"], metadata: { expiry: "2099-01-01", importance: 1 } });
    expect(last.structured).toMatchObject({ version: 3 });
    await client.call("write_memory", { key: "kept.value", value: { a: [1.5, null, { b: "c" }] }, project_path: namespace.slice(8) });
    await client.call("omn_store_memory", { key: "kept.archived", content: "Archived, but kept.", namespace });
    await confirmed({ key: "kept.archived", filters: { namespace } });
  });
  afterAll(() => client.close());

  async function confirmed(what: Record<string, unknown>): Promise<void> {
    const { structured } = await client.call("omn_forget_memory", what);
    const done = await client.call("omn_forget_memory", { ...what, confirm: structured["confirm"] });
    expect(done.isError, done.text).toBe(false);
  }

  async function exported(format: string, limit = 2): Promise<Page[]> {
    const pages: Page[] = [];
    let cursor: string | undefined;
    do {
      const { structured } = await client.call("omn_export_memories", { filters: { namespace }, format, limit, ...(cursor ? { cursor } : {}) });
      pages.push(structured as Page);
      cursor = structured["next_cursor"] as string | undefined;
    } while (cursor !== undefined);
    return pages;
  }

  async function eraseAll(): Promise<void> {
    const { structured } = await client.call("omn_list_memories", { filters: { namespace }, limit: 200 });
    const archived = await client.call("omn_list_memories", { filters: { namespace }, limit: 200, archived: true });
    const all = [...structured["memories"], ...archived.structured["memories"]] as { memory_id: string }[];
    await confirmed({ ids: all.map(({ memory_id }) => memory_id), mode: "erase" });
    expect((await exported("ndjson")).map(({ count }) => count)).toEqual([0]);
  }

  test.each(["ndjson", "json"])("exports as %s, erases, imports, and has byte for byte what it had, history included", async (format) => {
    const before = await exported(format);
    expect(before.map(({ count }) => count)).toEqual([2, 2]);
    for (const { data, sha256: told } of before) expect(sha256(data)).toBe(told);
    await eraseAll();

    for (const { data, sha256: hash, count } of before) {
      const { structured } = await client.call("omn_import_memories", { data, sha256: hash, count, format });
      expect(structured).toMatchObject({ created: count, updated: 0, unchanged: 0, skipped: 0 });
    }
    expect(await exported(format)).toEqual(before);
    const [rich] = (await client.call("omn_retrieve_memory", { query: "second version", filters: { namespace } })).structured["memories"];
    expect(rich).toMatchObject({ key: "kept.rich", version: 3, metadata: { nested: { list: [1, null, "🦀"] }, expiry: "2099-01-01T00:00:00.000Z" } });
  });

  test("importing what is there already changes nothing", async () => {
    const [page] = (await exported("ndjson", 100)) as [Page];
    const { structured } = await client.call("omn_import_memories", { data: page.data, sha256: page.sha256, count: page.count });
    expect(structured).toMatchObject({ created: 0, updated: 0, unchanged: page.count });
    expect(await exported("ndjson", 100)).toEqual([page]);
  });

  test("data that changed on the way, or of which a part is missing, is refused as a whole", async () => {
    const [page] = (await exported("ndjson", 100)) as [Page];
    const before = await exported("ndjson", 100);
    const changed = page.data.replace("Second version.", "Second venison.");
    expect((await client.call("omn_import_memories", { data: changed, sha256: page.sha256, count: page.count })).error).toMatchObject({
      code: "VALIDATION_ERROR", message: expect.stringContaining("sha256"),
    });
    const partial = page.data.split("\n").slice(1).join("\n");
    expect((await client.call("omn_import_memories", { data: partial, count: page.count })).error).toMatchObject({
      code: "VALIDATION_ERROR", message: expect.stringMatching(/3 records, not 4/),
    });
    const cutOff = page.data.slice(0, -20);
    expect((await client.call("omn_import_memories", { data: cutOff })).error?.message).toMatch(/not JSON/);
    expect(await exported("ndjson", 100)).toEqual(before);
  });

  test("imports bare records, and skips or updates what differs as asked", async () => {
    const records = (content: string) => ({ memories: [{ key: "bare.one", content, namespace }, { key: "bare.two", content, namespace }] });
    expect((await client.call("omn_import_memories", records("First."))).structured).toMatchObject({ created: 2 });
    expect((await client.call("omn_import_memories", { ...records("Second."), on_conflict: "skip" })).structured).toMatchObject({ skipped: 2, updated: 0 });
    expect((await client.call("omn_import_memories", records("Third."))).structured).toMatchObject({ updated: 2 });
    expect((await client.call("omn_retrieve_memory", { key: "bare.*", filters: { namespace } })).text).toMatch(/Third[^]*Third/);
  });
});
