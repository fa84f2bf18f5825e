import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { defaultPort } from "../../src/launcher/port.ts";
import { startServer } from "../../src/launcher/server.ts";
import { withDirectory } from "./directory-file.ts";
import { cleanUp, launchReady, localFile, scratchDir, statusOf } from "./launcher.ts";

const patience = 90_000;
const dayMs = 86_400_000;
afterAll(cleanUp, patience);
afterEach(() => void vi.useRealTimers());

interface KeyRow {
  scopes: string;
  expires_at: number | null;
}

const idOf = (token: string): string => token.slice(4, 20);
const rowOf = (dataDir: string, token: string): KeyRow =>
  withDirectory(dataDir, (db) => db.prepare("select scopes, expires_at from api_keys where key_id = ?").get(idOf(token))) as unknown as KeyRow;
const change = (dataDir: string, token: string, set: string, ...values: (number | string)[]): void =>
  withDirectory(dataDir, (db) => void db.prepare(`update api_keys set ${set} where key_id = ?`).run(...values, idOf(token)));
const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** One start: what was printed, and what `during` found while it ran. */
async function run<T>(dataDir: string, during: (server: { url: string; apiKey: string; stdout: string }) => Promise<T>): Promise<T> {
  const server = await launchReady({ OMNIMEMORY_DATA_DIR: dataDir, PORT: "0" });
  try {
    return await during({ url: server.url, apiKey: server.apiKey, stdout: server.stdout() });
  } finally {
    server.child.kill("SIGTERM");
    await server.exit;
  }
}

describe("the printed key", () => {
  // Each goes on where the one before has stopped: a start takes seconds.
  const dataDir = join(scratchDir(), "it's data");
  let held = "";

  test("reads and writes memories for 90 days; keys, members and secrets in bulk take a sign-in", { timeout: patience }, async () => {
    const { apiKey, stdout } = await run(dataDir, async (server) => {
      const ask = (path: string): Promise<Response> => fetch(new URL(path, server.url), { headers: { authorization: `Bearer ${server.apiKey}` } });
      expect(await statusOf(server.url, server.apiKey)).toBe(200);
      expect((await ask("/v1/teams/local/export")).status).toBe(200);
      for (const path of ["/v1/keys", "/v1/teams/local/audit", "/v1/teams/local/export?include_secrets=true"]) expect((await ask(path)).status, path).toBe(403);
      return server;
    });
    const { scopes, expires_at: at } = rowOf(dataDir, apiKey);
    expect(JSON.parse(scopes)).toEqual(["memory:read", "memory:write"]);
    expect(Math.abs((at ?? 0) - Date.now() - 90 * dayMs)).toBeLessThan(dayMs);
    expect(stdout).toContain(dateOf(at ?? 0));
    expect(stdout).not.toContain("The API key is new");
    held = apiKey;

    // It stands in no line that ends up in a shell's history or in a committed file: they read it from local.json.
    expect(stdout.split(apiKey)).toHaveLength(2);
    const [line = ""] = /export OMNIMEMORY_KEY=.*/.exec(stdout) ?? [];
    expect(execFileSync("sh", ["-c", `${line}; printf %s "$OMNIMEMORY_KEY"`], { encoding: "utf8" })).toBe(apiKey);
    expect(statSync(join(dataDir, "local.json")).mode & 0o777).toBe(0o600);
  });

  test("is renewed by each start: who configured a client with it is not locked out after 90 days", { timeout: patience }, async () => {
    change(dataDir, held, "expires_at = ?", Date.now() + 2 * dayMs);
    const { apiKey, stdout } = await run(dataDir, async (server) => {
      expect(await statusOf(server.url, server.apiKey)).toBe(200);
      return server;
    });
    expect(apiKey).toBe(held);
    expect(stdout).not.toContain("The API key is new");
    const at = rowOf(dataDir, held).expires_at ?? 0;
    expect(at).toBeGreaterThan(Date.now() + 89 * dayMs);
    expect(stdout).toContain(dateOf(at));
  });

  test("of an earlier version, which could do everything for ever, gives way to a limited one and works a day longer", { timeout: patience }, async () => {
    const old = held;
    change(dataDir, old, "scopes = ?, expires_at = null", JSON.stringify(["memory:read", "memory:write", "memory:admin"]));
    const { apiKey, stdout } = await run(dataDir, async (server) => {
      expect([await statusOf(server.url, old), await statusOf(server.url, server.apiKey)]).toEqual([200, 200]);
      return server;
    });
    expect(apiKey).not.toBe(old);
    expect(stdout).toMatch(/The API key is new; .*could do everything and never expired\. It works until \d{4}-\d\d-\d\d \d\d:\d\d UTC\./);
    expect(JSON.parse(rowOf(dataDir, apiKey).scopes)).toEqual(["memory:read", "memory:write"]);
    expect(Math.abs((rowOf(dataDir, old).expires_at ?? 0) - Date.now() - dayMs)).toBeLessThan(dayMs / 24);
    expect(localFile(dataDir).apiKey).toBe(apiKey);
    held = apiKey;
  });

  test("that ran out while nobody started the server is replaced, and the start says that clients need the new one", { timeout: patience }, async () => {
    const old = held;
    change(dataDir, old, "expires_at = ?", Date.now() - dayMs);
    await run(dataDir, async ({ url, apiKey, stdout }) => {
      expect(stdout).toContain("The API key is new; clients that hold the one before need it. The one before is expired.");
      expect(localFile(dataDir).apiKey).toBe(apiKey);
      expect([await statusOf(url, old), await statusOf(url, apiKey)]).toEqual([401, 200]);
    });
  });

  test("is renewed by a launcher that is not started again, too", { timeout: patience }, async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"], now: Date.now() });
    const server = await startServer({ dataDir, port: 0 });
    const before = server.apiKeyExpiresAt ?? 0;
    vi.advanceTimersByTime(2 * dayMs);
    const renewed = (): boolean => (rowOf(dataDir, server.apiKey).expires_at ?? 0) > before + dayMs;
    await expect.poll(renewed, { interval: 100 }).toBe(true);
    await server.close();
  });
});

describe("the default port", () => {
  /** Where MCP clients wait for the answer to a sign-in, their tools listen, and development servers start. */
  const takenByOthers = [1337, 1420, 1455, 3000, 3001, 3080, 3118, 3334, 4000, 4200, 4321, 5000, 5001, 5173, 5678, 6274, 6277, 7777, 8000, 8080, 8081, 8085, 8088, 8090, 8787, 8788, 8888, 9000, 9229, 11434, 19876, 33418];

  test("is nobody else's, and no system gives it to an outgoing connection", () => {
    expect(takenByOthers).not.toContain(defaultPort);
    expect(defaultPort).toBeGreaterThan(1_023);
    expect(defaultPort).toBeLessThan(32_768);
  });

  test("is the one of the README and the documents beside it", () => {
    const documents = ["README.md", "docs/sign-in.md", "docs/rest.md", "docs/configuration.md"].map((name) => readFileSync(fileURLToPath(new URL(`../../${name}`, import.meta.url)), "utf8")).join("\n");
    const named = [...documents.matchAll(/(?:127\.0\.0\.1|localhost):(\d+)\/(?!v1\b)/g)].map(([, port]) => Number(port));
    expect(new Set(named)).toEqual(new Set([defaultPort]));
    expect(documents).toContain(`| \`PORT\` | \`${defaultPort}\` |`);
  });
});
