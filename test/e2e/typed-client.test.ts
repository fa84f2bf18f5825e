import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
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

const collectGarbage = ((): (() => void) => {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as () => void;
})();

/** What a call was refused with. */
async function refusal(call: Promise<unknown>): Promise<client.OmniMemoryError> {
  const error = await call.then(() => undefined, (reason: unknown) => reason);
  expect(error).toBeInstanceOf(OmniMemoryError);
  return error as client.OmniMemoryError;
}

describe("the packed client against the running server [C10]", () => {
  test("needs no other package: whoever installs it gets it alone", () => {
    const manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as Record<string, unknown>;
    for (const kind of ["dependencies", "peerDependencies", "optionalDependencies"]) expect(manifest[kind], kind).toBeUndefined();
  });

  test("says that a server gives no answer as it says what one refuses, and takes a path with a slash before it", async () => {
    const gone = await refusal(connect({ url: "http://127.0.0.1:9" }).call("omn_list_memories", {}));
    expect([gone.code, gone.status, gone.message]).toEqual(["UNREACHABLE", 0, expect.stringMatching(/^http:\/\/127\.0\.0\.1:9 gives no answer: .+/)]);
    expect(await connect().request("GET", "/stats")).toMatchObject({ of: "own" });
  });

  test.each<[string, string, RegExp, (answer: ServerResponse) => unknown]>([
    ["is another program", "UNREACHABLE", /: .*not valid JSON/, (answer) => answer.end("<!doctype html>")],
    ["ends within its answer", "UNREACHABLE", /: .+/, (answer) => answer.writeHead(200, { "content-length": 9 }).write("{", () => setTimeout(() => answer.destroy(), 50))],
    ["stops within its answer", "TIMEOUT", /: .*timeout/, (answer) => answer.writeHead(200).write("{")],
    ["stops within a refusal", "INTERNAL_ERROR", /500/, (answer) => answer.writeHead(500).write("{")],
    ["is away and names a date", "INTERNAL_ERROR", /503/, (answer) => answer.writeHead(503, { "retry-after": "Wed, 21 Oct 2026 07:28:00 GMT" }).end("away")],
  ])("a server that %s is told by the same error: %s", async (_, code, message, act) => {
    const other = createServer((_request, answer) => void act(answer));
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    // Node's fetch loses the signal of a call where the garbage collector runs within its answer.
    const collecting = setInterval(collectGarbage, 20);
    const memory = connect({ url: `http://127.0.0.1:${(other.address() as AddressInfo).port}`, team: "local", timeoutMs: 1_000 });
    for (const call of [() => memory.call("omn_list_memories", {}), () => connect({ url: `http://127.0.0.1:${(other.address() as AddressInfo).port}`, timeoutMs: 1_000 }).team()]) {
      const error = await refusal(call());
      expect([error.code, error.message, error.retryAfterSeconds]).toEqual([code, expect.stringMatching(message), undefined]);
    }
    clearInterval(collecting);
    other.closeAllConnections();
    await new Promise((resolve) => other.close(resolve));
  });

  test("an export may be read for longer than a call may take, and one that ends too early is told", async () => {
    const lines = Array.from({ length: 4 }, (_, i) => `${JSON.stringify({ key: `k${i}`, content: "x" })}\n`);
    const slow = createServer(async ({ url = "" }, answer) => {
      answer.writeHead(200, { "content-type": "application/x-ndjson" });
      for (const line of lines) {
        answer.write(line);
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
      if (url.includes("/cut/")) answer.destroy();
      else answer.end();
    });
    await new Promise<void>((resolve) => slow.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(slow.address() as AddressInfo).port}`;
    const keys: unknown[] = [];
    for await (const { key } of connect({ url, team: "whole", timeoutMs: 500 }).export()) keys.push(key);
    expect(keys).toEqual(["k0", "k1", "k2", "k3"]);
    const cut = async (): Promise<void> => {
      for await (const line of connect({ url, team: "cut", timeoutMs: 500 }).export()) keys.push(line);
    };
    expect((await refusal(cut())).code).toBe("UNREACHABLE");
    await new Promise((resolve) => slow.close(resolve));
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
    expect(() => connect({ url: "localhost:26366" })).toThrow("localhost:26366 is not https");
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
    'await memory.call("memory_add", { messages: [{ role: "user", content: "x" }] });',
    "export const code = (error: unknown): string | undefined => (error instanceof OmniMemoryError ? error.code : undefined);",
    'await memory.call("omn_store_memory", { content: 7 });',
    'await memory.call("omn_store_memory", { content: "x", contents: "x" });',
    'await memory.call("omn_store_memory", {});',
    'await memory.call("omn_store_memory", { content: "x", type: "poem" });',
    'await memory.call("omn_store_memories", { content: "x" });',
    "export const wrong: number = stored.memory_id;",
    'await memory.call("memory_add", {});',
  ];
  writeFileSync(join(folder, "program.ts"), lines.join("\n"));
  const options = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--module", "nodenext", "--target", "es2022", "--pretty", "false"];
  const { stdout } = spawnSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), ...options, "program.ts"], { cwd: folder, encoding: "utf8" });
  const refused = [...new Set([...stdout.matchAll(/^program\.ts\((\d+),/gm)].map(([, line]) => Number(line)))];
  expect(refused, stdout).toEqual([9, 10, 11, 12, 13, 14, 15]);
  expect(stdout).not.toMatch(/^node_modules/m);
});
