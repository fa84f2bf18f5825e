import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kinds, type TestClient } from "./support/clients.ts";
import { Product } from "./support/product.ts";

let product: Product;
beforeAll(async () => {
  product = await Product.start();
});
afterAll(() => product.remove());

const keysOf = (memories: { key?: string }[]): (string | undefined)[] => memories.map(({ key }) => key);

describe.each(kinds)("%s [S2] [A1]", (kind, connect) => {
  const slug = kind.replaceAll(/\W+/g, "-");
  const namespace = `project:${slug}`;
  const key = (name: string): string => `${slug}.${name}`;
  let client: TestClient;
  beforeAll(async () => {
    client = await connect(product);
    await client.listTools();
  });
  afterAll(() => client.close());

  const store = (name: string, content: string, more: Record<string, unknown> = {}) =>
    client.call("omn_store_memory", { key: key(name), content, namespace, ...more });

  test("stores a memory, with everything it may say, and finds it at once [U6]", async () => {
    const metadata = { tags: ["auth", "decision"], importance: 0.9, ticket: "SEC-12" };
    const stored = await store("auth", "Sessions are signed with Ed25519 since the audit.", { metadata, occurred_at: "2026-03-01", type: "architecture_decision" });
    expect(stored).toMatchObject({ isError: false, structured: { key: key("auth"), outcome: "created", version: 1, namespace, scope: "private" } });
    const byKey = await client.call("omn_retrieve_memory", { key: key("auth") });
    expect(byKey.structured["memories"]).toEqual([
      expect.objectContaining({
        memory_id: stored.structured["memory_id"],
        content: "Sessions are signed with Ed25519 since the audit.",
        metadata,
        type: "architecture_decision",
        occurred_at: "2026-03-01T00:00:00.000Z",
      }),
    ]);
    const byQuery = await client.call("omn_retrieve_memory", { query: "how are sessions signed", filters: { namespace } });
    expect(keysOf(byQuery.structured["memories"])).toEqual([key("auth")]);
    expect(byQuery.text).toContain("Ed25519");
    const byId = await client.call("omn_retrieve_memory", { id: stored.structured["memory_id"] });
    expect(keysOf(byId.structured["memories"])).toEqual([key("auth")]);
  });

  test("the same key again is a new version; the same call again changes nothing [S14]", async () => {
    await store("db", "We use MySQL.");
    expect((await store("db", "We use PostgreSQL.")).structured).toMatchObject({ outcome: "updated", version: 2 });
    expect((await store("db", "We use PostgreSQL.")).structured).toMatchObject({ outcome: "unchanged", version: 2 });
    const once = { idempotency_key: `${slug}-once` };
    const first = await store("once", "Exactly once.", once);
    const again = await store("once", "Exactly once.", once);
    expect(again.structured).toMatchObject({ memory_id: first.structured["memory_id"], outcome: "created", replayed: true });
    expect((await store("once", "Another text.", once)).error).toMatchObject({ code: "VALIDATION_ERROR", message: expect.stringMatching(/idempotency key/) });
  });

  test("recalls by wildcard, filters, limit and min_relevance [S14]", async () => {
    await store("recall.red", "The red service is owned by Ruth.", { metadata: { tags: ["owner", "red"], importance: 0.2 } });
    await store("recall.blue", "The blue service is owned by Boris.", { metadata: { tags: ["owner", "blue"], importance: 0.8 }, type: "reference" });
    const recall = async (args: Record<string, unknown>) => keysOf((await client.call("omn_retrieve_memory", args)).structured["memories"]).sort();
    const both = [key("recall.blue"), key("recall.red")];
    expect(await recall({ key: key("recall.*") })).toEqual(both);
    expect(await recall({ query: "service owner", filters: { namespace, tags: ["owner"] } })).toEqual(both);
    expect(await recall({ query: "service owner", filters: { namespace, tags: ["owner", "blue"] } })).toEqual([both[0]]);
    expect(await recall({ filters: { namespace, min_importance: 0.5, type: "reference" } })).toEqual([both[0]]);
    expect(await recall({ filters: { namespace, tags: ["owner"], max_age_days: 1 } })).toEqual(both);
    expect(await recall({ key: key("recall.*"), limit: 1 })).toHaveLength(1);
    expect(await recall({ query: "blue whales of the southern ocean", filters: { namespace }, min_relevance: 0.99 })).toEqual([]);
    expect(await recall({ query: "blue service owned by Boris", filters: { namespace }, limit: 1 })).toEqual([both[0]]);
  });

  test("max_tokens cuts the answer [U5]", async () => {
    await store("long", "The quarterly report says a great deal. ".repeat(60));
    const cut = await client.call("omn_retrieve_memory", { key: key("long"), max_tokens: 200 });
    expect(cut.structured["memories"]).toEqual([expect.objectContaining({ key: key("long"), truncated: true })]);
    expect(cut.text.length).toBeLessThan(1_000);
  });

  test("as_of tells what was known then [U13]", async () => {
    await store("price", "The price is 10 euros.");
    await new Promise((resolve) => setTimeout(resolve, 20));
    const then = new Date().toISOString();
    await new Promise((resolve) => setTimeout(resolve, 20));
    await store("price", "The price is 12 euros.");
    const recall = (as_of?: string) => client.call("omn_retrieve_memory", { key: key("price"), ...(as_of === undefined ? {} : { as_of }) });
    expect((await recall()).text).toContain("12 euros");
    expect((await recall(then)).text).toContain("10 euros");
    expect((await recall("2020-01-01")).structured["memories"]).toEqual([]);
  });

  test("updates fields and leaves the rest; a conflict shows both versions and writes nothing [S14]", async () => {
    await store("plan", "Ship in May.", { metadata: { tags: ["plan"], team: "core" } });
    const updated = await client.call("omn_update_memory", { key: key("plan"), metadata: { importance: 1 }, expected_version: 1 });
    expect(updated.structured).toMatchObject({ outcome: "updated", version: 2 });
    const conflict = await client.call("omn_update_memory", { key: key("plan"), content: "Ship in June.", expected_version: 1 });
    expect(conflict).toMatchObject({ isError: true, structured: { outcome: "conflict", current: { content: "Ship in May.", version: 2 }, attempted: { content: "Ship in June." } } });
    expect(conflict.text).toMatch(/Ship in May[^]*Ship in June/);
    const [kept] = (await client.call("omn_retrieve_memory", { key: key("plan") })).structured["memories"];
    expect(kept).toMatchObject({ content: "Ship in May.", version: 2, metadata: { tags: ["plan"], team: "core", importance: 1 } });
  });

  test("forgets after a preview; what was archived comes back, what was erased does not [U4]", async () => {
    const forget = (args: Record<string, unknown>) => client.call("omn_forget_memory", { key: key("gone.*"), ...args });
    const found = async () => keysOf((await client.call("omn_retrieve_memory", { key: key("gone.*") })).structured["memories"]).sort();
    await store("gone.a", "First to go.");
    const { structured: second } = await store("gone.b", "Second to go.");
    const preview = await forget({});
    expect(preview.structured).toMatchObject({ outcome: "preview", count: 2, mode: "archive", confirm: expect.any(String) });
    expect(preview.text).toMatch(/Nothing forgotten yet[^]*First to go[^]*Second|Nothing forgotten yet[^]*Second to go[^]*First/);
    expect(await found()).toHaveLength(2);
    expect((await forget({ confirm: preview.structured["confirm"] })).structured).toMatchObject({ outcome: "archived", count: 2 });
    expect(await found()).toEqual([]);
    const archived = await client.call("omn_list_memories", { archived: true, filters: { namespace } });
    expect(keysOf(archived.structured["memories"])).toEqual(expect.arrayContaining([key("gone.a"), key("gone.b")]));

    await client.call("omn_update_memory", { id: second["memory_id"], archived: false });
    expect(await found()).toEqual([key("gone.b")]);
    const token = (await forget({ mode: "erase" })).structured["confirm"];
    await client.call("omn_update_memory", { key: key("gone.b"), content: "Changed after the preview." });
    expect((await forget({ mode: "erase", confirm: token })).structured["outcome"]).toBe("preview");
    const fresh = (await forget({ mode: "erase" })).structured["confirm"];
    expect((await forget({ mode: "erase", confirm: fresh })).structured).toMatchObject({ outcome: "erased", count: 1 });
    expect((await client.call("omn_update_memory", { id: second["memory_id"], archived: false })).error?.code).toBe("MEMORY_NOT_FOUND");
    expect((await client.call("omn_retrieve_memory", { query: "changed after the preview", filters: { namespace } })).text).not.toContain("Changed after");
  });

  test("pages of a list neither repeat nor lose an entry while others write [S14]", async () => {
    const tag = { metadata: { tags: ["paged"] } };
    for (let i = 0; i < 7; i += 1) await store(`page.${i}`, `Entry ${i}.`, tag);
    const seen: (string | undefined)[] = [];
    let cursor: string | undefined;
    do {
      const { structured } = await client.call("omn_list_memories", { filters: { namespace, tags: ["paged"] }, limit: 2, ...(cursor ? { cursor } : {}) });
      seen.push(...keysOf(structured["memories"]));
      cursor = structured["next_cursor"] as string | undefined;
      await store(`page.new.${seen.length}`, "Written between two pages.", tag);
      await store("page.0", `Changed while listing: ${seen.length}.`, tag);
    } while (cursor !== undefined);
    expect(seen).toEqual([6, 5, 4, 3, 2, 1, 0].map((i) => key(`page.${i}`)));
  });

  test("counts what there is, and says how it is [S14]", async () => {
    const before = (await client.call("omn_memory_stats")).structured;
    await store("counted", "One more.");
    const after = (await client.call("omn_memory_stats")).structured;
    expect(after["total"]).toBe(before["total"] + 1);
    expect(after["by_namespace"][namespace]).toBe(before["by_namespace"][namespace] + 1);
    expect((await client.call("omn_health_check")).structured).toEqual({ status: "ok" });
    expect((await client.call("omn_health_check", { deep: true })).structured).toMatchObject({
      status: "ok",
      dependencies: { directory: { ok: true }, database: { ok: true }, search_index: { ok: true }, vectorize: { ok: true }, embedder: { ok: true }, llm: { ok: true }, kv: { ok: true } },
    });
  });

  test("a mistake comes back as an answer that says how to mend the call [S16]", async () => {
    const answer = await client.call("omn_retrieve_memory", {});
    expect(answer).toMatchObject({ isError: true, error: { code: "VALIDATION_ERROR", hint: expect.any(String), request_id: expect.any(String) } });
    expect((await client.call("omn_update_memory", { key: key("nobody"), content: "x" })).error).toMatchObject({ code: "MEMORY_NOT_FOUND", hint: expect.any(String) });
  });
});
