import { SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { callTool } from "../../support/mcp.ts";
import { newTenant, store } from "../../domain/tenancy/tenant.ts";
import { send } from "../raw.ts";
import { Browser, newPerson, signedIn } from "../web/browser.ts";
import { consent, consentPage, getJson, OAuthClient, origin, redirectUri, register, type Tokens } from "./client.ts";

describe("how a client finds its way [A13]", () => {
  test.each([
    ["/mcp", "/mcp"],
    ["/mcp/", "/mcp"],
    ["/mcp?surface=all", "/mcp"],
    ["/sse", "/sse"],
    ["/sse/messages", "/sse"],
  ])("401 at %s names the absolute address of the metadata, which names what was called", async (path, resourcePath) => {
    const answer = await send({ path });
    expect(answer.status).toBe(401);
    const challenge = answer.headers.get("www-authenticate") ?? "";
    const metadataUrl = `${origin}/.well-known/oauth-protected-resource${resourcePath}`;
    expect(challenge).toBe(`Bearer realm="omnimemory", resource_metadata="${metadataUrl}", scope="memory:read memory:write"`);
    expect(await getJson(metadataUrl)).toEqual({
      status: 200,
      body: {
        resource: `${origin}${resourcePath}`,
        authorization_servers: [origin],
        scopes_supported: ["memory:read", "memory:write"],
        bearer_methods_supported: ["header"],
        resource_name: "OmniMemory",
      },
    });
  });

  test("a token that is not good any longer is said to be so, by edge and session alike", async () => {
    const { tenant, browser } = await signedIn();
    const client = await OAuthClient.registered();
    const { access_token, refresh_token } = await client.tokens(browser, tenant.teamId);
    expect((await send({ token: access_token })).status).toBe(200);
    await client.token({ token: refresh_token });
    for (const token of [access_token, `${tenant.ownerId}.${tenant.teamId}:AAAAAAAAAAAAAAAA:BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB`]) {
      expect((await send({ token })).headers.get("www-authenticate")).toContain('error="invalid_token", resource_metadata="');
    }
  });

  test("metadata is also where clients look that do not insert the path, and under each name of the machine", async () => {
    expect((await getJson("/.well-known/oauth-protected-resource")).body.resource).toBe(`${origin}/mcp`);
    const elsewhere = await getJson("http://127.0.0.1/.well-known/oauth-protected-resource/mcp", { host: "127.0.0.1" });
    expect(elsewhere.body).toMatchObject({ resource: "http://127.0.0.1/mcp", authorization_servers: [origin] });
  });

  test("the authorization server says what it can do, and no more", async () => {
    for (const name of ["localhost", "127.0.0.1"]) {
      const { body } = await getJson(`http://${name}/.well-known/oauth-authorization-server`, { host: name });
      expect(body).toMatchObject({
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/oauth/token`,
        registration_endpoint: `${origin}/oauth/register`,
        revocation_endpoint: `${origin}/oauth/token`,
        response_types_supported: ["code"],
        grant_types_supported: ["authorization_code", "refresh_token"],
        code_challenge_methods_supported: ["S256"],
        authorization_response_iss_parameter_supported: true,
        client_id_metadata_document_supported: true,
        scopes_supported: ["memory:read", "memory:write", "memory:admin", "offline_access"],
      });
    }
  });
});

describe("registration [A13]", () => {
  test("answers with JSON and without a null, which Claude Code's parser refuses", async () => {
    const answer = await register();
    expect(answer.status).toBe(201);
    expect(answer.headers.get("content-type")).toBe("application/json");
    const body = await answer.json<Record<string, unknown>>();
    expect(Object.values(body)).not.toContain(null);
    expect(body).toMatchObject({ client_name: "Test Client", redirect_uris: [redirectUri], token_endpoint_auth_method: "none" });
  });

  test("takes Cursor's redirect beside an https one, and alone", async () => {
    const cursor = "cursor://anysphere.cursor-mcp/oauth/callback";
    expect((await register({ redirect_uris: [cursor, "https://www.cursor.com/agents/mcp/oauth/callback"] })).status).toBe(201);
    expect((await register({ redirect_uris: [cursor] })).status).toBe(201);
  });

  test.each([
    ["a script", { redirect_uris: ["javascript:alert(1)"] }],
    ["plain http elsewhere", { redirect_uris: ["http://evil.example/callback"] }],
    ["a fragment", { redirect_uris: ["https://client.example/callback#x"] }],
    ["a user in the address", { redirect_uris: ["https://user@client.example/callback"] }],
    ["no address", { redirect_uris: [] }],
    ["the implicit grant", { grant_types: ["implicit"], response_types: ["token"] }],
    ["a name as long as a letter", { client_name: "x".repeat(101) }],
    ["a logo that is a script", { logo_uri: "javascript:alert(1)" }],
  ])("refuses %s", async (_what, metadata) => {
    const answer = await register(metadata);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: "invalid_client_metadata" });
  });

  test("keeps a client for good once somebody consented to it, and lets an unused one go", async () => {
    const { tenant, browser } = await signedIn();
    const [used, unused] = [await OAuthClient.registered(), await OAuthClient.registered()];
    await used.tokens(browser, tenant.teamId);
    const expiry = async (id: string): Promise<number | null | undefined> =>
      (await env.DB.prepare("select expires_at as at from oauth_records where key = ?").bind(`client:${id}`).first<{ at: number | null }>())?.at;
    expect(await expiry(used.id)).toBeNull();
    expect(await expiry(unused.id)).toBeGreaterThan(Date.now() + 6 * 86_400_000);
  });
});

describe("consent [A13]", () => {
  test("a stranger signs in first, by whatever way, and goes on from there", async () => {
    const client = await OAuthClient.registered();
    const path = await client.authorizePath();
    const { link } = await newPerson();
    const browser = new Browser();
    expect((await browser.get(path)).headers.get("location")).toBe("/sign-in");
    const answer = await browser.post("/sign-in/link", { token: link });
    expect(answer.headers.get("location")).toBe(path);
    expect((await consentPage(browser, path)).status).toBe(200);
  });

  test("shows client, redirect host, scopes and teams", async () => {
    const { tenant, browser } = await signedIn();
    const client = await OAuthClient.registered({ client_name: "<i>Claude</i>", redirect_uris: ["https://claude.example/callback"] });
    const page = await consentPage(browser, await client.authorizePath({ redirect_uri: "https://claude.example/callback", scope: "memory:read memory:write memory:admin offline_access" }));
    expect(page.text).toContain("Let &lt;i&gt;Claude&lt;/i&gt; use your memory?");
    expect(page.text).toContain("<strong>claude.example</strong>");
    expect(page.text).not.toContain("program on this computer");
    expect(page.teams).toEqual([tenant.teamId]);
    expect(page.scopes).toEqual([
      { scope: "memory:read", checked: true },
      { scope: "memory:write", checked: true },
      { scope: "memory:admin", checked: false },
    ]);
  });

  test("warns of programs on this computer, and leaves out the form-action that would block the way back in Chromium", async () => {
    const { browser } = await signedIn();
    const page = await consentPage(browser, await (await OAuthClient.registered()).authorizePath());
    expect(page.text).toContain("program on this computer");
    expect(page.headers.get("content-security-policy")).toBe("default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'");
    expect(page.headers.get("x-frame-options")).toBe("DENY");
  });

  test("the person picks the team and takes scopes away; the token opens that and no more", async () => {
    const { tenant, browser } = await signedIn();
    const other = await newTenant();
    await store.addMember({ teamId: other.teamId, userId: tenant.ownerId, role: "member" }, Date.now());
    const client = await OAuthClient.registered();

    const { answer } = await consent(browser, await client.authorizePath({ scope: "memory:read memory:write" }), { team: other.teamId, scopes: ["memory:read"] });
    const back = new URL(answer.headers.get("location") ?? "");
    expect(`${back.origin}${back.pathname}`).toBe(redirectUri);
    expect(Object.fromEntries(back.searchParams)).toMatchObject({ state: "the-state", iss: origin });

    const tokens = await (await client.exchange(back.searchParams.get("code") ?? "")).json<Tokens>();
    expect(tokens).toMatchObject({ scope: "memory:read", resource: `${origin}/mcp`, expires_in: 3_600, token_type: "bearer" });
    expect((await callTool(tokens.access_token, "omn_memory_stats")).isError).toBe(false);
    expect((await callTool(tokens.access_token, "omn_store_memory", { key: "k", content: "c" })).error?.code).toBe("PERMISSION_DENIED");
  });

  test("works without state, as Cursor may ask, and without scopes or resource", async () => {
    const { tenant, browser } = await signedIn();
    const client = await OAuthClient.registered();
    const tokens = await client.tokens(browser, tenant.teamId, { state: null, resource: null });
    expect(tokens.scope).toBe("memory:read memory:write");
    expect((await callTool(tokens.access_token, "omn_store_memory", { key: "k", content: "c" })).isError).toBe(false);
  });

  test("a confidential client proves itself with its secret", async () => {
    const { tenant, browser } = await signedIn();
    const client = await OAuthClient.registered({ token_endpoint_auth_method: "client_secret_post" });
    const code = await client.code(browser, tenant.teamId);
    expect((await client.exchange(code, { client_secret: "wrong" })).status).toBe(401);
    expect((await client.exchange(code)).status).toBe(200);
  });

  test("a client that fails to prove itself by the Authorization header is told which scheme that takes", async () => {
    const client = await OAuthClient.registered({ token_endpoint_auth_method: "client_secret_basic" });
    const credentials = [`${client.id}:wrong`, "nobody:secret", "nobody", "a b:c", `${client.id}:${client.secret}:more`];
    for (const authorization of [...credentials.map((given) => `Basic ${btoa(given)}`), "Basic", "Basic %%"]) {
      const answer = await SELF.fetch(`${origin}/oauth/token`, {
        method: "POST",
        headers: { host: "localhost", "content-type": "application/x-www-form-urlencoded", authorization },
        body: "grant_type=authorization_code&code=a.b:c:d",
      });
      expect([authorization, answer.status, answer.headers.get("www-authenticate")]).toEqual([authorization, 401, 'Basic realm="OAuth"']);
    }
  });

  test("saying no goes back to the client as access_denied", async () => {
    const { tenant, browser } = await signedIn();
    const { answer } = await consent(browser, await (await OAuthClient.registered()).authorizePath(), { team: tenant.teamId, decision: "deny" });
    expect(Object.fromEntries(new URL(answer.headers.get("location") ?? "").searchParams)).toMatchObject({ error: "access_denied", state: "the-state", iss: origin });
  });
});

describe("tokens [A13]", () => {
  test("what was stored with a token is found with the person's key, and the other way round", async () => {
    const { tenant, browser } = await signedIn();
    const client = await OAuthClient.registered();
    const { access_token } = await client.tokens(browser, tenant.teamId);
    await callTool(access_token, "omn_store_memory", { key: "oauth.fact", content: "Bees dance." });
    const again = await (await OAuthClient.registered()).tokens(browser, tenant.teamId);
    expect((await callTool(again.access_token, "omn_retrieve_memory", { key: "oauth.fact" })).structured["total_found"]).toBe(1);
  });

  test("refreshing gives both tokens anew", async () => {
    const { tenant, browser } = await signedIn();
    const client = await OAuthClient.registered();
    const first = await client.tokens(browser, tenant.teamId);
    const second = await (await client.refresh(first.refresh_token)).json<Tokens>();
    const third = await (await client.refresh(second.refresh_token)).json<Tokens>();
    expect(new Set([first, second, third].flatMap((tokens) => [tokens.access_token, tokens.refresh_token])).size).toBe(6);
    expect((await send({ token: third.access_token })).status).toBe(200);
  });

  test("revoking the refresh token stops the access token on the next request, though the session knew it", async () => {
    const { tenant, browser } = await signedIn();
    const client = await OAuthClient.registered();
    const { access_token, refresh_token } = await client.tokens(browser, tenant.teamId);
    expect((await send({ token: access_token })).status).toBe(200);
    expect((await client.token({ token: refresh_token, token_type_hint: "refresh_token" })).status).toBe(200);
    expect((await send({ token: access_token })).status).toBe(401);
    expect((await client.refresh(refresh_token)).status).toBe(400);
  });

  test("revoking an access token stops that one at once", async () => {
    const { tenant, browser } = await signedIn();
    const client = await OAuthClient.registered();
    const { access_token } = await client.tokens(browser, tenant.teamId);
    expect((await send({ token: access_token })).status).toBe(200);
    await client.token({ token: access_token });
    expect((await send({ token: access_token })).status).toBe(401);
  });

  test("the person sees the client among their connections and disconnects it", async () => {
    const { tenant, browser } = await signedIn();
    const client = await OAuthClient.registered({ client_name: "Claude Code" });
    const { access_token, refresh_token } = await client.tokens(browser, tenant.teamId);
    expect((await send({ token: access_token })).status).toBe(200);

    const page = await (await browser.get("/")).text();
    expect(page).toContain("<strong>Claude Code</strong> in Core");
    const action = /action="(\/connections\/[^"]+)"/.exec(page)?.[1] ?? "";
    expect((await browser.post(action)).status).toBe(303);

    expect((await send({ token: access_token })).status).toBe(401);
    expect((await client.refresh(refresh_token)).status).toBe(400);
    expect(await (await browser.get("/")).text()).not.toContain("Claude Code");
  });

  test("nobody disconnects the clients of somebody else", async () => {
    const { tenant, browser } = await signedIn();
    const client = await OAuthClient.registered();
    const { access_token } = await client.tokens(browser, tenant.teamId);
    const action = /action="(\/connections\/[^"]+)"/.exec(await (await browser.get("/")).text())?.[1] ?? "";
    const attacker = await signedIn();
    await attacker.browser.post(action);
    expect((await send({ token: access_token })).status).toBe(200);
  });

  test("the audit tells who let which client in, and when it ended", async () => {
    const { tenant, browser } = await signedIn();
    const client = await OAuthClient.registered();
    await client.tokens(browser, tenant.teamId);
    await browser.post(/action="(\/connections\/[^"]+)"/.exec(await (await browser.get("/")).text())?.[1] ?? "");
    const { results } = await env.DB.prepare("select action from audit where user_id = ? and team_id = ? order by id").bind(tenant.ownerId, tenant.teamId).all();
    expect(results).toEqual([{ action: "grant.create" }, { action: "grant.end" }]);
  });

  test("a viewer lets a client read and nothing else, whatever was ticked", async () => {
    const { tenant, browser } = await signedIn();
    const other = await newTenant();
    await store.addMember({ teamId: other.teamId, userId: tenant.ownerId, role: "viewer" }, Date.now());
    const { access_token, scope } = await (await OAuthClient.registered()).tokens(browser, other.teamId);
    expect(scope).toContain("memory:read");
    expect(scope).not.toContain("memory:write");
    expect((await callTool(access_token, "omn_store_memory", { key: "k", content: "c" })).error?.code).toBe("PERMISSION_DENIED");
    expect((await callTool(access_token, "omn_memory_stats")).isError).toBe(false);
  });
});
