import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kinds, type TestClient } from "./support/clients.ts";
import { Product } from "./support/product.ts";
import { notes } from "./support/project.ts";

let product: Product;
beforeAll(async () => {
  product = await Product.start();
});
afterAll(() => product.remove());

describe.each(kinds)("%s [S2] [B1]", (kind, connect) => {
  const slug = kind.replaceAll(/\W+/g, "-");
  const at = { project_path: `/home/me/${slug}` };
  let client: TestClient;
  beforeAll(async () => {
    client = await connect(product);
    await client.listTools();
  });
  afterAll(() => client.close());

  const write = (key: string, value: unknown, more: Record<string, unknown> = {}) => client.call("write_memory", { key, value, ...at, ...more });
  const read = async (args: Record<string, unknown>) => (await client.call("read_memory", { ...at, ...args })).structured["memory"];

  test("writes any value and reads it by its exact key; absent is null", async () => {
    expect((await write("project.type", "Next.js with TypeScript")).structured).toMatchObject({ outcome: "created", scope: "project", version: 1 });
    const value = { module: "authentication", progress: 70, next_steps: ["Add tests", "Update docs"] };
    await write("current.refactoring", value, { tags: ["recent"] });
    expect(await read({ key: "project.type" })).toMatchObject({ key: "project.type", value: "Next.js with TypeScript", scope: "project" });
    expect(await read({ key: "current.refactoring" })).toMatchObject({ value, metadata: { tags: ["recent"] } });
    expect(await read({ key: "project.nothing" })).toBeNull();
  });

  test("reads by pattern, tags and scope: always a list", async () => {
    await write("list.a", 1);
    await write("list.b", 2, { tags: ["recent"] });
    const keys = (memories: { key: string }[]): string[] => memories.map(({ key }) => key).sort();
    expect(keys(await read({ pattern: "list.*" }))).toEqual(["list.a", "list.b"]);
    expect(keys(await read({ key: "list.*" }))).toEqual(["list.a", "list.b"]);
    expect(keys(await read({ pattern: "list.*", tags: ["recent"] }))).toEqual(["list.b"]);
    expect(await read({ pattern: "nothing.*" })).toEqual([]);
  });

  test("scopes are apart from each other, and projects from each other [B2]", async () => {
    for (const scope of ["global", "project", "session", "shared"]) await write(`${slug}.where`, scope, { scope, session_id: "monday" });
    for (const scope of ["global", "project", "session", "shared"]) {
      expect(await read({ key: `${slug}.where`, scope, session_id: "monday" })).toMatchObject({ value: scope, scope });
    }
    expect(await read({ key: `${slug}.where`, scope: "session", session_id: "tuesday" })).toBeNull();
    expect(await client.call("read_memory", { key: `${slug}.where`, scope: "project", project_path: "/home/me/elsewhere" })).toMatchObject({ structured: { memory: null } });
  });

  test("a value with a ttl goes away [B2]", async () => {
    await write("long", "for an hour", { ttl: 3_600 });
    expect((await write("brief", "for a second", { ttl: 1 })).structured["outcome"]).toBe("created");
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect(await read({ key: "brief" })).toBeNull();
    expect(await read({ key: "long" })).toMatchObject({ value: "for an hour", metadata: { ttl: 3_600 } });
  });

  test("lists by pattern, tags and limit", async () => {
    for (let i = 0; i < 5; i += 1) await write(`many.${i}`, i, { tags: i % 2 === 0 ? ["even"] : [] });
    const list = async (args: Record<string, unknown>) =>
      (await client.call("list_memories", { ...at, pattern: "many.*", ...args })).structured["memories"].map(({ key }: { key: string }) => key);
    expect(await list({})).toEqual([4, 3, 2, 1, 0].map((i) => `many.${i}`));
    expect(await list({ tags: ["even"] })).toEqual([4, 2, 0].map((i) => `many.${i}`));
    expect(await list({ limit: 2 })).toEqual(["many.4", "many.3"]);
  });

  test("deletes by exact key, true or false; another can write it anew", async () => {
    await write("old.idea", "obsolete");
    expect((await client.call("delete_memory", { key: "old.idea", ...at })).structured).toMatchObject({ deleted: true });
    expect(await read({ key: "old.idea" })).toBeNull();
    expect((await client.call("delete_memory", { key: "old.idea", ...at })).structured).toEqual({ deleted: false });
    expect((await client.call("delete_memory", { key: "old.*", ...at })).error?.code).toBe("VALIDATION_ERROR");
    expect((await write("old.idea", "back again")).structured["outcome"]).toBe("created");
  });

  test("resumes a project of ordinary size in 200–500 tokens, a tenth of what is stored at most [B3]", async () => {
    const project_path = `/home/me/${slug}-shop`;
    for (const { key, value, scope, tags } of notes) {
      const stored = await client.call("write_memory", { key, value, project_path, ...(scope ? { scope } : {}), ...(tags ? { tags } : {}) });
      expect(stored.isError, stored.text).toBe(false);
    }
    const everything = JSON.stringify((await client.call("read_memory", { pattern: "*", project_path })).structured["memory"]);
    const { structured, text } = await client.call("smart_resume", { project_path });
    const tokens = countTokens(text);
    expect(text).toBe(structured["briefing"]);
    expect(tokens).toBeGreaterThanOrEqual(200);
    expect(tokens).toBeLessThanOrEqual(500);
    expect(structured["token_count"]).toBeGreaterThanOrEqual(tokens);
    expect(structured["token_count"]).toBeLessThanOrEqual(500);
    expect(tokens).toBeLessThanOrEqual(countTokens(everything) / 10);
    // Some clients hand the model the structured answer instead of the text.
    expect(countTokens(JSON.stringify(structured))).toBeLessThanOrEqual(countTokens(everything) / 10);
    for (const told of [/refund flow/, /70/, /certificate/, /Replay events/, /executed twice/]) expect(text).toMatch(told);
    expect(structured["context"]).toMatchObject({ project: expect.any(Array), current: expect.any(Array), shared: expect.any(Array) });
    expect(structured["context"].current.map(({ key }: { key: string }) => key)).toContain("current.blockers");
    expect(structured["context"].shared).toHaveLength(2);
  });
});

describe.each(kinds)("%s as ChatGPT [S2] [F2]", (kind, connect) => {
  test("searches and fetches", async () => {
    const client = await connect(product, "?surface=chatgpt");
    const word = `Quetzal${kind.replaceAll(/\W+/g, "")}`;
    await client.call("omn_store_memory", { key: `bird.${word}`, content: `${word} is a bird of the cloud forest. ${"It eats avocados. ".repeat(100)}` });
    const found = await client.call("search", { query: `what is ${word}` });
    const [first] = found.structured["results"];
    expect(first).toMatchObject({ title: `bird.${word}`, url: expect.any(String), id: expect.any(String) });
    expect(JSON.parse(found.text)).toEqual(found.structured);
    const fetched = await client.call("fetch", { id: first.id });
    expect(fetched.structured).toMatchObject({ id: first.id, title: `bird.${word}`, text: expect.stringMatching(/cloud forest[^]*avocados/), metadata: expect.any(Object) });
    expect(JSON.parse(fetched.text)).toEqual(fetched.structured);
    expect((await client.call("search", { query: "zyzzyva" })).structured).toEqual({ results: [] });
    await client.close();
  });
});
