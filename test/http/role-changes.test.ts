import { describe, expect, test } from "vitest";
import type { Role } from "../../src/domain/tenancy/principal.ts";
import { catalogue } from "../../src/tools/catalogue.ts";
import { keyFor, newTenant, store } from "../domain/tenancy/tenant.ts";
import { sampleCalls, sampleMemory } from "../tools/samples.ts";
import { callTool } from "../support/mcp.ts";
import { memoryRows } from "../support/rows.ts";
import { type Connection, Session, SseSession } from "../support/sessions.ts";
import { OAuthClient } from "./oauth/client.ts";
import { send } from "./raw.ts";
import { signedIn } from "./web/browser.ts";

const stateless = async (): Promise<Connection> => ({
  async call(token, name, args) {
    const { status, error, text } = await callTool(token, name, args);
    return { status, text: error?.code ?? text };
  },
});

const connections: [how: string, open: (token: string) => Promise<Connection>][] = [
  ["each request by itself", stateless],
  ["a session", (token) => Session.open(token)],
  ["a session at /sse", (token) => Session.open(token, "/sse")],
  ["the stream of 2024-11-05", (token) => SseSession.open(token)],
];

/** A team of somebody else, in which a person has this role; and what its owner does to them. */
async function teamWith(role: Role) {
  const { browser, tenant: own } = await signedIn();
  const tenant = await newTenant();
  const userId = own.ownerId;
  await store.addMember({ teamId: tenant.teamId, userId, role }, Date.now());
  const owner = await keyFor(tenant, tenant.ownerId);
  const asOwner = async (method: string, path: string, body?: unknown): Promise<void> => {
    const answer = await send({ token: owner.token, method, path: `/v1/teams/${tenant.teamId}${path}`, body: body ?? "" });
    expect(answer.status, await answer.text()).toBe(200);
  };
  return {
    tenant, browser, userId, owner,
    key: (await keyFor(tenant, userId)).token,
    become: (to: Role) => asOwner("PATCH", `/members/${userId}`, { role: to }),
    remove: () => asOwner("DELETE", `/members/${userId}`),
  };
}

describe("a role downgraded mid-session [A13] [S17]", () => {
  test.each(connections)("by %s: what writes is refused from the next call on, by every tool; what reads is not", async (_how, open) => {
    const { tenant, key, become, owner } = await teamWith("member");
    const connection = await open(key);
    const { structured } = await callTool(owner.token, "omn_store_memory", { ...sampleMemory, metadata: { ...sampleMemory.metadata, scope: "shared" } });
    expect((await connection.call(key, "omn_store_memory", { key: "mine", content: "while I may" })).text).toContain("created");
    await become("viewer");
    const before = await memoryRows(tenant.teamId);
    for (const { name, annotations } of catalogue) {
      const { status, text } = await connection.call(key, name, sampleCalls(structured["memory_id"])[name]);
      expect(status).toBe(200);
      expect(text.includes("PERMISSION_DENIED"), name).toBe(!annotations.readOnlyHint);
    }
    const after = await memoryRows(tenant.teamId);
    // Reading is noted in the audit, and in the figures of what it saved.
    expect({ ...after, audit: before["audit"], prevention: before["prevention"] }).toEqual(before);
    await become("member");
    expect((await connection.call(key, "omn_store_memory", { key: "mine", content: "again" })).text).not.toContain("PERMISSION_DENIED");
    if (connection instanceof SseSession) await connection.close();
  });

  test.each(connections)("by %s: who is removed is out with the next call", async (_how, open) => {
    const { key, remove } = await teamWith("member");
    const connection = await open(key);
    expect((await connection.call(key, "omn_memory_stats")).status).toBe(200);
    await remove();
    expect((await connection.call(key, "omn_memory_stats")).status).toBe(401);
    if (connection instanceof SseSession) await connection.close();
  });

  test.each(connections)("by %s, with the token of a client as with a key", async (how, open) => {
    const { tenant, browser, become, remove } = await teamWith("member");
    const resource = `http://localhost/${/sse|stream/.test(how) ? "sse" : "mcp"}`;
    const { access_token } = await (await OAuthClient.registered()).tokens(browser, tenant.teamId, { resource });
    const connection = await open(access_token);
    expect((await connection.call(access_token, "omn_store_memory", { key: "k", content: "one" })).text).toContain("created");
    await become("viewer");
    expect((await connection.call(access_token, "omn_store_memory", { key: "k", content: "two" })).text).toContain("PERMISSION_DENIED");
    await remove();
    expect((await connection.call(access_token, "omn_memory_stats")).status).toBe(401);
    if (connection instanceof SseSession) await connection.close();
  });

  test("between preview and confirmation: an admin who is none any more erases nothing of others", async () => {
    const { tenant, key, become, owner } = await teamWith("admin");
    const { structured } = await callTool(owner.token, "omn_store_memory", { key: "theirs", content: "the owner's", metadata: { scope: "shared" } });
    const args = { id: structured["memory_id"], mode: "erase" };
    const preview = await callTool(key, "omn_forget_memory", args);
    expect(preview.structured["outcome"]).toBe("preview");
    await become("member");
    const before = (await memoryRows(tenant.teamId))["memories"];
    expect((await callTool(key, "omn_forget_memory", { ...args, confirm: preview.structured["confirm"] })).error?.code).toBe("PERMISSION_DENIED");
    expect((await memoryRows(tenant.teamId))["memories"]).toEqual(before);
  });

  test("in a browser that stays signed in: what an admin may is refused with the next request", async () => {
    const { tenant, browser, become, remove } = await teamWith("admin");
    const invite = async (): Promise<number> => (await browser.json("POST", `/v1/teams/${tenant.teamId}/invitations`, { role: "viewer" })).status;
    const makeKey = async (): Promise<number> => (await browser.post("/keys", { name: "k", team: tenant.teamId, scope: "memory:read" })).status;
    expect([await invite(), await makeKey()]).toEqual([201, 201]);
    await become("member");
    expect([await invite(), await makeKey()]).toEqual([403, 201]);
    await become("viewer");
    expect([await invite(), await makeKey()], "a key that reads").toEqual([403, 201]);
    await remove();
    expect([await invite(), await makeKey()]).toEqual([404, 404]);
  });

  test("an invitation that an admin made is worth nothing once they are none", async () => {
    const { tenant, browser, become } = await teamWith("admin");
    const { token } = await (await browser.json("POST", `/v1/teams/${tenant.teamId}/invitations`, { role: "admin" })).json<{ token: string }>();
    await become("member");
    expect((await (await signedIn()).browser.json("POST", "/v1/invitations/accept", { token })).status).toBe(404);
  });

  test("of the invitations of a former owner, those stay good that an admin may give, and none makes an owner, though it is listed until it ends", async () => {
    const { tenant, browser, become, owner } = await teamWith("owner");
    const [toOwner, toAdmin] = await Promise.all(["owner", "admin"].map(async (role) => (await browser.json("POST", `/v1/teams/${tenant.teamId}/invitations`, { role })).json<{ token: string }>()));
    await become("admin");
    const listed = await (await send({ token: owner.token, method: "GET", path: `/v1/teams/${tenant.teamId}/invitations` })).json<{ invitations: { role: string }[] }>();
    expect(listed.invitations.map(({ role }) => role).sort()).toEqual(["admin", "owner"]);
    const { browser: guest } = await signedIn();
    expect((await guest.get(`/invitation?token=${toOwner?.token}`)).status).toBe(404);
    expect((await guest.json("POST", "/v1/invitations/accept", { token: toOwner?.token })).status).toBe(404);
    expect((await guest.json("POST", "/v1/invitations/accept", { token: toAdmin?.token })).status).toBe(200);
  });
});

describe("session fixation at the MCP endpoint [A13]", () => {
  test("an id that somebody made up, or had once, opens no session", async () => {
    const { key, owner } = await teamWith("member");
    const session = await Session.open(key);
    for (const id of ["chosen-by-the-attacker", crypto.randomUUID(), session.id]) {
      const begun = await send({ token: owner.token, body: { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } } }, headers: { "mcp-method": null, "mcp-protocol-version": null, "mcp-session-id": id } });
      await begun.text();
      expect(begun.headers.get("mcp-session-id")).not.toBe(id);
    }
    expect((await session.call(owner.token, "omn_memory_stats")).status).toBe(404);
    expect((await session.call(key, "omn_memory_stats")).status).toBe(200);
  });
});
