import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { D1IdentityMaintenance } from "../../src/platform/d1/identity-maintenance.ts";
import { lifetimeMs } from "../../src/domain/tenancy/web-session.ts";
import { day, newTenant } from "../domain/tenancy/tenant.ts";
import { connected } from "../http/oauth/client.ts";
import { send } from "../http/raw.ts";

const hour = 3_600_000;
const count = async (table: string): Promise<number> => (await env.DB.prepare(`select count(*) as n from ${table}`).first<number>("n")) ?? -1;

test("invitations are taken away thirty days after they were used or expired [F3]", async () => {
  const maintenance = new D1IdentityMaintenance(env.DB);
  const { teamId, ownerId } = await newTenant();
  const at = Date.now();
  const rows: [id: string, expiresAt: number, usedAt: number | null][] = [
    ["open", at + 7 * day, null],
    ["expired lately", at - 29 * day, null],
    ["expired", at - 30 * day, null],
    ["used lately", at + 7 * day, at - 29 * day],
    ["used", at, at - 30 * day],
  ];
  for (const [id, expiresAt, usedAt] of rows) {
    await env.DB.prepare("insert into invitations (id, token_hash, team_id, role, invited_by, created_at, expires_at, used_at) values (?, ?, ?, 'member', ?, 0, ?, ?)").bind(id, id, teamId, ownerId, expiresAt, usedAt).run();
  }
  await maintenance.purge(at);
  const { results } = await env.DB.prepare("select id from invitations where team_id = ? order by id").bind(teamId).all<{ id: string }>();
  expect(results.map(({ id }) => id)).toEqual(["expired lately", "open", "used lately"]);
});

describe("that strangers registered clients ages out of the audit [A14] [S13]", () => {
  const insert = (n: number, at: number, action: string) =>
    env.DB.prepare("with recursive n (i) as (select 1 union all select i + 1 from n where i < ?1) insert into audit (at, action, success, subject) select ?2, ?3, 1, 'aging' from n").bind(n, at, action).run();
  const left = async (): Promise<string[]> => (await env.DB.prepare("select action || ' ' || cast((?1 - at) / ?2 as int) as row from audit where subject = 'aging' order by row").bind(at, day).all<{ row: string }>()).results.map(({ row }) => row);
  const at = 1_000 * day;

  test("thirty days after, five hundred at a time; nothing else goes", async () => {
    const maintenance = new D1IdentityMaintenance(env.DB);
    await insert(501, at - 30 * day, "client.register");
    await insert(1, at - 29 * day, "client.register");
    await insert(1, at - 90 * day, "grant.create");
    await maintenance.purge(at);
    expect(await left()).toEqual(["client.register 29", "client.register 30", "grant.create 90"]);
    await maintenance.purge(at);
    expect(await left()).toEqual(["client.register 29", "grant.create 90"]);
  });

  test("no other row can be taken away, and none be changed", async () => {
    for (const action of ["client.register", "grant.create"]) await insert(1, at, action);
    await expect(env.DB.prepare("delete from audit where subject = 'aging' and action = 'grant.create'").run()).rejects.toThrow("append-only");
    await expect(env.DB.prepare("update audit set at = 0 where action = 'client.register'").run()).rejects.toThrow("append-only");
  });

  test("they are found by an index of their own", async () => {
    const { results } = await env.DB.prepare("explain query plan select id from audit where action = 'client.register' and at <= ?1 limit 500").bind(at).all<{ detail: string }>();
    expect(results.map(({ detail }) => detail)).toEqual([expect.stringContaining("audit_registrations (at<?)")]);
  });
});

test("the cron takes away what has expired, and nothing else [A13]", async () => {
  const maintenance = new D1IdentityMaintenance(env.DB);
  const { tokens, client, browser } = await connected();
  await client.refresh(tokens.refresh_token);
  const fresh = await connected();

  await maintenance.purge(Date.now());
  expect((await send({ token: fresh.tokens.access_token })).status).toBe(200);
  expect((await browser.get("/")).status).toBe(200);
  expect(await count("oauth_spent_tokens")).toBe(1);

  await maintenance.purge(Date.now() + 2 * hour);
  await env.USER_SESSION.getByName(`${fresh.team}:${fresh.tenant.ownerId}`).credentialsChanged();
  expect((await send({ token: fresh.tokens.access_token })).status).toBe(401);
  expect((await fresh.client.refresh(fresh.tokens.refresh_token)).status).toBe(200);

  await maintenance.purge(Date.now() + lifetimeMs + 2 * hour);
  expect([await count("web_sessions"), await count("sign_in_links"), await count("oauth_spent_tokens")]).toEqual([0, 0, 0]);
  const { results } = await env.DB.prepare("select key from oauth_records where key not like 'client:%'").all();
  expect(results).toEqual([]);
});
