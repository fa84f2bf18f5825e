import { beforeAll, describe, expect, test } from "vitest";
import { addMember, keyFor } from "../domain/tenancy/tenant.ts";
import { callTool } from "../support/mcp.ts";
import { directoryRows, memoryRows } from "../support/rows.ts";
import { connected, redirectUri } from "./oauth/client.ts";
import { allRoutes, bodies, isForKeys, isRest, isUnsafe, methodOf, pathOf, unsafeRoutes } from "./route-samples.ts";
import { Browser, newPerson, origin } from "./web/browser.ts";

type Headers = Record<string, string | null>;

/** What browsers say of requests that a page which is not ours causes. A foreign Origin alone is refused before any route is found. */
const foreign: [from: string, headers: Headers][] = [
  ["another site", { "sec-fetch-site": "cross-site", origin: "https://evil.example" }],
  ["another site, without an Origin", { "sec-fetch-site": "cross-site", origin: null }],
  ["a page without an origin", { "sec-fetch-site": "cross-site", origin: "null" }],
  ["another port of this machine", { "sec-fetch-site": "same-site", origin: "http://localhost:3000" }],
  ["another port of this machine, without an Origin", { "sec-fetch-site": "same-site", origin: null }],
  ["another port, by a browser without Sec-Fetch-Site", { "sec-fetch-site": null, origin: "http://localhost:3000" }],
  ["another site, by a browser without Sec-Fetch-Site", { "sec-fetch-site": null, origin: "https://evil.example" }],
  ["nowhere that it says", { "sec-fetch-site": null, origin: null }],
  ["the address bar", { "sec-fetch-site": "none", origin: null }],
  ["two places at once", { "sec-fetch-site": "same-origin", origin: "http://localhost:3000" }],
  ["two places at once, the other way round", { "sec-fetch-site": "cross-site", origin }],
];

/** Routes that look at no cookie, so that there is nothing to forge: a key, a token or a client's own proof counts. */
const cookieless = (route: string): boolean => /^[A-Z]+ \/(?:mcp|sse|oauth)(?:\/|$)/.test(route) || isForKeys(route);

/** Somebody with all that a forged request could change: a team with a member and an invitation, a key, a connected client, two sessions. */
async function victim() {
  const { browser, tenant, tokens, client } = await connected();
  const { teamId, ownerId } = tenant;
  const user = await addMember(teamId, "member");
  const key = await keyFor(tenant, ownerId);
  await callTool(key.token, "omn_store_memory", { key: "kept", content: "one" });
  const invited = await (await browser.json("POST", `/v1/teams/${teamId}/invitations`, { role: "viewer" })).json<{ invitation: { id: string }; token: string }>();
  const { link } = await newPerson();
  const ids: Record<string, string> = { team: teamId, teamId, user, keyId: key.keyId, provider: "idp", grantId: tokens.access_token.split(":")[1] ?? "" };
  const session = /action="\/sessions\/([^/]+)\/end"/.exec(await (await browser.get("/")).text())?.[1] ?? "";
  const forms: Record<string, Record<string, string>> = {
    "POST /authorize": { decision: "allow", handle: "x", session, team: teamId, scope: "memory:read" },
    "POST /invitation": { token: invited.token },
    "POST /keys": { name: "theirs", team: teamId, scope: "memory:admin", days: "90" },
    "POST /sign-in/link": { token: link },
    "POST /oauth/token": { grant_type: "refresh_token", refresh_token: "x", client_id: client.id },
  };
  const ask = (route: string, headers: Headers, by: Browser = browser): Promise<Response> => {
    const idOf = route.includes("/sessions/") ? session : route.includes("/invitations/") ? invited.invitation.id : crypto.randomUUID();
    const path = pathOf(route, { ...ids, id: idOf });
    if (isRest(route) || route.includes("passkey") || route.includes("/oauth/register")) {
      const body = route === "POST /oauth/register" ? { redirect_uris: [redirectUri], client_name: "forged", token_endpoint_auth_method: "none" } : bodies[route] ?? {};
      return by.json(methodOf(route), path, body === "" ? undefined : body, headers);
    }
    return methodOf(route) === "POST" ? by.post(path, forms[route] ?? {}, headers) : by.json(methodOf(route), path, undefined, headers);
  };
  return { tenant, browser, ask, rows: async () => [await directoryRows(), await memoryRows(teamId)] };
}

const isRefusedAsForeign = (text: string): boolean => /another site|Origin/.test(text);

describe("CSRF: a request that another site causes, with the person's cookies, on every unsafe route [A13] [S17]", () => {
  let person: Awaited<ReturnType<typeof victim>>;
  beforeAll(async () => void (person = await victim()));

  test.each(unsafeRoutes.filter((route) => !cookieless(route)))("%s is refused, and nothing changes", async (route) => {
    const before = await person.rows();
    for (const [from, headers] of foreign) {
      const answer = await person.ask(route, headers);
      const text = await answer.text();
      expect([answer.status, isRefusedAsForeign(text)], `from ${from}: ${text.slice(0, 200)}`).toEqual([403, true]);
      expect(answer.headers.getSetCookie()).toEqual([]);
    }
    expect(await person.rows()).toEqual(before);
  });

  test("none of them is refused to a page of our own", async () => {
    // What ends the session, or the account, comes last.
    const ends = (route: string): number => ["/end", "/sign-out", "DELETE /v1/teams/:team", "DELETE /v1/account"].findIndex((part) => route.includes(part));
    const { ask } = await victim();
    for (const route of unsafeRoutes.filter((each) => !cookieless(each)).sort((a, b) => ends(a) - ends(b))) {
      const answer = await ask(route, {});
      expect([isRefusedAsForeign(await answer.text()), answer.status < 500], route).toEqual([false, true]);
    }
  });

  test.each(unsafeRoutes.filter(cookieless))("%s looks at no cookie", async (route) => {
    const before = await person.rows();
    for (const headers of [{}, ...foreign.map(([, each]) => each)]) {
      const [withCookies, without] = [await person.ask(route, headers), await person.ask(route, headers, new Browser())];
      expect(withCookies.status).toBe(without.status);
      expect(withCookies.status).not.toBe(200);
      await Promise.all([withCookies.text(), without.text()]);
    }
    if (route !== "POST /oauth/register") expect(await person.rows()).toEqual(before);
  });

  test("no unsafe route answers to GET or HEAD, which links and images of other sites can send", async () => {
    const before = await person.rows();
    const only = unsafeRoutes.filter((route) => !cookieless(route) && !allRoutes.includes(`GET ${route.slice(route.indexOf(" ") + 1)}`));
    expect(only.length).toBeGreaterThan(20);
    for (const route of only) {
      const path = pathOf(route, { team: person.tenant.teamId });
      for (const headers of [{ "sec-fetch-site": "cross-site" }, { "sec-fetch-site": "none" }]) {
        expect([404, 405], route).toContain((await person.browser.get(path, { headers })).status);
        expect([404, 405], route).toContain((await person.browser.json("HEAD", path, undefined, headers)).status);
      }
    }
    expect(await person.rows()).toEqual(before);
  });

  test.each(allRoutes.filter((route) => !isUnsafe(route) && !cookieless(route)))("%s changes nothing when another site links to it", async (route) => {
    const before = await person.rows();
    const answer = await person.browser.get(pathOf(route, { team: person.tenant.teamId }), { headers: { "sec-fetch-site": "cross-site" } });
    await answer.text();
    expect(answer.status).toBeLessThan(500);
    const [directory, memories] = await person.rows();
    // Who takes an export with them is noted.
    expect([directory, { ...memories, audit: before[1]?.["audit"] }]).toEqual(before);
  });

  test("a page elsewhere cannot read an answer either: no route lets it by CORS with credentials", async () => {
    for (const route of allRoutes) {
      const path = pathOf(route, { team: person.tenant.teamId });
      for (const method of ["OPTIONS", methodOf(route)].filter((each) => each === "OPTIONS" || each === "GET")) {
        const answer = await person.browser.json(method, path, undefined, { "sec-fetch-site": "same-site", origin: "http://localhost:3000", "access-control-request-method": "POST" });
        await answer.body?.cancel();
        expect(answer.headers.get("access-control-allow-credentials"), route).toBeNull();
      }
    }
  });

  test("nor does saying of another method what one is help", async () => {
    const before = await person.rows();
    for (const name of ["x-http-method-override", "x-http-method", "x-method-override"]) {
      const answer = await person.browser.get(`/v1/teams/${person.tenant.teamId}`, { headers: { [name]: "DELETE", "sec-fetch-site": "cross-site" } });
      expect(answer.status).toBe(200);
      await answer.text();
    }
    expect(await person.rows()).toEqual(before);
  });
});
