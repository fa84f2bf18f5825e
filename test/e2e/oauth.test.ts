import { Client as Client2, StreamableHTTPClientTransport as Streamable2, SSEClientTransport as Sse2 } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport as Sse1 } from "@modelcontextprotocol/sdk/client/sse.js";
import { StreamableHTTPClientTransport as Streamable1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ClientMemory, type Tokens } from "./support/client-memory.ts";
import { PersonAtBrowser } from "./support/person.ts";
import { Product } from "./support/product.ts";

let product: Product;
let person: PersonAtBrowser;
beforeAll(async () => {
  product = await Product.start();
  person = await PersonAtBrowser.signIn(product);
});
afterAll(() => product.remove());

interface Connection {
  call(name: string, args?: Record<string, unknown>): Promise<Record<string, any>>;
  tools(): Promise<string[]>;
  close(): Promise<void>;
}

interface Kind {
  connect(memory: ClientMemory): Promise<Connection>;
  finish(memory: ClientMemory, callback: URL): Promise<void>;
}

const code = (callback: URL): string => callback.searchParams.get("code") ?? "";
const connection = (client: Client1 | Client2): Connection => ({
  call: async (name, args = {}) => (await client.callTool({ name, arguments: args })).structuredContent as Record<string, any>,
  tools: async () => (await client.listTools()).tools.map(({ name }) => name),
  close: () => client.close(),
});
const sdk1 = (transport: (memory: ClientMemory) => Streamable1 | Sse1): Kind => ({
  connect: async (memory) => {
    const client = new Client1({ name: "e2e", version: "1" });
    await client.connect(transport(memory));
    return connection(client);
  },
  finish: (memory, callback) => transport(memory).finishAuth(code(callback)),
});
const client2 = (transport: (memory: ClientMemory) => Streamable2 | Sse2, mode: "legacy" | "auto" | { pin: string }): Kind => ({
  connect: async (memory) => {
    const client = new Client2({ name: "e2e", version: "1" }, { versionNegotiation: { mode } });
    await client.connect(transport(memory));
    return connection(client);
  },
  finish: (memory, callback) => transport(memory).finishAuth(callback.searchParams),
});

const kinds: [string, Kind][] = [
  ["sdk 1 over Streamable HTTP", sdk1((memory) => new Streamable1(product.url("/mcp?surface=all"), { authProvider: memory }))],
  ["sdk 1 over SSE", sdk1((memory) => new Sse1(product.url("/sse?surface=all"), { authProvider: memory }))],
  ["client 2 with sessions", client2((memory) => new Streamable2(product.url("/mcp/?surface=all"), { authProvider: memory }), "legacy")],
  ["client 2 with 2026-07-28", client2((memory) => new Streamable2(product.url("/mcp?surface=all"), { authProvider: memory }), { pin: "2026-07-28" })],
  ["client 2 over SSE", client2((memory) => new Sse2(product.url("/sse?surface=all"), { authProvider: memory }), "legacy")],
];

const unauthorized = /unauthorized|401/i;

describe.each(kinds)("%s [A13]", (name, { connect, finish }) => {
  test("from the URL alone: 401, metadata, registration, consent, token, tools, refresh, disconnect, refused", async () => {
    const memory = new ClientMemory();
    await expect(connect(memory)).rejects.toThrow(unauthorized);
    const asked = memory.sentTo as URL;
    expect(Object.fromEntries(asked.searchParams)).toMatchObject({ code_challenge_method: "S256", scope: expect.stringMatching(/^memory:read memory:write( offline_access)?$/), state: "state-of-the-client" });
    expect(asked.searchParams.get("resource")).toBe(product.url(name.includes("SSE") ? "/sse" : "/mcp").href);

    const callback = await person.allow(asked);
    expect(callback.searchParams.get("state")).toBe("state-of-the-client");
    await finish(memory, callback);
    const first = memory.saved as Tokens;

    const client = await connect(memory);
    expect(await client.tools()).toContain("omn_store_memory");
    await client.call("omn_store_memory", { key: `oauth.${name}`, content: `The lighthouse keeper of ${name} likes marzipan.` });
    expect(await client.call("omn_retrieve_memory", { key: `oauth.${name}` })).toMatchObject({ total_found: 1 });
    await client.close();

    // An hour later: the access token is none any more.
    memory.saved = { ...first, access_token: `${first.access_token}x` };
    const later = await connect(memory);
    expect(await later.call("omn_retrieve_memory", { key: `oauth.${name}` })).toMatchObject({ total_found: 1 });
    expect(memory.saved.refresh_token).not.toBe(first.refresh_token);
    expect(memory.registrations).toBe(1);

    expect(await person.disconnectAll()).toBe(1);
    memory.sentTo = undefined;
    await expect(later.call("omn_memory_stats")).rejects.toThrow(unauthorized);
    expect(memory.sentTo, "the client asks the person again").toBeInstanceOf(URL);
    await later.close();
  });
});

test("connections outlive a restart of the server [A13]", async () => {
  const memory = new ClientMemory();
  const [, kind] = kinds[0] as [string, Kind];
  await expect(kind.connect(memory)).rejects.toThrow(unauthorized);
  await kind.finish(memory, await person.allow(memory.sentTo as URL, ["memory:write"]));
  expect(memory.saved?.scope).toBe("memory:read");
  await product.restart();
  const client = await kind.connect(memory);
  expect((await client.call("omn_memory_stats"))["total"] ?? 0).toBeGreaterThanOrEqual(0);
  await client.close();
});
