import { SELF } from "cloudflare:test";
import { beforeAll, describe, expect, test } from "vitest";
import { newBootstrapLink } from "../../src/domain/tenancy/sign-in-link.ts";
import { keyFor } from "../domain/tenancy/tenant.ts";
import { directoryRows } from "../support/rows.ts";
import { connected, OAuthClient, origin } from "./oauth/client.ts";
import { send } from "./raw.ts";
import { Browser, signInStore } from "./web/browser.ts";

let person: Awaited<ReturnType<typeof connected>>;
let client: OAuthClient;
let key: string;
let good: Record<string, string>;

beforeAll(async () => {
  person = await connected();
  client = await OAuthClient.registered();
  key = (await keyFor(person.tenant, person.tenant.ownerId)).token;
  good = {
    "an API key": key,
    "an access token": person.tokens.access_token,
    "a refresh token": person.tokens.refresh_token,
    "a session's cookie": person.browser.cookies.get("__Host-session") ?? "",
    "a link's token": (await newBootstrapLink(signInStore, person.tenant.ownerId, Date.now())) ?? "",
  };
});

const form = (fields: Record<string, string>): Promise<Response> =>
  SELF.fetch(`${origin}/oauth/token`, { method: "POST", headers: { host: "localhost", "content-type": "application/x-www-form-urlencoded" }, body: new URLSearchParams(fields).toString() });

const withCookie = (path: string, name: string) => (token: string) => new Browser().get(path, { headers: { cookie: `${name}=${encodeURIComponent(token)}` } });

/** Everywhere a token is shown, whose it may be, and how it is refused. */
const places: [where: string, show: (token: string) => Promise<Response>, takes: string[], refused: number[]][] = [
  ["as Bearer at /mcp", (token) => send({ token }), ["an API key", "an access token"], [401]],
  ["as Bearer at /sse", (token) => send({ token, path: "/sse" }), ["an API key"], [401]],
  ["as Bearer at /v1/keys", (token) => send({ token, method: "GET", path: "/v1/keys" }), ["an API key"], [401]],
  ["as Bearer at /v1/teams", (token) => send({ token, method: "GET", path: "/v1/teams" }), ["an API key"], [401]],
  ["as the cookie of a session at /v1/teams", withCookie("/v1/teams", "__Host-session"), ["a session's cookie"], [401]],
  ["as the cookie of a session at /", withCookie("/", "__Host-session"), ["a session's cookie"], [302]],
  ["as the cookie of a sign-in elsewhere", withCookie("/sign-in/callback/idp?code=c&state=s", "__Host-upstream"), [], [403]],
  ["as the token of a link", (token) => new Browser().post("/sign-in/link", { token }), ["a link's token"], [403]],
  ["as the token of an invitation", (token) => person.browser.post("/invitation", { token }), [], [404]],
  ["as the token of an invitation, by REST", (token) => person.browser.json("POST", "/v1/invitations/accept", { token }), [], [400, 404]],
  ["as a code", (code) => client.exchange(code), [], [400]],
  ["as a refresh token", (token) => client.refresh(token), [], [400]],
  ["as the handle of a consent", (handle) => person.browser.post("/authorize", { handle, session: "x", decision: "allow" }), [], [403]],
];

const b64 = (value: unknown): string => btoa(JSON.stringify(value)).replaceAll("=", "").replaceAll("+", "-").replaceAll("/", "_");
const claims = (): Record<string, unknown> => ({ iss: origin, sub: `${person.tenant.ownerId}.${person.team}`, aud: `${origin}/mcp`, scope: "memory:admin", exp: 4_000_000_000 });
const jwt = (header: unknown, body: unknown, signature = "AAAA"): string => `${b64(header)}.${b64(body)}.${signature}`;

/** Tokens that nobody issued. Headers cannot carry what is no ASCII; there it is refused by who sends it. */
const shapes: [what: string, token: () => string][] = [
  ["alg:none", () => jwt({ alg: "none" }, claims(), "")],
  ["alg:None with a type", () => jwt({ alg: "None", typ: "at+jwt" }, claims(), "")],
  ["a key confusion: HMAC with what is public", () => jwt({ alg: "HS256", kid: "../../../dev/null" }, claims())],
  ["a key confusion: a key of its own", () => jwt({ alg: "RS256", jwk: { kty: "RSA", n: "AQAB", e: "AQAB" }, jku: "https://evil.example/jwks" }, claims())],
  ["future-dated", () => jwt({ alg: "RS256" }, { ...claims(), iat: 4_000_000_000, nbf: 4_000_000_000 })],
  ["oversize: 8 KB", () => "x".repeat(8_000)],
  ["oversize: an API key that goes on", () => `${key}${"0".repeat(7_000)}`],
  ["oversize: an access token that goes on", () => `${person.tokens.access_token}${"A".repeat(7_000)}`],
  ["oversize: parts without end", () => "a:".repeat(3_000)],
  ["SQL", () => "'/**/or/**/1=1--"],
  ["a wildcard", () => "%"],
  ["a path", () => "../../etc/passwd"],
  ["the name of an object's own property", () => "__proto__"],
  ["one letter", () => "x"],
];

describe("oversize, future-dated, alg:none and key-confusion tokens, wherever a token is shown [A13] [S7]", () => {
  test.each(places)("%s: refused like any that nobody issued, and nothing changes", async (_where, show, _takes, statuses) => {
    const reference = await show("y".repeat(43));
    const message = bare(await reference.text());
    expect(statuses).toContain(reference.status);
    const before = await directoryRows();
    for (const [what, token] of shapes) {
      const answer = await show(token());
      expect(statuses, what).toContain(answer.status);
      const text = bare(await answer.text());
      if (answer.status === reference.status) expect(text, what).toBe(message);
      expect(text).not.toMatch(/at .*\.tsx?:|SQLITE|D1_ERROR/);
      expect(answer.headers.getSetCookie().join(), what).not.toMatch(/__Host-session=[^;]/);
    }
    expect(await directoryRows()).toEqual(before);
  });

  test.each(places)("%s: a good token of another kind is none", async (_where, show, takes, statuses) => {
    for (const [kind, token] of Object.entries(good).filter(([each]) => !takes.includes(each))) {
      const answer = await show(token);
      expect(statuses, kind).toContain(answer.status);
      await answer.body?.cancel();
    }
  });

  test("each of the good ones was one", async () => {
    expect((await send({ token: key })).status).toBe(200);
    expect((await person.client.refresh(good["a refresh token"] ?? "")).status).toBe(200);
    expect((await person.browser.get("/")).status).toBe(200);
    expect((await new Browser().post("/sign-in/link", { token: good["a link's token"] ?? "" })).status).toBe(303);
  });

  test("a token in the address, a form or a cookie instead of the header opens nothing", async () => {
    const { access_token } = person.tokens;
    for (const token of [key, access_token]) {
      for (const name of ["access_token", "token", "api_key", "key"]) {
        expect((await send({ path: `/mcp?${name}=${encodeURIComponent(token)}` })).status, name).toBe(401);
        expect((await send({ method: "GET", path: `/v1/teams?${name}=${encodeURIComponent(token)}` })).status, name).toBe(401);
        expect((await send({ headers: { cookie: `${name}=${encodeURIComponent(token)}` } })).status, name).toBe(401);
      }
    }
    expect((await form({ access_token: key })).status).toBe(401);
  });
});

/** The authorization server says more of a grant whose id, which nobody guesses, was named. */
const bare = (text: string): string => text.replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|"timestamp":"[^"]*"|"error_description":"[^"]*"/g, "");
