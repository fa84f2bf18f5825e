import { runInDurableObject } from "cloudflare:test";
import { beforeEach, describe, expect, test } from "vitest";
import { rpc } from "../support/mcp.ts";
import { Session } from "../support/sessions.ts";
import { newTeam, sessionOf, type Person } from "../support/team.ts";

let ada: Person;
beforeEach(async () => {
  ada = (await newTeam()).owner;
});

type Data = Record<string, any>;
interface From {
  client?: string;
  headers?: Record<string, string>;
  query?: string;
  who?: Person;
}

async function call(name: string, args: Record<string, unknown> = {}, { client, headers, query = "", who = ada }: From = {}): Promise<Data> {
  const { body } = await rpc(who.token, "tools/call", { name, arguments: args }, `?surface=memory${query}`, client, headers);
  expect(body.result?.isError, JSON.stringify(body)).toBeUndefined();
  return body.result.structuredContent;
}

const add = async (args: Record<string, unknown> = {}, from: From = {}): Promise<Data> => {
  const { data } = await call("memory_add", { messages: `Anna said so, ${crypto.randomUUID()}.`, infer: false, ...args }, from);
  const { structured } = await (from.who ?? ada).call("memory_get_all");
  return structured["data"].results.find(({ id }: Data) => id === data[0].id).metadata;
};

const headers = { "X-Memory-User-ID": "header_user", "X-Memory-Agent-ID": "header_agent", "X-Memory-Run-ID": "header-run" };
const init = { user_id: "init_user", agent_id: "init_agent", run_id: "init-run" };
const explicit = { user_id: "said_user", agent_id: "said_agent", run_id: "said-run" };
const ofHeaders = { user_id: "header_user", agent_id: "header_agent", run_id: "header-run" };

describe("session defaults: arguments before headers before the initialisation [D4]", () => {
  // Every combination of the three places, for each id apart.
  const places = [[], ["init"], ["headers"], ["headers", "init"], ["explicit"], ["explicit", "init"], ["explicit", "headers"], ["explicit", "headers", "init"]];
  test.each(places)("said in %s %s %s", async (...said) => {
    for (const id of ["user_id", "agent_id", "run_id"] as const) {
      const client = `client-${id}`;
      const header = { user_id: "X-Memory-User-ID", agent_id: "X-Memory-Agent-ID", run_id: "X-Memory-Run-ID" }[id];
      if (said.includes("init")) await call("memory_init_session", { [id]: init[id] }, { client });
      const from = { client, headers: said.includes("headers") ? { [header]: ofHeaders[id] } : {} };
      const metadata = await add(said.includes("explicit") ? { [id]: explicit[id] } : {}, from);
      const [first] = said.map((place) => ({ explicit, headers: ofHeaders, init })[place as "init"][id]);
      expect(metadata[id]).toBe(first);
    }
  });

  test("an answer says where they come from", async () => {
    await call("memory_init_session", { user_id: "init_user", agent_id: "init_agent" });
    const { metadata } = await call("memory_get_all", { run_id: "said-run" }, { headers: { "X-Memory-Agent-ID": "header_agent" } });
    expect(metadata.context).toEqual({ user_id: "init_user", agent_id: "header_agent", run_id: "said-run", source: "Explicit", is_from_session_defaults: true });
    expect((await call("memory_get_all", {}, { headers })).metadata.context).toMatchObject({ source: "HttpHeaders" });
    expect((await call("memory_get_all")).metadata.context).toMatchObject({ source: "SessionInitialization" });
    expect((await call("memory_get_all", explicit)).metadata.context).toBeUndefined();
    expect((await call("memory_get_all", {}, { client: "other" })).metadata.context).toBeUndefined();
  });

  test("they narrow what is read, changed and deleted", async () => {
    const own = await call("memory_add", { messages: "Anna likes tea.", infer: false, user_id: "anna" });
    const id = own.data[0].id;
    const from = { headers: { "X-Memory-User-ID": "ben" } };
    expect((await call("memory_get_all", {}, from)).data.results).toEqual([]);
    expect((await call("memory_search", { query: "tea", score_threshold: 0 }, from)).data.results).toEqual([]);
    const { body } = await rpc(ada.token, "tools/call", { name: "memory_delete", arguments: { memory_id: id } }, "", undefined, from.headers);
    expect(body.result._meta["omnimemory/error"].code).toBe("MEMORY_NOT_FOUND");
    expect((await call("memory_get_all", {}, { headers: { "X-Memory-User-ID": "anna" } })).data.results).toHaveLength(1);
  });

  test("metadata of the session is stored with each memory, and the call's own goes first", async () => {
    await call("memory_init_session", { metadata: { category: "work", project: "x", tags: ["a"] } });
    expect(await add({}, { headers: { "X-Memory-Session-Metadata": JSON.stringify({ category: "home" }) } })).toMatchObject({ category: "home", custom_metadata: { project: "x" }, tags: ["a"] });
    expect(await add({ metadata: { category: "garden" } })).toMatchObject({ category: "garden", custom_metadata: { project: "x" } });
  });

  test.each(["{", "[1]", "7", "\"text\"", "null", "{\"user_id\":\"x\"}", `{"deep":{"a":{"b":{"c":{"d":{"e":1}}}}}}`])("the metadata header %s is an empty object", async (text) => {
    const { metadata } = await call("memory_get_all", {}, { headers: { "X-Memory-Session-Metadata": text } });
    expect(metadata.context).toBeUndefined();
    expect((await add({}, { headers: { "X-Memory-Session-Metadata": text } }))["custom_metadata"]).toEqual({ role: "user" });
  });

  test.each([["X-Memory-User-ID", "a b"], ["X-Memory-Agent-ID", "a-b"], ["X-Memory-Run-ID", "a".repeat(101)], ["X-Memory-User-ID", "../other"]])("%s: %s is refused", async (header, value) => {
    const { status, body } = await rpc(ada.token, "tools/call", { name: "memory_get_all", arguments: {} }, "", undefined, { [header]: value });
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain(header);
  });
});

describe("memory_init_session [D1] [D4]", () => {
  test("answers the document's session context", async () => {
    const before = Date.now();
    const { data } = await call("memory_init_session", { ...init, metadata: { language: "en" } }, { client: "cursor" });
    expect(data).toEqual({
      ...init, session_type: "RUN", source: "SessionInitialization", permissions: { read: true, write: true, delete: true }, metadata: { language: "en" },
      session_defaults: { connection_id: "client:cursor", created_at: expect.any(String), expires_at: expect.any(String) },
    });
    const until = Date.parse(data.session_defaults.expires_at);
    expect(until - before).toBeGreaterThanOrEqual(3_600_000);
    expect(Date.parse(data.session_defaults.created_at) + 3_600_000).toBe(until);
  });

  test("is kept for each client of a person apart, and cleared by a call without arguments", async () => {
    const bob = (await newTeam()).owner;
    await call("memory_init_session", { user_id: "anna" }, { client: "cursor" });
    expect(await add({}, { client: "cursor" })).toMatchObject({ user_id: "anna" });
    expect((await add({}, { client: "vscode" }))["user_id"]).toBeUndefined();
    expect((await add({}, { client: "cursor", who: bob }))["user_id"]).toBeUndefined();
    await call("memory_init_session", {}, { client: "cursor" });
    expect((await add({}, { client: "cursor" }))["user_id"]).toBeUndefined();
  });

  test("is kept for each protocol session of the older era apart, which also keeps the headers it was opened with", async () => {
    const [one, other] = [await Session.open(ada.token, "/mcp?surface=memory", { "X-Memory-Agent-ID": "cook" }), await Session.open(ada.token, "/mcp?surface=memory")];
    await one.call(ada.token, "memory_init_session", { user_id: "anna" });
    const context = async (session: Session): Promise<unknown> => /"context":(\{[^}]*\})/.exec((await session.call(ada.token, "memory_get_all")).text)?.[1];
    expect(JSON.parse((await context(one)) as string)).toMatchObject({ user_id: "anna", agent_id: "cook" });
    expect(await context(other)).toBeUndefined();
  });

  test("is forgotten after an hour", async () => {
    await call("memory_init_session", { user_id: "anna" });
    await runInDurableObject(sessionOf(ada), (_, { storage }) => storage.sql.exec("UPDATE session_defaults SET created_at = created_at - 3600000"));
    expect((await add())["user_id"]).toBeUndefined();
  });

  test("keeps the newest thousand", async () => {
    await call("memory_init_session", { user_id: "anna" }, { client: "oldest" });
    await runInDurableObject(sessionOf(ada), (_, { storage }) => {
      for (let i = 0; i < 1_000; i += 1) storage.sql.exec("INSERT INTO session_defaults SELECT ?, defaults, created_at + 1 FROM session_defaults WHERE connection = 'client:oldest'", `client:${i}`);
    });
    await call("memory_init_session", { user_id: "ben" }, { client: "newest" });
    expect((await add({}, { client: "oldest" }))["user_id"]).toBeUndefined();
    expect((await add({}, { client: "newest" }))["user_id"]).toBe("ben");
    expect(await runInDurableObject(sessionOf(ada), (_, { storage }) => storage.sql.exec("SELECT count(*) AS n FROM session_defaults").one())).toEqual({ n: 1_000 });
  });

  test("makes nothing secret", async () => {
    expect((await ada.call("memory_init_session", { metadata: { sensitivity: "secret" } })).error?.code).toBe("VALIDATION_ERROR");
  });

  test.each([[{ user_id: "u" }, "USER"], [{ agent_id: "a" }, "AGENT"], [{}, "USER"]])("%j is a session of type %s", async (args, type) => {
    expect((await call("memory_init_session", args)).data.session_type).toBe(type);
  });
});
