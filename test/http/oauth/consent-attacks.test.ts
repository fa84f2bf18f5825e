import { SELF } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { newBootstrapLink } from "../../../src/domain/tenancy/sign-in-link.ts";
import { mayFetch, namesAcceptableClient } from "../../../src/http/oauth/client-address.ts";
import { newTenant, store } from "../../domain/tenancy/tenant.ts";
import { callTool } from "../../support/mcp.ts";
import { Browser, signedIn, signInStore } from "../web/browser.ts";
import { consent, consentPage, errorOf, grantsOf, OAuthClient, origin, redirectUri, type Tokens } from "./client.ts";

describe("authorization requests [A13]", () => {
  const back: [what: string, changed: Record<string, string | null>, error: string][] = [
    ["without PKCE", { code_challenge: null, code_challenge_method: null }, "invalid_request"],
    ["with PKCE by name only", { code_challenge: null }, "invalid_request"],
    ["with plain PKCE", { code_challenge_method: "plain" }, "invalid_request"],
    ["with PKCE of no method, which means plain", { code_challenge_method: null }, "invalid_request"],
    ["for a foreign resource", { resource: "https://evil.example/mcp" }, "invalid_target"],
    ["for another path", { resource: `${origin}/v1/keys` }, "invalid_target"],
    ["for a token in the address", { response_type: "token" }, "unsupported_response_type"],
    ["for scopes that do not exist", { scope: "root" }, "invalid_scope"],
  ];
  test.each(back.flatMap(([what, changed, error]) => ["none", "client_secret_post"].map((method) => ({ what, changed, error, method }))))(
    "$what ($method): the client hears $error",
    async ({ changed, error, method }) => {
      const { browser } = await signedIn();
      const client = await OAuthClient.registered({ token_endpoint_auth_method: method });
      const answer = await browser.get(await client.authorizePath(changed));
      const location = new URL(answer.headers.get("location") ?? "about:blank");
      expect(`${location.origin}${location.pathname}`).toBe(redirectUri);
      expect(Object.fromEntries(location.searchParams)).toMatchObject({ error, state: "the-state", iss: origin });
    },
  );

  test("open redirect: a client elsewhere is told by a link that says where it leads: we are nobody's way to anywhere", async () => {
    const { browser } = await signedIn();
    const evil = "https://evil.example/phish?a=1";
    const client = await OAuthClient.registered({ redirect_uris: [evil] });
    for (const changed of [{ scope: "root" }, { code_challenge: null }, { response_type: "token" }, { resource: "https://evil.example/mcp" }]) {
      const answer = await browser.get(await client.authorizePath({ redirect_uri: evil, ...changed }));
      expect([answer.status, answer.headers.get("location")]).toEqual([400, null]);
      expect(await answer.text()).toMatch(/<a href="https:\/\/evil\.example\/phish\?a=1&amp;error=\w+[^"]*">tell the client at evil\.example<\/a>/);
    }
  });

  const local: [what: string, changed: Record<string, string | null>][] = [
    ["a redirect that is not registered", { redirect_uri: "https://evil.example/callback" }],
    ["a redirect with a path appended", { redirect_uri: `${redirectUri}/../evil` }],
    ["a redirect with a query appended", { redirect_uri: `${redirectUri}?next=https://evil.example` }],
    ["a redirect to a look-alike", { redirect_uri: "http://127.0.0.1.evil.example:33418/callback" }],
    ["a redirect that is a script", { redirect_uri: "javascript:alert(1)" }],
    ["no redirect", { redirect_uri: null }],
    ["an unknown client", { client_id: "nobody" }],
    ["no client", { client_id: null }],
    ["a client id that is markup", { client_id: "<script>alert(1)</script>" }],
  ];
  test.each(local)("%s: a page says so, and nobody is sent anywhere", async (_what, changed) => {
    const { browser } = await signedIn();
    const answer = await browser.get(await (await OAuthClient.registered()).authorizePath(changed));
    expect([answer.status, answer.headers.get("location")]).toEqual([400, null]);
    const text = await answer.text();
    expect(text).toContain("<h1>");
    expect(text).not.toContain("<script");
  });

  const inner = [
    "https://127.0.0.1/client.json", "https://localhost/client.json", "https://localhost./client.json", "https://[::1]/client.json", "https://2130706433/client.json",
    "https://0x7f.1/client.json", "https://10.0.0.1/client.json", "https://192.168.1.1/admin", "https://169.254.169.254/latest/meta-data", "https://[fd00::1]/x",
    "https://[::ffff:10.0.0.1]/x", "https://router/client.json", "https://nas.local/client.json", "https://vault.internal/client.json", "https://client.com:8443/client.json",
    "https://user:pass@client.com/client.json", "http://client.com/client.json", "ftp://client.com/x", "file:///etc/passwd", "data:application/json,{}",
  ];
  test.each(inner)("a metadata document at %s is not fetched", async (clientId) => {
    const { browser } = await signedIn();
    const client = await OAuthClient.registered();
    const answer = await browser.get(await client.authorizePath({ client_id: clientId }));
    expect([answer.status, (await answer.text()).includes("This client is not known")]).toEqual([400, true]);
    expect(await errorOf(await client.token({ grant_type: "authorization_code", code: "a.b:c:d", client_id: clientId }))).toEqual([401, "invalid_client"]);
  });

  const inside = "https://127.0.0.1/client.json";
  const assertion = `e30.${btoa(JSON.stringify({ iss: inside, sub: inside })).replaceAll("=", "")}.x`;
  const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
  const ways: [how: string, body: string, headers: Record<string, string>][] = [
    ["by a Basic header", "", { authorization: `Basic ${btoa(`${encodeURIComponent(inside)}:x`)}` }],
    ["by a Basic header without escapes", "", { authorization: `basic  ${btoa(`${inside}:x`)}` }],
    ["by an assertion alone", `&client_assertion=${assertion}&client_assertion_type=${assertionType}`, {}],
    ["by an assertion beside an empty id", `&client_id=&client_assertion=${assertion}&client_assertion_type=${assertionType}`, {}],
    ["beside an empty id", `&client_id=&client_id=${encodeURIComponent(inside)}`, {}],
    ["beside a good id", `&client_id=abc&client_id=${encodeURIComponent(inside)}`, {}],
    ["with an escaped name", `&client%5Fid=${encodeURIComponent(inside)}`, {}],
  ];
  test.each(ways)("nor when the token endpoint is told of it %s", async (_how, body, headers) => {
    const answer = await SELF.fetch(`${origin}/oauth/token`, {
      method: "POST",
      headers: { host: "localhost", "content-type": "application/x-www-form-urlencoded", ...headers },
      body: `grant_type=authorization_code&code=a.b:c:d${body}`,
    });
    expect(answer.headers.get("www-authenticate")).toBe("authorization" in headers ? 'Basic realm="OAuth"' : null);
    expect(await errorOf(answer)).toEqual([401, "invalid_client"]);
    expect(namesAcceptableClient(new URLSearchParams(body), headers["authorization"])).toBe(false);
  });

  test("clients that prove themselves as they should are let through", () => {
    const form = (fields: Record<string, string>): URLSearchParams => new URLSearchParams(fields);
    expect(namesAcceptableClient(form({ client_id: "abcDEF_-1" }), undefined)).toBe(true);
    expect(namesAcceptableClient(form({}), `Basic ${btoa("abc:secret-1")}`)).toBe(true);
    expect(namesAcceptableClient(form({ client_id: "https://claude.ai/client.json", client_assertion: assertion }), undefined)).toBe(true);
  });

  test("a metadata document on the public web may be", () => {
    expect(["https://claude.ai/oauth/claude-code-client-metadata", "https://client.dev/x"].map(mayFetch)).toEqual([true, true]);
  });
});

describe("the consent page [A13]", () => {
  const page = async (): Promise<Awaited<ReturnType<typeof signedIn>> & { client: OAuthClient; path: string }> => {
    const person = await signedIn();
    const client = await OAuthClient.registered();
    return { ...person, client, path: await client.authorizePath() };
  };
  const expectRefused = async (answer: Response, userId: string, status: number): Promise<void> => {
    expect([answer.status, answer.headers.get("location")]).toEqual([status, null]);
    expect(await grantsOf(userId)).toBe(0);
  };

  test("a team that the person is not in is refused like one that does not exist", async () => {
    const { browser, tenant, path } = await page();
    const foreign = await newTenant();
    const texts = [];
    for (const team of [foreign.teamId, "nowhere", ""]) {
      const { answer } = await consent(browser, path, { team });
      await expectRefused(answer, tenant.ownerId, 403);
      texts.push((await answer.text()).replace(/Request [\w-]+/, ""));
    }
    expect(new Set(texts).size).toBe(1);
  });

  test("a consent of one browser is nothing in another, though the person is the same", async () => {
    const { browser, tenant, path } = await page();
    const other = new Browser();
    await other.post("/sign-in/link", { token: (await newBootstrapLink(signInStore, tenant.ownerId, Date.now())) ?? "" });
    const { handle } = await consentPage(browser, path);
    const { session } = await consentPage(other, path);
    await expectRefused(await other.post("/authorize", { handle, session, team: tenant.teamId, decision: "allow", scope: "memory:read" }), tenant.ownerId, 400);
  });

  test("a consent without the cookie that came with its page is none", async () => {
    const { browser, tenant, path } = await page();
    const { handle, session } = await consentPage(browser, path);
    const form = { handle, session, team: tenant.teamId, decision: "allow", scope: "memory:read" };
    const kept = new Map(browser.cookies);
    for (const name of kept.keys()) if (name !== "__Host-session") browser.cookies.delete(name);
    expect([...kept.keys()].length).toBeGreaterThan(browser.cookies.size);
    await expectRefused(await browser.post("/authorize", form), tenant.ownerId, 400);
    for (const [name, value] of kept) browser.cookies.set(name, value);
    expect((await browser.post("/authorize", form)).status, "the page is still good where it was opened").toBe(303);
  });

  test("letting the same client into another team takes nothing from it in the first", async () => {
    const { browser, tenant, client } = await page();
    const other = await newTenant();
    await store.addMember({ teamId: other.teamId, userId: tenant.ownerId, role: "member" }, Date.now());
    const first = await client.tokens(browser, tenant.teamId);
    const second = await client.tokens(browser, other.teamId);
    for (const { access_token } of [first, second]) expect((await callTool(access_token, "omn_memory_stats")).isError).toBe(false);
    expect((await client.refresh(first.refresh_token)).status).toBe(200);
    expect(await grantsOf(tenant.ownerId)).toBe(2);
  });

  test("a consent that another person's page began is not given by who signed in since", async () => {
    const { browser, path } = await page();
    const opened = await consentPage(browser, path);
    const next = await signedIn();
    browser.cookies.set("__Host-session", next.browser.cookies.get("__Host-session") ?? "");
    const answer = await browser.post("/authorize", { handle: opened.handle, session: opened.session, team: next.tenant.teamId, decision: "allow", scope: "memory:read" });
    await expectRefused(answer, next.tenant.ownerId, 403);
  });

  test("works once, also for two clicks at the same moment", async () => {
    const { browser, tenant, path } = await page();
    const { handle, session } = await consentPage(browser, path);
    const click = (): Promise<Response> => browser.post("/authorize", { handle, session, team: tenant.teamId, decision: "allow", scope: "memory:read" });
    const cookies = new Map(browser.cookies);
    const answers = await Promise.all([click(), click()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 400]);
    for (const [name, value] of cookies) browser.cookies.set(name, value);
    expect((await click()).status).toBe(400);
    expect(await grantsOf(tenant.ownerId)).toBe(1);
  });

  test("scopes that the client did not ask for are not given by a changed form", async () => {
    const { browser, tenant, client } = await page();
    const { answer } = await consent(browser, await client.authorizePath({ scope: "memory:read" }), { team: tenant.teamId, scopes: ["memory:read", "memory:admin", "root"] });
    const tokens = await (await client.exchange(new URL(answer.headers.get("location") ?? "").searchParams.get("code") ?? "")).json<Tokens>();
    expect(tokens.scope).toBe("memory:read");
  });

  test("nothing chosen is no consent", async () => {
    const { browser, tenant, path } = await page();
    await expectRefused((await consent(browser, path, { team: tenant.teamId, scopes: [] })).answer, tenant.ownerId, 400);
    await expectRefused((await consent(browser, path, { team: tenant.teamId, scopes: ["memory:admin"] })).answer, tenant.ownerId, 400);
  });

  test.each([
    ["another site", { "sec-fetch-site": "cross-site", origin: "https://evil.example" }],
    ["another port", { "sec-fetch-site": "same-site", origin: "http://localhost:3000" }],
    ["nowhere", { "sec-fetch-site": null, origin: null }],
  ])("a form posted from %s is refused", async (_where, headers) => {
    const { browser, tenant, path } = await page();
    const { handle, session } = await consentPage(browser, path);
    const answer = await browser.post("/authorize", { handle, session, team: tenant.teamId, decision: "allow", scope: "memory:read" }, headers);
    await expectRefused(answer, tenant.ownerId, 403);
  });

  test("who is in no team is told so", async () => {
    const { browser, tenant, path } = await page();
    await store.removeMember(tenant.teamId, tenant.ownerId);
    const answer = await browser.get(path);
    expect([answer.status, (await answer.text()).includes("You are in no team")]).toEqual([403, true]);
  });

  test("a stranger gets nothing but the way to sign in, or hears that there is no such client", async () => {
    const { path, client } = await page();
    const expected: [path: string, status: number, location: string | null][] = [
      [path, 302, "/sign-in"],
      [await client.authorizePath({ client_id: "nobody" }), 400, null],
      [await client.authorizePath({ client_id: "https://evil.example/x" }), 400, null],
    ];
    for (const [asked, ...told] of expected) {
      const answer = await new Browser().get(asked);
      expect([answer.status, answer.headers.get("location")]).toEqual(told);
    }
    expect((await new Browser().post("/authorize", { decision: "allow" })).status).toBe(403);
  });
});

describe("open redirect: where signing in leads [A13]", () => {
  const elsewhere = ["https://evil.example/", "//evil.example", "/\\evil.example", "/%5Cevil.example/..//evil.example", "/\t/evil.example", "javascript:alert(1)", "evil", ""];
  test.each(elsewhere)("a planted cookie %j does not lead off this origin", async (planted) => {
    const { tenant } = await signedIn();
    const browser = new Browser();
    browser.cookies.set("__Host-return-to", encodeURIComponent(planted));
    const answer = await browser.post("/sign-in/link", { token: (await newBootstrapLink(signInStore, tenant.ownerId, Date.now())) ?? "" });
    expect(answer.status).toBe(303);
    expect(new URL(answer.headers.get("location") ?? "", origin).origin).toBe(origin);
  });
});
