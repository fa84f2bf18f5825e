import { beforeAll, describe, expect, test } from "vitest";
import { newBootstrapLink } from "../../src/domain/tenancy/sign-in-link.ts";
import { connected, type OAuthClient, origin } from "./oauth/client.ts";
import { send } from "./raw.ts";
import { allRoutes, bodies, isRest, isUnsafe, methodOf, pathOf } from "./route-samples.ts";
import { Browser, signInStore } from "./web/browser.ts";

let browser: Browser;
let team: string;
let client: OAuthClient;
let key: string;
let queries: Record<string, string>;

beforeAll(async () => {
  const person = await connected();
  ({ browser, team, client } = person);
  const made = await (await browser.json("POST", `/v1/teams/${team}/keys`, { name: "k", scopes: ["memory:read"] })).json<{ token: string }>();
  key = made.token;
  const invited = await (await browser.json("POST", `/v1/teams/${team}/invitations`, { role: "viewer" })).json<{ token: string }>();
  queries = {
    "GET /authorize": (await client.authorizePath()).split("?")[1] ?? "",
    "GET /invitation": `token=${invited.token}`,
    "GET /sign-in/link": `token=${(await newBootstrapLink(signInStore, person.tenant.ownerId, Date.now())) ?? "x"}`,
  };
});

const address = (route: string): string => `${pathOf(route, { team })}${queries[route] === undefined ? "" : `?${queries[route]}`}`;

function ask(route: string, by: Browser, headers: Record<string, string | null> = {}): Promise<Response> {
  if (!isUnsafe(route)) return by.get(address(route), { headers });
  return isRest(route) ? by.json(methodOf(route), address(route), bodies[route] || undefined, headers) : by.post(address(route), {}, headers);
}

/** As who signed in, as a stranger, from another site, and under another name of the machine. */
const visits: [how: string, ask: (route: string) => Promise<Response>][] = [
  ["a stranger", (route) => ask(route, new Browser())],
  ["another site", (route) => ask(route, browser, { "sec-fetch-site": "cross-site" })],
  ["another name of this machine", (route) => new Browser().get(`http://127.0.0.1${address(route)}`, { headers: { host: "127.0.0.1" } })],
  ["a program with a key", (route) => send({ token: key, method: methodOf(route), path: address(route), body: {} })],
];

describe("clickjacking: headers of every route [S11] [A13]", () => {
  const pages = new Set<string>();

  async function check(answer: Response): Promise<void> {
    const headers = Object.fromEntries(answer.headers);
    const html = headers["content-type"]?.startsWith("text/html") === true;
    await answer.body?.cancel();
    expect(headers).toMatchObject({
      "content-security-policy": expect.stringMatching(/default-src 'none'.*frame-ancestors 'none'/) as string,
      "x-frame-options": html ? "DENY" : expect.stringMatching(/DENY|SAMEORIGIN/) as string,
      "x-content-type-options": "nosniff",
      "referrer-policy": expect.stringMatching(/^(?:no-referrer|same-origin)$/) as string,
      "cross-origin-resource-policy": "same-origin",
      "strict-transport-security": expect.stringContaining("max-age=") as string,
    });
    if (!html) return;
    const policy = headers["content-security-policy"] ?? "";
    expect(policy).toContain("base-uri 'none'");
    expect(policy).not.toMatch(/unsafe-inline|unsafe-eval|\*|https?:|data:/);
    expect(headers["cache-control"]).toBe("no-store");
  }

  test.each(allRoutes)("%s may be framed by nobody, whoever asks", async (route) => {
    for (const [, visit] of visits) await check(await visit(route));
    if (isUnsafe(route)) return;
    const answer = await ask(route, browser);
    if (answer.headers.get("content-type")?.startsWith("text/html") === true) pages.add(route);
    await check(answer);
  });

  test("the pages among them were seen as pages", () => {
    expect([...pages].sort()).toEqual(["GET /", "GET /authorize", "GET /claim/:team/:token", "GET /invitation", "GET /memories/:team", "GET /memories/:team/:id", "GET /memories/:team/proposals", "GET /sign-in/callback/:provider", "GET /sign-in/link", "GET /teams/:team"]);
  });

  test("what is there for nobody, what is wrong, and what is a fault are no exception", async () => {
    for (const path of ["/nothing", "/sign-in/nothing", "/sessions/", "/v1/", "/.well-known/x", "/%2e%2e/", "/%00"]) await check(await browser.get(path));
  });
});

describe("open redirect: where any route may lead [A13]", () => {
  const elsewhere = ["https://evil.example/", "//evil.example/", "/\\evil.example", "\\\\evil.example"];
  const names = ["next", "return_to", "returnTo", "redirect", "redirect_to", "url", "continue", "goto", "dest", "target", "r"];
  const query = (to: string): string => names.map((name) => `${name}=${encodeURIComponent(to)}`).join("&");

  const expectHere = (answer: Response): void => {
    const location = answer.headers.get("location");
    if (location !== null) expect(new URL(location, origin).origin, location).toBe(origin);
    expect(answer.headers.get("refresh")).toBeNull();
  };

  test.each(allRoutes.filter((route) => !isUnsafe(route)))("%s leads nowhere else, whatever its query and headers say", async (route) => {
    for (const to of elsewhere) {
      for (const by of [new Browser(), browser]) {
        const answer = await by.get(`${pathOf(route, { team })}?${query(to)}`, { headers: { referer: to, "x-forwarded-host": "evil.example", "x-original-url": to } });
        expectHere(answer);
        expect(await answer.text()).not.toMatch(/href="[^"]*evil\.example|url=[^"]*evil\.example/);
      }
    }
  });

  test("nor do addresses that begin like another host, under whatever name of the machine", async () => {
    for (const path of ["//evil.example/", "//evil.example/sign-in", "/\\evil.example/", "/%2f%2fevil.example", "/sign-in/..//evil.example", "/sign-in//evil.example", "/@evil.example", "/.evil.example"]) {
      for (const host of ["localhost", "127.0.0.1"]) {
        const answer = await new Browser().get(`http://${host}${path}`, { headers: { host } });
        expectHere(answer);
        await answer.body?.cancel();
      }
    }
  });

  test.each(["POST /sign-out", "POST /sign-in/link", "POST /sessions/:id/end", "POST /keys", "POST /invitation", "POST /memories/:team/:id", "POST /memories/:team/:id/archive", "POST /memories/:team/proposals/:id/accept", "POST /teams/:team/leave", "POST /teams/:team/members/:id/role", "POST /teams/:team/invitations", "POST /claim/:team/:token"])("%s leads nowhere else, whatever its form says", async (route) => {
    const visitor = new Browser();
    const answer = await visitor.post(`${pathOf(route)}?${query("//evil.example")}`, Object.fromEntries(names.map((name) => [name, "https://evil.example"])));
    expectHere(answer);
    expect(await answer.text()).not.toContain("evil.example");
  });
});

describe("header spoofing: no header but Authorization and the cookie says who asks, and none but Host where [S6] [A13]", () => {
  const spoofed = {
    "x-forwarded-host": "evil.example", "x-forwarded-proto": "gopher", "x-forwarded-for": "203.0.113.9", forwarded: "for=203.0.113.9;host=evil.example;proto=gopher", "x-host": "evil.example",
    "x-original-host": "evil.example", "x-original-url": "/v1/account", "x-rewrite-url": "/v1/account", "x-real-ip": "203.0.113.9", "x-forwarded-prefix": "/evil.example",
  };
  const whose = (userId: string, teamId: string): Record<string, string> => ({
    "x-user-id": userId, "x-team-id": teamId, "x-tenant-id": teamId, "x-organization-id": teamId, "x-memory-user-id": userId, "x-omnimemory-user": userId, "x-omnimemory-team": teamId,
    "x-omnimemory-principal": JSON.stringify({ userId, teamId, role: "owner", scopes: ["memory:admin"] }), "x-role": "owner", "x-scopes": "memory:admin", "cf-access-authenticated-user-email": "ada@example.com",
    "x-authenticated-user": userId, "x-remote-user": userId, "remote-user": userId, "x-api-key": key, "x-auth-token": key, "proxy-authorization": `Bearer ${key}`,
  });

  test.each(allRoutes.filter((route) => !/\/(?:health|style\.css|passkey\.js)$|oauth\/register|sign-in\/passkey/.test(route)))("%s", async (route) => {
    const victim = await connectedOnce();
    const path = pathOf(route, { team: victim.team });
    const body = isUnsafe(route) ? {} : undefined;
    const plain = await send({ method: methodOf(route), path, body });
    const forged = await send({ method: methodOf(route), path, body, headers: { ...spoofed, ...whose(victim.tenant.ownerId, victim.team) } });
    const [expected, text] = await Promise.all([plain.text(), forged.text()]);
    expect(forged.status).toBe(plain.status);
    expect([forged.headers.get("location"), forged.headers.get("www-authenticate")]).toEqual([plain.headers.get("location"), plain.headers.get("www-authenticate")]);
    const bare = (answer: string): string => answer.replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|"timestamp":"[^"]*"/g, "");
    expect(bare(text)).toBe(bare(expected));
    expect(text).not.toContain("evil.example");
  });

  test("a link that is made to be sent on names this server, whatever proxy the request pretends to have passed", async () => {
    const answer = await browser.json("POST", `/v1/teams/${team}/invitations`, { role: "viewer" }, spoofed);
    expect((await answer.json<{ url: string }>()).url).toMatch(/^http:\/\/localhost\/invitation\?token=/);
  });

  let once: Promise<Awaited<ReturnType<typeof connected>>> | undefined;
  const connectedOnce = (): NonNullable<typeof once> => (once ??= connected());
});
