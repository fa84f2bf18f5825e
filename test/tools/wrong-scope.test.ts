import { beforeAll, describe, expect, test } from "vitest";
import { type Scope, scopes } from "../../src/domain/tenancy/principal.ts";
import { catalogue } from "../../src/tools/catalogue.ts";
import type { Tool } from "../../src/tools/define-tool.ts";
import { recentUri } from "../../src/tools/families/omn/memory-resources.ts";
import { surfaces, toolsOf } from "../../src/tools/surfaces.ts";
import { addMember, keyFor, newTenant, type Tenant } from "../domain/tenancy/tenant.ts";
import { meta, send } from "../http/raw.ts";
import { callTool, rpc } from "../support/mcp.ts";
import { refusalsIn } from "../support/refusals.ts";
import { memoryRows } from "../support/rows.ts";
import { sampleCalls, sampleMemory } from "./samples.ts";

interface Key {
  token: string;
  keyId: string;
}

/** A team that holds the samples' memory, and keys of its owner. */
async function world(): Promise<{ tenant: Tenant; memoryId: string; key(granted: readonly Scope[]): Promise<Key> }> {
  const tenant = await newTenant();
  const { token } = await keyFor(tenant, tenant.ownerId);
  const stored = await callTool(token, "omn_store_memory", { ...sampleMemory, metadata: { ...sampleMemory.metadata, scope: "shared" } });
  return { tenant, memoryId: stored.structured["memory_id"], key: (granted) => keyFor(tenant, tenant.ownerId, granted) };
}

const without = (scope: Scope): Scope[] => scopes.filter((other) => other !== scope);
const namesOf = (tool: Tool): string[] => [tool.name, ...tool.aliases].flatMap((name) => [name, name.replaceAll("_", ".")]);

/** Tools that need another scope as well. */
const alsoNeeds: Record<string, Scope[]> = { omn_forget_memory: ["memory:read"], memory_delete_all: ["memory:read"], omn_revert: ["memory:read"], omn_consolidate: ["memory:read"], mnemosyne_consolidate: ["memory:read"], omn_restore_session: ["memory:read"], omn_export_session: ["memory:read"] };
const neededBy = (tool: Tool): Scope[] => [...(tool.scope ? [tool.scope] : []), ...(alsoNeeds[tool.name] ?? [])];

const guarded = catalogue.filter((tool) => neededBy(tool).length > 0).flatMap((tool) => neededBy(tool).map((scope) => ({ name: tool.name, scope, tool })));

describe("a key with the wrong scope [S17] [A13]", () => {
  test("is tried on every tool of every surface but those that say nothing of memories", () => {
    const open = surfaces.flatMap((surface) => toolsOf(surface)).filter(({ name }) => !guarded.some((each) => each.name === name));
    expect(new Set(open.map(({ name }) => name))).toEqual(new Set(["omn_health_check", "omn_compress_text"]));
    for (const { name } of guarded) expect(sampleCalls(""), "test/tools/samples.ts has a call of every tool").toHaveProperty([name]);
  });

  test.each(guarded)("on $name without $scope: refused under every name and on every surface, nothing read or changed, the refusal audited", async ({ name: toolName, scope, tool }) => {
    const { tenant, memoryId, key } = await world();
    const { token, keyId } = await key(without(scope));
    const before = await memoryRows(tenant.teamId);
    const calls = surfaces.flatMap((surface) => namesOf(tool).map((name) => ({ surface, name })));
    for (const { surface, name } of calls) {
      const { status, body } = await rpc(token, "tools/call", { name, arguments: sampleCalls(memoryId)[toolName] }, `?surface=${surface}`);
      expect(status).toBe(200);
      expect(body.result, `${name} on ${surface}`).toMatchObject({ isError: true, _meta: { "omnimemory/error": { code: "PERMISSION_DENIED", message: `This credential lacks the scope ${scope}.` } } });
      expect(body.result.structuredContent).toBeUndefined();
      expect(JSON.stringify(body)).not.toMatch(new RegExp(`billing|PostgreSQL|${memoryId}`));
    }
    expect(await memoryRows(tenant.teamId)).toEqual(before);
    const rows = await refusalsIn(tenant.teamId, calls.length);
    expect(rows).toEqual(calls.map(() => ({ subject: toolName, user_id: tenant.ownerId, credential_id: keyId })));
  });

  test.each(catalogue.map((tool) => ({ name: tool.name, tool })))("$name asks for no more than it needs", async ({ name, tool }) => {
    const { memoryId, key } = await world();
    const { token } = await key(tool.scope === null ? ["memory:write"] : neededBy(tool));
    expect(await callTool(token, name, sampleCalls(memoryId)[name])).toMatchObject({ status: 200, isError: false });
  });

  const more: [what: string, scope: Scope, name: string, args: (id: string) => Record<string, unknown>][] = [
    ["exporting secrets", "memory:admin", "omn_export_memories", () => ({ include_secrets: true })],
    ["erasing what is a colleague's", "memory:admin", "omn_forget_memory", (id) => ({ id, mode: "erase" })],
    ["showing a colleague's to the organization", "memory:admin", "omn_update_memory", (id) => ({ id, metadata: { scope: "public" } })],
    ["importing over a colleague's, for the organization", "memory:admin", "omn_import_memories", (id) => ({ memories: [{ id, content: "new words", visibility: "public" }] })],
  ];
  test.each(more)("%s takes %s, whatever else the tool asks for", async (_what, scope, name, args) => {
    const { tenant, key } = await world();
    const member = await keyFor(tenant, await addMember(tenant.teamId, "member"));
    const { structured } = await callTool(member.token, "omn_store_memory", { key: "theirs", content: "a colleague's billing notes", metadata: { scope: "shared" } });
    const before = await memoryRows(tenant.teamId);
    const [narrow, full] = [await key(without(scope)), await key(scopes)];
    const refused = await callTool(narrow.token, name, args(structured["memory_id"]));
    expect(refused).toMatchObject({ isError: true, error: { code: "PERMISSION_DENIED" } });
    expect(refused.text).not.toContain("billing notes");
    expect(await memoryRows(tenant.teamId)).toEqual(before);
    expect(await refusalsIn(tenant.teamId, 1)).toMatchObject([{ subject: name, credential_id: narrow.keyId }]);
    expect((await callTool(full.token, name, args(structured["memory_id"]))).isError).toBe(false);
  });
});

/** Everything that can be asked for by MCP, and which scope it takes. */
const requests: Record<string, Scope | null> = {
  "server/discover": null,
  "tools/list": null,
  "tools/call": null,
  "resources/list": "memory:read",
  "resources/templates/list": null,
  "resources/read": "memory:read",
  "prompts/list": null,
  "prompts/get": "memory:read",
  "completion/complete": "memory:read",
};
const unserved = ["logging/setLevel", "tasks/list", "sampling/createMessage", "roots/list"];

describe("a key with the wrong scope at resources and prompts [S17] [A13]", () => {
  let made: Awaited<ReturnType<typeof world>>;
  beforeAll(async () => void (made = await world()));

  const reads = (): [method: string, params: Record<string, unknown>][] => [
    ["resources/list", {}],
    ["resources/list", { cursor: made.memoryId }],
    ...[recentUri, `omnimemory://memory/${made.memoryId}`, "omnimemory://memory/none", "file:///etc/passwd"].map((uri): [string, Record<string, unknown>] => ["resources/read", { uri }]),
    ["prompts/get", { name: "explain-code", arguments: { file_path: "src/billing.ts" } }],
    ["completion/complete", { ref: { type: "ref/prompt", name: "find-similar" }, argument: { name: "context_key", value: "" } }],
  ];
  const subjects: Record<string, string> = { "prompts/get": "prompts", "completion/complete": "completion" };

  test("every request that tells of memories is refused without memory:read, and the refusal audited", async () => {
    const { token, keyId } = await made.key(without("memory:read"));
    for (const [method, params] of reads()) {
      const { body } = await rpc(token, method, params);
      expect(body.error?.message, JSON.stringify(params)).toBe("This credential lacks the scope memory:read. Use a key or sign-in that was granted memory:read.");
      expect(JSON.stringify(body)).not.toMatch(/billing|PostgreSQL/);
    }
    const rows = await refusalsIn(made.tenant.teamId, reads().length);
    expect(rows).toEqual(reads().map(([method]) => ({ subject: subjects[method] ?? "resources", user_id: made.tenant.ownerId, credential_id: keyId })));
  });

  test("with memory:read alone they answer", async () => {
    const { token } = await made.key(["memory:read"]);
    for (const [method, params] of reads().slice(0, 4)) expect((await rpc(token, method, params)).body.result, method).toBeDefined();
    expect(JSON.stringify((await rpc(token, "resources/read", { uri: recentUri })).body)).toContain("PostgreSQL");
  });

  test("what a subscription tells without memory:read has no words in it: that something changed, and the URI it asked about", async () => {
    const { token } = await made.key(without("memory:read"));
    const owner = await made.key(scopes);
    const uri = `omnimemory://memory/${made.memoryId}`;
    const listen = { jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params: { notifications: { resourcesListChanged: true, resourceSubscriptions: [uri] }, _meta: meta } };
    const stream = (await send({ token, body: listen })).body;
    if (!stream) throw new Error("there is no stream");
    const reader = stream.getReader();
    let told = "";
    const hears = async (pattern: RegExp): Promise<void> => {
      while (!pattern.test(told)) told += new TextDecoder().decode((await reader.read()).value);
    };
    await hears(/acknowledged/);
    await callTool(owner.token, "omn_update_memory", { id: made.memoryId, content: "We chose SQLite for the billing service." });
    await callTool(owner.token, "omn_store_memory", { key: "unheard.of", content: "Invoices are numbered." });
    await hears(/list_changed/);
    await reader.cancel();
    expect(told).toContain(uri);
    expect(told).not.toMatch(/SQLite|billing|Invoices|unheard|project\.sample/);
  });

  test("no kind of request is left out of this table; those that take no scope tell nothing", async () => {
    const { token } = await made.key(without("memory:read"));
    for (const method of unserved) expect((await rpc(token, method)).body.error?.code, method).toBe(-32_601);
    for (const method of Object.keys(requests).filter((name) => requests[name] === null && name !== "tools/call")) {
      const { body } = await rpc(token, method);
      expect(body.result, method).toBeDefined();
      expect(JSON.stringify(body), method).not.toMatch(/PostgreSQL|project\.sample/);
    }
    const { capabilities } = (await rpc(token, "server/discover")).body.result;
    expect(Object.keys(capabilities).sort(), "a new capability belongs into `requests`").toEqual(["completions", "prompts", "resources", "tools"]);
  });
});
