import { env } from "cloudflare:workers";
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { beforeEach, describe, expect, test } from "vitest";
import { SqlEventStore } from "../../src/mcp/event-store.ts";
import { sessionName } from "../../src/session/session-call.ts";
import { addMember, keyFor, newTenant } from "../domain/tenancy/tenant.ts";
import { rpc } from "../support/mcp.ts";
import { send } from "./raw.ts";

let token: string;
let tenant: Awaited<ReturnType<typeof newTenant>>;
beforeEach(async () => {
  tenant = await newTenant();
  ({ token } = await keyFor(tenant, tenant.ownerId));
});

const version = "2025-11-25";
const initialize = {
  jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: version, capabilities: {}, clientInfo: { name: "old-client", version: "1" } },
};
const initialized = { jsonrpc: "2.0", method: "notifications/initialized" };
const call = (name: string, args: Record<string, unknown> = {}) => ({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name, arguments: args } });

/** A request of the session era. */
const legacy = (body: unknown, headers: Record<string, string | null> = {}, more: { key?: string; method?: string; path?: string } = {}) =>
  send({
    token: more.key ?? token,
    body,
    headers: { "mcp-method": null, "mcp-name": null, "mcp-protocol-version": version, ...headers },
    ...(more.method ? { method: more.method } : {}),
    ...(more.path ? { path: more.path } : {}),
  });

async function open(path = "/mcp"): Promise<string> {
  const answer = await legacy(initialize, { "mcp-protocol-version": null }, { path });
  expect(answer.status).toBe(200);
  await answer.text();
  const id = answer.headers.get("mcp-session-id");
  expect(id).toMatch(/^[\x21-\x7e]+$/);
  expect((await legacy(initialized, { "mcp-session-id": id }, { path })).status).toBe(202);
  return id as string;
}

interface RpcAnswer {
  result?: { content: { text: string }[] };
  error?: { code: number; message: string };
}

async function answerOf(response: Response): Promise<{ status: number; body: RpcAnswer }> {
  const text = await response.text();
  const json = response.headers.get("content-type")?.startsWith("text/event-stream") ? (/^data: (\{.*)$/m.exec(text)?.[1] ?? "{}") : text;
  return { status: response.status, body: JSON.parse(json) as RpcAnswer };
}

const health = async (id: string, more: { key?: string; path?: string } = {}) =>
  answerOf(await legacy(call("omn_health_check"), { "mcp-session-id": id }, more));

describe("sessions [S11]", () => {
  test.each(["/mcp", "/mcp/", "/sse"])("are opened and used at %s", async (path) => {
    const id = await open(path);
    expect((await health(id, { path })).body.result?.content[0]?.text).toBe("ok");
  });

  test("end by DELETE; after that, as for any unknown id, 404 asks the client to begin anew", async () => {
    const id = await open();
    expect((await legacy(null, { "mcp-session-id": id }, { method: "DELETE" })).status).toBe(200);
    for (const gone of [id, crypto.randomUUID(), "nonsense"]) {
      expect(await health(gone)).toMatchObject({ status: 404, body: { error: { message: expect.stringMatching(/Session not found.*initialize/) } } });
      expect((await legacy(null, { "mcp-session-id": gone }, { method: "DELETE" })).status).toBe(404);
      expect((await legacy(null, { "mcp-session-id": gone, accept: "text/event-stream" }, { method: "GET" })).status).toBe(404);
    }
  });

  test("take notifications and answers with 202 and no body", async () => {
    const id = await open();
    for (const message of [initialized, { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 99 } }, { jsonrpc: "2.0", id: 7, result: {} }]) {
      const answer = await legacy(message, { "mcp-session-id": id });
      expect({ status: answer.status, body: await answer.text() }).toEqual({ status: 202, body: "" });
    }
  });

  test("survive the eviction of their object: no initialize, same id, same client name [S2]", async () => {
    const id = await open();
    await evictDurableObject(env.USER_SESSION.getByName(`${tenant.teamId}:${tenant.ownerId}`));
    expect((await health(id)).body.result?.content[0]?.text).toBe("ok");
    await legacy(call("write_memory", { key: "k", value: "v" }), { "mcp-session-id": id });
    const read = await answerOf(await legacy(call("read_memory", { key: "k" }), { "mcp-session-id": id }));
    expect(JSON.parse(read.body.result?.content[0]?.text ?? "")).toMatchObject({ value: "v", tool: "old-client" });
  });

  test("may be continued with another key of the same person, and end with that key's rights", async () => {
    const id = await open();
    const reader = await keyFor(tenant, tenant.ownerId, ["memory:read"]);
    expect((await health(id, { key: reader.token })).status).toBe(200);
    const refused = await answerOf(await legacy(call("omn_store_memory", { key: "k", content: "c" }), { "mcp-session-id": id }, { key: reader.token }));
    expect(JSON.stringify(refused.body)).toContain("PERMISSION_DENIED");
  });

  test("of another person or team do not exist [S6]", async () => {
    const id = await open();
    const colleague = await keyFor(tenant, await addMember(tenant.teamId, "member"));
    const elsewhere = await newTenant();
    const stranger = await keyFor(elsewhere, elsewhere.ownerId);
    for (const key of [colleague.token, stranger.token]) expect((await health(id, { key })).status).toBe(404);
    expect((await health(id)).status).toBe(200);
  });
});

describe("requests of the session era that are wrong [S7]", () => {
  const deep = JSON.parse(`${"[".repeat(50_000)}${"]".repeat(50_000)}`) as unknown;

  test.each<[string, unknown, Record<string, string | null>, number, RegExp]>([
    ["no session id", call("omn_health_check"), {}, 400, /Mcp-Session-Id/i],
    ["an initialize without version", { ...initialize, params: { capabilities: {}, clientInfo: { name: "x", version: "1" } } }, {}, 400, /initialize/],
    ["an initialize nested without end", { ...initialize, params: { ...initialize.params, capabilities: { experimental: { deep } } } }, {}, 400, /initialize/],
    ["an initialize of a megabyte", { ...initialize, params: { ...initialize.params, clientInfo: { name: "x".repeat(1_000_000), version: "1" } } }, {}, 400, /initialize/],
  ])("%s: refused, saying what is missing", async (_name, body, headers, status, told) => {
    const answer = await answerOf(await legacy(body, headers));
    expect(answer.status).toBe(status);
    expect(answer.body.error?.message).toMatch(told);
  });

  test.each<[string, unknown, Record<string, string | null>, number, RegExp]>([
    ["an Accept without event streams", call("omn_health_check"), { accept: "application/json" }, 406, /accept/i],
    ["an unknown protocol version", call("omn_health_check"), { "mcp-protocol-version": "1999-01-01" }, 400, /1999-01-01/],
    ["junk", { hello: "world" }, {}, 400, /JSON-RPC|Invalid|Parse/i],
    ["a batch of junk", [1, {}, "x"], {}, 400, /JSON-RPC|Invalid|Parse/i],
  ])("in a session, %s: refused, naming it", async (_name, body, headers, status, told) => {
    const id = await open();
    const answer = await answerOf(await legacy(body, { ...headers, "mcp-session-id": id }));
    expect(answer.status).toBe(status);
    expect(answer.body.error?.message).toMatch(told);
    expect((await health(id)).status).toBe(200);
  });

  test.each<[string, string, RegExp]>([
    ["no session", "/sse/messages", /Session not found/],
    ["an unknown session", "/sse/messages?sessionId=nobody", /Session not found/],
  ])("a message to %s of the old transport: 404", async (_name, path, told) => {
    const answer = await answerOf(await legacy(initialize, {}, { path }));
    expect(answer.status).toBe(404);
    expect(answer.body.error?.message).toMatch(told);
  });
});

describe("what a session keeps so that a client can resume a stream [A13] [S11]", () => {
  test("is every answer but those that show a secret, and none in the clear", async () => {
    const ask = async (name: string, args: Record<string, unknown>) => (await rpc(token, "tools/call", { name, arguments: args })).body;
    await ask("omn_store_memory", { key: "open", content: "the tide is high" });
    const { result } = await ask("omn_store_memory", { key: "sealed", content: "the swordfish swims", metadata: { sensitivity: "secret" } });
    const answers = [
      await ask("omn_retrieve_memory", { key: "open" }),
      await ask("omn_retrieve_memory", { key: "sealed" }),
      (await rpc(token, "resources/read", { uri: `omnimemory://memory/${result.structuredContent.memory_id}` })).body,
      await ask("omn_export_memories", { include_secrets: true }),
      // Both sides of a conflict are shown, the one that was to become secret among them.
      await ask("omn_update_memory", { key: "open", content: "the swordfish again", metadata: { sensitivity: "secret" }, expected_version: 7 }),
    ];
    expect(answers.map((answer) => JSON.stringify(answer).includes("swordfish"))).toEqual([false, true, true, true, true]);
    const kept = await runInDurableObject(env.USER_SESSION.getByName(sessionName(tenant.teamId, tenant.ownerId)), async (_, { storage }) => {
      SqlEventStore.createTables(storage.sql);
      const sealed: string[] = [];
      const copies = { seal: async (_: string, text: string) => (sealed.push(text), "sealed"), open: async () => undefined };
      const events = new SqlEventStore(storage.sql, copies, "session", true);
      for (const answer of answers) await events.storeEvent("stream", answer);
      return { sealed, stored: storage.sql.exec("SELECT message FROM mcp_stream_event").toArray() };
    });
    expect(kept.stored).toEqual([{ message: "sealed" }]);
    expect(kept.sealed).toEqual([expect.stringContaining("the tide is high")]);
  });
});

describe("100 subscriptions of 150 KB each", () => {
  const uriOf = (n: number): string => `omnimemory://memory/${crypto.randomUUID().slice(0, -6)}${String(n).padStart(6, "0")}`;
  const subscribe = async (id: string, uri: string) =>
    answerOf(await legacy({ jsonrpc: "2.0", id: 3, method: "resources/subscribe", params: { uri } }, { "mcp-session-id": id }));

  test("what has not the form of a resource is not watched, and nothing of it is stored", async () => {
    const id = await open();
    for (const uri of [`omnimemory://memory/${"x".repeat(150_000)}`, `${uriOf(1)}?${"x".repeat(200)}`, "https://example.com/", "x"]) {
      expect((await subscribe(id, uri)).body.error, uri.slice(0, 40)).toMatchObject({ code: -32_602, message: expect.stringContaining("No resource has such a URI") as string });
    }
    for (const uri of [uriOf(1), "omnimemory://memories/recent"]) expect((await subscribe(id, uri)).body.result).toEqual({});
    const stored = await runInDurableObject(env.USER_SESSION.getByName(sessionName(tenant.teamId, tenant.ownerId)), (_, { storage }) => storage.sql.exec("SELECT uri FROM mcp_subscription").toArray());
    expect(stored).toHaveLength(2);
  });

  test("all sessions of a person together watch 1,000 resources", async () => {
    const [first, second] = [await open(), await open()];
    await runInDurableObject(env.USER_SESSION.getByName(sessionName(tenant.teamId, tenant.ownerId)), (_, { storage }) => {
      for (let n = 0; n < 999; n += 1) storage.sql.exec("INSERT INTO mcp_subscription (uri, session_id) VALUES (?, ?)", uriOf(n), first);
    });
    const last = uriOf(999);
    expect((await subscribe(second, last)).body.result).toEqual({});
    for (const id of [first, second]) expect((await subscribe(id, uriOf(1_000))).body.error?.message).toContain("1000 resources");
    await legacy({ jsonrpc: "2.0", id: 4, method: "resources/unsubscribe", params: { uri: last } }, { "mcp-session-id": second });
    expect((await subscribe(first, uriOf(1_001))).body.result).toEqual({});
  });

  test.each([
    ["what has not the form of a resource", () => [`omnimemory://memory/${"x".repeat(150_000)}`], "No resource has such a URI"],
    ["more than 100 at once", () => Array.from({ length: 101 }, (_, n) => uriOf(n)), "at most 100"],
  ])("a stream of 2026-07-28 does not watch %s", async (_what, uris, told) => {
    const { status, body } = await rpc(token, "subscriptions/listen", { notifications: { resourceSubscriptions: uris() } });
    expect([status, body]).toEqual([400, expect.objectContaining({ error: { code: -32_602, message: expect.stringContaining(told) as string } })]);
  });
});
