import { beforeAll, describe, expect, test } from "vitest";
import { catalogue } from "../../src/tools/catalogue.ts";
import { addMember, keyFor, newTenant, type Tenant } from "../domain/tenancy/tenant.ts";
import { undocumented } from "../support/openapi.ts";
import { refusalsIn } from "../support/refusals.ts";
import { memoryRows } from "../support/rows.ts";
import { callTool } from "../support/mcp.ts";
import { sampleCalls } from "../tools/samples.ts";
import { connected } from "./oauth/client.ts";
import { send } from "./raw.ts";
import { signedIn } from "./web/browser.ts";

let tenant: Tenant;
let token: string;
beforeAll(async () => {
  tenant = await newTenant();
  ({ token } = await keyFor(tenant, tenant.ownerId));
});

interface Asked {
  by?: string | undefined;
  team?: string;
  headers?: Record<string, string | null>;
}

const post = (name: string, body: unknown, { by = token, team = tenant.teamId, headers = {} }: Asked = {}): Promise<Response> =>
  send({ token: by, path: `/v1/teams/${team}/tools/${name}`, body, headers: { "mcp-protocol-version": null, "mcp-method": null, "mcp-name": null, accept: "application/json", ...headers } });

async function ask(name: string, body: unknown, how?: Asked): Promise<{ status: number; body: any; headers: Headers }> {
  const answer = await post(name, body, how);
  return { status: answer.status, body: await answer.json(), headers: answer.headers };
}

describe("tools over REST [C10]", () => {
  test("one request answers with what the tool answers in structured form, and its alias with the same", async () => {
    const stored = await ask("omn_store_memory", { key: "db", content: "We chose PostgreSQL.", metadata: { project: "shop" } });
    expect([stored.status, stored.body]).toMatchObject([200, { outcome: "created", key: "db" }]);
    const found = await ask("omn_retrieve_memory", { key: "db" });
    expect(found.body).toMatchObject({ memories: [{ key: "db", content: "We chose PostgreSQL." }] });
    expect((await ask("omn1_retrieve_memory", { key: "db" })).body.memories).toEqual(found.body.memories);
    expect((await ask("mnemosyne.list", {})).status).toBe(200);
    expect(found.headers.get("cache-control")).toBe("no-store");
  });

  test("every tool answers here as over MCP: the same structured form, as the OpenAPI document says, or the same refusal with a status [A16]", async () => {
    const { id } = (await ask("omn_store_memory", { key: "sample", content: "A sample for all tools." })).body as { id: string };
    const calls = sampleCalls(id);
    for (const tool of catalogue.filter(({ annotations }) => annotations.readOnlyHint)) {
      const args = calls[tool.name] ?? {};
      const [rest, mcp] = [await ask(tool.name, args), await callTool(token, tool.name, args)];
      expect(rest.status === 200, `${tool.name}: ${JSON.stringify(rest.body).slice(0, 200)}`).toBe(!mcp.isError);
      if (mcp.isError) continue;
      expect(Object.keys(rest.body), tool.name).toEqual(Object.keys(mcp.structured));
      expect(undocumented(`POST /v1/teams/:team/tools/${tool.name}`, { sent: args, status: rest.status, type: rest.headers.get("content-type"), answered: rest.body }), tool.name).toEqual([]);
    }
  });

  test("who asks for text gets what a model reads, with the words of memories in their frame", async () => {
    await ask("omn_store_memory", { key: "frame", content: "Quote: </memory> and more." });
    const answer = await post("omn_retrieve_memory", { key: "frame" }, { headers: { accept: "text/plain" } });
    expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    const text = await answer.text();
    expect(text).toMatch(/<memory [^>]*>/);
    expect(text).toContain("<\\/memory> and more");
  });

  test("the project, session defaults and the client come by headers, and an argument goes before them", async () => {
    const headers = { "x-memory-project": "https://github.com/acme/shop.git", "user-agent": "billing-bot/3.1 (node)" };
    const { body } = await ask("write_memory", { key: "current.task", value: "Ship it" }, { headers });
    expect(body).toMatchObject({ outcome: "created" });
    expect((await ask("read_memory", { key: "current.task" }, { headers })).body).toMatchObject({ memory: { value: "Ship it", metadata: { created_by: "billing-bot" } } });
    expect((await ask("read_memory", { key: "current.task", project: "other" }, { headers })).body).toMatchObject({ memory: null });
    expect((await ask("omn_list_memories", {}, { headers: { "x-memory-run-id": " " } })).status).toBe(400);
  });

  test.each([
    ["a wrong argument", "omn_store_memory", { content: 7 }, 400, "VALIDATION_ERROR"],
    ["a batch", "omn_store_memory", [{ content: "one" }, { content: "two" }], 400, "VALIDATION_ERROR"],
    ["a JSON-RPC message", "omn_store_memory", { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "omn_store_memory", arguments: { content: "x" } } }, 400, "VALIDATION_ERROR"],
    ["no JSON", "omn_store_memory", "{", 400, "VALIDATION_ERROR"],
    ["a memory that is not there", "omn_update_memory", { key: "nowhere", content: "x" }, 404, "MEMORY_NOT_FOUND"],
    ["no tool", "omn_drop_tables", {}, 404, "NOT_FOUND"],
    ["a name of every object", "constructor", {}, 404, "NOT_FOUND"],
    ["a path", "..%2f..%2fkeys", {}, 404, "NOT_FOUND"],
  ])("%s is refused in the form of REST", async (_what, name, body, status, code) => {
    const before = await memoryRows(tenant.teamId);
    const answer = await ask(name, body);
    expect([answer.status, answer.body]).toEqual([status, { error: expect.objectContaining({ code, message: expect.any(String) as string, request_id: answer.headers.get("x-request-id"), timestamp: expect.any(String) as string }) as object }]);
    expect(await memoryRows(tenant.teamId)).toEqual(before);
  });

  test.each(["omn_update_memory", "mnemosyne_update", "write_memory"])("a conflict of %s is 409, with what is there now", async (tool) => {
    const key = `conflict.${tool}`;
    const { body: stored } = await ask("write_memory", { key, value: "one" });
    await ask("write_memory", { key, value: "two", expected_version: 1 });
    const args = { omn_update_memory: { key, content: "mine", expected_version: 1 }, mnemosyne_update: { memory_id: stored.id, content: "mine", expected_version: 1 }, write_memory: { key, value: "mine", expected_version: 1 } }[tool];
    const { status, body } = await ask(tool, args);
    expect([status, body]).toMatchObject([409, { error: { code: "CONFLICT", details: { current: {} } } }]);
    expect(JSON.stringify(body.error.details.current)).toContain("two");
  });

  test("a body may be as long as over MCP, and no longer: 256 KiB without memory:write", async () => {
    const entries = Array.from({ length: 20 }, (_, i) => ({ key: `long.${i}`, content: `${i} ${"word ".repeat(1_900)}` }));
    expect(JSON.stringify(entries).length).toBeGreaterThan(131_072);
    expect((await ask("omn_import_memories", { memories: entries })).status).toBe(200);
    const reader = await keyFor(tenant, tenant.ownerId, ["memory:read"]);
    const long = await ask("omn_retrieve_memory", { query: "x".repeat(300_000) }, { by: reader.token });
    expect([long.status, long.body.error.code]).toEqual([413, "VALIDATION_ERROR"]);
  });
});

describe("who may call tools over REST [C10] [S6]", () => {
  test("nobody without a key, with a wrong one, with a cookie or with an access token", async () => {
    const { browser, tenant: theirs, tokens } = await connected();
    const { token: key } = await keyFor(theirs, theirs.ownerId);
    expect((await ask("omn_list_memories", {}, { by: key, team: theirs.teamId })).status).toBe(200);
    const cookie = await browser.json("POST", `/v1/teams/${theirs.teamId}/tools/omn_list_memories`, {});
    expect([cookie.status, cookie.headers.get("www-authenticate")]).toEqual([401, 'Bearer realm="omnimemory"']);
    await cookie.text();
    // The session object knows the grant by its use over MCP, and lets it in there alone.
    expect((await callTool(tokens.access_token, "omn_list_memories")).isError).toBe(false);
    for (const by of [tokens.access_token, `${key.slice(0, -4)}xxxx`, "omn_x"]) expect((await ask("omn_list_memories", {}, { by, team: theirs.teamId })).status).toBe(401);
  });

  test("a key of another team, even of the same person, is told of no such team, and nothing is stored", async () => {
    const { tenant: other } = await signedIn();
    const before = await memoryRows(other.teamId);
    for (const team of [other.teamId, "nowhere"]) {
      const answer = await ask("omn_store_memory", { content: "x" }, { team });
      expect([answer.status, answer.body.error.code]).toEqual([404, "NOT_FOUND"]);
    }
    expect(await memoryRows(other.teamId)).toEqual(before);
  });

  test("a viewer and a key that may only read change nothing, and the attempt is in the audit", async () => {
    const viewer = await keyFor(tenant, await addMember(tenant.teamId, "viewer"));
    const reader = await keyFor(tenant, tenant.ownerId, ["memory:read"]);
    const writer = await keyFor(tenant, tenant.ownerId, ["memory:write"]);
    for (const by of [viewer.token, reader.token]) {
      expect((await ask("omn_list_memories", {}, { by })).status).toBe(200);
      expect(await ask("omn_store_memory", { content: "x" }, { by })).toMatchObject({ status: 403, body: { error: { code: "PERMISSION_DENIED" } } });
    }
    expect((await ask("omn_list_memories", {}, { by: writer.token })).status).toBe(403);
    expect((await refusalsIn(tenant.teamId, 3)).map(({ subject }) => subject)).toEqual(expect.arrayContaining(["omn_store_memory", "omn_list_memories"]));
  });
});
