import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { createKey, listKeys, revokeKey, rotateKey } from "../../../src/domain/tenancy/keys.ts";
import { addMember, audit, day, hour, keyFor, login, newTenant, now, principalOf, store } from "./tenant.ts";

describe("createKey", () => {
  test("gives a working key of one's own that ends after ninety days", async () => {
    const tenant = await newTenant();
    const { ctx } = await keyFor(tenant, tenant.ownerId);

    const { token, key } = await createKey(ctx, { name: " phone ", scopes: ["memory:read"] });

    expect(key).toMatchObject({ name: "phone", userId: tenant.ownerId, teamId: tenant.teamId, expiresAt: now + 90 * day });
    expect(await audit("subject", key.keyId)).toMatchObject([{ action: "key.create", success: 1 }]);
    expect(await principalOf(token)).toMatchObject({ userId: tenant.ownerId, scopes: ["memory:read"] });
    expect((await login(token, now + 90 * day)).kind).toBe("expired");
  });

  test("keeps no trace of the secret", async () => {
    const tenant = await newTenant();
    const { ctx } = await keyFor(tenant, tenant.ownerId);
    const { token } = await createKey(ctx, { name: "phone" });
    const secret = token.split("_")[2] ?? "";

    const tables = await Promise.all(["api_keys", "audit"].map((table) => env.DB.prepare(`select * from ${table}`).all()));
    expect(JSON.stringify(tables.map(({ results }) => results))).not.toContain(secret);
    expect(JSON.stringify(await listKeys(ctx))).not.toMatch(new RegExp(`${secret}|secretHash`));
  });

  test("grants no scope that its creator lacks", async () => {
    const tenant = await newTenant();
    const { ctx } = await keyFor(tenant, tenant.ownerId, ["memory:read", "memory:admin"]);

    await expect(createKey(ctx, { name: "more", scopes: ["memory:read", "memory:write"] })).rejects.toMatchObject({
      code: "PERMISSION_DENIED",
      message: expect.stringContaining("memory:write"),
    });
    expect((await createKey(ctx, { name: "same" })).key.scopes).toEqual(["memory:read", "memory:admin"]);
  });

  test("needs memory:admin, so that a key that leaked cannot prolong itself", async () => {
    const tenant = await newTenant();
    const { ctx } = await keyFor(tenant, tenant.ownerId, ["memory:read", "memory:write"]);
    await expect(createKey(ctx, { name: "x", scopes: ["memory:read"] })).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
  });

  test.each([
    { name: "" },
    { name: " " },
    { name: "x".repeat(101) },
    { name: "x", scopes: [] },
    { name: "x", scopes: ["memory:everything" as "memory:read"] },
    { name: "x", expiresInDays: 0 },
    { name: "x", expiresInDays: 1.5 },
    { name: "x", expiresInDays: 366 },
  ])("refuses %j", async (input) => {
    const tenant = await newTenant();
    const { ctx } = await keyFor(tenant, tenant.ownerId);
    await expect(createKey(ctx, input)).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
  });
});

describe("revokeKey", () => {
  test("stops the key on the next request, and says so only once in the audit", async () => {
    const tenant = await newTenant();
    const { token, keyId, ctx } = await keyFor(tenant, tenant.ownerId);

    expect(await revokeKey(ctx, { keyId })).toEqual({ revoked: true });
    expect(await login(token, now + 1)).toEqual({ kind: "revoked" });
    expect(await revokeKey(ctx, { keyId })).toEqual({ revoked: false });
    expect((await audit("subject", keyId)).filter(({ action }) => action === "key.revoke")).toHaveLength(1);
  });

  test("an admin may revoke anybody's key of the team, a member only their own", async () => {
    const tenant = await newTenant();
    const admin = await keyFor(tenant, await addMember(tenant.teamId, "admin"));
    const member = await keyFor(tenant, await addMember(tenant.teamId, "member"));
    const victim = await keyFor(tenant, tenant.ownerId);

    await expect(revokeKey(member.ctx, { keyId: victim.keyId })).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect((await login(victim.token)).kind).toBe("ok");
    await revokeKey(admin.ctx, { keyId: victim.keyId });
    expect((await login(victim.token)).kind).toBe("revoked");
  });

  test("a key of another team is as if it were not there", async () => {
    const [mine, other] = [await newTenant(), await newTenant()];
    const { ctx } = await keyFor(mine, mine.ownerId);
    const victim = await keyFor(other, other.ownerId);
    const messageFor = (keyId: string): Promise<string> => revokeKey(ctx, { keyId }).then(() => "revoked", (error: Error) => error.message);

    expect(await messageFor(victim.keyId)).toBe(await messageFor("0".repeat(16)));
    expect(await store.revokeKey(ctx.principal, victim.keyId, now, { at: now, action: "key.revoke", success: true })).toBe(false);
    expect((await login(victim.token)).kind).toBe("ok");
  });
});

describe("rotateKey", () => {
  test("both keys work during the grace period, then only the new one", async () => {
    const tenant = await newTenant();
    const old = await keyFor(tenant, tenant.ownerId);

    const { token, key, oldExpiresAt } = await rotateKey(old.ctx, { keyId: old.keyId, graceHours: 2 });

    expect(oldExpiresAt).toBe(now + 2 * hour);
    expect(key).toMatchObject({ name: "laptop", expiresAt: null, userId: tenant.ownerId });
    expect([(await login(old.token, oldExpiresAt - 1)).kind, (await login(token, oldExpiresAt - 1)).kind]).toEqual(["ok", "ok"]);
    expect([(await login(old.token, oldExpiresAt)).kind, (await login(token, oldExpiresAt)).kind]).toEqual(["expired", "ok"]);
    expect((await listKeys(old.ctx)).find(({ keyId }) => keyId === old.keyId)?.replacedBy).toBe(key.keyId);
    expect((await audit("subject", old.keyId)).map(({ action }) => action)).toContain("key.rotate");
  });

  test("the new key lives as long as the old one was meant to, and grace never prolongs the old one", async () => {
    const tenant = await newTenant();
    const old = await keyFor(tenant, tenant.ownerId, ["memory:admin"], now + 30 * day);
    const late = { ...old.ctx, now: now + 30 * day - hour };

    const { key, oldExpiresAt } = await rotateKey(late, { keyId: old.keyId, graceHours: 24 });

    expect(key.expiresAt).toBe(late.now + 30 * day);
    expect(oldExpiresAt).toBe(now + 30 * day);
  });

  test("no grace: the old key is out at once", async () => {
    const tenant = await newTenant();
    const old = await keyFor(tenant, tenant.ownerId);
    await rotateKey(old.ctx, { keyId: old.keyId, graceHours: 0 });
    expect(await login(old.token)).toEqual({ kind: "expired" });
  });

  test("of two rotations at once only one brings forth a key", async () => {
    const tenant = await newTenant();
    const old = await keyFor(tenant, tenant.ownerId);

    const outcomes = await Promise.allSettled([rotateKey(old.ctx, { keyId: old.keyId }), rotateKey(old.ctx, { keyId: old.keyId })]);

    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(await listKeys(old.ctx)).toHaveLength(2);
    await expect(rotateKey(old.ctx, { keyId: old.keyId })).rejects.toMatchObject({ code: "CONFLICT" });
  });

  test("a revoked key is not brought back", async () => {
    const tenant = await newTenant();
    const old = await keyFor(tenant, tenant.ownerId);
    await revokeKey(old.ctx, { keyId: old.keyId });
    await expect(rotateKey(old.ctx, { keyId: old.keyId })).rejects.toMatchObject({ code: "CONFLICT" });
    expect(await listKeys(old.ctx)).toHaveLength(1);
  });

  test("nobody rotates somebody else's key, not even the team's owner", async () => {
    const tenant = await newTenant();
    const owner = await keyFor(tenant, tenant.ownerId);
    const member = await keyFor(tenant, await addMember(tenant.teamId, "member"));
    await expect(rotateKey(owner.ctx, { keyId: member.keyId })).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("rotation gives no scope that the one who rotates lacks", async () => {
    const tenant = await newTenant();
    const strong = await keyFor(tenant, tenant.ownerId);
    const weak = await keyFor(tenant, tenant.ownerId, ["memory:read", "memory:admin"]);
    await expect(rotateKey(weak.ctx, { keyId: strong.keyId })).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
  });

  test.each([-1, 169, Number.NaN])("refuses %d hours of grace", async (graceHours) => {
    const tenant = await newTenant();
    const { ctx, keyId } = await keyFor(tenant, tenant.ownerId);
    await expect(rotateKey(ctx, { keyId, graceHours })).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
  });
});

test("listKeys shows a member their own keys, an admin all of the team's and no other team's", async () => {
  const [tenant, other] = [await newTenant(), await newTenant()];
  await keyFor(other, other.ownerId);
  const owner = await keyFor(tenant, tenant.ownerId);
  const member = await keyFor(tenant, await addMember(tenant.teamId, "member"));

  expect((await listKeys(member.ctx)).map(({ keyId }) => keyId)).toEqual([member.keyId]);
  expect((await listKeys(owner.ctx)).map(({ keyId }) => keyId).sort()).toEqual([owner.keyId, member.keyId].sort());
});
