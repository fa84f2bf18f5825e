import { SELF } from "cloudflare:test";
import { beforeAll, describe, expect, test } from "vitest";
import { keyFor, newTenant } from "../domain/tenancy/tenant.ts";
import { callTool } from "../support/mcp.ts";
import { meta, type Raw, request, send, toolCall } from "./raw.ts";

let token: string;
beforeAll(async () => {
  const tenant = await newTenant();
  ({ token } = await keyFor(tenant, tenant.ownerId));
});

const store = toolCall("omn_store_memory", { key: "never", content: "Must not be stored." });

const total = async (): Promise<number> => (await callTool(token, "omn_memory_stats")).structured["total"];

/** Refused with this status and a message that tells, in the form of JSON-RPC, and without effect. */
async function expectRefusal(raw: Raw, status: number, told: RegExp, code?: number): Promise<void> {
  const before = await total();
  const answer = await send({ token, ...raw });
  const text = await answer.text();
  expect({ status: answer.status, text }).toMatchObject({ status });
  const { error } = JSON.parse(text) as { error: { code: number; message: string } };
  expect(error.message).toMatch(told);
  if (code !== undefined) expect(error.code).toBe(code);
  expect(text).not.toMatch(/INTERNAL_ERROR|Internal error|at .*\.ts|stack/i);
  expect(await total()).toBe(before);
}

describe("bodies [S7]", () => {
  test.each([
    ["cut off", '{"jsonrpc":"2.0","id":1,"method":"tools/ca'],
    ["empty", ""],
    ["no JSON at all", "name=omn_store_memory"],
    ["XML", "<xml/>"],
    ["two documents", `${JSON.stringify(store)}${JSON.stringify(store)}`],
    ["a byte order mark in the middle", '{"jsonrpc":\ufeff"2.0"}'],
    ["a trailing comma", '{"jsonrpc":"2.0",}'],
  ])("%s: 400, parse error", async (_name, body) => {
    await expectRefusal({ body }, 400, /Parse error.*JSON/, -32_700);
  });

  test("bytes that are no UTF-8: refused, not stored with other letters", async () => {
    const text = JSON.stringify(store).replace("Must not", "M?st not");
    const bytes = new TextEncoder().encode(text);
    bytes[text.indexOf("M?st") + 1] = 0xff;
    await expectRefusal({ body: bytes, headers: { "mcp-method": "tools/call", "mcp-name": "omn_store_memory" } }, 400, /UTF-8/, -32_700);
  });

  test.each([
    ["17 MiB", "x".repeat(17 * 1024 * 1024)],
    ["17 MiB of a valid call", JSON.stringify(toolCall("omn_store_memory", { key: "never", content: "x".repeat(17 * 1024 * 1024) }))],
  ])("%s: 413, and how much is allowed", async (_name, body) => {
    await expectRefusal({ body }, 413, /Payload Too Large.*\d+ bytes/);
  });

  test("17 MiB in chunks, whose length nobody declared: 413, too", async () => {
    const chunk = new TextEncoder().encode("x".repeat(1024 * 1024));
    let left = 17;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (left-- > 0) controller.enqueue(chunk);
        else controller.close();
      },
    });
    await expectRefusal({ body }, 413, /Payload Too Large/);
  });

  test("__proto__ as a key, which would vanish unsaid: refused by name; as text it is kept", async () => {
    const call = (metadata: string, key: string): string =>
      JSON.stringify(toolCall("omn_store_memory", { key, content: 'says "__proto__": 1', metadata: { a: "HERE" } })).replace('{"a":"HERE"}', metadata);
    await expectRefusal({ body: call('{"__proto__":"x"}', "never") }, 400, /__proto__/);
    const kept = await send({ token, body: call("{}", "text.about.proto"), headers: { "mcp-method": "tools/call", "mcp-name": "omn_store_memory" } });
    expect(await kept.text()).toContain("created text.about.proto");
  });

  test.each([
    ['"\\u005f_proto__":"x"', /__proto__ cannot be a key/],
    ['"\\u005f\\u005Fproto\\u005f_":"x"', /__proto__ cannot be a key/],
    ['"ticket":9007199254740993', /The number 9007199254740993 in "ticket" cannot be kept .* as text/],
    ['"ticket":1e999', /The number 1e999 in "ticket" cannot be kept/],
  ])("%s is refused by MCP, imports and REST, and nothing of it is stored", async (entry, problem) => {
    const before = await total();
    const record = `{"key":"silently","content":"c","metadata":{${entry}}}`;
    const asArguments = JSON.stringify(toolCall("omn_store_memory", { a: "HERE" })).replace('{"a":"HERE"}', record);
    await expectRefusal({ body: asArguments, headers: { "mcp-method": "tools/call", "mcp-name": "omn_store_memory" } }, 400, problem);
    for (const data of [`[${record}]`, `{"key":"before","content":"b"}\n${record}`]) {
      const imported = await callTool(token, "omn_import_memories", { data });
      expect(imported.error).toMatchObject({ code: "VALIDATION_ERROR", message: expect.stringMatching(new RegExp(problem.source.split(" .* ")[0] as string)) as string });
    }
    const made = await SELF.fetch("http://localhost/v1/keys", {
      method: "POST",
      headers: { host: "localhost", authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: `{"name":"k",${entry}}`,
    });
    expect([made.status, (await made.json<{ error: { message: string } }>()).error.message]).toEqual([400, expect.stringMatching(problem.source.split(" .* ")[0] as string)]);
    expect(await total()).toBe(before);
  });

  test("nested deeper than a stack reaches: refused like anything else", async () => {
    const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
    const args = (value: string): string => JSON.stringify(toolCall("omn_store_memory", { key: "never", content: "c", metadata: { a: "DEEP" } })).replace('"DEEP"', value);
    const answer = await send({ token, body: args(deep), headers: { "mcp-method": "tools/call", "mcp-name": "omn_store_memory" } });
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain("nested deeper");
    await expectRefusal({ body: deep }, 400, /JSON-RPC|Invalid Request|batch/i);
  });
});

describe("JSON-RPC [S7]", () => {
  test.each([
    ["null", null],
    ["a number", 42],
    ["text", '"tools/call"'],
    ["an empty object", {}],
    ["an empty batch", []],
    ["a batch of junk", [1, null, "x", {}]],
    ["another version", { ...store, jsonrpc: "1.0" }],
    ["no version", { id: 1, method: "tools/call", params: store["params"] }],
    ["a method that is no text", { ...store, method: 7 }],
    ["an id that is an object", { ...store, id: { a: 1 } }],
    ["an id that is null", { ...store, id: null }],
    ["params that are a list", { ...store, params: [1, 2] }],
    ["a batch of calls, which this revision has not", [store, store]],
  ])("%s: 400, invalid request", async (_name, body) => {
    await expectRefusal({ body: body === null ? "null" : body }, 400, /Invalid Request|JSON-RPC|batch|Bad Request|Mcp-|protocol|session|initialize/i);
  });

  test.each([
    ["an unknown method", request("memories/steal"), 404, /memories\/steal|Method not found/],
    ["a call that names no tool", { ...store, params: { _meta: meta } }, 400, /name/],
    ["arguments that are a list", toolCall("omn_store_memory", ["key"]), 400, /arguments/],
    ["arguments that are text", toolCall("omn_store_memory", "key=x"), 400, /arguments/],
    ["an unknown tool", toolCall("omn_steal_memory"), 400, /omn_steal_memory.*tools\/list/],
    ["an unknown resource", request("resources/read", { uri: "omnimemory://memory/nobody" }), 400, /omnimemory:\/\/memory\/nobody/],
    ["a file as resource", request("resources/read", { uri: "file:///etc/passwd" }), 400, /file:\/\/\/etc\/passwd/],
    ["a cursor of one's own making", request("resources/list", { cursor: "' or 1=1" }), 400, /cursor/i],
    ["no envelope", { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "omn_store_memory", arguments: {} } }, 400, /_meta|protocolVersion|envelope/],
  ])("%s is named in the error", async (_name, body, _status, told) => {
    const before = await total();
    const { uri, name } = (body as { params: { uri?: string; name?: string } }).params;
    const answer = await send({ token, body, headers: { "mcp-name": uri ?? name ?? null } });
    const { error } = await answer.json<{ error?: { code: number; message: string } }>();
    expect(answer.status).toBeLessThan(500);
    expect(error?.message).toMatch(told);
    expect(error?.code).not.toBe(-32_603);
    expect(await total()).toBe(before);
  });
});

describe("headers [S7] [S11]", () => {
  test.each<[string, Raw["headers"], number, RegExp]>([
    ["no content type", { "content-type": null }, 415, /Content-Type must be application\/json/],
    ["text as content type", { "content-type": "text/plain" }, 415, /Content-Type must be application\/json/],
    ["a form as content type", { "content-type": "application/x-www-form-urlencoded" }, 415, /Content-Type must be application\/json/],
    ["an unknown protocol version", { "mcp-protocol-version": "1999-01-01" }, 400, /1999-01-01|protocol version/i],
    ["another version than the message says", { "mcp-protocol-version": "2025-11-25" }, 400, /version|session|initialize/i],
    ["another method than the message says", { "mcp-method": "tools/list" }, 400, /Mcp-Method/i],
    ["no method", { "mcp-method": null }, 400, /Mcp-Method/i],
    ["another tool than the message says", { "mcp-name": "omn_health_check" }, 400, /Mcp-Name/i],
    ["no tool", { "mcp-name": null }, 400, /Mcp-Name/i],
  ])("%s: refused, naming the header", async (_name, headers, status, told) => {
    await expectRefusal({ body: store, headers: { ...headers } }, status, told);
  });

  test("a charset after the content type is fine", async () => {
    expect((await send({ token, headers: { "content-type": "application/json; charset=utf-8" } })).status).toBe(200);
  });

  test.each(["PUT", "PATCH", "OPTIONS"])("%s: 405, and what to use", async (method) => {
    const answer = await send({ token, method });
    expect(answer.status).toBe(405);
    expect(answer.headers.get("allow")).toBe("GET, POST, DELETE");
  });

  test("a client cannot say who it is but by its key", async () => {
    const forged = JSON.stringify({ principal: { userId: "someone", teamId: "else" } });
    const answer = await send({ token, headers: { "x-omnimemory-call": forged, "x-memory-user-id": "someone" }, body: toolCall("omn_memory_stats") });
    expect(answer.status).toBe(200);
    expect((await answer.json<{ result: { structuredContent: object } }>()).result.structuredContent).toMatchObject({ total: await total() });
  });
});
