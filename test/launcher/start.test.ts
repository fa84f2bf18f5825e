import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { clients } from "../../scripts/guides/clients.ts";
import { exampleSite } from "../../scripts/guides/pages.ts";
import { isRunning } from "../bench/process-tree.ts";
import { freePort } from "./free-port.ts";
import { cleanUp, launch, launchReady, localFile, scratchDir, statusOf } from "./launcher.ts";

const patience = 120_000;
const require = createRequire(import.meta.url);
const { default: workerdBinary } = createRequire(require.resolve("miniflare"))("workerd") as { default: string };
afterAll(cleanUp, patience);

describe("npm start", () => {
  test("prints URL, key and the lines of the guides for Claude Code and Codex, and the key opens the door [A16]", { timeout: patience }, async () => {
    const dataDir = scratchDir();
    const port = await freePort();
    const server = await launchReady({ OMNIMEMORY_DATA_DIR: dataDir, PORT: String(port) });

    expect(server.url).toBe(`http://127.0.0.1:${port}/mcp`);
    expect(server.apiKey).toMatch(/^omn_[0-9A-Za-z]{16}_[0-9A-Za-z]{32}$/);
    for (const id of ["claude-code", "codex"]) {
      const command = clients.find((client) => client.id === id)?.setups[0]?.text({ ...exampleSite, url: server.url });
      expect(server.stdout()).toContain(`  ${command}\n`);
    }
    expect(server.stderr()).toBe("");
    expect(localFile(dataDir)).toEqual({ url: server.url, apiKey: server.apiKey });
    expect(statSync(join(dataDir, "local.json")).mode & 0o777).toBe(0o600);
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
    expect(await statusOf(server.url, server.apiKey)).toBe(200);
    expect(await statusOf(server.url, `${server.apiKey.slice(0, -1)}${server.apiKey.endsWith("0") ? "1" : "0"}`)).toBe(401);

    server.child.kill("SIGTERM");
    expect(await server.exit).toBe(0);
    await expect(statusOf(server.url, server.apiKey)).rejects.toThrow();
  });

  test("keeps the key over restarts; deleting local.json replaces it", { timeout: patience }, async () => {
    const dataDir = scratchDir();
    const start = async (): ReturnType<typeof launchReady> => launchReady({ OMNIMEMORY_DATA_DIR: dataDir, PORT: "0" });
    const first = await start();
    first.child.kill("SIGINT");
    expect(await first.exit).toBe(0);

    const second = await start();
    expect(second.apiKey).toBe(first.apiKey);
    expect(localFile(dataDir).url).toBe(second.url);
    second.child.kill("SIGTERM");
    await second.exit;

    rmSync(join(dataDir, "local.json"));
    const third = await start();
    expect(third.apiKey).not.toBe(first.apiKey);
    expect(await statusOf(third.url, third.apiKey)).toBe(200);
    expect(await statusOf(third.url, first.apiKey)).toBe(401);
    third.child.kill("SIGTERM");
    await third.exit;

    // A key that was never this installation's, as after copying somebody's local.json.
    writeFileSync(join(dataDir, "local.json"), JSON.stringify({ url: third.url, apiKey: `omn_${"a".repeat(16)}_${"b".repeat(32)}` }));
    const fourth = await start();
    expect(await statusOf(fourth.url, fourth.apiKey)).toBe(200);
    expect(localFile(dataDir).apiKey).toBe(fourth.apiKey);
    fourth.child.kill("SIGTERM");
    await fourth.exit;
  });

  test("makes a master key for secrets once, for the owner's eyes only, and never replaces what is there", { timeout: patience }, async () => {
    const dataDir = scratchDir();
    const file = join(dataDir, "master-keys.json");
    const env = { OMNIMEMORY_DATA_DIR: dataDir, PORT: "0" };
    const first = await launchReady(env);
    const made = readFileSync(file, "utf8");
    expect(JSON.parse(made)).toEqual([{ id: "local-1", key: expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/) }]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(first.stdout() + first.stderr()).not.toContain(JSON.parse(made)[0].key);
    first.child.kill("SIGTERM");
    await first.exit;

    const second = await launchReady(env);
    expect(readFileSync(file, "utf8")).toBe(made);
    second.child.kill("SIGTERM");
    await second.exit;

    writeFileSync(file, "spoilt");
    const third = launch(env);
    expect(await third.exit).toBe(1);
    expect(third.stderr()).toMatch(/MASTER_KEYS/);
    expect(readFileSync(file, "utf8")).toBe("spoilt");
  });

  test("prints a link that signs in with a browser, once; the next start prints another", { timeout: patience }, async () => {
    const dataDir = scratchDir();
    const start = async (): Promise<{ link: string; stop: () => Promise<unknown> }> => {
      const server = await launchReady({ OMNIMEMORY_DATA_DIR: dataDir, PORT: "0" });
      const link = /^  (http:\/\/localhost:\d+\/sign-in\/link\?token=\w{43})$/m.exec(server.stdout())?.[1] ?? "";
      return { link, stop: () => (server.child.kill("SIGTERM"), server.exit) };
    };
    const signIn = async (link: string): Promise<number> => {
      const { origin, searchParams } = new URL(link);
      const answer = await fetch(`${origin}/sign-in/link`, { method: "POST", body: searchParams, redirect: "manual", headers: { origin } });
      return answer.status;
    };

    const first = await start();
    expect((await fetch(first.link)).status).toBe(200);
    await first.stop();

    const second = await start();
    expect(await signIn(new URL(second.link).origin + new URL(first.link).pathname + new URL(first.link).search), "replaced").toBe(403);
    expect(await signIn(second.link)).toBe(303);
    expect(await signIn(second.link), "used").toBe(403);
    await second.stop();
  });

  test("when it is killed outright, the runtime ends with it: clients are refused a connection instead of each write [S10]", { timeout: patience, skip: process.platform === "win32" }, async () => {
    const dataDir = scratchDir();
    const killed = await launchReady({ OMNIMEMORY_DATA_DIR: dataDir, PORT: "0" });
    const runtime = Number(readFileSync(join(dataDir, "workerd.pid"), "utf8"));
    expect(await statusOf(killed.url, killed.apiKey)).toBe(200);
    killed.child.kill("SIGKILL");
    await killed.exit;

    const refused = (): Promise<string | undefined> => fetch(killed.url).then((answer) => `${answer.status}`, ({ cause }: Error) => (cause as { code?: string }).code);
    await expect.poll(refused, { timeout: 10_000 }).toBe("ECONNREFUSED");
    await expect.poll(() => isRunning(runtime)).toBe(false);
  });

  // With a binary of the user's own nothing ends the runtime; the next start does.
  const runtimes: [name: string, env: Record<string, string>][] = [["ours", {}], ["one of the user's own", { MINIFLARE_WORKERD_PATH: workerdBinary }]];
  test.each(runtimes)("a launcher that was killed outright does not stand in the way of the next start, where the runtime is %s", { timeout: patience, skip: process.platform !== "linux" }, async (_, binary) => {
    const dataDir = scratchDir();
    const env = { OMNIMEMORY_DATA_DIR: dataDir, PORT: String(await freePort()), ...binary };
    const killed = await launchReady(env);
    killed.child.kill("SIGKILL");
    await killed.exit;

    const next = await launchReady(env);
    expect(next.url).toBe(killed.url);
    expect(await statusOf(next.url, killed.apiKey)).toBe(200);
    next.child.kill("SIGTERM");
    expect(await next.exit).toBe(0);
  });

  test("a SIGTERM to all processes at once, as systemd sends it, is an orderly end", { timeout: patience }, async () => {
    const dataDir = scratchDir();
    const server = await launchReady({ OMNIMEMORY_DATA_DIR: dataDir, PORT: "0" });
    const runtime = Number(readFileSync(join(dataDir, "workerd.pid"), "utf8"));
    // However busy the machine is, the launcher finds the runtime ended and its own signal there together.
    server.child.kill("SIGSTOP");
    process.kill(runtime, "SIGTERM");
    while (isRunning(runtime)) await sleep(5);
    server.child.kill("SIGTERM");
    server.child.kill("SIGCONT");

    expect(await server.exit).toBe(0);
    expect(server.stderr()).not.toContain("unexpectedly");
  });

  test("the documents' command for service managers runs where another Node is the system's, and ends in order [S10]", { timeout: patience, skip: process.platform === "win32" }, async () => {
    const root = fileURLToPath(new URL("../..", import.meta.url));
    const [readme = "", deploy = ""] = ["README.md", "docs/deploy.md"].map((name) => readFileSync(join(root, name), "utf8"));
    const [node = "", script = ""] = /^ExecStart=(.+)$/m.exec(deploy)?.[1]?.replaceAll("/opt/omnimemory/", "").split(" ") ?? [];
    expect(readme).toContain(`\`${node} ${script}\``);

    const service = spawn(join(root, node), [join(root, script)], { cwd: "/", env: { PATH: "/usr/bin:/bin", OMNIMEMORY_DATA_DIR: scratchDir(), PORT: "0" }, stdio: ["ignore", "pipe", "inherit"] });
    const ended = once(service, "exit");
    const [line] = (await Promise.race([once(service.stdout, "data"), ended])) as [unknown];
    expect(`${line}`).toMatch(/^OmniMemory is running/);
    service.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
  });

  test("ends with one line when the runtime dies", { timeout: patience }, async () => {
    const dataDir = scratchDir();
    const server = await launchReady({ OMNIMEMORY_DATA_DIR: dataDir, PORT: "0" });
    process.kill(Number(readFileSync(join(dataDir, "workerd.pid"), "utf8")), "SIGKILL");

    expect(await server.exit).toBe(1);
    expect(server.stderr()).toMatch(/^The Workers runtime ended unexpectedly \(SIGKILL\)\..*npm start\n$/);
    await expect(statusOf(server.url, server.apiKey)).rejects.toThrow();
  });
});

describe("npm start says in one line why it cannot", () => {
  const expectRefusal = async (env: Record<string, string>, line: RegExp, nodeArgs?: string[]): Promise<void> => {
    const { exit, stdout, stderr } = launch({ OMNIMEMORY_DATA_DIR: scratchDir(), PORT: "0", ...env }, nodeArgs);
    expect(await exit).toBe(1);
    expect(stderr()).toMatch(line);
    expect(stderr().trimEnd().split("\n")).toHaveLength(1);
    expect(stdout()).toBe("");
  };

  test("the port is taken", { timeout: patience }, async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const address = other.address();
    const port = typeof address === "object" && address ? address.port : 0;
    await expectRefusal({ PORT: String(port) }, new RegExp(`^Port ${port} on 127\\.0\\.0\\.1 is taken .*PORT=${port + 1} npm start`));
    other.close();
  });

  test.each(["abc", "-1", "65536", "87.5"])("PORT=%s", async (PORT) => {
    await expectRefusal({ PORT }, /^PORT is a number from 0 to 65535/);
  });

  test("the data directory cannot be written", async () => {
    const file = join(scratchDir(), "file");
    writeFileSync(file, "");
    await expectRefusal({ OMNIMEMORY_DATA_DIR: file }, /^Cannot write to the data directory .*OMNIMEMORY_DATA_DIR/);
    await expectRefusal({ OMNIMEMORY_DATA_DIR: join(file, "below") }, /^Cannot write to the data directory .*OMNIMEMORY_DATA_DIR/);
  });

  test("the file system refuses the directory in a way that Node's own mkdir never returns from", { timeout: 10_000, skip: process.platform !== "linux" }, async () => {
    await expectRefusal({ OMNIMEMORY_DATA_DIR: "/proc/omnimemory" }, /^Cannot write to the data directory/);
  });

  test.each(["OMNIMEMORY_RATE_LIMIT", "RECENCY_HALF_LIFE_DAYS", "TEAM_MAX_MEMORIES"])("the Worker refuses its configuration: %s", { timeout: patience }, async (name) => {
    await expectRefusal({ [name]: "banana" }, new RegExp(`^The Worker did not start: .*${name}`));
  });

  test("another OmniMemory uses the data, also on another port", { timeout: patience }, async () => {
    const dataDir = scratchDir();
    const first = await launchReady({ OMNIMEMORY_DATA_DIR: dataDir, PORT: "0" });
    await expectRefusal({ OMNIMEMORY_DATA_DIR: dataDir }, new RegExp(`^Another OmniMemory uses the data directory .* answers at ${first.url}\\.`));
    expect(await statusOf(first.url, first.apiKey)).toBe(200);
    first.child.kill("SIGTERM");
    await first.exit;
  });

  test("Node is too old", async () => {
    const pretend = `data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.20.2"}})`;
    await expectRefusal({}, /^OmniMemory needs Node 22\.18 or newer, this is 20\.20\.2\. .*"npm start".*node_modules\/\.bin\/node src\/launcher\/start\.mjs$/m, ["--import", pretend]);
  });
});
