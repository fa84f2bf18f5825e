import { describe, expect, test } from "vitest";
import { createKey, rotateKey } from "../../src/domain/tenancy/keys.ts";
import { scopes } from "../../src/domain/tenancy/principal.ts";
import { addMember, keyFor, newTenant, store } from "../domain/tenancy/tenant.ts";
import { callTool } from "../support/mcp.ts";
import { send } from "./raw.ts";

const owner = async () => {
  const tenant = await newTenant();
  return { tenant, ...(await keyFor(tenant, tenant.ownerId)) };
};

async function refusal(headers: Record<string, string>): Promise<{ status: number; challenge: string | null; code: string; message: string }> {
  const answer = await send({ headers });
  const { error } = await answer.json<{ error: { code: string; message: string } }>();
  return { status: answer.status, challenge: answer.headers.get("www-authenticate"), code: error.code, message: error.message };
}
const bearer = (token: string) => refusal({ authorization: `Bearer ${token}` });

const rest = (token: string, method: string, path: string, body?: unknown) =>
  send({ token, method, path: `/v1/keys${path}`, ...(body === undefined ? { body: "" } : { body }) });

describe("who may come in [S11] [S17] [A13]", () => {
  test.each([
    ["no header", {}],
    ["another scheme", { authorization: "Basic b21uOnRlc3Q=" }],
    ["an empty token", { authorization: "Bearer " }],
    ["two tokens", { authorization: "Bearer omn_a omn_b" }],
  ])("%s: 401, and how to send a key", async (_name, headers) => {
    expect(await refusal(headers)).toEqual({
      status: 401, challenge: expect.stringMatching(/^Bearer /), code: "INVALID_SESSION", message: expect.stringContaining("Authorization: Bearer omn_"),
    });
  });

  test("malformed, unknown, mistyped, expired and revoked keys: 401 with one and the same text", async () => {
    const { tenant, token, keyId, ctx } = await owner();
    const expired = await keyFor(tenant, tenant.ownerId, scopes, Date.now() + 30);
    await new Promise((resolve) => setTimeout(resolve, 40));
    const revoked = await createKey(ctx, { name: "lost" });
    await send({ token, method: "DELETE", path: `/v1/keys/${revoked.key.keyId}`, body: "" });
    const answers = await Promise.all(
      [
        "omn_nothing",
        `omn_${"x".repeat(16)}_${"y".repeat(32)}`,
        `omn_${keyId}_${"y".repeat(32)}`,
        `${token}x`,
        expired.token,
        revoked.token,
      ].map(bearer),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]).toEqual({
      status: 401, challenge: expect.stringMatching(/^Bearer /), code: "INVALID_SESSION", message: expect.stringMatching(/mistyped, expired or revoked/),
    });
    expect((await send({ token })).status).toBe(200);
  });

  test("a key that worked a moment ago does not once it is revoked", async () => {
    const { token, ctx } = await owner();
    const spare = await createKey(ctx, { name: "spare" });
    expect((await callTool(spare.token, "omn_memory_stats")).isError).toBe(false);
    expect((await rest(token, "DELETE", `/${spare.key.keyId}`)).status).toBe(200);
    expect(await bearer(spare.token)).toMatchObject({ status: 401 });
  });

  test("a key whose secret is not its own does not get in by the way its owner came", async () => {
    const { token, keyId } = await owner();
    expect((await send({ token })).status).toBe(200);
    expect(await bearer(`omn_${keyId}_${"z".repeat(32)}`)).toMatchObject({ status: 401 });
  });

  test("the scheme may be written in any case", async () => {
    const { token } = await owner();
    expect((await send({ headers: { authorization: `bearer ${token}` } })).status).toBe(200);
  });
});

describe("rotation with grace [S17] [A13]", () => {
  test("both keys work during the grace period, and only the new one after it", async () => {
    const rotated = async (graceMs: number): Promise<{ old: string; successor: string }> => {
      const { token, keyId } = await owner();
      const answer = await rest(token, "POST", `/${keyId}/rotate`, { grace_hours: graceMs / 3_600_000 });
      expect(answer.status).toBe(201);
      return { old: token, successor: (await answer.json<{ token: string }>()).token };
    };
    const during = await rotated(3_600_000);
    for (const token of [during.old, during.successor]) expect((await send({ token })).status).toBe(200);
    const after = await rotated(200);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await send({ token: after.old })).status).toBe(401);
    expect((await send({ token: after.successor })).status).toBe(200);
  });

  test("without grace the old key is refused at once, though the session knew it", async () => {
    const { token, keyId, ctx } = await owner();
    const admin = await createKey(ctx, { name: "admin" });
    expect((await send({ token })).status).toBe(200);
    expect((await rest(admin.token, "POST", `/${keyId}/rotate`, { grace_hours: 0 })).status).toBe(201);
    expect((await send({ token })).status).toBe(401);
  });

  test("the successor has the scopes of its predecessor", async () => {
    const { ctx } = await owner();
    const reader = await createKey(ctx, { name: "reader", scopes: ["memory:read"] });
    const { token } = await rotateKey({ ...ctx, now: Date.now() }, { keyId: reader.key.keyId });
    expect(await callTool(token, "omn_store_memory", { key: "k", content: "c" })).toMatchObject({ isError: true, error: { code: "PERMISSION_DENIED" } });
  });
});

describe("a key that may only read [S17]", () => {
  test.each([
    ["make a key", "POST", () => "", { name: "more", scopes: ["memory:read"] }],
    ["list keys", "GET", () => "", undefined],
    ["rotate itself", "POST", (keyId: string) => `/${keyId}/rotate`, {}],
    ["revoke itself", "DELETE", (keyId: string) => `/${keyId}`, undefined],
  ])("cannot %s", async (_what, method, path, body) => {
    const { tenant } = await owner();
    const reader = await keyFor(tenant, tenant.ownerId, ["memory:read"]);
    const answer = await rest(reader.token, method, path(reader.keyId), body);
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain("memory:admin");
    expect((await send({ token: reader.token })).status).toBe(200);
  });
});

describe("membership [S17]", () => {
  test("a viewer's key reads and never writes, whatever scopes it has", async () => {
    const { tenant, token } = await owner();
    await callTool(token, "omn_store_memory", { key: "shared.fact", content: "The sky is blue.", metadata: { scope: "shared" } });
    const viewer = await keyFor(tenant, await addMember(tenant.teamId, "viewer"));
    expect((await callTool(viewer.token, "omn_retrieve_memory", { key: "shared.fact" })).structured["total_found"]).toBe(1);
    expect((await callTool(viewer.token, "omn_update_memory", { key: "shared.fact", content: "Green." })).error?.code).toBe("PERMISSION_DENIED");
  });

  test("who became a viewer lists their own keys, makes ones that read, and revokes those that wrote", async () => {
    const { tenant, token, keyId } = await owner();
    const memberId = await addMember(tenant.teamId, "member");
    const [manager, writer] = [await keyFor(tenant, memberId), await keyFor(tenant, memberId)];
    await send({ token, method: "PATCH", path: `/v1/teams/${tenant.teamId}/members/${memberId}`, body: { role: "viewer" } });
    const { keys } = await (await rest(manager.token, "GET", "")).json<{ keys: { key_id: string }[] }>();
    expect(new Set(keys.map(({ key_id }) => key_id))).toEqual(new Set([manager.keyId, writer.keyId]));
    expect((await rest(manager.token, "DELETE", `/${keyId}`)).status).toBe(404);
    expect((await rest(manager.token, "DELETE", `/${writer.keyId}`)).status).toBe(200);
    expect((await send({ token: writer.token })).status).toBe(401);
    expect((await rest(manager.token, "POST", "", { name: "w", scopes: ["memory:write"] })).status).toBe(403);
    expect((await rest(manager.token, "POST", "", { name: "r", scopes: ["memory:read"] })).status).toBe(201);
  });

  test("the key of someone who left the team no longer opens anything", async () => {
    const { tenant } = await owner();
    const memberId = await addMember(tenant.teamId, "member");
    const { token } = await keyFor(tenant, memberId);
    await store.removeMember(tenant.teamId, memberId);
    expect((await send({ token })).status).toBe(401);
  });
});

describe("keys per person uncapped", () => {
  test("a person has 25 keys to a team that work, however many are asked for at once; one that is revoked makes room", async () => {
    const { token, tenant } = await owner();
    const create = () => rest(token, "POST", "", { name: "more", scopes: ["memory:read"] });
    const statuses = (await Promise.all(Array.from({ length: 30 }, create))).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201), "the first is the one that asks").toHaveLength(24);
    const refused = await create();
    expect([refused.status, await refused.json()]).toEqual([409, { error: expect.objectContaining({ code: "CONFLICT", message: expect.stringContaining("25 keys") as string }) }]);

    const member = await addMember(tenant.teamId, "member");
    expect((await send({ token: (await keyFor(tenant, member)).token, method: "POST", path: "/v1/keys", body: { name: "k", scopes: ["memory:read"] } })).status, "another person's").toBe(201);

    const { keys } = await (await rest(token, "GET", "")).json<{ keys: { key_id: string; name: string }[] }>();
    await rest(token, "DELETE", `/${keys.find(({ name }) => name === "more")?.key_id}`);
    expect((await create()).status).toBe(201);
  });

  test("rotating again and again, with the longest grace, ends at 50 that work", async () => {
    const { token, keyId } = await owner();
    let last = keyId;
    let rotated = 0;
    for (let i = 0; i < 60; i += 1) {
      const answer = await rest(token, "POST", `/${last}/rotate`, { grace_hours: 168 });
      if (answer.status !== 201) break;
      last = (await answer.json<{ key: { key_id: string } }>()).key.key_id;
      rotated += 1;
    }
    expect(rotated).toBe(49);
  });
});

describe("the name of a key [S17]", () => {
  test.each([["a line break", "a\nb"], ["a sign that turns the direction of writing", "\u202e"], ["a sign of no width", "work\u200b"], ["white space alone", " "]])("has none of what nobody can see: %s", async (_name, name) => {
    const { token } = await owner();
    expect((await rest(token, "POST", "", { name, scopes: ["memory:read"] })).status).toBe(400);
    expect((await (await rest(token, "GET", "")).json<{ keys: { name: string }[] }>()).keys.map((key) => key.name)).not.toContain(name);
  });

  test("may be in any alphabet, with emoji", async () => {
    const { token } = await owner();
    expect((await rest(token, "POST", "", { name: "работа 💻 ноутбук", scopes: ["memory:read"] })).status).toBe(201);
  });
});
