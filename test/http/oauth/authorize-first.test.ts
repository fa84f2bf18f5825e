import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { D1IdentityMaintenance } from "../../../src/platform/d1/identity-maintenance.ts";
import { redirectKind } from "../../../src/http/oauth/redirects.ts";
import { minute } from "../../domain/tenancy/tenant.ts";
import { Browser, newPerson, signedIn } from "../web/browser.ts";
import { consent, consentPage, OAuthClient, origin, redirectUri, register } from "./client.ts";

const cursor = "cursor://anysphere.cursor-mcp/oauth/callback";
const pendingRows = async (): Promise<{ data: string; expires_at: number; created_at: number }[]> =>
  (await env.DB.prepare("select data, expires_at, created_at from sign_in_attempts where kind = 'way-back'").all<any>()).results;

describe("a request that is wrong is told so before anybody is asked to sign in", () => {
  const back: [what: string, changed: Record<string, string | null>, error: string][] = [
    ["without PKCE", { code_challenge: null, code_challenge_method: null }, "invalid_request"],
    ["with plain PKCE", { code_challenge_method: "plain" }, "invalid_request"],
    ["of another response type", { response_type: "token" }, "unsupported_response_type"],
    ["for a foreign resource", { resource: "https://evil.example/mcp" }, "invalid_target"],
    ["for scopes that do not exist", { scope: "root" }, "invalid_scope"],
  ];
  test.each(back)("one %s: the client hears it", async (_what, changed, error) => {
    const answer = await new Browser().get(await (await OAuthClient.registered()).authorizePath(changed));
    const location = new URL(answer.headers.get("location") ?? "about:blank");
    expect(`${location.origin}${location.pathname}`).toBe(redirectUri);
    expect(Object.fromEntries(location.searchParams)).toMatchObject({ error, state: "the-state", iss: origin });
  });

  const local: [what: string, changed: Record<string, string | null>][] = [
    ["with a redirect that is not registered", { redirect_uri: "http://127.0.0.1:33418/other" }],
    ["with a redirect elsewhere", { redirect_uri: "https://evil.example/callback" }],
    ["without a redirect", { redirect_uri: null }],
    ["of an unknown client", { client_id: "nobody" }],
    ["of no client", { client_id: null }],
  ];
  test.each(local)("one %s: a page says so", async (_what, changed) => {
    const browser = new Browser();
    const answer = await browser.get(await (await OAuthClient.registered()).authorizePath(changed));
    expect([answer.status, answer.headers.get("location"), browser.cookies.size]).toEqual([400, null, 0]);
    expect(await answer.text()).toMatch(/This request for access is not valid|This client is not known/);
  });

  test.each(back.filter(([what]) => what !== "for a foreign resource"))("one %s by a client with a document: a page says so, and nothing is fetched", async (_what, changed) => {
    const fetched = vi.spyOn(globalThis, "fetch");
    const path = await (await OAuthClient.registered()).authorizePath({ client_id: "https://client.dev/client.json", ...changed });
    const answer = await new Browser().get(path);
    expect([answer.status, answer.headers.get("location")]).toEqual([400, null]);
    expect(await answer.text()).toContain("This request for access is not valid");
    expect(fetched).not.toHaveBeenCalled();
    fetched.mockRestore();
  });
});

describe("the way back after signing in", () => {
  const requestOf = async (length: number): Promise<string> => {
    const client = await OAuthClient.registered();
    const short = await client.authorizePath({ state: "" });
    return client.authorizePath({ state: "s".repeat(length - short.length) });
  };
  const signInFrom = async (path: string): Promise<Response> => {
    const browser = new Browser();
    expect((await browser.get(path)).headers.get("location")).toBe("/sign-in");
    return browser.post("/sign-in/link", { token: (await newPerson()).link });
  };

  test.each([3_001, 8_000, 16_384])("is kept for a request of %i characters; the cookie holds a token only", async (length) => {
    const path = await requestOf(length);
    expect(path).toHaveLength(length);
    expect((await signInFrom(path)).headers.get("location")).toBe(path);
    const browser = new Browser();
    await browser.get(path);
    expect(browser.cookies.get("__Host-return-to")).toMatch(/^\w{43}$/);
  });

  test("of a longer request there is none: a page says so, to whoever is signed in too", async () => {
    const path = await requestOf(16_385);
    for (const browser of [new Browser(), (await signedIn()).browser]) {
      const answer = await browser.get(path);
      expect([answer.status, browser.cookies.has("__Host-return-to")]).toEqual([414, false]);
      expect(await answer.text()).toContain("at most 16384 characters");
    }
  });

  test("is one for each browser, sealed, gone when it was taken, and ends after ten minutes", async () => {
    await env.DB.prepare("delete from sign_in_attempts").run();
    const path = await (await OAuthClient.registered()).authorizePath();
    const browser = new Browser();
    for (const _again of [1, 2, 3]) await browser.get(path);
    const [row, ...others] = await pendingRows();
    expect(others).toEqual([]);
    expect((row?.expires_at ?? 0) - (row?.created_at ?? 0)).toBe(10 * minute);
    expect(row?.data).not.toMatch(/authorize|client_id|the-state/);
    await browser.post("/sign-in/link", { token: (await newPerson()).link });
    expect(await pendingRows()).toEqual([]);

    const slow = new Browser();
    await slow.get(path);
    await env.DB.prepare("update sign_in_attempts set expires_at = ?").bind(Date.now()).run();
    expect((await slow.post("/sign-in/link", { token: (await newPerson()).link })).headers.get("location")).toBe("/");
    await new D1IdentityMaintenance(env.DB).purge(Date.now());
    expect(await pendingRows()).toEqual([]);
  });

  test("strangers store no more of them than there is room for; then a sign-in ends on the account page", async () => {
    await env.DB.prepare(
      "with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000) insert into sign_in_attempts (token_hash, kind, data, created_at, expires_at) select 'full-' || i, 'way-back', '{}', 0, ?1 from n",
    ).bind(Date.now() + minute).run();
    try {
      const answer = await signInFrom(await (await OAuthClient.registered()).authorizePath());
      expect([answer.status, answer.headers.get("location")]).toEqual([303, "/"]);
    } finally {
      await env.DB.prepare("delete from sign_in_attempts where token_hash like 'full-%'").run();
    }
  });
});

describe("a client with a scheme of its own", () => {
  const clientOf = (uri: string): Promise<OAuthClient> => OAuthClient.registered({ client_name: "Cursor", redirect_uris: [uri] });

  test.each([cursor, "vscode://vscode.github-authentication/did-authenticate", "com.example.app:/oauth2redirect", "raycast://oauth?package_name=Extension"])("%s gets its code by a page that opens the program", async (uri) => {
    const { browser, tenant } = await signedIn();
    const client = await clientOf(uri);
    const scheme = `${uri.split(":")[0]}://`;
    const { page, answer } = await consent(browser, await client.authorizePath({ redirect_uri: uri }), { team: tenant.teamId });
    expect(page.text).toContain(`Access will be sent to what opens <strong>${scheme}</strong>.`);
    expect(page.text).toContain(`opens the program registered for ${scheme} on this computer`);

    expect([answer.status, answer.headers.get("location")]).toEqual([200, null]);
    const [, target = ""] = /^0;url=(.+)$/.exec(answer.headers.get("refresh") ?? "") ?? [];
    expect(target.startsWith(uri)).toBe(true);
    expect(await answer.text()).toContain(`<a href="${target.replaceAll("&", "&amp;")}">open ${scheme}</a>`);
    const { code = "", state, iss } = Object.fromEntries(new URL(target).searchParams);
    expect([state, iss]).toEqual(["the-state", origin]);
    expect((await client.exchange(code, { redirect_uri: uri, code_verifier: "x".repeat(43) })).status, "PKCE").toBe(400);
    const again = await consent(browser, await client.authorizePath({ redirect_uri: uri }), { team: tenant.teamId });
    const second = new URL((again.answer.headers.get("refresh") ?? "").slice("0;url=".length)).searchParams.get("code") ?? "";
    expect((await client.exchange(second, { redirect_uri: uri })).status).toBe(200);
    expect(await (await browser.get("/")).text()).toContain(`through ${scheme}`);
  });

  test("hears by the same page that it was denied, and by a link that its request is wrong", async () => {
    const { browser, tenant } = await signedIn();
    const client = await clientOf(cursor);
    const { answer } = await consent(browser, await client.authorizePath({ redirect_uri: cursor }), { team: tenant.teamId, decision: "deny" });
    expect([answer.status, answer.headers.get("refresh")]).toEqual([200, expect.stringMatching(/^0;url=cursor:\/\/.*error=access_denied/)]);
    const wrong = await browser.get(await client.authorizePath({ redirect_uri: cursor, scope: "root" }));
    expect([wrong.status, wrong.headers.get("location"), wrong.headers.get("refresh")]).toEqual([400, null, null]);
    expect(await wrong.text()).toMatch(/<a href="cursor:\/\/[^"]*error=invalid_scope[^"]*">tell the client at cursor:\/\/<\/a>/);
  });

  test.each([`${cursor}/`, `${cursor}?x=1`, cursor.toUpperCase(), "cursor://other/oauth/callback", "cursor://anysphere.cursor-mcp:8080/oauth/callback", "vscode://anysphere.cursor-mcp/oauth/callback"])("does not get it at %s, which it did not register", async (uri) => {
    const { browser } = await signedIn();
    const page = await consentPage(browser, await (await clientOf(cursor)).authorizePath({ redirect_uri: uri }));
    expect([page.status, page.headers.get("location"), page.headers.get("refresh"), page.handle]).toEqual([400, null, null, ""]);
  });

  test.each([
    "javascript:alert(1)", "JavaScript:alert(1)", " javascript:alert(1)", "data:text/html,x", "vbscript:x", "file:///etc/passwd", "blob:https://x.example/1", "about:blank", "http://evil.example/callback",
    "view-source:https://x.example/", "chrome://settings", "ms-msdt:/id", "search-ms:query=x", "mailto:a@b.example", "tel:1", "ws://x.example/", "ftp://x.example/", "intent://x#Intent;end", "cursor://x:80/callback",
  ])("%s is registered by nobody, not even beside a good one", async (uri) => {
    expect((await register({ redirect_uris: [uri] })).status).toBe(400);
    const beside = await register({ redirect_uris: [redirectUri, uri] });
    expect([beside.status, (await beside.json<{ error: string }>()).error]).toEqual([400, "invalid_client_metadata"]);
    expect(redirectKind(uri)).toBeUndefined();
  });

  test("a port of this machine is any (RFC 8252 section 7.3), its path is not", async () => {
    const { browser } = await signedIn();
    const client = await OAuthClient.registered();
    for (const [uri, status] of [["http://127.0.0.1:1/callback", 200], ["http://127.0.0.1/callback", 200], ["http://127.0.0.1:1/other", 400], ["http://localhost:33418/callback", 400]] as const) {
      expect((await consentPage(browser, await client.authorizePath({ redirect_uri: uri }))).status, uri).toBe(status);
    }
  });
});
