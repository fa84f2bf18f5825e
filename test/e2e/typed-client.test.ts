import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type * as client from "../../src/client/client.ts";
import { Product } from "./support/product.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "omnimemory-client-"));
const installed = join(folder, "node_modules", "omnimemory");
let product: Product;
let OmniMemory: typeof client.OmniMemory;
let OmniMemoryError: typeof client.OmniMemoryError;

/** The package as npm packs it, in the place where npm installs it. */
beforeAll(async () => {
  product = await Product.start({});
  execFileSync("npm", ["pack", "--silent", "--pack-destination", folder], { cwd: root });
  mkdirSync(installed, { recursive: true });
  const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz")) as string;
  execFileSync("tar", ["-xzf", join(folder, tarball), "-C", installed, "--strip-components=1"]);
  ({ OmniMemory, OmniMemoryError } = (await import(pathToFileURL(join(installed, "dist", "client.js")).href)) as typeof client);
});
afterAll(async () => {
  await product.remove();
  rmSync(folder, { recursive: true, force: true });
});

const connect = (more: Partial<client.ClientOptions> = {}): client.OmniMemory => new OmniMemory({ url: product.url().origin, key: product.apiKey, project: "github.com/acme/shop", client: "orchestrator", ...more });

/** What a call was refused with. */
async function refusal(call: Promise<unknown>): Promise<client.OmniMemoryError> {
  const error = await call.then(() => undefined, (reason: unknown) => reason);
  expect(error).toBeInstanceOf(OmniMemoryError);
  return error as client.OmniMemoryError;
}

describe("the packed client against the running server [C10]", () => {
  test("says that a server gives no answer as it says what one refuses, and takes a path with a slash before it", async () => {
    const gone = await refusal(connect({ url: "http://127.0.0.1:9" }).call("omn_list_memories", {}));
    expect([gone.code, gone.status, gone.message]).toEqual(["UNREACHABLE", 0, expect.stringMatching(/^http:\/\/127\.0\.0\.1:9 gives no answer: .+/)]);
    expect(await connect().request("GET", "/stats")).toMatchObject({ of: "own" });
  });

  test("stores, recalls, updates, previews and forgets, each by one request", async () => {
    const memory = connect();
    await memory.team();
    const requests: string[] = [];
    const send = globalThis.fetch;
    globalThis.fetch = (input, init) => {
      requests.push(`${init?.method} ${new URL(input as string).pathname}`);
      return send(input, init);
    };
    try {
      const stored = await memory.call("omn_store_memory", { key: "billing.database", content: "Billing runs on PostgreSQL 16.", metadata: { importance: 0.8 } });
      expect(stored).toMatchObject({ outcome: "created", namespace: "project:github.com/acme/shop" });
      expect(await memory.call("omn_retrieve_memory", { query: "which database does billing use" })).toMatchObject({ memories: [{ key: "billing.database", content: "Billing runs on PostgreSQL 16." }] });
      expect(await memory.text("omn_retrieve_memory", { key: "billing.database" })).toMatch(/<memory [^>]*>[^]*PostgreSQL 16\.[^]*<\/memory>/);
      expect(await memory.call("omn_update_memory", { key: "billing.database", content: "Billing runs on PostgreSQL 17.", expected_version: 1 })).toMatchObject({ outcome: "updated" });

      const conflict = await refusal(memory.call("omn_update_memory", { key: "billing.database", content: "Billing runs on MySQL.", expected_version: 1 }));
      expect([conflict.code, conflict.status, conflict.details]).toMatchObject(["CONFLICT", 409, { current: { content: "Billing runs on PostgreSQL 17." } }]);

      const preview = await memory.call("omn_forget_memory", { key: "billing.database" });
      expect((await memory.call("omn_retrieve_memory", { key: "billing.database" }))["memories"]).toHaveLength(1);
      await memory.call("omn_forget_memory", { key: "billing.database", confirm: preview["confirm"] as string });
      expect((await memory.call("omn_retrieve_memory", { key: "billing.database" }))["memories"]).toEqual([]);
      expect(requests).toEqual(Array.from({ length: 9 }, () => expect.stringMatching(/^POST \/v1\/teams\/[^/]+\/tools\/omn_\w+$/) as string));
    } finally {
      globalThis.fetch = send;
    }
  });

  test("exports what is there, and keeps a work session with its turns", async () => {
    const memory = connect();
    await memory.call("omn_store_memory", { key: "deploy.day", content: "We deploy on Tuesdays." });
    const lines = [];
    for await (const line of memory.export()) lines.push(line);
    expect(lines).toEqual(expect.arrayContaining([expect.objectContaining({ key: "deploy.day", content: "We deploy on Tuesdays." }) as object]));

    const session = await memory.openSession("orchestrator", "github.com/acme/shop");
    expect(await memory.openSession("orchestrator", "github.com/acme/shop")).toBe(session);
    const turns = [{ role: "user", content: "Ship it on Friday." }, { role: "assistant", content: "Shipped." }] as const;
    expect(await memory.recordTurns(session, turns, "once")).toMatchObject({ added: 2, count: 2 });
    expect(await memory.recordTurns(session, turns, "once")).toMatchObject({ added: 0, count: 2 });
    expect(await memory.request("GET", `sessions/${session}/turns`)).toMatchObject({ turns: [{ content: "Ship it on Friday." }, { content: "Shipped." }] });
  });

  test("says what was refused: a wrong argument, a wrong key, another team, and a limit with the time to wait", async () => {
    const wrong = await refusal(connect().call("omn_store_memory", { contents: "x" }));
    expect([wrong.code, wrong.status, wrong.message]).toEqual(["VALIDATION_ERROR", 400, expect.stringContaining("contents")]);
    expect((await refusal(connect({ key: `${product.apiKey.slice(0, -4)}xxxx`, team: "local" }).call("omn_list_memories", {}))).status).toBe(401);
    expect((await refusal(connect({ team: "nowhere" }).call("omn_list_memories", {}))).status).toBe(404);
    const memory = connect();
    // 100 in a minute and a burst of 20; an export costs ten.
    const exporting = Promise.all(Array.from({ length: 13 }, () => memory.call("omn_export_memories", { limit: 1 })));
    const over = await refusal(exporting);
    expect([over.code, over.status]).toEqual(["RATE_LIMIT_EXCEEDED", 429]);
    expect(over.retryAfterSeconds).toBeGreaterThan(0);
  });

  test("a key does not cross a network in the clear", () => {
    expect(() => connect({ url: "http://memory.example.com" })).toThrow("not https");
  });
});

test("the packed types: right calls compile, and a wrong argument, field or tool does not [C10]", () => {
  writeFileSync(join(folder, "package.json"), '{"type": "module"}');
  const lines = [
    'import { OmniMemory, OmniMemoryError, type Tools } from "omnimemory/client";',
    'const memory = new OmniMemory({ url: "https://memory.example.com", key: "omn_x" });',
    'const stored = await memory.call("omn_store_memory", { content: "x", metadata: { importance: 0.8, tags: ["db"] } });',
    "export const id: string = stored.memory_id;",
    'export const text: string = await memory.text("omn_retrieve_memory", { query: "x", filters: { min_importance: 0.7 } });',
    'export const given: Tools["write_memory"]["input"] = { key: "a.b", value: { any: ["JSON"] } };',
    "export const code = (error: unknown): string | undefined => (error instanceof OmniMemoryError ? error.code : undefined);",
    'await memory.call("omn_store_memory", { content: 7 });',
    'await memory.call("omn_store_memory", { content: "x", contents: "x" });',
    'await memory.call("omn_store_memory", {});',
    'await memory.call("omn_store_memory", { content: "x", type: "poem" });',
    'await memory.call("omn_store_memories", { content: "x" });',
    "export const wrong: number = stored.memory_id;",
  ];
  writeFileSync(join(folder, "program.ts"), lines.join("\n"));
  const options = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--module", "nodenext", "--target", "es2022", "--pretty", "false"];
  const { stdout } = spawnSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), ...options, "program.ts"], { cwd: folder, encoding: "utf8" });
  const refused = [...new Set([...stdout.matchAll(/^program\.ts\((\d+),/gm)].map(([, line]) => Number(line)))];
  expect(refused, stdout).toEqual([8, 9, 10, 11, 12, 13]);
  expect(stdout).not.toMatch(/^node_modules/m);
});
