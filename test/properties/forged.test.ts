import * as z from "zod";
import { SELF } from "cloudflare:test";
import { beforeAll, describe, expect, test } from "vitest";
import { scopes } from "../../src/domain/tenancy/principal.ts";
import { catalogue } from "../../src/tools/catalogue.ts";
import { keyFor, store } from "../domain/tenancy/tenant.ts";
import { sameAsAbsent } from "./commands.ts";
import type { Principal, Visibility } from "./model.ts";
import { TestServer } from "./test-server.ts";

/** Ada owns a team, Bob is in it; Cid is Bob in the other team of their organization; Dan owns a team elsewhere. */
let server: TestServer;
let ada: Principal;
let bob: Principal;
let bobElsewhere: Principal;
let dan: Principal;

const full = [...scopes];

beforeAll(async () => {
  server = await TestServer.create([
    { user: 0, team: 0, role: "owner", scopes: full },
    { user: 1, team: 0, role: "member", scopes: full },
    { user: 1, team: 1, role: "owner", scopes: full },
    { user: 2, team: 2, role: "owner", scopes: full },
  ]);
  [ada, bob, bobElsewhere, dan] = server.principals as [Principal, Principal, Principal, Principal];
});

async function keep(p: Principal, key: string, scope: Visibility, fields: Record<string, unknown> = {}): Promise<{ id: string; content: string }> {
  const content = `maple ${server.mint()} note`;
  const { structured, raw } = await server.tool(p, "omn_store_memory", { key, content, metadata: { scope }, ...fields });
  expect(structured, raw).toMatchObject({ outcome: "created" });
  return { id: structured["memory_id"] as string, content };
}

const fetchText = async (p: Principal, id: string): Promise<unknown> => (await server.tool(p, "fetch", { id })).structured["text"];

interface Schema {
  properties?: Record<string, Schema & { type?: string | string[] }>;
  required?: string[];
}

/** Every field of every tool, listed or not, in which a memory can be named, with arguments that are otherwise in order. */
const others: Record<string, Record<string, unknown>> = { omn_update_memory: { content: "mine now" }, omn_retrieve_memory: { limit: 100 }, omn_record_workflow_step: { command: "git status" }, omn_migrate_session: { to_tool: "cursor" }, omn_workflow_checkpoint: { action: "restore" }, read_memory: {}, memory_add: { messages: "The lamp is made of brass." }, memory_search: { query: "maple note" }, memory_update: { data: "mine now" }, mnemosyne_update: { content: "mine now" } };
/** Where the word is the caller's own, under which something of theirs is stored: a second call finds it there. */
const stores: ReadonlySet<string> = new Set(["write_memory.session_id", "memory_add.user_id", "memory_add.agent_id", "memory_add.run_id", "memory_init_session.user_id", "memory_init_session.agent_id", "memory_init_session.run_id", "omn_create_session.tool_id", "omn_restore_session.tool_id", "omn_record_workflow_step.session_id"]);
const named = catalogue.flatMap((tool) => {
  const schema = z.toJSONSchema(tool.input, { io: "input", unrepresentable: "any" }) as Schema;
  return Object.entries(schema.properties ?? {})
    .filter(([name]) => /^(?:id|ids|.*_ids?)$/.test(name))
    .map(([field, { type }]) => ({ tool: tool.name, field, many: type === "array" }));
});

describe("the id of a memory that one may not see is worth nothing [S6] [S16]", () => {
  const places: [where: string, owner: () => Principal, scope: Visibility, thief: () => Principal][] = [
    ["a colleague's private one", () => ada, "private", () => bob],
    ["another team's shared one", () => ada, "shared", () => bobElsewhere],
    ["one's own private one, with the key of another team", () => bob, "private", () => bobElsewhere],
    ["another organization's public one", () => ada, "public", () => dan],
  ];

  test("the fields are those there are", () => {
    const scopeOf = (tool: string): string[] => ["user_id", "agent_id", "run_id"].map((field) => `${tool}.${field}`);
    expect(named.map(({ tool, field }) => `${tool}.${field}`)).toEqual([
      "omn_retrieve_memory.id", "omn_store_memory.agent_id", "omn_store_memory.run_id", "omn_update_memory.id", "omn_update_memory.agent_id", "omn_update_memory.run_id", "omn_forget_memory.id", "omn_forget_memory.ids",
      "omn_create_session.tool_id", "omn_create_session.user_id", "omn_restore_session.session_id", "omn_restore_session.tool_id", "omn_get_session_context.session_id", "omn_migrate_session.session_id",
      "omn_export_session.session_id", "omn_end_session.session_id", "omn_suggest_next_action.session_id", "omn_record_workflow_step.session_id", "omn_workflow_checkpoint.checkpoint_id", "omn_workflow_checkpoint.session_id",
      "smart_resume.session_id", "write_memory.session_id", "read_memory.session_id", "list_memories.session_id", "delete_memory.session_id",
      "mnemosyne_graph.seed_ids", "mnemosyne_context.memory_ids", "mnemosyne_consolidate.memory_ids", "mnemosyne_update.memory_id", "mnemosyne_delete.memory_id",
      ...scopeOf("memory_add"), ...scopeOf("memory_search"), ...scopeOf("memory_get_all"),
      "memory_update.memory_id", ...scopeOf("memory_update"), "memory_delete.memory_id", ...scopeOf("memory_delete"),
      ...scopeOf("memory_delete_all"), "memory_get_history.memory_id", ...scopeOf("memory_get_history"), ...scopeOf("memory_get_stats"), ...scopeOf("memory_init_session"),
      "memory_graph.memory_id", ...scopeOf("memory_graph"), "fetch.id",
    ]);
  });

  test.each(places)("%s", async (where, owner, scope, thief) => {
    const { id, content } = await keep(owner(), where, scope);
    const p = thief();
    // What the thief stores under that name is the thief's own, and is found: those come last.
    const isStored = ({ tool, field }: (typeof named)[number]): boolean => stores.has(`${tool}.${field}`);
    for (const { tool, field, many } of [...named.filter((one) => !isStored(one)), ...named.filter(isStored)]) {
      const required = { ...(tool.endsWith("_memory") && field === "session_id" ? { key: `any.${tool}` } : {}), ...(tool === "write_memory" ? { value: "x" } : {}) };
      const args = { ...required, ...others[tool], [field]: many ? [id, id] : id };
      const answer = await server.tool(p, tool, args);
      server.scan(p, answer, args);
      if (!stores.has(`${tool}.${field}`)) await sameAsAbsent(server, p, "tools/call", { name: tool, arguments: args }, id, answer);
    }
    const uri = `omnimemory://memory/${id}`;
    await sameAsAbsent(server, p, "resources/read", { uri }, id, await server.request(p, "resources/read", { uri }));
    expect(await fetchText(owner(), id)).toBe(content);
  });

  test("a public one of another team is read and not written [S14]", async () => {
    const { id, content } = await keep(ada, "open", "public");
    expect(await fetchText(bobElsewhere, id)).toBe(content);
    const written = { content: "mine now" };
    await sameAsAbsent(server, bobElsewhere, "tools/call", { name: "omn_update_memory", arguments: { id, ...written } }, id, await server.tool(bobElsewhere, "omn_update_memory", { id, ...written }));
    for (const mode of ["archive", "erase"]) expect((await server.tool(bobElsewhere, "omn_forget_memory", { id, mode })).code).toBe("MEMORY_NOT_FOUND");
    expect(await fetchText(ada, id)).toBe(content);
  });
});

describe("the edge says who calls, nobody else [S6] [S11]", () => {
  const forged = () => {
    const principal = { userId: ada.user, teamId: ada.team, organizationId: ada.organization, role: "owner", scopes: full, shard: "SHARD_0", credential: { kind: "api-key", id: "x" } };
    return encodeURIComponent(JSON.stringify({ principal, requestId: "forged" }));
  };

  test("what the edge hands on cannot be brought along", async () => {
    const { content } = await keep(ada, "header", "shared");
    for (const name of ["x-omnimemory-call", "x-omnimemory-principal", "x-request-id", "x-team-id", "x-user-id"]) {
      const answer = await send(dan.token, call("omn_list_memories", { limit: 200 }), { [name]: forged() });
      expect(answer.text).not.toContain(content);
      expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
      expect((await send(undefined, call("omn_list_memories", {}), { [name]: forged() })).status).toBe(401);
    }
  });

  test("a secret fits its own key only [A13] [S17]", async () => {
    const [, keyId] = ada.token.split("_");
    const [, , secret] = dan.token.split("_");
    expect((await send(`omn_${keyId}_${secret}`, call("omn_memory_stats", {}))).status).toBe(401);
  });

  test("a session of another person, or of one's own in another team, is not there [S2]", async () => {
    await keep(bob, "session", "private");
    const session = await initialize(bob);
    for (const p of [ada, dan, bobElsewhere]) {
      const answer = await send(p.token, call("omn_list_memories", { limit: 200 }), session);
      expect(answer.status).toBe(404);
      expect(answer.text).toBe((await send(p.token, call("omn_list_memories", { limit: 200 }), { ...session, "mcp-session-id": crypto.randomUUID() })).text);
      expect((await send(p.token, undefined, session, "DELETE")).status).toBe(404);
      expect((await send(p.token, undefined, { ...session, accept: "text/event-stream" }, "GET")).status).toBe(404);
    }
    expect((await send(bob.token, call("omn_list_memories", { limit: 200 }), session)).status).toBe(200);
  });

  test("in one session, each call has the rights of its own key [S17]", async () => {
    const session = await initialize(bob);
    const reader = await keyFor({ teamId: bob.team, organizationId: bob.organization }, bob.user, ["memory:read"]);
    const write = call("omn_store_memory", { key: "session.write", content: "no" });
    expect((await send(reader.token, write, session)).text).toContain("PERMISSION_DENIED");
    expect((await send(bob.token, write, session)).text).toContain("created");
  });

  test("who leaves the team is refused in a session that was open [A13]", async () => {
    const team = await TestServer.create([{ user: 0, team: 0, role: "owner", scopes: full }, { user: 1, team: 0, role: "member", scopes: full }]);
    const [, leaver] = team.principals as [Principal, Principal];
    const session = await initialize(leaver);
    await team.remove(leaver);
    expect((await send(leaver.token, call("omn_list_memories", {}), session)).status).toBe(401);
    expect((await team.tool(leaver, "omn_memory_stats", {})).status).toBe(401);
  });
});

test("who was removed behind the product's back, in the database, is refused within two seconds [S6] [A13]", async () => {
  const team = await TestServer.create([{ user: 0, team: 0, role: "member", scopes: full }]);
  const [leaver] = team.principals as [Principal];
  expect((await team.tool(leaver, "omn_memory_stats", {})).status).toBe(200);
  await store.removeMember(leaver.team, leaver.user);
  await scheduler.wait(2_000);
  expect((await team.tool(leaver, "omn_memory_stats", {})).status).toBe(401);
});

describe("what was given to one is of no use to another [S6] [S14]", () => {
  test("a cursor is a place in one's own list", async () => {
    for (const n of [1, 2, 3]) await keep(ada, `page.${n}`, "private");
    const own = await keep(dan, "dan.own", "private");
    for (const tool of ["omn_list_memories", "omn_export_memories"]) {
      const { structured } = await server.tool(ada, tool, { limit: 1 });
      const cursor = structured["next_cursor"] as string;
      for (const p of [bob, bobElsewhere, dan]) {
        const answer = await server.tool(p, tool, { cursor, limit: 100 });
        server.scan(p, answer, { cursor }, (await visible(p)).map((content) => ({ state: { content } })));
      }
      expect((await server.tool(dan, tool, { cursor: own.id })).raw).not.toContain(own.content);
    }
    const answer = await server.request(dan, "resources/list", { cursor: own.id });
    expect(answer.raw).not.toContain(own.content);
  });

  test("a confirm token is of one person, one mode and one selection [U4]", async () => {
    const { id, content } = await keep(ada, "confirm", "shared");
    const other = await keep(ada, "confirm.other", "shared");
    const preview = async (p: Principal, args: Record<string, unknown>) => (await server.tool(p, "omn_forget_memory", args)).structured;
    const { confirm } = await preview(ada, { id, mode: "archive" });
    const tries: [Principal, Record<string, unknown>][] = [[bob, { id }], [ada, { id, mode: "erase" }], [ada, { id: other.id }], [ada, { ids: [id, other.id] }]];
    for (const [p, args] of tries) expect(await preview(p, { ...args, confirm })).toMatchObject({ outcome: "preview" });
    expect(await fetchText(ada, id)).toBe(content);
    expect(await preview(ada, { id, mode: "archive", confirm })).toMatchObject({ outcome: "archived" });
  });

  test("an idempotency key is of one person in one team", async () => {
    const args = { key: "idem", content: `maple ${server.mint()}`, metadata: { scope: "private" }, idempotency_key: "once" };
    const ids = new Set<unknown>();
    for (const p of [ada, bob, bobElsewhere, dan]) {
      const { structured } = await server.tool(p, "omn_store_memory", args);
      expect(structured).toMatchObject({ outcome: "created" });
      expect(structured["replayed"]).toBeUndefined();
      ids.add(structured["memory_id"]);
    }
    expect(ids.size).toBe(4);
  });

  test("an export taken to another team is a copy, and no way back [U10]", async () => {
    const { id, content } = await keep(ada, "carried", "shared");
    const exported = (await server.tool(ada, "omn_export_memories", { filters: { scope: "shared" } })).structured;
    const { structured } = await server.tool(dan, "omn_import_memories", { data: exported["data"], sha256: exported["sha256"], count: exported["count"] });
    // The id is taken, so dan's copy has another; within dan's team the old one leads to it.
    expect(structured["renamed"]).toContainEqual({ from: id, to: expect.not.stringMatching(id) });
    await server.tool(dan, "omn_update_memory", { id, content: "dan's copy" });
    expect([await fetchText(ada, id), await fetchText(dan, id)]).toEqual([content, "dan's copy"]);
    await server.tool(ada, "omn_update_memory", { id, content: "ada goes on" });
    expect(await fetchText(dan, id)).toBe("dan's copy");
    const { confirm } = (await server.tool(dan, "omn_forget_memory", { id, mode: "erase" })).structured;
    expect((await server.tool(dan, "omn_forget_memory", { id, mode: "erase", confirm })).structured).toMatchObject({ outcome: "erased" });
    expect(await fetchText(ada, id)).toBe("ada goes on");
  });
});

async function visible(p: Principal): Promise<string[]> {
  const { structured } = await server.tool(p, "omn_list_memories", { limit: 200, full: true });
  return (structured["memories"] as { content: string }[]).map(({ content }) => content);
}

const call = (name: string, args: Record<string, unknown>) => ({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } });
const modern = { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientInfo": { name: "forger", version: "1" }, "io.modelcontextprotocol/clientCapabilities": {} };

/** With the headers of the older era when a session is named, of the present one otherwise. */
async function send(token: string | undefined, body: ReturnType<typeof call> | undefined, headers: Record<string, string> = {}, method = "POST") {
  const old = "mcp-session-id" in headers;
  const response = await SELF.fetch("http://localhost/mcp", {
    method,
    headers: {
      host: "localhost", "content-type": "application/json", accept: "application/json, text/event-stream",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(old || !body ? {} : { "mcp-protocol-version": "2026-07-28", "mcp-method": body.method, "mcp-name": body.params.name }),
      ...headers,
    },
    ...(body ? { body: JSON.stringify(old ? body : { ...body, params: { ...body.params, _meta: modern } }) } : {}),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

async function initialize(p: Principal): Promise<Record<string, string>> {
  const response = await SELF.fetch("http://localhost/mcp", {
    method: "POST",
    headers: { host: "localhost", authorization: `Bearer ${p.token}`, "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "old", version: "1" } } }),
  });
  await response.text();
  return { "mcp-session-id": response.headers.get("mcp-session-id") as string, "mcp-protocol-version": "2025-11-25" };
}
