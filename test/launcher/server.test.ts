import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test, vi } from "vitest";
import { type LocalServer, startServer } from "../../src/launcher/server.ts";
import { cleanUp, localFile, scratchDir } from "./launcher.ts";

const entry = fileURLToPath(new URL("./fixtures/worker.js", import.meta.url));
const patience = 60_000;
afterAll(cleanUp, patience);

const start = (dataDir = scratchDir(), options: Partial<Parameters<typeof startServer>[0]> = {}): Promise<LocalServer> =>
  startServer({ dataDir, port: 0, entry, ...options });
const text = (server: LocalServer, path: string): Promise<string> => fetch(server.origin + path).then((answer) => answer.text());

describe("startServer", () => {
  test("gives the Worker its vars, a team in a shard, and data that outlives it", { timeout: patience }, async () => {
    const dataDir = scratchDir();
    const first = await start(dataDir, { vars: { OMNIMEMORY_RATE_LIMIT: "off" } });
    expect(JSON.parse(await text(first, "/vars"))).toMatchObject({ ENVIRONMENT: "local", OMNIMEMORY_RATE_LIMIT: "off" });
    expect(JSON.parse(await text(first, "/teams"))).toEqual([{ id: "local", shard: "SHARD_0" }]);
    expect([await text(first, "/count"), await text(first, "/count")]).toEqual(["1", "2"]);
    await first.close();

    const second = await start(dataDir);
    expect(await text(second, "/count")).toBe("3");
    expect(JSON.parse(await text(second, "/teams"))).toEqual([{ id: "local", shard: "SHARD_0" }]);
    await second.close();
  });

  test("notes its migrations where wrangler looks for them", { timeout: patience }, async () => {
    const dataDir = scratchDir();
    await start(dataDir).then((server) => server.close());

    const applied = readdirSync(dataDir, { recursive: true, encoding: "utf8" })
      .filter((file) => file.startsWith(join("state", "d1")) && file.endsWith(".sqlite") && !file.endsWith("metadata.sqlite"))
      .map((file) => new DatabaseSync(join(dataDir, file), { readOnly: true }).prepare("select name from d1_migrations order by id").all())
      .map((rows) => rows.map(({ name }) => name));

    const folders = ["directory", "shard"].map((name) => fileURLToPath(new URL(`../../migrations/${name}`, import.meta.url)));
    const files = folders.map((folder) => readdirSync(folder).filter((name) => name.endsWith(".sql")).sort());
    expect(applied.sort()).toEqual(files.sort());
  });

  test("shows nothing of Miniflare at the public address, and nobody fires the cron from outside", { timeout: patience }, async () => {
    // The launcher fires it itself when a minute begins, and here none does.
    vi.useFakeTimers({ toFake: ["Date"], now: Math.floor(Date.now() / 60_000) * 60_000 });
    const server = await start();
    vi.useRealTimers();
    for (const path of ["/cdn-cgi/local/scheduled", "/cdn-cgi/handler/scheduled", "/cdn-cgi/local/platform-proxy", "/cdn-cgi/local/explorer"]) {
      expect(await text(server, path)).toBe(`no route ${path}`);
    }
    expect(await text(server, "/scheduled")).toBe("0");
    await server.close();
  });

  test("takes another free port when somebody is quicker than it", { timeout: patience }, async () => {
    const taken = createServer();
    const dataDir = scratchDir();
    const starting = start(dataDir);
    // local.json is there before the port opens, which takes workerd a while longer.
    const local = join(dataDir, "local.json");
    while (!existsSync(local)) await sleep(1);
    const { port } = new URL(localFile(dataDir).url);
    taken.listen(Number(port), "127.0.0.1");
    await once(taken, "listening");

    const server = await starting;
    expect(new URL(server.url).port).not.toBe(port);
    expect(localFile(dataDir).url).toBe(server.url);
    expect(await text(server, "/count")).toBe("1");
    await server.close();
    taken.close();
  });

  test("starts twice side by side, each with its own data", { timeout: patience }, async () => {
    const [one, two] = await Promise.all([start(), start()]);
    expect(one.apiKey).not.toBe(two.apiKey);
    expect(one.pid).not.toBe(two.pid);
    await text(one, "/count");
    expect(await text(two, "/count")).toBe("1");
    await one.close();
    expect(await text(two, "/count")).toBe("2");
    await two.close();
  });

  test("says where a Worker that does not build is wrong, and lets go of the data", { timeout: patience }, async () => {
    const dataDir = scratchDir();
    await expect(start(dataDir, { entry: join(dataDir, "missing.ts") })).rejects.toThrow(/^The Worker could not be built: .*missing\.ts/);
    await start(dataDir).then((server) => server.close());
  });
});

describe("close", () => {
  test("takes no more connections and lets open requests finish", { timeout: patience }, async () => {
    const server = await start();
    const open = await fetch(`${server.origin}/slow?ms=3000`);

    const closed = server.close();
    await expect.poll(() => text(server, "/vars").catch(() => "refused")).toBe("refused");
    expect(await open.text()).toBe("finished");
    await closed;
  });

  test("waits no longer than it was told to", { timeout: patience }, async () => {
    const server = await start();
    const open = await fetch(`${server.origin}/slow?ms=600000`);

    const since = performance.now();
    await server.close(500);

    // Where nothing is said, these are 10 seconds.
    expect(performance.now() - since).toBeLessThan(8_000);
    await expect(open.text()).rejects.toThrow();
  });
});

test("vectors that were accepted outlive a runtime that dies", { timeout: patience }, async () => {
  const dataDir = scratchDir();
  const crashed = new Promise<void>((resolve) => {
    void start(dataDir, { onCrash: () => resolve() }).then(async (server) => {
      await text(server, "/vectors?upsert=kept");
      process.kill(server.pid ?? 0, "SIGKILL");
    });
  });
  await crashed;

  const next = await start(dataDir);
  expect(JSON.parse(await text(next, "/vectors"))).toEqual(["kept"]);
  await next.close();
});

test("a runtime that dies is reported once, and the data can be opened again", { timeout: patience }, async () => {
  const dataDir = scratchDir();
  const lines: string[] = [];
  const crashed = new Promise<void>((resolve) => {
    void start(dataDir, { onCrash: (line) => resolve(void lines.push(line)) }).then((server) => process.kill(server.pid ?? 0, "SIGKILL"));
  });
  await crashed;

  const next = await start(dataDir);
  expect(lines).toEqual([expect.stringMatching(/^The Workers runtime ended unexpectedly \(SIGKILL\)/)]);
  await next.close();
});
