import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { clients } from "../../scripts/guides/clients.ts";
import type { Setup, Site } from "../../scripts/guides/setup.ts";
import { linked, type Reached, readAs } from "./support/configured-client.ts";
import { Product } from "./support/product.ts";

const project = "github.com/acme/shop";
const folder = mkdtempSync(join(tmpdir(), "omnimemory-guides-"));
let product: Product;
let site: Site;
beforeAll(async () => {
  product = await Product.start();
  site = { url: product.url().href, publicUrl: product.url().href, project };
  execFileSync("git", ["init", "--quiet", folder]);
  execFileSync("git", ["-C", folder, "remote", "add", "origin", "git@github.com:acme/shop.git"]);
});
afterAll(async () => {
  await product.remove();
  rmSync(folder, { recursive: true, force: true });
});

async function connect({ url, headers }: Reached): Promise<Client> {
  const client = new Client({ name: "e2e", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  return client;
}

async function ask(client: Client, name: string, args: Record<string, unknown>): Promise<{ text: string; structured: Record<string, any> }> {
  const { content, structuredContent, isError } = await client.callTool({ name, arguments: args });
  const text = (content as { text?: string }[])[0]?.text ?? "";
  expect(isError ?? false, text).toBe(false);
  return { text, structured: (structuredContent ?? {}) as Record<string, any> };
}

const setups = clients.flatMap(({ id, name, setups }) => setups.map((setup) => ({ client: id, what: `${name}: ${setup.title}`, setup })));
const whole = (setup: Setup): string => setup.text(site);
const read = (client: string, setup: Setup, key: string | undefined): Reached => readAs(client, setup.format, whole(setup), { folder, key });
const withKey = setups.filter(({ setup }) => setup.needs === "key");
const withBrowser = setups.filter(({ setup }) => setup.needs === "browser");

test("each client that the requirement names has a guide [A16]", () => {
  expect(clients.map(({ id }) => id)).toEqual(expect.arrayContaining(["claude-desktop", "claude-code", "cursor", "vscode", "continue", "cline"]));
});

describe("a guide's configuration with a key, read as its client reads it [A16]", () => {
  test.each(withKey)("$what: lists the tools, and a memory is stored and recalled in the project", async ({ client, setup }) => {
    const reached = read(client, setup, product.apiKey);
    const connected = await connect(reached);
    expect((await connected.listTools()).tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["omn_store_memory", "omn_retrieve_memory"]));

    // A file for all projects names none; then the call does.
    const where = reached.headers["X-Memory-Project"] === undefined ? { project } : {};
    const key = `port.${client}.${setups.findIndex((one) => one.setup === setup)}`;
    await ask(connected, "omn_store_memory", { key, content: `The staging port of ${key} is 8443.`, ...where });
    expect((await ask(connected, "omn_retrieve_memory", { key, ...where })).text).toContain("8443");
    await connected.close();

    const other = await connect({ url: product.url("/mcp?surface=all").href, headers: { authorization: `Bearer ${product.apiKey}` } });
    const { structured } = await ask(other, "omn_list_memories", { filters: { namespace: `project:${project}` }, limit: 100 });
    expect((structured["memories"] as { key: string }[]).map((memory) => memory.key)).toContain(key);
    await other.close();
  });

  test.each(withKey)("$what: without the key, nobody gets in", async ({ client, setup }) => {
    const refused = (async () => connect(read(client, setup, undefined)))();
    await expect(refused).rejects.toThrow(/OMNIMEMORY_KEY|is not known|INVALID_SESSION/);
  });
});

/** What a client with nothing but the URL is told: where people sign in. */
async function expectSignIn(url: string, headers: Record<string, string> = {}): Promise<void> {
  const body = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "e2e", version: "1" } } };
  const refused = await fetch(url, { method: "POST", headers: { ...headers, "content-type": "application/json", accept: "application/json, text/event-stream" }, body: JSON.stringify(body) });
  expect(refused.status).toBe(401);
  const metadata = /resource_metadata="([^"]+)"/.exec(refused.headers.get("www-authenticate") ?? "")?.[1];
  const resource = (await (await fetch(metadata ?? "about:blank")).json()) as { resource: string; authorization_servers: string[] };
  expect(resource.resource).toBe(url);
  const issuer = new URL(resource.authorization_servers[0] ?? "about:blank");
  const server = (await (await fetch(new URL("/.well-known/oauth-authorization-server", issuer))).json()) as Record<string, unknown>;
  expect(server).toMatchObject({ registration_endpoint: expect.any(String) as string, code_challenge_methods_supported: ["S256"] });
}

describe("a guide's configuration for signing in with the browser [A16]", () => {
  test.each(withBrowser)("$what: holds no credential, and the client finds where to sign in", async ({ client, setup }) => {
    const { url, headers } = read(client, setup, undefined);
    expect(Object.keys(headers)).not.toContain("Authorization");
    await expectSignIn(url, headers);
  });

  test.each(clients.filter(({ link }) => link !== undefined))("$name: the link adds the URL alone, and the client finds where to sign in", async ({ link }) => {
    const { name, type, ...added } = linked(link?.(site) ?? "");
    expect([name, added]).toEqual(["omnimemory", { url: site.url }]);
    expect([undefined, "http"]).toContain(type);
    await expectSignIn(added.url);
  });

  test("who is said to sign in with the browser has a way to", () => {
    expect(clients.filter(({ speaksOAuth, setups }) => !speaksOAuth && setups.some(({ needs }) => needs === "browser"))).toEqual([]);
  });
});

describe("a file that a project commits [A16]", () => {
  test.each(setups.filter(({ setup }) => setup.isCommitted))("$what: holds no secret and no place for one", ({ setup }) => {
    expect(whole(setup)).not.toMatch(/omn_|Bearer (?!\$\{)/);
  });
});
