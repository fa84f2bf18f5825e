import { SELF } from "cloudflare:test";
import { beforeAll, describe, expect, test } from "vitest";
import { keyFor, newTenant } from "../domain/tenancy/tenant.ts";
import { leanCallOf } from "../../src/mcp/lean-call.ts";
import { callTool } from "../support/mcp.ts";
import { meta, protocolVersion, request, toolCall } from "../http/raw.ts";

/**
 * Both addresses serve the same protocol; calls to `/mcp` take the short path where they are ordinary, calls to `/sse` never do.
 */
interface Case {
  title: string;
  /** Text is sent as it is. */
  body: unknown;
  /** Added to those of a correct call; `null` leaves one out. */
  headers?: Record<string, string | null>;
  query?: string;
}

const tool = "omn_health_check";
const ordinary = toolCall(tool);
const withParams = (change: Record<string, unknown>): unknown => ({ ...ordinary, params: { name: tool, arguments: {}, _meta: meta, ...change } });
const withMeta = (change: Record<string, unknown>): unknown => withParams({ _meta: { ...meta, ...change } });
const ns = "io.modelcontextprotocol/";
const client = (info: unknown): unknown => withMeta({ [`${ns}clientInfo`]: info });
const capable = (capabilities: unknown): unknown => withMeta({ [`${ns}clientCapabilities`]: capabilities });

const showingForms = (name: string, args: Record<string, unknown>, elicitation: unknown = { form: {} }) =>
  ({ ...ordinary, params: { name, arguments: args, _meta: { ...meta, [`${ns}clientCapabilities`]: { elicitation } } } });

const cases: Case[] = [
  { title: "an ordinary call", body: ordinary },
  { title: "a call with a text as id", body: { ...ordinary, id: "a-1" } },
  { title: "a call with id 0", body: { ...ordinary, id: 0 } },
  { title: "a call by an alias with dots", body: toolCall("omn.health.check") },
  { title: "a call without arguments", body: withParams({ arguments: undefined }) },
  { title: "a call by a client that says all it can do", body: capable({ roots: { listChanged: true }, sampling: { tools: {} }, elicitation: { form: {}, url: {} }, experimental: { x: {} }, extensions: { "a/b": { c: 1 } } }) },
  { title: "a call by a client that says much about itself", body: client({ name: "n", version: "1", title: "N", websiteUrl: "https://example.test", description: "d" }) },
  { title: "a call without clientInfo", body: { ...ordinary, params: { name: tool, _meta: { [`${ns}protocolVersion`]: protocolVersion, [`${ns}clientCapabilities`]: {} } } } },
  { title: "a result with a text in structured content", body: toolCall("search", { query: "nothing there" }) },
  { title: "a refusal by the tool", body: toolCall("omn_forget_memory", { id: "00000000-0000-4000-8000-000000000000" }) },
  { title: "wrong arguments", body: toolCall("omn_retrieve_memory", { limit: "many" }) },
  { title: "unknown arguments", body: toolCall(tool, { nonsense: true }) },
  { title: "a refusal that repeats a secret", body: toolCall("omn_store_memory", { metadata: { sensitivity: "secret" } }) },

  { title: "a store by a client that shows forms", body: showingForms("omn_store_memory", { key: "asked", content: "The pier of the short path is short." }) },
  { title: "a question to the person", body: showingForms("omn_forget_memory", { key: "asked" }) },
  { title: "a question which of two changes to keep", body: showingForms("memory_update", { memory_id: 1, data: "The pier is long.", version: 7 }) },
  { title: "a question to the person of a client whose forms are declared by nothing", body: showingForms("omn_forget_memory", { key: "asked" }, {}) },
  { title: "a preview for a client that only opens pages", body: showingForms("omn_forget_memory", { key: "asked" }, { url: {} }) },
  { title: "a person's no", body: { ...ordinary, params: { ...showingForms("omn_forget_memory", { key: "asked" }).params, requestState: "{}", inputResponses: { confirm: { action: "decline" } } } } },

  { title: "an unknown tool", body: toolCall("omn_nothing") },
  { title: "a tool named like a property of objects", body: toolCall("constructor") },
  { title: "no name", body: withParams({ name: undefined }) },
  { title: "a name that is no text", body: withParams({ name: 7 }), headers: { "mcp-name": "7" } },
  { title: "arguments that are a list", body: withParams({ arguments: [] }) },
  { title: "arguments that are null", body: withParams({ arguments: null }) },
  { title: "no params", body: { ...ordinary, params: undefined } },
  { title: "params that are a list", body: { ...ordinary, params: [] } },
  { title: "unknown params", body: withParams({ extra: 1 }) },
  { title: "a task", body: withParams({ task: { ttl: 1 } }) },
  { title: "input responses", body: withParams({ inputResponses: {} }) },
  { title: "a request state", body: withParams({ requestState: "x" }) },
  { title: "a request state that is no text", body: withParams({ requestState: 1 }) },

  { title: "no envelope", body: withParams({ _meta: undefined }) },
  { title: "an envelope that is a list", body: withParams({ _meta: [] }) },
  { title: "an envelope without version", body: withParams({ _meta: { [`${ns}clientCapabilities`]: {} } }) },
  { title: "an envelope without capabilities", body: withParams({ _meta: { [`${ns}protocolVersion`]: protocolVersion } }) },
  { title: "another version in the envelope", body: withMeta({ [`${ns}protocolVersion`]: "2025-11-25" }) },
  { title: "an unknown version everywhere", body: withMeta({ [`${ns}protocolVersion`]: "2030-01-01" }), headers: { "mcp-protocol-version": "2030-01-01" } },
  { title: "a version that is no text", body: withMeta({ [`${ns}protocolVersion`]: 1 }) },
  { title: "capabilities that are a list", body: capable([]) },
  { title: "a capability that is no object", body: capable({ roots: true }) },
  { title: "an unknown capability", body: capable({ flying: {} }) },
  { title: "an elicitation of another kind", body: capable({ elicitation: { smell: {} } }) },
  { title: "client info without version", body: client({ name: "n" }) },
  { title: "client info that is a text", body: client("n") },
  { title: "client info with icons", body: client({ name: "n", version: "1", icons: [{ src: "data:," }] }) },
  { title: "a progress token", body: withMeta({ progressToken: 7 }) },
  { title: "a progress token that is an object", body: withMeta({ progressToken: {} }) },
  { title: "a log level", body: withMeta({ [`${ns}logLevel`]: "debug" }) },
  { title: "an unknown log level", body: withMeta({ [`${ns}logLevel`]: "loud" }) },
  { title: "a trace", body: withMeta({ traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" }) },

  { title: "no id, which makes it a notification", body: { ...ordinary, id: undefined } },
  { title: "id null", body: { ...ordinary, id: null } },
  { title: "an id that is a fraction", body: { ...ordinary, id: 1.5 } },
  { title: "an id that is an object", body: { ...ordinary, id: {} } },
  { title: "another jsonrpc", body: { ...ordinary, jsonrpc: "1.0" } },
  { title: "no jsonrpc", body: { ...ordinary, jsonrpc: undefined } },
  { title: "unknown members", body: { ...ordinary, extra: 1 } },
  { title: "a batch", body: [ordinary] },
  { title: "an empty batch", body: [] },
  { title: "an answer", body: { jsonrpc: "2.0", id: 1, result: {} } },
  { title: "a notification", body: { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1, _meta: meta } } },
  { title: "another method than the header says", body: request("tools/list"), headers: { "mcp-method": "tools/call", "mcp-name": tool } },
  { title: "another method", body: request("tools/list") },
  { title: "an unknown method", body: request("tools/fly") },
  { title: "a text", body: '"tools/call"' },
  { title: "nothing", body: "" },
  { title: "half a body", body: JSON.stringify(ordinary).slice(0, 40) },
  { title: "a key that would vanish", body: JSON.stringify(ordinary).replace('"arguments":{}', '"arguments":{"__proto__":1}') },
  { title: "a number that would change", body: JSON.stringify(ordinary).replace('"arguments":{}', '"arguments":{"n":12345678901234567890}') },

  { title: "no version header", body: ordinary, headers: { "mcp-protocol-version": null } },
  { title: "another version header", body: ordinary, headers: { "mcp-protocol-version": "2025-11-25" } },
  { title: "a version header with spaces around it", body: ordinary, headers: { "mcp-protocol-version": ` ${protocolVersion} ` } },
  { title: "no method header", body: ordinary, headers: { "mcp-method": null } },
  { title: "another method header", body: ordinary, headers: { "mcp-method": "tools/list" } },
  { title: "no name header", body: ordinary, headers: { "mcp-name": null } },
  { title: "another name header", body: ordinary, headers: { "mcp-name": "omn_memory_stats" } },
  { title: "a name header in Base64", body: ordinary, headers: { "mcp-name": `=?base64?${btoa(tool)}?=` } },
  { title: "a name header in broken Base64", body: ordinary, headers: { "mcp-name": "=?base64?%?=" } },
  { title: "a session's header", body: ordinary, headers: { "mcp-session-id": "nobody" } },
  { title: "a content type with a charset", body: ordinary, headers: { "content-type": "application/json; charset=utf-8" } },
  { title: "another content type", body: ordinary, headers: { "content-type": "text/plain" } },
  { title: "no accept header", body: ordinary, headers: { accept: null } },
  { title: "an accept header for streams only", body: ordinary, headers: { accept: "text/event-stream" } },
  { title: "a compressed body", body: ordinary, headers: { "content-encoding": "gzip" } },
  { title: "a surface of its own", body: toolCall("search", { query: "x" }), query: "?surface=chatgpt" },
  { title: "a tool that reads, on core", body: toolCall("omn_list_memories") },
  { title: "a tool that reads, on a surface for programs", body: toolCall("omn_list_memories"), query: "?surface=omn" },
  { title: "a tool of another surface, as on its own", body: toolCall("list_memories"), query: "?surface=chatgpt" },
  { title: "a tool that core does not list, as on its own surface", body: toolCall("omn_memory_stats") },
  { title: "a surface that is not there", body: ordinary, query: "?surface=nonsense" },
];

interface Seen {
  status: number;
  headers: Record<string, string | null>;
  body: unknown;
}

let token: string;
beforeAll(async () => {
  const tenant = await newTenant();
  token = (await keyFor(tenant, tenant.ownerId)).token;
  await callTool(token, "omn_store_memory", { key: "asked", content: "The pier of the short path is short." });
});

/** Times and ids of requests differ from call to call. */
const steady = (text: string): string =>
  text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "T").replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]{21}/g, "ID").replaceAll(/"query_time_ms":[\d.]+/g, '"query_time_ms":0');

async function ask(path: string, { body, headers = {}, query = "" }: Case, authorization = `Bearer ${token}`): Promise<Seen> {
  const { method, params } = (body ?? {}) as { method?: string; params?: { name?: string } };
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const all = {
    host: "localhost", authorization, "content-type": "application/json", accept: "application/json, text/event-stream",
    "content-length": String(new TextEncoder().encode(text).length), "mcp-protocol-version": protocolVersion,
    ...(typeof method === "string" ? { "mcp-method": method } : {}), ...(typeof params?.name === "string" ? { "mcp-name": params.name } : {}),
    ...headers,
  };
  const sent = Object.entries(all).filter((header): header is [string, string] => header[1] !== null);
  const answer = await SELF.fetch(`http://localhost${path}${query}`, { method: "POST", headers: Object.fromEntries(sent), body: text });
  const said = steady(await answer.text());
  const names = ["content-type", "www-authenticate", "retry-after", "cache-control", "x-content-type-options", "content-security-policy", "mcp-session-id"];
  return {
    status: answer.status,
    headers: Object.fromEntries(names.map((name) => [name, answer.headers.get(name)?.replaceAll("/sse", "/mcp") ?? null])),
    body: said.startsWith("{") ? JSON.parse(said) : said,
  };
}

describe("the short path of a call answers as the SDK does", () => {
  test.each(cases.map((one) => [one.title, one] as const))("%s", async (_title, one) => {
    const [lean, sdk] = [await ask("/mcp", one), await ask("/sse", one)];
    expect(lean).toEqual(sdk);
  });

  test("a client that shows forms takes it as well, whatever the tool may ask [S2]", () => {
    for (const name of ["omn_store_memory", "omn_forget_memory"]) expect(leanCallOf(showingForms(name, {}), name)).toMatchObject({ name, asks: true });
    expect(leanCallOf(toolCall("omn_store_memory"), "omn_store_memory")).toMatchObject({ asks: false });
  });

  test.each(["Bearer omn_none_none", "Bearer x", "Basic x"])("a caller who proves nothing: %s", async (authorization) => {
    expect(await ask("/mcp", { title: "", body: ordinary }, authorization)).toEqual(await ask("/sse", { title: "", body: ordinary }, authorization));
  });

  test("a key that is refused after the edge has learnt whose it is", async () => {
    const tenant = await newTenant();
    const { token: key } = await keyFor(tenant, tenant.ownerId);
    expect((await ask("/mcp", { title: "", body: ordinary }, `Bearer ${key}`)).status).toBe(200);
    const wrong = `Bearer ${key.slice(0, -4)}AAAA`;
    const [lean, sdk] = [await ask("/mcp", { title: "", body: ordinary }, wrong), await ask("/sse", { title: "", body: ordinary }, wrong)];
    expect(lean.status).toBe(401);
    expect(lean).toEqual(sdk);
  });
});
