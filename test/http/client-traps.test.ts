import { env } from "cloudflare:workers";
import { evictDurableObject } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { catalogue } from "../../src/tools/catalogue.ts";
import { surfaces } from "../../src/tools/surfaces.ts";
import { keyFor, newTenant } from "../domain/tenancy/tenant.ts";
import { sampleCalls, sampleMemory } from "../tools/samples.ts";
import { callTool, rpc } from "../support/mcp.ts";
import { Session } from "../support/sessions.ts";
import { connected, consent, getJson, OAuthClient, origin, register, type Tokens } from "./oauth/client.ts";
import { send } from "./raw.ts";
import { signedIn } from "./web/browser.ts";

/** What real clients stumble over (design notes on the protocol, "Traps of real clients"). Flows as a whole are in test/e2e. */
const owner = async () => {
  const tenant = await newTenant();
  return { tenant, ...(await keyFor(tenant, tenant.ownerId)) };
};

describe("traps of Claude.ai and Claude Desktop [A13] [S2]", () => {
  test.each(["/mcp", "/mcp/"])("by %s a 401 leads by absolute addresses to metadata of what was called, and the token it leads to opens both spellings", async (path) => {
    const { browser, tenant } = await signedIn();
    const refused = await send({ path });
    const metadataUrl = /resource_metadata="([^"]+)"/.exec(refused.headers.get("www-authenticate") ?? "")?.[1] ?? "";
    expect(metadataUrl).toBe(`${origin}/.well-known/oauth-protected-resource/mcp`);
    const { resource, authorization_servers } = (await getJson(metadataUrl)).body;
    expect([resource, new URL(authorization_servers[0]).origin]).toEqual([`${origin}/mcp`, origin]);
    for (const spelled of [`${metadataUrl}/`, metadataUrl.replace(/\/mcp$/, "")]) expect((await getJson(spelled)).body.resource, spelled).toBe(resource);
    const tokens = await (await OAuthClient.registered()).tokens(browser, tenant.teamId, { resource });
    expect(tokens.resource, "the audience is the advertised resource").toBe(resource);
    for (const spelled of ["/mcp", "/mcp/"]) expect((await send({ token: tokens.access_token, path: spelled })).status).toBe(200);
  });

  test.each([["the resource", "/.well-known/oauth-protected-resource/mcp"], ["the authorization server", "/.well-known/oauth-authorization-server"]])("scopes copied from scopes_supported of %s are granted, as far as the person ticks them", async (_whose, path) => {
    const { browser, tenant } = await signedIn();
    const copied = (await getJson(path)).body.scopes_supported.join(" ");
    const client = await OAuthClient.registered({ scope: copied });
    const { page, answer } = await consent(browser, await client.authorizePath({ scope: copied }), { team: tenant.teamId });
    expect(page.status).toBe(200);
    const code = new URL(answer.headers.get("location") ?? "about:blank").searchParams.get("code") ?? "";
    const tokens = await (await client.exchange(code)).json<Tokens>();
    expect(tokens.scope.split(" ")).toEqual(expect.arrayContaining(["memory:read", "memory:write"]));
    expect(tokens.refresh_token).toBeTruthy();
  });

  test("a client that somebody lets in is never forgotten, however long ago it registered", async () => {
    const { client, tokens } = await connected();
    await env.DB.prepare("update oauth_records set expires_at = 1 where key = ? and expires_at is not null").bind(`client:${client.id}`).run();
    expect((await client.refresh(tokens.refresh_token)).status).toBe(200);
  });
});

describe("traps of Claude Code [A13] [S2]", () => {
  const nulls = (value: unknown): boolean => value === null || (typeof value === "object" && Object.values(value as object).some(nulls));

  test.each([
    ["a public client", {}],
    ["a confidential client", { token_endpoint_auth_method: "client_secret_post" }],
    ["a client that says as little as it may", { client_name: undefined, token_endpoint_auth_method: undefined }],
    ["a client that says all it can", { client_uri: "https://c.dev", logo_uri: "https://c.dev/l.png", tos_uri: "https://c.dev/t", policy_uri: "https://c.dev/p", contacts: ["a@c.dev"], scope: "memory:read", grant_types: ["authorization_code", "refresh_token"], response_types: ["code"] }],
  ])("the answer to the registration of %s has no field that is null", async (_what, metadata) => {
    const answer = await register(metadata);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([201, "application/json"]);
    const body = await answer.json();
    expect(nulls(body), JSON.stringify(body)).toBe(false);
  });

  test("nor have tokens and metadata", async () => {
    const { tokens } = await connected();
    expect(nulls(tokens)).toBe(false);
    for (const path of ["/.well-known/oauth-authorization-server", "/.well-known/oauth-protected-resource/mcp"]) expect(nulls((await getJson(path)).body), path).toBe(false);
  });

  test("its session goes on after the server lost all it held in memory: it might not begin another after a 404", async () => {
    const { tenant, token } = await owner();
    const session = await Session.open(token);
    for (let round = 0; round < 3; round += 1) {
      await evictDurableObject(env.USER_SESSION.getByName(`${tenant.teamId}:${tenant.ownerId}`));
      expect(await session.call(token, "omn_health_check")).toMatchObject({ status: 200, text: expect.stringContaining("ok") as string });
    }
  });
});

describe("traps of ChatGPT [A1] [S2]", () => {
  /** More is rejected by it. */
  const most = 66_000;

  test("it is listed search and fetch, and every tool of every surface with its annotations", async () => {
    const { token } = await owner();
    for (const surface of surfaces) {
      const { tools } = (await rpc(token, "tools/list", {}, `?surface=${surface}`)).body.result;
      for (const { name, annotations } of tools) {
        const { readOnlyHint, destructiveHint } = catalogue.find((tool) => tool.name === name)?.annotations ?? {};
        expect(annotations, name).toMatchObject(readOnlyHint === true ? { readOnlyHint, openWorldHint: false } : { destructiveHint, openWorldHint: false });
      }
      if (surface === "chatgpt" || surface === "all") expect(tools.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(["search", "fetch"]));
    }
  });

  test.each([["prose", "The quick brown fox. "], ["what JSON must escape twice", '"\\\n'], ["signs outside the basic plane", "🦀"]])("neither search nor fetch answers with more than it takes, over memories of %s as long as there are", async (_what, words) => {
    const { token } = await owner();
    const content = `walrus ${[...words.repeat(10_000)].slice(0, 9_990).join("")}`;
    const title = "k".repeat(240);
    for (let n = 0; n < 12; n += 1) {
      const kept = await callTool(token, "omn_store_memory", { key: `${title}.${n}`, content: `${content}${n}`, metadata: { tags: Array.from({ length: 50 }, (_, i) => `tag-${i}`) } });
      expect(kept.isError, kept.text).toBe(false);
    }
    const found = await rpc(token, "tools/call", { name: "search", arguments: { query: "walrus" } });
    const { results } = found.body.result.structuredContent;
    expect(results.length).toBeGreaterThan(0);
    expect(JSON.stringify(found.body.result).length).toBeLessThan(most);
    for (const { id } of results.slice(0, 2)) {
      const fetched = await callTool(token, "fetch", { id });
      expect(fetched.structured["text"]).toContain("walrus");
      expect(fetched.text.length).toBeLessThan(most);
    }
  });
});

describe("traps of Cursor [A13]", () => {
  const cursor = "cursor://anysphere.cursor-mcp/oauth/callback";
  const web = "https://www.cursor.com/agents/mcp/oauth/callback";

  test.each([["its page", web], ["a port of the machine", "http://localhost:8787/callback"]])("its own scheme is registered beside %s, which codes are sent to, also without a state", async (_what, redirect) => {
    const { browser, tenant } = await signedIn();
    const client = await OAuthClient.registered({ redirect_uris: [cursor, redirect] });
    const { answer } = await consent(browser, await client.authorizePath({ redirect_uri: redirect, state: null }), { team: tenant.teamId });
    const location = new URL(answer.headers.get("location") ?? "about:blank");
    expect([`${location.origin}${location.pathname}`, location.searchParams.has("state")]).toEqual([redirect, false]);
    const tokens = await (await client.exchange(location.searchParams.get("code") ?? "", { redirect_uri: redirect })).json<Tokens>();
    expect((await callTool(tokens.access_token, "omn_memory_stats")).isError).toBe(false);
  });

  test("its own scheme is registered alone, too, and the consent page names it: any program may take a scheme", async () => {
    const { browser } = await signedIn();
    const client = await OAuthClient.registered({ redirect_uris: [cursor] });
    const answer = await browser.get(await client.authorizePath({ redirect_uri: cursor }));
    expect([answer.status, answer.headers.get("location")]).toEqual([200, null]);
    expect(await answer.text()).toContain("opens the program registered for cursor://");
  });
});

describe("traps of Codex [S2] [S11]", () => {
  test.each(["/mcp", "/sse"])("at %s: notifications and answers are taken with 202 and no body", async (path) => {
    const { token } = await owner();
    const session = await Session.open(token, path);
    for (const message of [{ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 9 } }, { jsonrpc: "2.0", id: 7, result: {} }, { jsonrpc: "2.0", method: "notifications/of-its-own" }]) {
      const answer = await session.post(token, message);
      expect([answer.status, await answer.text()]).toEqual([202, ""]);
    }
  });

  test.each(["/mcp", "/sse"])("at %s: a stream that dies, however often and at whatever moment, fails no request", async (path) => {
    const { tenant, token } = await owner();
    const session = await Session.open(token, path);
    for (let round = 0; round < 4; round += 1) {
      const stream = await session.stream(token);
      expect(stream.status).toBe(200);
      const calls = [1, 2, 3].map((n) => session.call(token, "omn_store_memory", { key: `round.${round}.${n}`, content: `walrus ${round} ${n}` }));
      await stream.body?.cancel();
      for (const { status, text } of await Promise.all(calls)) expect([status, text.includes("created")], text).toEqual([200, true]);
      expect((await session.call(token, "omn_health_check")).status).toBe(200);
    }
    // It died with the server's memory, and was never closed.
    const left = await session.stream(token);
    await left.body?.cancel();
    await evictDurableObject(env.USER_SESSION.getByName(`${tenant.teamId}:${tenant.ownerId}`));
    expect((await session.call(token, "omn_health_check")).status).toBe(200);
    expect((await session.stream(token)).status).toBe(200);
  });
});

describe("traps of model APIs [S16] [A1]", () => {
  test("every name that is listed suits them, and may be written with dots when it is called", async () => {
    const { token } = await owner();
    const stored = await callTool(token, "omn_store_memory", { ...sampleMemory });
    const samples = sampleCalls(stored.structured["memory_id"]);
    for (const surface of surfaces) {
      const { tools } = (await rpc(token, "tools/list", {}, `?surface=${surface}`)).body.result;
      for (const { name } of tools) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    }
    const session = await Session.open(token);
    for (const { name, annotations } of catalogue.filter((tool) => tool.annotations.readOnlyHint)) {
      const dotted = name.replaceAll("_", ".");
      expect(annotations.readOnlyHint).toBe(true);
      expect(await callTool(token, dotted, samples[name]), dotted).toMatchObject({ status: 200, isError: false });
      expect((await session.call(token, dotted, samples[name])).text, dotted).not.toContain("There is no tool");
    }
  });
});
