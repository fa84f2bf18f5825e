import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { servicesOf } from "../../../src/app.ts";
import { followNoRedirects } from "../../../src/http/oauth/no-redirects.ts";
import { D1OAuthRecordStore } from "../../../src/platform/d1/oauth-store.ts";
import { signedIn } from "../web/browser.ts";
import { consentPage, OAuthClient, redirectUri, register } from "./client.ts";

describe("unauthenticated registration stores 60 × 0.9 MB", () => {
  test("a client with a long logo address does not register", async () => {
    const answer = await register({ logo_uri: `https://client.dev/${"x".repeat(900_000)}` });
    expect([answer.status, await answer.json()]).toEqual([413, { error: "invalid_request", error_description: expect.stringContaining("16384 bytes") as string }]);
  });

  test.each<[string, Record<string, unknown>, RegExp]>([
    ["many redirects", { redirect_uris: Array.from({ length: 11 }, (_, n) => `https://client.dev/${n}`) }, /at most 10 entries/],
    ["a long redirect", { redirect_uris: [`https://client.dev/${"x".repeat(512)}`] }, /at most 512 characters/],
    ["a long name in another language", { "client_name#ja": "x".repeat(101) }, /client_name has at most 100 characters/],
  ])("a client with %s does not register", async (_what, metadata, told) => {
    const answer = await register(metadata);
    expect([answer.status, await answer.json()]).toEqual([400, { error: "invalid_client_metadata", error_description: expect.stringMatching(told) as string }]);
  });

  test("of clients that nobody uses the oldest leave when there are too many; those that somebody let in stay", async () => {
    const records = new D1OAuthRecordStore(env.DB);
    const day = 86_400_000;
    const soon = Date.now();
    const put = (name: string, at: number) => records.writeUnusedClient({ key: `client:caps-${name}`, value: "{}", metadata: null, expiresAt: at }, 3);
    await put("used", soon + day);
    await records.keepForever("client:caps-used");
    for (const n of [1, 2, 3, 4, 5]) await put(String(n), soon + 400 * day + n);
    const there = await records.list("client:caps-", "", 10, soon);
    expect(there.map(({ key }) => key)).toEqual(["client:caps-3", "client:caps-4", "client:caps-5", "client:caps-used"]);
    const { results } = await env.DB.prepare("explain query plan select key from oauth_records indexed by oauth_clients_unused where key >= 'client:' and key < 'client<' and expires_at is not null order by expires_at desc limit -1 offset 3").all<{ detail: string }>();
    expect(results[0]?.detail).toContain("oauth_clients_unused");
  });
});

describe("bidi and zero-width client names reach the consent page", () => {
  const spoofed: [what: string, name: string][] = [
    ["text that runs backwards", "\u202Eedoc edualC\u202C"], ["an isolate", "a\u2067b"], ["a zero-width space", "Claude\u200BCode"], ["a word joiner", "Cur\u2060sor"],
    ["a soft hyphen", "Cur\u00ADsor"], ["a line break", "Cursor\nverified"], ["a line separator", "Cursor\u2028verified"], ["a Hangul filler", "\u3164"], ["tags", "Cursor\u{E0041}"],
    ["a variation selector", "Cursor\uFE01"], ["a lone surrogate", "Cursor\uD800"], ["NUL", "Cur\u0000sor"],
  ];

  test.each(spoofed)("a name with %s does not register", async (_what, client_name) => {
    const answer = await register({ client_name });
    expect([answer.status, await answer.json()]).toEqual([400, { error: "invalid_client_metadata", error_description: "client_name has characters that nobody can see" }]);
  });

  test.each(["Claude Code", "Клод", "编辑器", "محرر", "Éditeur d’Ada", "Editor ⚙️", "👩‍💻 Editor 🇵🇹"])("%s registers", async (client_name) => {
    expect((await register({ client_name })).status).toBe(201);
  });

  test("one in a metadata document is not shown", async () => {
    const { browser } = await signedIn();
    const id = `https://client-${crypto.randomUUID()}.dev/client.json`;
    const path = await (await OAuthClient.registered()).authorizePath({ client_id: id });
    const web = vi.spyOn(globalThis, "fetch").mockImplementation(async () => Response.json({ client_id: id, client_name: "\u202Eedoc edualC", redirect_uris: [redirectUri], token_endpoint_auth_method: "none" }));
    const page = await consentPage(browser, path);
    web.mockRestore();
    expect([page.status, page.handle]).toEqual([400, ""]);
    expect(page.text).toContain("name cannot be shown");
    expect(page.text).not.toContain("\u202E");
  });
});

test("what is fetched by an address alone follows none", async () => {
  const asked: (RequestInit | undefined)[] = [];
  const scope = { fetch: async (_input: unknown, init?: RequestInit) => (asked.push(init), new Response(null, { status: 302 })) } as unknown as { fetch: typeof fetch };
  followNoRedirects(scope);
  await scope.fetch("https://client.dev/client.json", { headers: {} });
  await scope.fetch("https://api.dev/v1/embeddings", { method: "POST" });
  await scope.fetch("https://issuer.dev/", { redirect: "error" });
  expect(asked.map((init) => init?.redirect)).toEqual(["manual", undefined, "error"]);
  expect(servicesOf(env).oauth).toBeDefined();
});
