import { describe, expect, test } from "vitest";
import { addMember, keyFor, newTenant } from "../domain/tenancy/tenant.ts";
import { callTool } from "../support/mcp.ts";
import { send } from "./raw.ts";
import { signedIn } from "./web/browser.ts";

describe("deleting a team [F3]", () => {
  test("by the owner's browser: every key is refused at once, the browser sees when it is erased, and restores it", async () => {
    const { tenant, browser } = await signedIn();
    const { token } = await keyFor(tenant, await addMember(tenant.teamId, "member"));
    await callTool(token, "omn_store_memory", { key: "a", content: "one" });
    const answer = await browser.json("DELETE", `/v1/teams/${tenant.teamId}`);
    const { erase_at } = await answer.json<{ erase_at: string }>();
    expect(Date.parse(erase_at) - Date.now()).toBeGreaterThan(29.9 * 86_400_000);
    expect((await callTool(token, "omn_memory_stats")).status).toBe(401);
    expect((await browser.json("PATCH", `/v1/teams/${tenant.teamId}`, { name: "x" })).status).toBe(404);
    const { teams } = await (await browser.json("GET", "/v1/teams")).json<{ teams: unknown[] }>();
    expect(teams).toMatchObject([{ id: tenant.teamId, erase_at }]);
    expect((await browser.json("POST", `/v1/teams/${tenant.teamId}/restore`)).status).toBe(200);
    expect((await callTool(token, "omn_retrieve_memory", { key: "a" })).structured["total_found"]).toBe(1);
    expect((await browser.json("POST", `/v1/teams/${tenant.teamId}/restore`)).status).toBe(404);
  });

  test("an organization likewise", async () => {
    const { tenant, browser } = await signedIn();
    const { token } = await keyFor(tenant, tenant.ownerId);
    expect((await browser.json("DELETE", `/v1/teams/${tenant.teamId}/organization`)).status).toBe(200);
    expect((await callTool(token, "omn_memory_stats")).status).toBe(401);
    expect((await browser.json("POST", `/v1/teams/${tenant.teamId}/organization/restore`)).status).toBe(200);
    expect((await callTool(token, "omn_memory_stats")).isError).toBe(false);
  });
});

describe("an account [F3]", () => {
  test("is exported team by team in a form that an import takes, and then deleted, with its sessions and keys", async () => {
    const { tenant, browser } = await signedIn();
    const { token } = await keyFor(tenant, tenant.ownerId);
    for (const i of [1, 2, 3]) await callTool(token, "omn_store_memory", { key: `k${i}`, content: `content ${i}` });
    await callTool(token, "omn_store_memory", { key: "k1", content: "content 1, again" });
    const account = await (await browser.json("GET", "/v1/account")).json<{ when_deleted: { export: string; fate: string }[] }>();
    expect(account.when_deleted).toMatchObject([{ id: tenant.teamId, fate: "erased" }]);

    const data = await (await browser.json("GET", account.when_deleted[0]?.export ?? "")).text();
    expect(data.trim().split("\n")).toHaveLength(3);
    const other = await newTenant();
    const { token: elsewhere } = await keyFor(other, other.ownerId);
    expect((await callTool(elsewhere, "omn_import_memories", { data, count: 3 })).structured).toMatchObject({ created: 3 });
    expect((await callTool(elsewhere, "omn_retrieve_memory", { key: "k1" })).structured["memories"]).toMatchObject([{ content: "content 1, again", version: 2 }]);

    expect((await browser.json("DELETE", "/v1/account", { confirm: "please" })).status).toBe(400);
    expect((await browser.json("DELETE", "/v1/account", { confirm: "delete my account" }, { "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect((await browser.json("DELETE", "/v1/account", { confirm: "delete my account" })).status).toBe(200);
    expect((await browser.json("GET", "/v1/account")).status).toBe(401);
    expect((await callTool(token, "omn_memory_stats")).status).toBe(401);
  });

  test("is nothing for a key, not even its own holder's", async () => {
    const tenant = await newTenant();
    const { token } = await keyFor(tenant, tenant.ownerId);
    expect((await send({ token, method: "DELETE", path: "/v1/account", body: { confirm: "delete my account" } })).status).toBe(403);
    expect((await send({ token, method: "GET", path: "/v1/account" })).status).toBe(403);
  });

  test("a key that may only write exports nothing", async () => {
    const tenant = await newTenant();
    const { token } = await keyFor(tenant, tenant.ownerId, ["memory:write"]);
    expect((await send({ token, method: "GET", path: `/v1/teams/${tenant.teamId}/export` })).status).toBe(403);
  });
});
