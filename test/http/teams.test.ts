import { describe, expect, test } from "vitest";
import { createKey } from "../../src/domain/tenancy/keys.ts";
import { newBootstrapLink } from "../../src/domain/tenancy/sign-in-link.ts";
import { addMember, keyFor, newTenant, store } from "../domain/tenancy/tenant.ts";
import { callTool } from "../support/mcp.ts";
import { send } from "./raw.ts";
import { Browser, signedIn, signInStore } from "./web/browser.ts";

const rest = (token: string, method: string, path: string, body?: unknown) =>
  send({ token, method, path: `/v1/teams${path}`, ...(body === undefined ? { body: "" } : { body }) });

const withRole = async (role: "owner" | "admin" | "member" | "viewer") => {
  const tenant = await newTenant();
  const owner = await keyFor(tenant, tenant.ownerId);
  const userId = await addMember(tenant.teamId, role);
  return { tenant, owner, userId, ...(await keyFor(tenant, userId)) };
};

const json = (browser: Browser, method: string, path: string, body?: unknown, headers: Record<string, string | null> = {}) => browser.json(method, path, body, headers);

test("a team's name that would look like another one is refused, and one with an emoji is not", async () => {
  const { tenant, owner } = await withRole("member");
  const rename = async (name: string): Promise<number> => (await rest(owner.token, "PATCH", `/${tenant.teamId}`, { name })).status;
  expect([await rename("Core\u202egnp"), await rename("Co\u200bre"), await rename("Ops 👩‍🚀")]).toEqual([400, 400, 200]);
});

describe("what is changed in a team holds from the next MCP call on [F3] [S17]", () => {
  test("a removed member is refused at once, though their session knew them a moment ago", async () => {
    const { tenant, owner, userId, token } = await withRole("member");
    expect((await callTool(token, "omn_memory_stats")).isError).toBe(false);
    expect((await rest(owner.token, "DELETE", `/${tenant.teamId}/members/${userId}`)).status).toBe(200);
    expect((await callTool(token, "omn_memory_stats")).status).toBe(401);
  });

  test("a lower role holds at once: what a member could write, a viewer cannot", async () => {
    const { tenant, owner, userId, token } = await withRole("member");
    expect((await callTool(token, "omn_store_memory", { key: "a", content: "one" })).isError).toBe(false);
    expect((await rest(owner.token, "PATCH", `/${tenant.teamId}/members/${userId}`, { role: "viewer" })).status).toBe(200);
    expect((await callTool(token, "omn_store_memory", { key: "a", content: "two" })).error?.code).toBe("PERMISSION_DENIED");
    expect((await callTool(token, "omn_memory_stats")).isError).toBe(false);
  });

  test("and so does a higher one, and handing over the team", async () => {
    const { tenant, owner, userId, token } = await withRole("viewer");
    expect((await callTool(token, "omn_store_memory", { key: "a", content: "one" })).isError).toBe(true);
    await rest(owner.token, "POST", `/${tenant.teamId}/transfer`, { user_id: userId });
    expect((await callTool(token, "omn_store_memory", { key: "a", content: "one" })).isError).toBe(false);
    expect((await rest(owner.token, "POST", `/${tenant.teamId}/transfer`, { user_id: userId })).status).toBe(403);
  });

  test("who leaves is out, and nothing of what they read stays in their session", async () => {
    const { tenant, userId, token } = await withRole("member");
    await callTool(token, "omn_store_memory", { key: "a", content: "one" });
    expect((await rest(token, "DELETE", `/${tenant.teamId}/members/${userId}`)).status).toBe(200);
    expect((await callTool(token, "omn_memory_stats")).status).toBe(401);
  });
});

describe("teams by key [F3] [A13]", () => {
  test("a key sees the team it is for, and no other, not even of the same person", async () => {
    const { tenant, owner } = await withRole("member");
    const other = await newTenant();
    const listed = await (await rest(owner.token, "GET", "")).json<{ teams: { id: string; role: string }[] }>();
    expect(listed.teams).toMatchObject([{ id: tenant.teamId, role: "owner", name: "Core", organization: { name: "Acme" } }]);
    const answers = await Promise.all([other.teamId, "no-such-team"].map(async (id) => {
      const answer = await rest(owner.token, "GET", `/${id}/members`);
      const { error } = await answer.json<{ error: { message: string } }>();
      return [answer.status, error.message];
    }));
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]?.[0]).toBe(404);
  });

  test("without memory:admin it changes nothing", async () => {
    const { tenant, owner, userId } = await withRole("member");
    const { token } = await createKey(owner.ctx, { name: "weak", scopes: ["memory:read", "memory:write"] });
    const calls = [["PATCH", "", { name: "x" }], ["PATCH", "/organization", { name: "x" }], ["PATCH", `/members/${userId}`, { role: "viewer" }], ["DELETE", `/members/${userId}`, undefined], ["POST", "/transfer", { user_id: userId }]] as const;
    for (const [method, path, body] of calls) {
      const answer = await rest(token, method, `/${tenant.teamId}${path}`, body);
      expect(answer.status, path).toBe(403);
      expect(await answer.text()).toContain("memory:admin");
    }
    expect((await rest(token, "GET", `/${tenant.teamId}/members`)).status).toBe(200);
  });

  test("creates a team beside its own, and no organization", async () => {
    const { owner } = await withRole("member");
    const created = await (await rest(owner.token, "POST", "", { name: "Second" })).json<{ team: { id: string } }>();
    expect(created.team.id).toMatch(/^[0-9a-f-]{36}$/);
    expect((await send({ token: owner.token, method: "POST", path: "/v1/organizations", body: { name: "Mine" } })).status).toBe(403);
  });

  test.each([
    ["PATCH", "", { name: "" }],
    ["PATCH", "", { name: "x", colour: "red" }],
    ["PATCH", "", "not json"],
    ["POST", "/transfer", {}],
    ["PATCH", "/members/u", { role: "emperor" }],
  ])("%s %s with %j is a clear refusal", async (method, path, body) => {
    const { tenant, owner } = await withRole("member");
    const answer = await rest(owner.token, method, `/${tenant.teamId}${path}`, body);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { code: "VALIDATION_ERROR" } });
  });
});

describe("teams by browser [F3]", () => {
  test("the person sees all their teams and manages them", async () => {
    const { tenant, browser } = await signedIn();
    expect((await json(browser, "POST", "/v1/teams", { name: "Press" })).status).toBe(201);
    const made = await json(browser, "POST", "/v1/organizations", { name: "Lab" });
    expect(made.status).toBe(201);
    const { organization } = await made.json<{ organization: { id: string } }>();
    expect((await json(browser, "POST", "/v1/teams", { name: "Field", organization_id: organization.id })).status).toBe(201);
    const { teams } = await (await json(browser, "GET", "/v1/teams")).json<{ teams: { name: string }[] }>();
    expect(teams.map(({ name }) => name)).toEqual(["Core", "Press", "Lab", "Field"]);
    expect(await (await json(browser, "POST", "/v1/teams", { name: "Either" })).json()).toMatchObject({ error: { code: "VALIDATION_ERROR", message: expect.stringContaining("organization_id") as string } });
    expect((await json(browser, "PATCH", `/v1/teams/${tenant.teamId}`, { name: "Kernel" })).status).toBe(200);
  });

  test("without a cookie: 401; with one that comes along from another site, or from nowhere: 403", async () => {
    const { tenant, browser } = await signedIn();
    expect((await json(new Browser(), "GET", "/v1/teams")).status).toBe(401);
    const foreign = [
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { "sec-fetch-site": null, origin: null },
      { "sec-fetch-site": null, origin: "http://localhost:1" },
    ];
    for (const headers of foreign) {
      const answer = await json(browser, "PATCH", `/v1/teams/${tenant.teamId}`, { name: "Taken" }, headers);
      expect(answer.status, JSON.stringify(headers)).toBe(403);
    }
    const { team } = await (await json(browser, "GET", `/v1/teams/${tenant.teamId}`)).json<{ team: { name: string } }>();
    expect(team.name).toBe("Core");
  });

  test("a wrong key is not made good by a cookie", async () => {
    const { tenant, browser } = await signedIn();
    expect((await json(browser, "GET", `/v1/teams/${tenant.teamId}`, undefined, { authorization: "Bearer omn_wrong" })).status).toBe(401);
  });

  test("a team of others is as if it were not there", async () => {
    const { browser } = await signedIn();
    const other = await newTenant();
    expect((await json(browser, "GET", `/v1/teams/${other.teamId}/members`)).status).toBe(404);
    expect((await json(browser, "POST", "/v1/teams", { name: "x", organization_id: other.organizationId })).status).toBe(403);
  });

  test("a browser gets a key to each team of its person, and revokes it", async () => {
    const { browser } = await signedIn();
    const { team } = await (await json(browser, "POST", "/v1/organizations", { name: "Lab" })).json<{ team: { id: string } }>();
    const made = await json(browser, "POST", `/v1/teams/${team.id}/keys`, { name: "laptop", scopes: ["memory:read", "memory:write"] });
    expect(made.status).toBe(201);
    const { token, key } = await made.json<{ token: string; key: { key_id: string; team_id: string } }>();
    expect(key.team_id).toBe(team.id);
    expect((await callTool(token, "omn_store_memory", { key: "a", content: "one" })).isError).toBe(false);
    const listed = await (await json(browser, "GET", `/v1/teams/${team.id}/keys`)).json<{ keys: { key_id: string }[] }>();
    expect(listed.keys.map(({ key_id: id }) => id)).toEqual([key.key_id]);
    expect((await json(browser, "DELETE", `/v1/teams/${team.id}/keys/${key.key_id}`)).status).toBe(200);
    expect((await callTool(token, "omn_memory_stats")).status).toBe(401);
    expect((await json(browser, "POST", `/v1/teams/${(await newTenant()).teamId}/keys`, { name: "x", scopes: ["memory:read"] })).status).toBe(404);
  });

  test("who is in no team gets one of their own when they sign in, once", async () => {
    const userId = crypto.randomUUID();
    await store.createUser({ id: userId, name: "Linus" }, Date.now());
    const token = await newBootstrapLink(signInStore, userId, Date.now());
    const browser = new Browser();
    await browser.post("/sign-in/link", { token: token ?? "" });
    const teams = async () => (await (await json(browser, "GET", "/v1/teams")).json<{ teams: unknown[] }>()).teams;
    expect(await teams()).toMatchObject([{ name: "Linus", role: "owner", personal: true }]);
    const again = await newBootstrapLink(signInStore, userId, Date.now());
    await browser.post("/sign-in/link", { token: again ?? "" });
    expect(await teams()).toHaveLength(1);
  });
});
