import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, test, vi } from "vitest";
import { type LocalServer, startServer } from "../../src/launcher/server.ts";
import { callTool } from "./call-tool.ts";
import { cleanUp, scratchDir } from "./launcher.ts";

const patience = 300_000;
afterAll(cleanUp, patience);

/** One word, so that it is a term of the text index as it stands. */
const [erased, secret] = ["zebraquark", "plumtangle"];

const start = (dataDir: string): Promise<LocalServer> => startServer({ dataDir, port: 0, vars: { OMNIMEMORY_RATE_LIMIT: "off" } });
const filesIn = (folder: string): string[] => readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => join(folder, file)).filter((file) => statSync(file).isFile());

/**
 * Files that hold the word. Of a database what is stored in it: pages that SQLite gave up and has not used again are left out,
 * which is a known limit.
 */
function holders(dataDir: string, word: string): string[] {
  return filesIn(join(dataDir, "state")).filter((file) => {
    if (!file.endsWith(".sqlite")) return readFileSync(file).includes(word);
    const packed = join(scratchDir(), "packed");
    const database = new DatabaseSync(file);
    database.exec(`VACUUM INTO '${packed}'`);
    database.close();
    const found = readFileSync(packed).includes(word);
    rmSync(packed);
    return found;
  });
}

/** Two calls in one request of a session are answered as events, which are kept for resuming. */
async function recallInSession({ url, apiKey }: LocalServer, queries: string[]): Promise<string> {
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json", accept: "application/json, text/event-stream" };
  const initialize = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "old-client", version: "1" } } };
  const opened = await fetch(url, { method: "POST", headers, body: JSON.stringify(initialize) });
  await opened.text();
  const calls = queries.map((query, n) => ({ jsonrpc: "2.0", id: n + 2, method: "tools/call", params: { name: "omn_retrieve_memory", arguments: { query } } }));
  const session = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "", "mcp-protocol-version": "2025-11-25" };
  return (await fetch(url, { method: "POST", headers: { ...headers, ...session }, body: JSON.stringify(calls) })).text();
}

test("of what was erased, or became secret, no store holds a word any more", { timeout: patience }, async () => {
  const dataDir = scratchDir();
  const server = await start(dataDir);
  const call = (name: string, args: Record<string, unknown>) => callTool(server, name, args);
  await call("omn_store_memory", { key: "e", content: `The lighthouse keeper hides the ${erased} in the tower`, metadata: { scope: "public", tags: ["tower"] } });
  await call("omn_store_memory", { key: "s", content: `The harbour master hides the ${secret} in the cellar`, metadata: { scope: "shared" } });
  await call("omn_store_memory", { key: "o", content: "Another memory of the lighthouse and the harbour" });
  const queries = ["lighthouse keeper", "harbour master"];
  for (let n = 0; n < 3; n += 1) for (const query of queries) await call("omn_retrieve_memory", { query });
  const streamed = await recallInSession(server, queries);
  for (const word of [erased, secret]) expect(streamed).toContain(word);
  // Until their vectors and their part of the graph are there.
  await vi.waitFor(async () => expect((await call("omn_memory_stats", {})).text).toContain("3 indexed, 0 waiting"), { timeout: 60_000, interval: 500 });
  const { structured } = await call("omn_forget_memory", { key: "e", mode: "erase" });
  expect((await call("omn_forget_memory", { key: "e", mode: "erase", confirm: structured["confirm"] })).structured["outcome"]).toBe("erased");
  expect((await call("omn_update_memory", { key: "s", metadata: { sensitivity: "secret" } })).structured["outcome"]).toBe("updated");
  // The text index rewrites its segments half a minute after an erasure.
  await sleep(45_000);
  await server.close();
  expect(holders(dataDir, erased)).toEqual([]);
  expect(holders(dataDir, secret)).toEqual([]);
  // The search sees what is there.
  expect(holders(dataDir, "Another memory of the lighthouse").length).toBeGreaterThan(1);
});

test("local KV lets go of what has expired", { timeout: patience }, async () => {
  const dataDir = scratchDir();
  const first = await start(dataDir);
  await callTool(first, "omn_store_memory", { key: "k", content: "The lighthouse is white" });
  await vi.waitFor(async () => {
    await callTool(first, "omn_retrieve_memory", { query: "lighthouse" });
    expect(blobs()).toHaveLength(1);
  }, { timeout: 30_000, interval: 200 });
  await first.close();
  const file = filesIn(join(dataDir, "state", "kv")).find((path) => path.endsWith(".sqlite") && !path.endsWith("metadata.sqlite")) ?? "";
  const database = new DatabaseSync(file);
  database.exec("UPDATE _mf_entries SET expiration = 1");
  database.close();
  const second = await start(dataDir);
  await vi.waitFor(() => expect(blobs()).toEqual([]), { timeout: 30_000, interval: 200 });
  await second.close();

  function blobs(): string[] {
    return filesIn(join(dataDir, "state", "kv")).filter((path) => path.includes("blobs"));
  }
});
