import { execFileSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, readdirSync, rmSync, statfsSync, writeSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type LocalServer, startServer } from "../../src/launcher/server.ts";
import { callTool } from "./call-tool.ts";
import { cleanUp, launch, scratchDir } from "./launcher.ts";

const patience = 300_000;
const disk = scratchDir();
const dataDir = join(disk, "data");

/** A disk of its own, small enough to be filled. Whoever runs the tests may have to be root for it. */
function mounted(): boolean {
  if (process.platform !== "linux") return false;
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=128m", "tmpfs", disk], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
const hasDisk = mounted();
if (!hasDisk) process.stderr.write("NOT TESTED: a full disk. No file system could be mounted here (it takes Linux and root).\n");

afterAll(async () => {
  if (hasDisk) execFileSync("umount", ["-l", disk]);
  await cleanUp();
}, patience);

let filled = 0;
/** Until so many bytes are free. The server writes meanwhile: the disk may be full before this file has all that was free. */
function fill(free: number): void {
  const file = openSync(join(disk, `filler-${(filled += 1)}`), "w");
  const { bavail, bsize } = statfsSync(disk);
  const chunk = Buffer.alloc(64 * 1024, 1);
  try {
    for (let left = bavail * bsize - free; left > 0; left -= chunk.length) writeSync(file, chunk, 0, Math.min(left, chunk.length));
  } catch (error) {
    if (free > 0 || (error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  } finally {
    closeSync(file);
  }
}
const empty = (): void => {
  for (const file of readdirSync(disk)) if (file.startsWith("filler")) rmSync(join(disk, file));
};

describe.skipIf(!hasDisk)("on a full disk", () => {
  const lines: string[] = [];
  let server: LocalServer;
  const start = (): Promise<LocalServer> => startServer({ dataDir, port: 0, vars: { OMNIMEMORY_RATE_LIMIT: "off" }, log: (_, line) => void lines.push(line) });
  const store = (key: string): ReturnType<typeof callTool> => callTool(server, "omn_store_memory", { key, content: `The lighthouse number ${key}. ${"x".repeat(5_000)}` });

  const health = async (): Promise<Record<string, any>> => (await callTool(server, "omn_health_check", { deep: true })).structured;

  beforeAll(async () => {
    mkdirSync(dataDir);
    server = await start();
    expect((await store("one")).structured["outcome"]).toBe("created");
    expect(await health()).toMatchObject({ status: "ok", dependencies: { storage: { ok: true, state: "ok" } } });
  }, patience);

  test("what would be stored is refused with what to do, nothing is half written, and all reads go on", { timeout: patience }, async () => {
    fill(8 * 1024 * 1024);
    const stored: string[] = [];
    let refused = await store("try-0");
    // What was known of the disk half a second ago is believed.
    for (let n = 1; refused.error === undefined && n < 200; n += 1) {
      stored.push(`try-${n - 1}`);
      refused = await store(`try-${n}`);
    }
    expect(refused.error).toMatchObject({ code: "STORAGE_FULL", message: expect.stringMatching(/full/), hint: expect.stringMatching(/room/) });
    expect(lines.filter((line) => /^The disk of .* is full/.test(line))).toHaveLength(1);
    const { structured } = await callTool(server, "omn_import_memories", { memories: [{ key: "three", content: "Imported" }] });
    expect(structured["created"] ?? 0).toBe(0);
    for (let n = 0; n < 20; n += 1) {
      expect((await callTool(server, "omn_retrieve_memory", { key: "one" })).text).toContain("The lighthouse number one");
      expect((await callTool(server, "omn_retrieve_memory", { query: "lighthouse number", min_relevance: n / 1_000 })).text).toContain("The lighthouse number");
      const { structured: list } = await callTool(server, "omn_list_memories", { limit: 100 });
      expect((list["memories"] as { key: string }[]).map(({ key }) => key).sort()).toEqual([...stored, "one"].sort());
    }
  });

  test("the deep health check says that the storage is full [A7]", { timeout: patience }, async () => {
    expect(await health()).toMatchObject({ status: "degraded", dependencies: { storage: { ok: false, state: "full" }, database: { ok: true } } });
  });

  test("memories can be erased, and once there is room again, stored", { timeout: patience }, async () => {
    const { structured } = await callTool(server, "omn_forget_memory", { key: "one", mode: "erase" });
    expect((await callTool(server, "omn_forget_memory", { key: "one", mode: "erase", confirm: structured["confirm"] })).structured["outcome"]).toBe("erased");
    empty();
    await vi.waitFor(async () => expect((await store("two")).structured["outcome"]).toBe("created"), { timeout: 20_000, interval: 250 });
    // The Worker asks by itself what the object knows already.
    await vi.waitFor(async () => expect(await health()).toMatchObject({ status: "ok", dependencies: { storage: { ok: true, state: "ok" } } }), { timeout: 20_000, interval: 250 });
  });

  test("that another program fills to the last byte at once, reads are back as soon as it is noticed", { timeout: patience }, async () => {
    fill(0);
    const reads = (read: Record<string, unknown>) => vi.waitFor(async () =>
      expect((await callTool(server, "omn_retrieve_memory", read)).text).toContain("The lighthouse number two"), { timeout: 20_000, interval: 250 });
    await reads({ key: "two" });
    // For half a second what was known of the disk is believed.
    let last = 0;
    await vi.waitFor(async () => expect(await store(`four-${(last += 1)}`)).toMatchObject({ error: { code: "STORAGE_FULL" } }), { timeout: 20_000, interval: 250 });
    // An object that could not write what it had to starts anew, which takes the blink of an eye.
    await reads({ query: "lighthouse number two" });
    for (let n = 0; n < 20; n += 1) {
      expect((await callTool(server, "omn_retrieve_memory", { query: "lighthouse number two", min_relevance: n / 1_000 })).text).toContain("The lighthouse number two");
    }
    empty();
  });

  test("`npm start` says so in one line, and starts as before when there is room", { timeout: patience }, async () => {
    await server.close();
    fill(0);
    const launched = launch({ OMNIMEMORY_DATA_DIR: dataDir, PORT: "0" });
    expect(await launched.exit).toBe(1);
    expect(launched.stdout()).toBe("");
    expect(launched.stderr()).toMatch(/^The disk of the data directory .* is full\. Free \d+ MB .*npm start\n$/);
    empty();
    server = await start();
    expect((await callTool(server, "omn_retrieve_memory", { key: "two" })).text).toContain("The lighthouse number two");
    await server.close();
  });

  test("so does the first start of all", { timeout: patience }, async () => {
    rmSync(dataDir, { recursive: true });
    fill(0);
    const launched = launch({ OMNIMEMORY_DATA_DIR: dataDir, PORT: "0" });
    expect(await launched.exit).toBe(1);
    expect(launched.stderr()).toMatch(/^The disk of the data directory .* is full\. .*\n$/);
    empty();
  });
});
