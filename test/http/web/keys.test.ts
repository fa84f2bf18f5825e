import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { day, keyFor, newTenant, store } from "../../domain/tenancy/tenant.ts";
import { callTool } from "../../support/mcp.ts";
import { send } from "../raw.ts";
import { Browser, origin, signedIn } from "./browser.ts";

const home = async (browser: Browser): Promise<string> => (await browser.get("/")).text();
const tokenIn = (page: string): string => /<code>(omn_[\w-]+)<\/code>/.exec(page)?.[1] ?? "";
/** What names the form on this page. */
const pageOf = (html: string, action: string): string => html.split(`action="${action}"`)[1]?.match(/name="page" value="(\w{43})"/)?.[1] ?? "";
const keyIdOf = (token: string): string => token.slice(4, 20);
const form = (team: string, ...more: [string, string][]): [string, string][] => [["name", "laptop"], ["team", team], ["scope", "memory:read"], ["scope", "memory:write"], ["days", "90"], ...more];
const keyRows = async (userId: string): Promise<{ scopes: string; expires_at: number; created_at: number }[]> =>
  (await env.DB.prepare("select scopes, expires_at, created_at from api_keys where user_id = ?").bind(userId).all<{ scopes: string; expires_at: number; created_at: number }>()).results;

describe("keys on the account page [S17]", () => {
  test("a key is made, shown this once, works, and is listed without its secret", async () => {
    const { tenant, browser } = await signedIn();
    expect(await home(browser)).toContain('<option value="90" selected="">');
    const made = await browser.post("/keys", form(tenant.teamId));
    expect(made.status).toBe(201);
    expect(made.headers.get("cache-control")).toBe("no-store");
    expect(made.headers.get("content-security-policy")).not.toContain("script-src");
    const token = tokenIn(await made.text());
    expect((await callTool(token, "omn_store_memory", { key: "a", content: "one" })).isError).toBe(false);
    expect((await send({ token, method: "GET", path: "/v1/keys" })).status, "no memory:admin").toBe(403);
    const listed = await home(browser);
    expect(listed).toContain(`omn_${keyIdOf(token)}_…`);
    expect(listed).toContain("laptop");
    expect(listed).not.toContain(token.slice(21));
    const [row] = await keyRows(tenant.ownerId);
    expect(row).toMatchObject({ scopes: JSON.stringify(["memory:read", "memory:write"]) });
    expect((row?.expires_at ?? 0) - (row?.created_at ?? 0)).toBe(90 * day);
  });

  test("without saying for how long: 90 days", async () => {
    const { tenant, browser } = await signedIn();
    await browser.post("/keys", form(tenant.teamId).filter(([name]) => name !== "days"));
    const [row] = await keyRows(tenant.ownerId);
    expect((row?.expires_at ?? 0) - (row?.created_at ?? 0)).toBe(90 * day);
  });

  test("it is replaced, both working for a day, and revoked, from the next request on", async () => {
    const { tenant, browser } = await signedIn();
    const token = tokenIn(await (await browser.post("/keys", form(tenant.teamId))).text());
    const rotated = await browser.post(`/keys/${tenant.teamId}/${keyIdOf(token)}/rotate`);
    const successor = tokenIn(await rotated.text());
    expect([rotated.status, successor === token]).toEqual([201, false]);
    for (const each of [token, successor]) expect((await send({ token: each })).status).toBe(200);
    expect(await home(browser)).toContain("(replaced)");
    expect((await browser.post(`/keys/${tenant.teamId}/${keyIdOf(token)}/rotate`)).status, "again").toBe(409);
    const revoked = await browser.post(`/keys/${tenant.teamId}/${keyIdOf(successor)}/revoke`);
    expect([revoked.status, revoked.headers.get("location")]).toEqual([303, "/"]);
    expect((await send({ token: successor })).status).toBe(401);
    expect((await send({ token })).status).toBe(200);
    expect(await home(browser)).not.toContain(keyIdOf(successor));
  });

  test("a button that is pressed twice makes one key and shows it both times, at once and one after the other; another page makes another", async () => {
    const { tenant, browser } = await signedIn();
    const press = async (path: string, fields: [string, string][]) => {
      const answer = await browser.post(path, fields);
      return { status: answer.status, token: tokenIn(await answer.text()) };
    };
    const form1 = form(tenant.teamId, ["page", pageOf(await home(browser), "/keys")]);
    const [first, second] = await Promise.all([press("/keys", form1), press("/keys", form1)]);
    expect(first.token).toMatch(/^omn_[0-9A-Za-z]{16}_[0-9A-Za-z]{32}$/);
    expect([second, await press("/keys", form1)]).toEqual([first, first]);
    expect(first.status).toBe(201);
    expect((await callTool(first.token, "omn_memory_stats")).isError).toBe(false);
    expect(await keyRows(tenant.ownerId)).toHaveLength(1);

    const at = `/keys/${tenant.teamId}/${keyIdOf(first.token)}/rotate`;
    const form2: [string, string][] = [["page", pageOf(await home(browser), at)]];
    const [successor, again] = await Promise.all([press(at, form2), press(at, form2)]);
    expect([again, await press(at, form2)]).toEqual([successor, successor]);
    expect([successor.status, successor.token === first.token]).toEqual([201, false]);
    for (const { token } of [first, successor]) expect((await send({ token })).status).toBe(200);
    expect(await keyRows(tenant.ownerId)).toHaveLength(2);
    const audited = await env.DB.prepare("select action from audit where user_id = ? and action in ('key.create', 'key.rotate') order by id").bind(tenant.ownerId).all();
    expect(audited.results).toEqual([{ action: "key.create" }, { action: "key.rotate" }]);

    const other = await press("/keys", form(tenant.teamId, ["page", pageOf(await home(browser), "/keys")]));
    const renamed = await press("/keys", form1.map(([name, value]) => [name, name === "name" ? "desk" : value]));
    expect(new Set([first, successor, other, renamed].map(({ token }) => token)).size).toBe(4);
    await browser.post(`/keys/${tenant.teamId}/${keyIdOf(first.token)}/revoke`);
    expect(await press("/keys", form1), "what is revoked is not shown as a key").toEqual({ status: 409, token: "" });
    expect(await (await browser.post("/keys", form1)).text()).toContain("revoked since");
    await browser.post(`/keys/${tenant.teamId}/${keyIdOf(successor.token)}/revoke`);
    expect(await (await browser.post(at, form2)).text()).toContain("revoked since");
  });

  test("the same page in the hands of somebody else makes another key", async () => {
    const { tenant, browser } = await signedIn();
    const other = await signedIn();
    await store.addMember({ teamId: tenant.teamId, userId: other.tenant.ownerId, role: "member" }, 0);
    const fields = form(tenant.teamId, ["page", pageOf(await home(browser), "/keys")]);
    const tokens = await Promise.all([browser, other.browser].map(async (who) => tokenIn(await (await who.post("/keys", fields)).text())));
    expect(new Set(tokens).size).toBe(2);
    expect([await keyRows(tenant.ownerId), await keyRows(other.tenant.ownerId)].map((rows) => rows.length)).toEqual([1, 1]);
  });

  test("names are text, not markup", async () => {
    const { tenant, browser } = await signedIn();
    const fields = form(tenant.teamId).map(([name, value]): [string, string] => [name, name === "name" ? "<img src=x onerror=alert(1)>" : value]);
    const made = await (await browser.post("/keys", fields)).text();
    for (const page of [made, await home(browser)]) expect(page).not.toContain("<img");
  });

  test("every field of it has a label, and every button says which key it is about", async () => {
    const { tenant, browser } = await signedIn();
    await browser.post("/keys", form(tenant.teamId));
    const page = await home(browser);
    for (const id of ["key-name", "key-team", "key-days"]) expect(page).toContain(`<label for="${id}">`);
    expect(page).toContain('aria-label="Revoke the key laptop in Core"');
    expect(page).toContain('aria-label="Replace the key laptop in Core"');
  });
});

describe("what the forms refuse [S17] [A13]", () => {
  test("another site, nobody, another's team, another's key; and nothing was made or ended", async () => {
    const { tenant, browser } = await signedIn();
    const other = await newTenant();
    const theirs = await keyFor(other, other.ownerId);
    const mine = await keyFor(tenant, tenant.ownerId);
    const paths = ["/keys", `/keys/${tenant.teamId}/${mine.keyId}/rotate`, `/keys/${tenant.teamId}/${mine.keyId}/revoke`];
    for (const path of paths) {
      for (const headers of [{ "sec-fetch-site": "cross-site" }, { "sec-fetch-site": "same-site" }, { "sec-fetch-site": null, origin: null }, { origin: "http://localhost:1" }]) {
        expect((await browser.post(path, form(tenant.teamId), headers)).status, `${path} ${JSON.stringify(headers)}`).toBe(403);
      }
      expect((await new Browser().post(path, form(tenant.teamId))).headers.get("location")).toBe("/sign-in");
    }
    expect((await browser.post("/keys", form(other.teamId))).status).toBe(404);
    for (const act of ["rotate", "revoke"]) {
      expect((await browser.post(`/keys/${other.teamId}/${theirs.keyId}/${act}`)).status).toBe(404);
      expect((await browser.post(`/keys/${tenant.teamId}/${theirs.keyId}/${act}`)).status).toBe(404);
    }
    for (const { token } of [mine, theirs]) expect((await send({ token })).status).toBe(200);
    expect(await keyRows(tenant.ownerId)).toHaveLength(1);
    expect(await keyRows(other.ownerId)).toHaveLength(1);
  });

  test("a viewer's key reads only, and the form says so; one that only writes is none", async () => {
    const { tenant, browser } = await signedIn();
    const other = await newTenant();
    await store.addMember({ teamId: other.teamId, userId: tenant.ownerId, role: "viewer" }, 0);
    expect(await home(browser)).toMatch(new RegExp(`value="${other.teamId}">[^<]*\\(where you only read\\)`));
    expect((await browser.post("/keys", [["name", "w"], ["team", other.teamId], ["scope", "memory:write"]])).status).toBe(403);
    const token = tokenIn(await (await browser.post("/keys", form(other.teamId))).text());
    expect((await callTool(token, "omn_memory_stats")).isError).toBe(false);
    expect((await keyRows(tenant.ownerId)).map(({ scopes }) => scopes)).toEqual([JSON.stringify(["memory:read"])]);
  });

  test.each([
    ["no scope", (fields: [string, string][]) => fields.filter(([name]) => name !== "scope")],
    ["a scope that is none", (fields: [string, string][]) => [...fields, ["scope", "everything"] as [string, string]]],
    ["no name", (fields: [string, string][]) => fields.filter(([name]) => name !== "name")],
    ["a name too long", (fields: [string, string][]) => [["name", "x".repeat(101)] as [string, string], ...fields.slice(1)]],
    ["ten years", (fields: [string, string][]) => fields.map(([name, value]): [string, string] => [name, name === "days" ? "3650" : value])],
    ["no team", (fields: [string, string][]) => fields.filter(([name]) => name !== "team")],
  ])("%s: a page that says what is wrong", async (_what, change) => {
    const { tenant, browser } = await signedIn();
    const answer = await browser.post("/keys", change(form(tenant.teamId)));
    expect(answer.status).toBe(400);
    expect(answer.headers.get("content-type")).toContain("text/html");
    expect(await keyRows(tenant.ownerId)).toHaveLength(0);
  });

  test("what is refused comes back in its form as it was filled in", async () => {
    const { tenant, browser } = await signedIn();
    const refused = await (await browser.post("/keys", [["name", 'my "laptop"'], ["team", tenant.teamId], ["days", "7"], ["page", "x"]])).text();
    expect(refused).toContain("Choose what the key may do.");
    expect(refused).toContain('value="my &quot;laptop&quot;"');
    expect(refused).toMatch(new RegExp(`value="${tenant.teamId}" selected=""`));
    expect(refused).toContain('<option value="7" selected="">');
    expect(refused.match(/<input type="checkbox"[^>]*>/g)).toEqual(["read", "write", "admin"].map((scope) => `<input type="checkbox" name="scope" value="memory:${scope}"/>`));
    expect(await (await browser.post("/keys", [["name", " "], ["scope", "memory:admin"]])).text()).toMatch(/Give it a name\.[^]*value="memory:admin" checked=""/);
  });

  test("a form of another kind, or a huge one, is none", async () => {
    const { browser } = await signedIn();
    expect((await browser.json("POST", "/keys", { name: "x" })).status).toBe(400);
    expect((await browser.post("/keys", { name: "x".repeat(20_000) }, { origin })).status).toBe(413);
  });
});
