import { SELF } from "cloudflare:test";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { callTool } from "../../support/mcp.ts";
import { Browser, signedIn } from "../web/browser.ts";
import { consent, consentPage, OAuthClient, origin, redirectUri, type Tokens } from "./client.ts";
import wrangler from "../../../wrangler.toml?raw";

type Document = Record<string, unknown>;

/** What the web answers, and what was asked of it. */
let answers: Map<string, () => Response | Promise<Response>>;
let asked: { url: string; headers: Headers }[];

beforeEach(() => {
  answers = new Map();
  asked = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input as RequestInfo, init as RequestInit);
    asked.push({ url: request.url, headers: request.headers });
    const answer = answers.get(request.url);
    if (!answer) throw new TypeError("there is no such host");
    return answer();
  });
});
afterEach(() => void vi.restoreAllMocks());

let count = 0;
const newAddress = (): string => `https://client-${(count += 1)}-${crypto.randomUUID()}.dev/client.json`;

const documentOf = (id: string, changed: Document = {}): Document => ({
  client_id: id, client_name: "Editor", redirect_uris: [redirectUri], token_endpoint_auth_method: "none", grant_types: ["authorization_code", "refresh_token"], response_types: ["code"], ...changed,
});

/** A client with a document at an address of its own; its PKCE is that of a client which registered. */
async function published(changed: Document = {}): Promise<{ id: string; client: OAuthClient }> {
  const id = newAddress();
  answers.set(id, () => Response.json(documentOf(id, changed)));
  return { id, client: await OAuthClient.registered() };
}

const tokenRequest = (form: Record<string, string>, headers: Record<string, string> = {}): Promise<Response> =>
  SELF.fetch(`${origin}/oauth/token`, {
    method: "POST",
    headers: { host: "localhost", "content-type": "application/x-www-form-urlencoded", ...headers },
    body: new URLSearchParams(form).toString(),
  });

describe("SSRF by a metadata document [A13]", () => {
  test("nothing of our own zone or network is asked: the deployment says so to the runtime", () => {
    expect(/^compatibility_flags = .*"global_fetch_strictly_public"/m.test(wrangler)).toBe(true);
    expect((globalThis as unknown as { Cloudflare: { compatibilityFlags: Record<string, boolean> } }).Cloudflare.compatibilityFlags["global_fetch_strictly_public"]).toBe(true);
  });

  test("one of a client on the web is asked for, without anything of the person, and the client gets its token", async () => {
    const { browser, tenant } = await signedIn();
    const { id, client } = await published();
    const { page, answer } = await consent(browser, await client.authorizePath({ client_id: id }), { team: tenant.teamId });
    expect(page.text).toContain("Let Editor use your memory?");
    const code = new URL(answer.headers.get("location") ?? "about:blank").searchParams.get("code") ?? "";
    const tokens = await (await client.exchange(code, { client_id: id })).json<Tokens>();
    expect((await callTool(tokens.access_token, "omn_memory_stats")).isError).toBe(false);
    expect(new Set(asked.map(({ url }) => url))).toEqual(new Set([id]));
    for (const { headers } of asked) expect([...headers.keys()].filter((name) => /cookie|authorization|origin|referer|cf-/.test(name))).toEqual([]);
  });

  test("one that describes a client on two machines: letting it in on the second leaves it in on the first", async () => {
    const { browser, tenant } = await signedIn();
    const { id, client } = await published();
    const signIn = async (): Promise<Tokens> => (await client.exchange(await client.code(browser, tenant.teamId, { client_id: id }), { client_id: id })).json<Tokens>();
    const [laptop, desktop] = [await signIn(), await signIn()];
    for (const { access_token } of [laptop, desktop]) expect((await callTool(access_token, "omn_memory_stats")).status).toBe(200);
    expect((await client.refresh(laptop.refresh_token, { client_id: id })).status).toBe(200);
  });

  test("a stranger has nothing fetched by the page, nor another site by anything", async () => {
    const { id, client } = await published();
    expect((await new Browser().get(await client.authorizePath({ client_id: id }))).headers.get("location")).toBe("/sign-in");
    for (const from of ["https://evil.example", "null"]) {
      expect((await tokenRequest({ grant_type: "authorization_code", code: "a.b:c:d", client_id: id }, { origin: from })).status).toBe(403);
    }
    expect(asked).toEqual([]);
  });

  test.each(["https://127.0.0.1/client.json", "https://169.254.169.254/latest/meta-data", "https://router/client.json", "https://vault.internal/x", "https://[::ffff:10.0.0.1]/x", "https://client.dev:8443/x"])(
    "one at %s is not asked for, by page or token endpoint",
    async (id) => {
      answers.set(id, () => Response.json(documentOf(id)));
      const { browser } = await signedIn();
      expect((await browser.get(await (await OAuthClient.registered()).authorizePath({ client_id: id }))).status).toBe(400);
      expect((await tokenRequest({ grant_type: "authorization_code", code: "a.b:c:d", client_id: id })).status).toBe(401);
      expect(asked).toEqual([]);
    },
  );

  const long = "x".repeat(6_000);
  const unusable: [what: string, answer: (id: string) => Response | Promise<Response>][] = [
    ["that is not there", () => new Response("no", { status: 404 })],
    ["whose server fails", () => new Response("no", { status: 500 })],
    ["whose server cannot be reached", () => Promise.reject(new TypeError("unreachable"))],
    ["that is a page", () => new Response("<script>alert(1)</script>", { headers: { "content-type": "text/html" } })],
    ["that is no object", () => Response.json([1])],
    ["that is empty", () => new Response(null)],
    ["that is larger than any document", (id) => Response.json(documentOf(id, { tos_uri: `https://client.dev/${long}` }))],
    ["that is larger than it says", (id) => new Response(new Blob([JSON.stringify(documentOf(id, { tos_uri: `https://client.dev/${long}` }))]).stream())],
    ["of another client", () => Response.json(documentOf("https://other.dev/client.json"))],
    ["that holds a secret", (id) => Response.json(documentOf(id, { client_secret: "s" }))],
    ["whose way back is a script", (id) => Response.json(documentOf(id, { redirect_uris: ["javascript:alert(1)"] }))],
    ["without a way back", (id) => Response.json(documentOf(id, { redirect_uris: [] }))],
  ];
  test.each(unusable)("one %s: a page names the host it could not be fetched from and says how to go on, nothing breaks", async (_what, answer) => {
    const { browser } = await signedIn();
    const id = newAddress();
    answers.set(id, () => answer(id));
    const page = await browser.get(await (await OAuthClient.registered()).authorizePath({ client_id: id }));
    expect([page.status, page.headers.get("location")]).toEqual([400, null]);
    const said = (await page.text()).replaceAll("&#39;", "'");
    for (const part of ["The client's description could not be fetched", `<strong>${new URL(id).host}</strong>`, "Does this machine have a network?", "give it an API key"]) expect(said).toContain(part);
    expect(said).not.toMatch(/HTTP|unreachable|JSON|\bat \w+ \(/);
    const token = await tokenRequest({ grant_type: "authorization_code", code: "a.b:c:d", client_id: id });
    const { error, error_description = "" } = await token.json<{ error: string; error_description?: string }>();
    expect([token.status, error], error_description).toEqual([401, "invalid_client"]);
    expect(error_description).not.toMatch(/HTTP|unreachable|fetch|JSON/);
  });

  test("a way back that the document does not name leads nowhere", async () => {
    const { browser } = await signedIn();
    const { id, client } = await published();
    const answer = await browser.get(await client.authorizePath({ client_id: id, redirect_uri: "https://evil.example/callback" }));
    expect([answer.status, answer.headers.get("location")]).toEqual([400, null]);
  });

  test("what a document says of itself is shown as text, with the host it came from", async () => {
    const { browser } = await signedIn();
    const { id, client } = await published({ client_name: "<img src=x onerror=alert(1)>", redirect_uris: ["https://editor.dev/callback"] });
    const page = await consentPage(browser, await client.authorizePath({ client_id: id, redirect_uri: "https://editor.dev/callback" }));
    expect(page.text).not.toContain("<img");
    expect(page.text).toContain("editor.dev");
  });
});

describe("oversize, replayed, future-dated, alg:none and key-confusion assertions of clients [A13]", () => {
  let pair: CryptoKeyPair;
  let foreign: CryptoKeyPair;
  let jwk: JsonWebKey;
  const rsa = { name: "RSASSA-PKCS1-v1_5", modulusLength: 2_048, publicExponent: new Uint8Array([1, 0, 1]), hash: "SHA-256" };
  beforeAll(async () => {
    pair = (await crypto.subtle.generateKey(rsa, true, ["sign", "verify"])) as CryptoKeyPair;
    foreign = (await crypto.subtle.generateKey(rsa, true, ["sign", "verify"])) as CryptoKeyPair;
    jwk = (await crypto.subtle.exportKey("jwk", pair.publicKey)) as JsonWebKey;
  });

  const bytes = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(new TextEncoder().encode(text));
  const b64 = (data: ArrayBuffer | Uint8Array<ArrayBuffer>): string => btoa(String.fromCharCode(...new Uint8Array(data))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  const hmac = async (key: string, input: string): Promise<ArrayBuffer> =>
    crypto.subtle.sign("HMAC", await crypto.subtle.importKey("raw", bytes(key), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]), bytes(input));

  type Sign = (input: string) => Promise<ArrayBuffer>;
  interface Forgery {
    header?: Record<string, unknown>;
    claims?: Record<string, unknown>;
    sign?: Sign;
  }
  const signed = (key: () => CryptoKey): Sign => (input) => crypto.subtle.sign("RSASSA-PKCS1-v1_5", key(), bytes(input));
  const seconds = (): number => Math.floor(Date.now() / 1_000);

  async function assertionOf(id: string, { header = {}, claims = {}, sign = signed(() => pair.privateKey) }: Forgery = {}): Promise<string> {
    const all = { iss: id, sub: id, aud: origin, iat: seconds(), exp: seconds() + 60, jti: crypto.randomUUID(), ...claims };
    const input = [{ alg: "RS256", kid: "k", typ: "JWT", ...header }, all].map((part) => b64(bytes(JSON.stringify(part)))).join(".");
    return `${input}.${b64(await sign(input))}`;
  }

  /** Somebody consented to a client that proves itself by its key; how it shows its code. */
  async function consented(): Promise<{ id: string; show(assertion: string): Promise<Response> }> {
    const { browser, tenant } = await signedIn();
    const { id, client } = await published({ token_endpoint_auth_method: "private_key_jwt", token_endpoint_auth_signing_alg: "RS256", jwks: { keys: [{ kty: jwk.kty, n: jwk.n, e: jwk.e, kid: "k", alg: "RS256", use: "sig" }] } });
    const { answer } = await consent(browser, await client.authorizePath({ client_id: id }), { team: tenant.teamId });
    const code = new URL(answer.headers.get("location") ?? "about:blank").searchParams.get("code") ?? "";
    const show = (assertion: string): Promise<Response> =>
      client.exchange(code, { client_id: id, client_assertion: assertion, client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer" });
    return { id, show };
  }

  test("a good one is taken, and only once: replayed it is refused", async () => {
    const { id, show } = await consented();
    const assertion = await assertionOf(id);
    expect((await show(assertion)).status).toBe(200);
    const replay = await show(assertion);
    expect([replay.status, (await replay.json<{ error: string }>()).error]).toEqual([401, "invalid_client"]);
  });

  test("of two who show the same at the same moment at most one is let in", async () => {
    const { id, show } = await consented();
    const assertion = await assertionOf(id);
    const answers = await Promise.all([1, 2, 3].map(() => show(assertion)));
    expect(answers.filter(({ ok }) => ok).length).toBeLessThanOrEqual(1);
  });

  const publicPem = async (): Promise<string> => `-----BEGIN PUBLIC KEY-----\n${btoa(String.fromCharCode(...new Uint8Array((await crypto.subtle.exportKey("spki", pair.publicKey)) as ArrayBuffer)))}\n-----END PUBLIC KEY-----\n`;
  const forgeries: [what: string, forgery: (id: string) => Forgery | Promise<Forgery>][] = [
    ["alg none", () => ({ header: { alg: "none" }, sign: async () => new ArrayBuffer(0) })],
    ["alg NONE", () => ({ header: { alg: "NONE" }, sign: async () => new ArrayBuffer(0) })],
    ["no signature", () => ({ sign: async () => new ArrayBuffer(0) })],
    ["the public key as an HMAC key", async () => ({ header: { alg: "HS256" }, sign: async (input: string) => hmac(await publicPem(), input) })],
    ["the modulus as an HMAC key", () => ({ header: { alg: "HS256" }, sign: (input: string) => hmac(jwk.n ?? "", input) })],
    ["another's key", () => ({ sign: signed(() => foreign.privateKey) })],
    ["a key that it brings along", async () => ({ header: { jwk: await crypto.subtle.exportKey("jwk", foreign.publicKey) }, sign: signed(() => foreign.privateKey) })],
    ["a key that it has fetched", () => ({ header: { jku: "https://evil.example/jwks", x5u: "https://evil.example/cert" }, sign: signed(() => foreign.privateKey) })],
    ["the algorithm of another kind of key", () => ({ header: { alg: "ES256" } })],
    ["an extension that must be understood", () => ({ header: { crit: ["b64"], b64: false } })],
    ["another issuer's name", () => ({ claims: { iss: "https://other.dev/client.json" } })],
    ["another client's name", () => ({ claims: { sub: "https://other.dev/client.json" } })],
    ["another server's audience", () => ({ claims: { aud: "https://accounts.google.com" } })],
    ["a time in the future", () => ({ claims: { iat: seconds() + 3_600, exp: seconds() + 3_660 } })],
    ["a beginning in the future", () => ({ claims: { nbf: seconds() + 3_600, exp: seconds() + 3_660 } })],
    ["an end in the past", () => ({ claims: { iat: seconds() - 7_200, exp: seconds() - 3_600 } })],
    ["no end", () => ({ claims: { exp: undefined } })],
    ["an end in many years", () => ({ claims: { exp: seconds() + 10 * 365 * 86_400 } })],
    ["no name of its own", () => ({ claims: { jti: undefined } })],
    ["a text longer than any", () => ({ claims: { padding: "x".repeat(20_000) } })],
  ];
  test.each(forgeries)("one with %s opens nothing, and the code is not spent by it", async (_what, forgery) => {
    const { id, show } = await consented();
    const answer = await show(await assertionOf(id, await forgery(id)));
    expect([answer.status, (await answer.json<{ error: string }>()).error]).toEqual([401, "invalid_client"]);
    expect(asked.map(({ url }) => url).filter((url) => url !== id)).toEqual([]);
    expect((await show(await assertionOf(id))).status).toBe(200);
  });

  test("nor does a client that proves itself by its key get in without", async () => {
    const { id } = await consented();
    const answer = await tokenRequest({ grant_type: "authorization_code", code: "a.b:c:d", client_id: id });
    expect([answer.status, (await answer.json<{ error: string }>()).error]).toEqual([401, "invalid_client"]);
  });

  test.each(["/oauth/token", "/oauth/register"])("a request to %s that is larger than any is refused, whether or not it says how large it is", async (path) => {
    const form = `grant_type=refresh_token&client_id=x&refresh_token=${"x".repeat(path === "/oauth/token" ? 100_000 : 2_000_000)}`;
    const [type, body] = path === "/oauth/token" ? ["application/x-www-form-urlencoded", form] : ["application/json", JSON.stringify({ redirect_uris: [redirectUri], client_name: "x", tos_uri: form })];
    const inPieces = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const piece of body.match(/.{1,50000}/gs) ?? []) controller.enqueue(bytes(piece));
        controller.close();
      },
    });
    for (const sent of [body, inPieces]) {
      const answer = await SELF.fetch(`${origin}${path}`, { method: "POST", headers: { host: "localhost", "content-type": type }, body: sent });
      expect(answer.status, await answer.clone().text()).toBe(413);
      expect(await answer.json()).toMatchObject({ error: "invalid_request", error_description: expect.stringMatching(/too large/i) as string });
    }
  });
});
