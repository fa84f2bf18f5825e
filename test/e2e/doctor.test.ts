import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, request as ask, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { freePort } from "../launcher/free-port.ts";
import type { ClaudeCode } from "./support/claude-code.ts";
import { Command } from "./support/command.ts";
import { PersonAtBrowser } from "./support/person.ts";

const command = new Command();
let machine: ClaudeCode;
const proxies: Server[] = [];
beforeEach(() => {
  machine = command.machine();
});
afterEach(() => {
  machine.remove();
  for (const proxy of proxies.splice(0)) proxy.close();
});

interface Bent {
  headers?: (headers: IncomingHttpHeaders) => void;
  answer?: (headers: IncomingHttpHeaders) => void;
  /** An answer goes on when some of its body is there. */
  holdsBack?: boolean;
  instead?: (path: string) => { status: number; headers?: Record<string, string>; body?: string } | undefined;
}

/** What may stand before a server, and do it wrong. Its origin. */
async function proxy({ headers: bend, answer, instead, holdsBack }: Bent): Promise<string> {
  const { hostname, port } = command.product.url();
  const server = createServer((incoming, outgoing) => {
    const other = instead?.(incoming.url ?? "");
    if (other) return void outgoing.writeHead(other.status, other.headers).end(other.body);
    const headers = { ...incoming.headers };
    bend?.(headers);
    const call = ask({ hostname, port, path: incoming.url, method: incoming.method, headers }, (got) => {
      const given = { ...got.headers };
      answer?.(given);
      outgoing.writeHead(got.statusCode ?? 500, given);
      if (!holdsBack) outgoing.flushHeaders();
      got.pipe(outgoing);
    });
    call.on("error", () => outgoing.destroy());
    incoming.pipe(call);
  });
  proxies.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const origin = (): string => command.product.url().origin;
const examine = (...args: string[]) => machine.run("doctor", ...args);

describe("omnimemory doctor [U11]", () => {
  test("where all is well each step says so", async () => {
    const { code, stdout, stderr } = await examine();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.split("\n")).toEqual([
      `ok    ${origin()} answers, and asks who is there`,
      expect.stringMatching(/^ok {4}A client without a key is led to sign in at http/) as string,
      "ok    Its metadata are those that clients ask for (PKCE, registration)",
      "note  Signing in was not tried: --sign-in does it with your browser.",
      expect.stringMatching(/^ok {4}The key opens a session/) as string,
      expect.stringMatching(/^ok {4}\d+ tools: .*omn_store_memory/) as string,
      "ok    A stream opens, on which the client hears what others change",
      expect.stringMatching(/^note {2}No client of this machine/) as string,
      "",
    ]);
  });

  test("--sign-in does all that a client does, with the person's browser, and is disconnected afterwards", async () => {
    const person = await PersonAtBrowser.signIn(command.product);
    const child = spawn(process.execPath, [machine.entry, "doctor", "--sign-in"], { cwd: machine.repository, env: machine.env, stdio: ["ignore", "pipe", "inherit"] });
    const code = new Promise<number | null>((resolve) => child.once("close", resolve));
    let printed = "";
    let isSent = false;
    for await (const text of child.stdout.setEncoding("utf8")) {
      printed += text as string;
      const link = /^ {6}(http\S+\/authorize\?\S+)$/m.exec(printed)?.[1];
      if (link === undefined || isSent) continue;
      isSent = true;
      await fetch(await person.allow(new URL(link)));
    }
    expect(await code).toBe(0);
    for (const step of ["A client registers itself", "The person signs in", "The access token opens a session", "The token is renewed", "It is disconnected again"]) expect(printed).toContain(`ok    ${step}`);
    expect(await person.disconnectAll()).toBe(0);
  });

  test("a key that is not valid", async () => {
    machine.env["OMNIMEMORY_KEY"] = "omn_bx5OV62no3WD8hqC_XJlC4tRC5A8dOKeVuDWd98QjoiFfiBNi";
    const { code, stdout } = await examine();
    expect(code).toBe(1);
    expect(stdout).toContain(`FAIL  The key is not valid at ${origin()}.\n      It is mistyped, expired or revoked`);
  });

  test("a server that does not run", async () => {
    const { code, stdout } = await examine("--url", `http://127.0.0.1:${await freePort()}`);
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringMatching(/^FAIL {2}Nothing listens at 127\.0\.0\.1:\d+\.\n {6}Start the server/) as string });
  });

  test.each<[what: string, bent: (origin: string) => Bent, told: RegExp]>([
    ["a proxy under another name", () => ({ headers: (headers) => void (headers.host = "memory.example.com") }), /FAIL {2}The server does not know itself as 127\.0\.0\.1:\d+\.\n.*ALLOWED_HOSTS/],
    ["a proxy that hands on another host than the client's", (at) => ({ headers: (headers) => void (headers.host = new URL(at).host) }), /FAIL {2}The refusal leads to http:\/\/127\.0\.0\.1:\d+, the client is at .*\n.*Host/],
    ["a proxy that takes away WWW-Authenticate", () => ({ answer: (headers) => void delete headers["www-authenticate"] }), /FAIL {2}The refusal does not say where to sign in/],
    ["a proxy that keeps /.well-known/ to itself", () => ({ instead: (path) => (path.startsWith("/.well-known/") ? { status: 404, body: "Not found" } : undefined) }), /FAIL {2}http\S+ is answered with 404\.\n.*\.well-known/],
    ["a proxy that leads on", () => ({ instead: () => ({ status: 308, headers: { location: "https://memory.example.com/mcp" } }) }), /FAIL {2}\S+ leads on to https:\/\/memory\.example\.com\/mcp\.\n.*that URL/],
    ["another server", () => ({ instead: () => ({ status: 200, body: "Welcome" }) }), /FAIL {2}\S+ answers a stranger with 200, and not with 401/],
    ["a server in trouble", () => ({ instead: () => ({ status: 502 }) }), /FAIL {2}\S+ answers a stranger with 502/],
  ])("%s", async (_, bent, told) => {
    const { code, stdout } = await examine("--url", await proxy(bent(origin())));
    expect(code).toBe(1);
    expect(stdout).toMatch(told);
  });

  test("a proxy that holds event streams back stops nobody, and is told", async () => {
    const { stdout } = await examine("--url", await proxy({ holdsBack: true }));
    expect(stdout).toMatch(/^note {2}No stream opens, .*a proxy that holds answers back/m);
  });

  test("what clients of this machine are told: whether it leads there, and lets them in", async () => {
    const url = `${origin()}/mcp`;
    const key = `Bearer ${command.product.apiKey}`;
    const put = (path: string, content: unknown): void => {
      const file = join(machine.folder, path);
      mkdirSync(join(file, ".."), { recursive: true });
      writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
    };
    put(".claude.json", { mcpServers: { elsewhere: { url: "https://other.example.com/mcp" }, stdio: { command: "x" } }, projects: { [machine.repository]: { mcpServers: { mine: { type: "http", url, headers: { Authorization: key } } } } } });
    put("shop/.mcp.json", { mcpServers: { shared: { type: "http", url, headers: { Authorization: "Bearer ${MY_KEY}" } } } });
    put(".cursor/mcp.json", { mcpServers: { old: { url, headers: { authorization: "Bearer omn_bx5OV62no3WD8hqC_XJlC4tRC5A8dOKeVuDWd98QjoiFfiBNi" } }, root: { url: origin() } } });
    put("shop/.vscode/mcp.json", `{\n  // asks\n  "servers": { "code": { "url": "${url}", "headers": { "Authorization": "Bearer \${input:omnimemory-key}" } }, "web": { "url": "${url}" } }\n}`);
    const { code, stdout } = await examine();
    expect(code).toBe(1);
    for (const line of [
      'ok    Claude Code ("mine") has a key that lets it in',
      'FAIL  Claude Code, this project ("shared") reads the key from MY_KEY, which is not set here.',
      'FAIL  Cursor ("old") has a key that is not valid.',
      'FAIL  Cursor ("root") asks at /.',
      'ok    VS Code, this project ("code") asks for the key itself',
      'ok    VS Code, this project ("web") signs in with the browser',
    ]) expect(stdout).toContain(line);
    expect(stdout).not.toContain("elsewhere");
    expect(stdout).not.toContain(command.product.apiKey);
    machine.env["MY_KEY"] = command.product.apiKey;
    expect((await examine()).stdout).toContain('ok    Claude Code, this project ("shared") has a key that lets it in');
  });

  test("in a folder of the project it looks where connect writes: at the root of the repository", async () => {
    const folder = join(machine.repository, "src/deep");
    mkdirSync(folder, { recursive: true });
    const url = `${origin()}/mcp`;
    writeFileSync(join(machine.folder, ".claude.json"), JSON.stringify({ projects: { [machine.repository]: { mcpServers: { root: { type: "http", url } } }, [folder]: { mcpServers: { deep: { type: "http", url } } } } }));
    expect(await machine.runIn(folder, "connect", "cursor")).toMatchObject({ code: 0, stdout: expect.stringContaining(join(machine.repository, ".cursor/mcp.json")) as string });
    const { code, stdout } = await machine.runIn(folder, "doctor");
    expect(code).toBe(0);
    for (const line of [
      'ok    Cursor, this project ("omnimemory") has a key that lets it in',
      'ok    Claude Code ("root") signs in with the browser',
      'ok    Claude Code ("deep") signs in with the browser',
    ]) expect(stdout).toContain(line);
  });
});
