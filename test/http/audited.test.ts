import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { CredentialUses } from "../../src/domain/audit/uses.ts";
import { noteRefusal } from "../../src/domain/audit/refusals.ts";
import { auditedFailuresPerMinute } from "../../src/domain/tenancy/keys.ts";
import { D1AuditStore } from "../../src/platform/d1/audit-store.ts";
import { clientOf } from "../../src/http/call-origin.ts";
import { newTeam, services } from "../support/team.ts";
import { addMember, day, hour, keyFor, newTenant, now } from "../domain/tenancy/tenant.ts";
import { callTool, rpc } from "../support/mcp.ts";
import { sendByCloudflare } from "./raw.ts";
import { signedIn } from "./web/browser.ts";

interface MemoryRow { action: string; count: number; memory_id: string | null; tool: string; user_id: string }
const ofMemories = async (teamId: string, not = "create"): Promise<MemoryRow[]> =>
  (await env.SHARD_0.prepare("select action, count, memory_id, tool, user_id from audit where team_id = ? and action <> ? order by id").bind(teamId, not).all<MemoryRow>()).results;

interface Row { action: string; subject: string; success: number; client: string | null; user_id: string; credential_id: string; address: string | null }
const ofDirectory = async (teamId: string, action: string): Promise<Row[]> =>
  (await env.DB.prepare("select action, subject, success, client, user_id, credential_id, address from audit where team_id = ? and action = ? order by id").bind(teamId, action).all<Row>()).results;

const waited = async <T>(look: () => Promise<T[]>, count: number): Promise<T[]> => {
  for (let left = 1_000; ; left -= 1) {
    const found = await look();
    if (found.length >= count || left === 0) return found;
    await scheduler.wait(20);
  }
};

describe("what is done to memories [A14]", () => {
  test("each way to delete says what it was, and how many", async () => {
    const team = await newTeam();
    for (const key of ["a.1", "a.2", "b.1", "b.2", "c"]) await team.owner.keep(key, key);
    for (const [key, mode] of [["a.*", "archive"], ["b.*", "erase"], ["c", "erase"]] as const) {
      const preview = await team.owner.call("omn_forget_memory", { key, mode });
      await team.owner.call("omn_forget_memory", { key, mode, confirm: preview.structured["confirm"] });
    }
    expect(await ofMemories(team.id)).toMatchObject([
      { action: "archive", count: 2, memory_id: null }, { action: "erase", count: 2, memory_id: null }, { action: "erase", count: 1, memory_id: expect.any(String) },
    ]);
  });

  test("an import says so, and an export, by tool or whole, says how many were handed out", async () => {
    const team = await newTeam();
    await team.owner.call("omn_import_memories", { memories: ["x", "y", "z"].map((key) => ({ key, content: key })) });
    await team.owner.call("omn_export_memories", { limit: 2 });
    const { tenant, browser } = await signedIn();
    const { token } = await keyFor(tenant, tenant.ownerId);
    await callTool(token, "omn_store_memory", { key: "a", content: "one" });
    await (await browser.get(`/v1/teams/${tenant.teamId}/export`)).text();
    expect(await ofMemories(team.id)).toMatchObject([{ action: "import", count: 3 }, { action: "export", count: 2, tool: "vitest", user_id: team.owner.id }]);
    expect(await ofMemories(tenant.teamId)).toMatchObject([{ action: "export", count: 1, tool: "web", user_id: tenant.ownerId }]);
  });

  test("secrets are handed out with a row for who got them; other memories without", async () => {
    const team = await newTeam();
    const secret = await team.owner.keep("token", "s3cr3t", { sensitivity: "secret" });
    await team.owner.keep("plain", "not one");
    await team.owner.call("omn_retrieve_memory", { key: "plain" });
    await team.owner.call("omn_retrieve_memory", { key: "token" });
    // A list shows that there is a secret, and not what it says.
    await team.owner.call("omn_list_memories", {});
    expect(await ofMemories(team.id)).toMatchObject([{ action: "read-secret", count: 1, memory_id: secret.id, user_id: team.owner.id }]);
  });

  test("the rows can neither be changed nor taken away", async () => {
    const team = await newTeam();
    await team.owner.keep("a", "one");
    await expect(env.SHARD_0.prepare("update audit set user_id = 'x' where team_id = ?").bind(team.id).run()).rejects.toThrow("append-only");
    await expect(env.SHARD_0.prepare("delete from audit where team_id = ?").bind(team.id).run()).rejects.toThrow("append-only");
  });
});

describe("what was refused to somebody known [A14] [S17]", () => {
  test("by tool, by resource and by REST, with who, with what and from where, and nothing of the call", async () => {
    const tenant = await newTenant();
    const viewerId = await addMember(tenant.teamId, "viewer");
    const { token, keyId } = await keyFor(tenant, viewerId);
    await callTool(token, "omn_store_memory", { key: "a", content: "my words" });
    const writer = await keyFor(tenant, viewerId, ["memory:write"]);
    await rpc(writer.token, "resources/list");
    await sendByCloudflare({ token, method: "GET", path: `/v1/teams/${tenant.teamId}/audit`, headers: { "user-agent": "curl/8", "cf-connecting-ip": "203.0.113.5" } });
    const rows = await waited(() => ofDirectory(tenant.teamId, "authorize.refused"), 3);
    const by = { user_id: viewerId, credential_id: keyId, success: 0 };
    expect(rows).toHaveLength(3);
    expect(rows).toEqual(expect.arrayContaining([
      expect.objectContaining({ ...by, subject: "omn_store_memory" }),
      expect.objectContaining({ ...by, credential_id: writer.keyId, subject: "resources" }),
      expect.objectContaining({ ...by, subject: "GET /v1/teams/:team/audit", client: "curl", address: "203.0.113.5" }),
    ]));
    expect(JSON.stringify(rows)).not.toContain("my words");
  });

  test("a request from another site is noted of the person whose browser sent it", async () => {
    const { tenant, browser } = await signedIn();
    expect((await browser.json("PATCH", `/v1/teams/${tenant.teamId}`, { name: "x" }, { "sec-fetch-site": "cross-site" })).status).toBe(403);
    const look = async () => (await env.DB.prepare("select action, subject from audit where user_id = ? and success = 0").bind(tenant.ownerId).all<Row>()).results;
    expect(await waited(look, 1)).toMatchObject([{ action: "authorize.refused" }]);
  });

  test("no more than so many in a minute: nobody fills the database by being refused", async () => {
    const { teamId, ownerId: userId } = await newTenant();
    for (let i = 0; i < auditedFailuresPerMinute + 5; i += 1) await noteRefusal(services.audit, { userId, teamId, credentialId: "k" }, "tool", now + i, {});
    expect(await ofDirectory(teamId, "authorize.refused")).toHaveLength(auditedFailuresPerMinute);
    await noteRefusal(services.audit, { userId, teamId, credentialId: "k" }, "tool", now + 61_000, {});
    expect(await ofDirectory(teamId, "authorize.refused")).toHaveLength(auditedFailuresPerMinute + 1);
  });

  test("one network fills no more than half of them: of the other strangers' failures there are rows, too", async () => {
    const refused = (address: string, i: number) => services.audit.auditFailure({ at: now + i, action: "authenticate.unknown", success: false, subject: "half", address }, auditedFailuresPerMinute);
    for (let i = 0; i < auditedFailuresPerMinute; i += 1) await refused(`2001:db8:1:2::${i}`, i);
    for (const address of ["2001:db8:1:3::1", "203.0.113.1", "203.0.113.10"]) await refused(address, 100);
    const { results } = await env.DB.prepare("select case when instr(address, '2001:db8:1:2:') = 1 then 'loud' else address end as who, count(*) as n from audit where subject = 'half' group by who order by who").all();
    expect(results).toEqual([{ who: "2001:db8:1:3::1", n: 1 }, { who: "203.0.113.1", n: 1 }, { who: "203.0.113.10", n: 1 }, { who: "loud", n: auditedFailuresPerMinute / 2 }]);
    await refused("2001:db8:1:2::1", 61_000);
    expect(await env.DB.prepare("select count(*) as n from audit where subject = 'half'").first("n")).toBe(auditedFailuresPerMinute / 2 + 4);
  });
});

describe("the use of keys [A14]", () => {
  test("is a row a day for each client, address and country, however often it is used and by whatever isolate", async () => {
    const tenant = await newTenant();
    const { ctx } = await keyFor(tenant, tenant.ownerId);
    const store = new D1AuditStore(env.DB, () => env.SHARD_0);
    const use = async (from: { client?: string; address?: string; country?: string }, at: number): Promise<void> => {
      for (const uses of [new CredentialUses(store), new CredentialUses(store)]) await Promise.all([uses.note(ctx.principal, from, at), uses.note(ctx.principal, from, at)]);
    };
    await use({ client: "cursor", address: "203.0.113.1" }, now);
    await use({ client: "cursor", address: "203.0.113.1" }, now + 23 * hour);
    expect(await ofDirectory(tenant.teamId, "key.use")).toHaveLength(1);
    await use({ client: "cursor", address: "203.0.113.2" }, now + 23 * hour);
    await use({ client: "vim", address: "203.0.113.2" }, now + 23 * hour);
    await use({}, now + 23 * hour);
    expect(await ofDirectory(tenant.teamId, "key.use")).toHaveLength(4);
    await use({ client: "cursor", address: "203.0.113.1" }, now + 2 * day);
    expect(await ofDirectory(tenant.teamId, "key.use")).toHaveLength(5);
  });

  test("within an hour an isolate asks nobody", () => {
    let asked = 0;
    const uses = new CredentialUses({ noteUse: async () => void (asked += 1) });
    const principal = { userId: "u", teamId: "t", organizationId: "o", role: "owner", scopes: [], shard: "SHARD_0", credential: { kind: "api-key", id: "k" } } as const;
    for (let at = now; at < now + hour; at += hour / 10) void uses.note(principal, { client: "a" }, at);
    expect(asked).toBe(1);
    void uses.note(principal, { client: "a" }, now + hour);
    expect(asked).toBe(2);
  });

  test.each([
    ["claude-code/2.1.3 (cli)", "claude-code"], ["Mozilla/5.0 (X11; Linux) Gecko", "Mozilla"], ["python-httpx/0.28", "python-httpx"], ["Visual Studio Code/1.9", "Visual Studio Code"],
    ["node", "node"], ["", undefined], [null, undefined], ["<script>", undefined], ["x".repeat(200), "x".repeat(60)],
  ])("the client of %j is %j", (userAgent, client) => {
    expect(clientOf(userAgent)).toBe(client);
  });
});
