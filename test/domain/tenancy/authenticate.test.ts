import { describe, expect, test } from "vitest";
import { usualPreferences } from "../../../src/domain/tenancy/preferences.ts";
import { formatApiKey, newApiKey, parseApiKey } from "../../../src/domain/tenancy/api-key.ts";
import { revokeKey } from "../../../src/domain/tenancy/keys.ts";
import { addMember, audit, day, hour, keyFor, login, minute, newTenant, now, store } from "./tenant.ts";

describe("a key that is good", () => {
  test("says who asks, in which team, with which role and scopes", async () => {
    const tenant = await newTenant();
    const member = await addMember(tenant.teamId, "member");
    const { token, keyId } = await keyFor(tenant, member, ["memory:read"]);

    const answer = await login(token);

    expect(answer).toEqual({
      kind: "ok",
      name: "laptop",
      preferences: usualPreferences,
      expiresAt: null,
      principal: {
        userId: member,
        teamId: tenant.teamId,
        organizationId: tenant.organizationId,
        role: "member",
        scopes: ["memory:read"],
        shard: "SHARD_0",
        credential: { kind: "api-key", id: keyId },
      },
    });
  });

  test("has its last use written at most once a minute", async () => {
    const tenant = await newTenant();
    const { token, keyId, ctx } = await keyFor(tenant, tenant.ownerId);
    const lastUse = async (): Promise<number | null | undefined> => (await store.findKey(ctx.principal, keyId))?.lastUsedAt;

    await login(token, now + 2 * minute);
    expect(await lastUse()).toBe(now + 2 * minute);
    await login(token, now + 2 * minute + 59_000);
    expect(await lastUse()).toBe(now + 2 * minute);
    await login(token, now + 3 * minute);
    expect(await lastUse()).toBe(now + 3 * minute);
  });

  test("is not written twice when two requests read the same old use", async () => {
    const tenant = await newTenant();
    const { keyId, ctx } = await keyFor(tenant, tenant.ownerId);
    const at = now + 10 * minute;

    await store.touchKey(keyId, at, at - minute);
    await store.touchKey(keyId, at + 5, at + 5 - minute);

    expect((await store.findKey(ctx.principal, keyId))?.lastUsedAt).toBe(at);
  });

  test("follows the role of its holder, and ends when they leave the team", async () => {
    const tenant = await newTenant();
    const member = await addMember(tenant.teamId, "admin");
    const { token } = await keyFor(tenant, member);

    await store.removeMember(tenant.teamId, member);
    expect(await login(token)).toEqual({ kind: "unknown" });

    await store.addMember({ teamId: tenant.teamId, userId: member, role: "viewer" }, now);
    expect(await login(token)).toMatchObject({ kind: "ok", principal: { role: "viewer" } });
  });
});

describe("a key that is refused", () => {
  const shapes = ["", "omn_", "sk-123", `omn_${"a".repeat(16)}_short`, `${newApiKey().token}x`, ` ${newApiKey().token}`, newApiKey().token.toUpperCase()];
  test.each(shapes)("malformed: %j", async (token) => {
    expect(await login(token)).toEqual({ kind: "malformed" });
  });

  test("unknown: no such key, and a wrong secret for a key that exists", async () => {
    const tenant = await newTenant();
    const { token, keyId } = await keyFor(tenant, tenant.ownerId);

    expect(await login(newApiKey().token)).toEqual({ kind: "unknown" });
    expect(await login(formatApiKey({ keyId, secret: newApiKey().secret }))).toEqual({ kind: "unknown" });
    expect((await login(token)).kind).toBe("ok");
  });

  test("the secret of one key does not open another", async () => {
    const tenant = await newTenant();
    const mine = await keyFor(tenant, tenant.ownerId);
    const theirs = await keyFor(tenant, await addMember(tenant.teamId, "owner"));

    const mixed = formatApiKey({ keyId: theirs.keyId, secret: parseApiKey(mine.token)?.secret ?? "" });

    expect(await login(mixed)).toEqual({ kind: "unknown" });
  });

  test("expired: from the very millisecond on", async () => {
    const tenant = await newTenant();
    const { token } = await keyFor(tenant, tenant.ownerId, ["memory:read"], now + day);

    expect((await login(token, now + day - 1)).kind).toBe("ok");
    expect(await login(token, now + day)).toEqual({ kind: "expired" });
  });

  test("revoked: also when it has expired since", async () => {
    const tenant = await newTenant();
    const { token, keyId, ctx } = await keyFor(tenant, tenant.ownerId, ["memory:admin"], now + hour);
    await revokeKey(ctx, { keyId });

    expect(await login(token, now + 1)).toEqual({ kind: "revoked" });
    expect(await login(token, now + day)).toEqual({ kind: "revoked" });
  });

  test("revoked or expired is told only to who has the secret", async () => {
    const tenant = await newTenant();
    const { keyId, ctx } = await keyFor(tenant, tenant.ownerId);
    await revokeKey(ctx, { keyId });

    expect(await login(formatApiKey({ keyId, secret: newApiKey().secret }))).toEqual({ kind: "unknown" });
  });
});

describe("failed attempts", () => {
  test("are in the audit of the team whose key was tried, with the address", async () => {
    const tenant = await newTenant();
    const { keyId } = await keyFor(tenant, tenant.ownerId);

    await login(formatApiKey({ keyId, secret: newApiKey().secret }), now, { address: "203.0.113.9" });

    expect((await audit("team_id", tenant.teamId)).at(-1)).toEqual({ action: "authenticate.unknown", success: 0, address: "203.0.113.9" });
  });

  test("are kept for keys that never existed", async () => {
    const { keyId, token } = newApiKey();
    await login(token, now - day);
    expect(await audit("subject", keyId)).toMatchObject([{ action: "authenticate.unknown", success: 0 }]);
  });

  test("cannot fill the database: sixty a minute, then again in the next", async () => {
    const tenant = await newTenant();
    const { keyId } = await keyFor(tenant, tenant.ownerId);
    const attempts = async (count: number, at: number): Promise<void> => {
      const token = formatApiKey({ keyId, secret: newApiKey().secret });
      await Promise.all(Array.from({ length: count }, () => login(token, at)));
    };
    const failures = async (): Promise<number> => (await audit("team_id", tenant.teamId)).filter((row) => row.success === 0).length;

    await attempts(100, now + hour);
    expect(await failures()).toBe(60);
    await attempts(5, now + hour + minute);
    expect(await failures()).toBe(65);
  });

  test("one team's flood does not silence another's audit", async () => {
    const flooded = await newTenant();
    const quiet = await newTenant();
    const [first, second] = await Promise.all([keyFor(flooded, flooded.ownerId), keyFor(quiet, quiet.ownerId)]);
    const wrong = (keyId: string): string => formatApiKey({ keyId, secret: newApiKey().secret });

    await Promise.all(Array.from({ length: 70 }, () => login(wrong(first.keyId), now + 2 * hour)));
    await login(wrong(second.keyId), now + 2 * hour);

    expect((await audit("team_id", quiet.teamId)).at(-1)).toMatchObject({ action: "authenticate.unknown" });
  });
});
