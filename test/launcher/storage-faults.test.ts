import { cpSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join, sep } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type LocalServer, startServer } from "../../src/launcher/server.ts";
import { StartFailure } from "../../src/launcher/start-failure.ts";
import { healState, truthIn } from "../../src/launcher/state-files.ts";
import { callTool } from "./call-tool.ts";
import { cleanUp, launch, scratchDir } from "./launcher.ts";

const patience = 300_000;
const contents = ["The lighthouse keeper counts the ships", "The harbour is deep", "Bread is baked at five"];

let whole: string;
beforeAll(async () => {
  whole = scratchDir();
  const server = await start(whole);
  for (const [n, content] of contents.entries()) expect((await callTool(server, "omn_store_memory", { key: `k${n}`, content, metadata: { scope: "shared" } })).text).toContain("created");
  // Asked twice, so that KV holds an answer; by then the vectors are there as well.
  for (let n = 0; n < 2; n += 1) await callTool(server, "omn_retrieve_memory", { query: "lighthouse keeper" });
  await server.close();
}, patience);
afterAll(cleanUp, patience);

const start = (dataDir: string, log?: (level: string, line: string) => void): Promise<LocalServer> =>
  startServer({ dataDir, port: 0, vars: { OMNIMEMORY_RATE_LIMIT: "off" }, ...(log ? { log } : {}) });

function copyOfWhole(): string {
  const dataDir = scratchDir();
  cpSync(whole, dataDir, { recursive: true, filter: (file) => file !== join(whole, "reserve") });
  return dataDir;
}

const stateOf = (dataDir: string): string => join(dataDir, "state");
const preparedIn = (dataDir: string): string[] => readFileSync(join(stateOf(dataDir), "d1", "prepared"), "utf8").split("\n").slice(1);
const databasesIn = (dataDir: string): string[] => readdirSync(stateOf(dataDir), { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".sqlite"));
const rebuildableIn = (dataDir: string): string[] => databasesIn(dataDir).filter((file) => !truthIn(stateOf(dataDir)).includes(file));

const injuries: Record<string, (path: string) => void> = {
  "is cut off": (path) => truncateSync(path, Math.min(5_000, statSync(path).size - 1)),
  "is garbage": (path) => writeFileSync(path, randomBytes(statSync(path).size)),
  "is garbage after its header": (path) => {
    const bytes = readFileSync(path);
    writeFileSync(path, Buffer.concat([bytes.subarray(0, 4_096), randomBytes(bytes.length - 4_096)]));
  },
  "was deleted": (path) => rmSync(path),
};

test("the drill knows every kind of database that the server has", () => {
  const kinds = [...new Set(databasesIn(whole).map((file) => file.split(sep).slice(0, 2).join(sep)))].sort();
  expect(kinds).toEqual([
    "cache/miniflare-CacheObject", "d1/miniflare-D1DatabaseObject", "do/omnimemory-TeamIndex", "do/omnimemory-UserSession", "do/omnimemory-curator-Curator", "do/omnimemory-local-LocalVectors",
    "kv/miniflare-KVNamespaceObject", "ratelimit/miniflare-RateLimiterObject",
  ]);
  expect(truthIn(stateOf(whole))).toHaveLength(2);
});

describe.each(Object.entries(injuries))("when a database that can be made anew %s", (_how, injure) => {
  test("just that one is discarded, whichever it is", { timeout: patience }, () => {
    for (const file of rebuildableIn(whole)) {
      const dataDir = copyOfWhole();
      injure(join(stateOf(dataDir), file));
      const left = databasesIn(dataDir);
      const discarded = healState(dataDir, stateOf(dataDir), preparedIn(dataDir));
      expect(left.filter((other) => !databasesIn(dataDir).includes(other)), file).toEqual(discarded);
      expect(discarded.filter((other) => other !== file), file).toEqual([]);
    }
  });

  test("and all the others with it, the server starts, and every memory is found and can be followed by more", { timeout: patience }, async () => {
    const dataDir = copyOfWhole();
    for (const file of rebuildableIn(dataDir)) injure(join(stateOf(dataDir), file));
    const errors: string[] = [];
    const server = await start(dataDir, (level, line) => void (level === "error" && errors.push(line)));
    const listed = await callTool(server, "omn_list_memories", {});
    for (const content of contents) {
      expect(listed.text).toContain(content);
      const found = await callTool(server, "omn_retrieve_memory", { query: content, mode: "text" });
      expect(found.text).toContain(content);
      expect(found.text).not.toContain("is down");
    }
    expect((await callTool(server, "omn_store_memory", { key: "new", content: "A new memory" })).text).toContain("created");
    expect((await callTool(server, "omn_retrieve_memory", { query: "new memory", mode: "text" })).text).toContain("A new memory");
    await server.close();
    expect(errors.filter((line) => /SQLITE|malformed/.test(line))).toEqual([]);
  });
});

describe.each([...Object.entries(injuries), ["is empty", (path: string) => writeFileSync(path, "")] as const])("when a database of memories or accounts %s", (_how, injure) => {
  test("the start says in one line which it is and how to go on, and touches nothing", { timeout: patience }, async () => {
    for (const file of truthIn(stateOf(whole))) {
      const dataDir = copyOfWhole();
      const path = join(stateOf(dataDir), file);
      injure(path);
      // What could be made anew is not, as long as the truth cannot be read.
      const index = rebuildableIn(dataDir).find((other) => other.includes("TeamIndex") && !other.includes("metadata")) as string;
      writeFileSync(join(stateOf(dataDir), index), "spoilt");
      const before = snapshot(dataDir);
      const error = await start(dataDir).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(StartFailure);
      const { message } = error as StartFailure;
      expect(message).toContain(path);
      expect(message).toMatch(/backup.*npm start$/);
      expect(message).not.toContain("\n");
      expect(snapshot(dataDir)).toEqual(before);
    }
  });
});

const snapshot = (dataDir: string): Record<string, string> =>
  Object.fromEntries(databasesIn(dataDir).map((file) => [file, readFileSync(join(stateOf(dataDir), file)).toString("base64")]));

test("when databases are damaged under the running server, it discards them, and every memory is found again", { timeout: patience }, async () => {
  const dataDir = copyOfWhole();
  const lines: string[] = [];
  // The launcher fires the cron when a minute begins, and here none does for a minute: it would meet the damage while the objects have their files open.
  vi.useFakeTimers({ toFake: ["Date"], now: Math.floor(Date.now() / 60_000) * 60_000 });
  const server = await start(dataDir, (_, line) => void lines.push(line));
  vi.useRealTimers();
  for (const file of rebuildableIn(dataDir).filter((other) => /TeamIndex|UserSession/.test(other))) injuries["is garbage"]?.(join(stateOf(dataDir), file));
  // Objects that nobody asks anything let go of their files after ten seconds.
  await sleep(15_000);
  await vi.waitFor(async () => {
    for (const content of contents) {
      const found = await callTool(server, "omn_retrieve_memory", { query: content, mode: "text" });
      expect(found.text).toContain(content);
      expect(found.text).not.toContain("is down");
    }
  }, { timeout: 120_000, interval: 1_000 });
  expect(lines.filter((line) => /was damaged and is discarded/.test(line)).length).toBeGreaterThan(0);
  await server.close();
});

test("when the memories' database is damaged under the running server, it ends and says which", { timeout: patience }, async () => {
  const dataDir = copyOfWhole();
  let ended: string | undefined;
  const server = await startServer({ dataDir, port: 0, vars: { OMNIMEMORY_RATE_LIMIT: "off" }, onCrash: (line) => void (ended = line) });
  const paths = truthIn(stateOf(dataDir)).map((file) => join(stateOf(dataDir), file));
  for (const path of paths) injuries["is garbage"]?.(path);
  await sleep(15_000);
  await vi.waitFor(async () => {
    await callTool(server, "omn_list_memories", {}).catch(() => undefined);
    expect(ended).toMatch(/^A database with memories or accounts cannot be used: /);
  }, { timeout: 120_000, interval: 1_000 });
  await server.close();
});

test("`npm start` prints that line and no trace", { timeout: patience }, async () => {
  const dataDir = copyOfWhole();
  const [file = ""] = truthIn(stateOf(dataDir));
  writeFileSync(join(stateOf(dataDir), file), randomBytes(20_000));
  const launched = launch({ OMNIMEMORY_DATA_DIR: dataDir, PORT: "0" });
  expect(await launched.exit).toBe(1);
  expect(launched.stdout()).toBe("");
  expect(launched.stderr()).toMatch(/^A database with memories or accounts cannot be used: .*\n$/);
});

test("a log that a killed server left is part of the database, and no damage", { timeout: patience }, () => {
  const dataDir = copyOfWhole();
  const path = join(stateOf(dataDir), truthIn(stateOf(dataDir))[0] as string);
  const database = new DatabaseSync(path);
  database.exec("PRAGMA journal_mode = wal; PRAGMA wal_autocheckpoint = 0; CREATE TABLE logged (x); INSERT INTO logged VALUES (1)");
  const log = readFileSync(`${path}-wal`);
  database.close();
  writeFileSync(`${path}-wal`, log);
  expect(healState(dataDir, stateOf(dataDir), preparedIn(dataDir))).toEqual([]);
});
