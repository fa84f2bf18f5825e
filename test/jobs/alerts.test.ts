import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { watchAudits, type WatchPorts } from "../../src/domain/audit/watch.ts";
import { runScheduled } from "../../src/jobs/scheduled.ts";
import { newTeam, services } from "../support/team.ts";
import { addMember, keyFor, newTenant } from "../domain/tenancy/tenant.ts";
import { callTool } from "../support/mcp.ts";
import { send, sendByCloudflare } from "../http/raw.ts";

interface Alert { id: string; rule: string; subject: string; value?: string; at: string; acknowledged_at: string | null; acknowledged_by: string | null; details: Record<string, unknown> }
const minute = 60_000;
const watch = (ports: WatchPorts = services.watch) => watchAudits(ports, Date.now(), Date.now, Date.now() + 10_000);
const alertsOf = async (token: string, teamId: string, query = "") => {
  const answer = await send({ token, method: "GET", path: `/v1/teams/${teamId}/alerts${query}` });
  return answer.json<{ alerts: Alert[]; next_cursor?: string }>();
};
const rules = async (token: string, teamId: string, query = ""): Promise<string[]> => (await alertsOf(token, teamId, query)).alerts.map(({ rule }) => rule).sort();

const owned = async () => {
  const tenant = await newTenant();
  return { tenant, ...(await keyFor(tenant, tenant.ownerId)) };
};

/** Rows as a guesser, or a person with a tool, leaves them. */
const failures = (teamId: string | null, count: number, from: number, address: string | null = null) =>
  env.DB.batch(Array.from({ length: count }, (_, i) =>
    env.DB.prepare("insert into audit (at, team_id, action, success, address) values (?, ?, 'authenticate.unknown', 0, ?)").bind(from + i, teamId, address)));

const deletion = (teamId: string, count: number, at: number, userId = "somebody") =>
  env.SHARD_0.prepare("insert into audit (at, team_id, user_id, credential_id, tool, action, count, request_id) values (?, ?, ?, 'c', 't', 'erase', ?, '')").bind(at, teamId, userId, count).run();

describe("alerts [A14]", () => {
  test("guessed secrets of a key, through the front door, are told to its team by the cron", async () => {
    const { tenant, token, keyId } = await owned();
    for (let i = 0; i < 11; i += 1) expect((await send({ token: `omn_${keyId}_${String(i).padStart(32, "x")}` })).status).toBe(401);
    for (let left = 1_000; left > 0; left -= 1) {
      const rows = await env.DB.prepare("select count(*) as n from audit where team_id = ? and success = 0").bind(tenant.teamId).first<number>("n");
      if ((rows ?? 0) >= 11) break;
      await scheduler.wait(20);
    }
    expect(await rules(token, tenant.teamId)).toEqual([]);
    await runScheduled(services, Date.now());
    const { alerts } = await alertsOf(token, tenant.teamId);
    expect(alerts).toMatchObject([{ rule: "failed-keys", subject: tenant.teamId, acknowledged_at: null, details: { failures: 10 } }]);
  });

  test("deleting and exporting much, and a key from another country with another client", async () => {
    const { tenant, token } = await owned();
    const from = (client: string, country: string) => sendByCloudflare({ token, method: "GET", path: `/v1/teams/${tenant.teamId}/members`, headers: { "user-agent": client, "cf-ipcountry": country } });
    await from("cursor/1", "PT");
    await watch();
    await from("cursor/2", "PT");
    await from("stolen/1", "BR");
    await deletion(tenant.teamId, 100, Date.now(), tenant.ownerId);
    await env.SHARD_0.prepare("insert into audit (at, team_id, user_id, credential_id, tool, action, count, request_id) values (?, ?, ?, 'c', 't', 'export', 1000, '')").bind(Date.now(), tenant.teamId, tenant.ownerId).run();
    for (let left = 1_000; left > 0 && (await rules(token, tenant.teamId)).length < 5; left -= 1) {
      await watch();
      await scheduler.wait(20);
    }
    // The test's own look at the alerts is a client without a name, and so is told, too.
    expect(await rules(token, tenant.teamId)).toEqual(["mass-delete", "mass-export", "new-client", "new-client", "new-country"]);
    const { alerts } = await alertsOf(token, tenant.teamId);
    expect(alerts.filter(({ rule }) => rule.startsWith("new-")).map(({ value }) => value).sort()).toEqual(["BR", "stolen", "unnamed"]);
  });

  test("each is stored once, however often and by however many runs it is looked for; other teams see nothing of it", async () => {
    const { tenant, token } = await owned();
    const other = await owned();
    const at = Date.now();
    await failures(tenant.teamId, 10, at - minute);
    await Promise.all([watch(), watch(), watch()]);
    await failures(tenant.teamId, 10, at);
    await watch();
    expect(await rules(token, tenant.teamId)).toEqual(["failed-keys"]);
    expect(await rules(other.token, other.tenant.teamId)).toEqual([]);
  });

  test("a burst that two runs see half each of is a burst", async () => {
    const { tenant, token } = await owned();
    const at = Date.now();
    await failures(tenant.teamId, 6, at - 9 * minute);
    await watch();
    expect(await rules(token, tenant.teamId)).toEqual([]);
    await failures(tenant.teamId, 6, at);
    await watch();
    expect(await rules(token, tenant.teamId)).toEqual(["failed-keys"]);
    await deletion(tenant.teamId, 60, at - 50 * minute);
    await watch();
    await deletion(tenant.teamId, 60, at);
    await watch();
    expect(await rules(token, tenant.teamId)).toEqual(["failed-keys", "mass-delete"]);
  });

  test("a run that dies is taken up by the next: nothing is lost and nothing told twice", async () => {
    const { tenant, token } = await owned();
    await failures(tenant.teamId, 10, Date.now());
    const { watch: whole } = services;
    const dying: WatchPorts = { ...whole, report: () => undefined, alerts: { progressOf: (source) => whole.alerts.progressOf(source), raise: () => Promise.reject(new Error("killed")) } };
    await watch(dying);
    expect(await rules(token, tenant.teamId)).toEqual([]);
    const afterDeath: WatchPorts = {
      ...whole,
      report: () => undefined,
      alerts: {
        progressOf: (source) => whole.alerts.progressOf(source),
        raise: async (...args) => {
          await whole.alerts.raise(...args);
          throw new Error("killed");
        },
      },
    };
    await watch(afterDeath);
    await watch();
    expect(await rules(token, tenant.teamId)).toEqual(["failed-keys"]);
  });

  test("more than one step's worth of entries is gone through in steps, and one audit that fails stops no other", async () => {
    const { tenant, token } = await owned();
    const at = Date.now();
    const creations = `with recursive n(i) as (select 1 union all select i + 1 from n where i < 2500)
      insert into audit (at, team_id, user_id, credential_id, tool, action, count, request_id) select ?1, ?2, 'u', 'c', 't', 'create', 1, '' from n`;
    await env.SHARD_0.prepare(creations).bind(at, tenant.teamId).run();
    await deletion(tenant.teamId, 500, at);
    const reported: string[] = [];
    const { feed } = services.watch;
    const halfBroken: WatchPorts = {
      ...services.watch,
      report: (event) => void reported.push(event),
      feed: { sources: () => feed.sources(), knownUses: (...args) => feed.knownUses(...args), read: (source, ...rest) => (source === "directory" ? Promise.reject(new Error("down")) : feed.read(source, ...rest)) },
    };
    await watch(halfBroken);
    expect(reported).toEqual(["audit.watch"]);
    expect(await rules(token, tenant.teamId)).toEqual(["mass-delete"]);
  });

  test("keys that do not exist, tried from one address, are nobody's team's and go to the log", async () => {
    const reported: string[] = [];
    await failures(null, 40, Date.now(), "198.51.100.7");
    const ports = { ...services.watch, report: (_event: string, error: unknown) => void reported.push(String(error)) };
    await watch(ports);
    await watch(ports);
    expect(reported).toEqual([expect.stringContaining("failed-keys-from-address: 198.51.100.7")]);
  });
});

describe("who sees them and acknowledges them [A13] [A14]", () => {
  test("an admin reads and acknowledges, once, and the audit says so", async () => {
    const { tenant, token } = await owned();
    const adminId = await addMember(tenant.teamId, "admin");
    const admin = await keyFor(tenant, adminId);
    await failures(tenant.teamId, 10, Date.now());
    await deletion(tenant.teamId, 500, Date.now());
    await watch();
    const first = await alertsOf(token, tenant.teamId, "?limit=1");
    const second = await alertsOf(token, tenant.teamId, `?limit=1&cursor=${first.next_cursor}`);
    expect([...first.alerts, ...second.alerts].map(({ rule }) => rule).sort()).toEqual(["failed-keys", "mass-delete"]);
    const [{ id }] = first.alerts as [Alert];
    const path = `/v1/teams/${tenant.teamId}/alerts/${id}/acknowledge`;
    expect(await (await send({ token: admin.token, path, body: "" })).json()).toEqual({ acknowledged: true });
    expect(await (await send({ token, path, body: "" })).json()).toEqual({ acknowledged: false });
    expect((await alertsOf(token, tenant.teamId)).alerts.map((alert) => alert.id)).toEqual(second.alerts.map((alert) => alert.id));
    expect((await alertsOf(token, tenant.teamId, "?state=acknowledged")).alerts).toMatchObject([{ id, acknowledged_by: adminId, acknowledged_at: expect.any(String) }]);
    expect((await alertsOf(token, tenant.teamId, "?state=all")).alerts).toHaveLength(2);
    const { results } = await env.DB.prepare("select user_id from audit where action = 'alert.acknowledge' and subject = ?").bind(id).all();
    expect(results).toEqual([{ user_id: adminId }]);
  });

  test("members and viewers do not; another team's alert is as if it were not there", async () => {
    const { tenant, token } = await owned();
    const other = await owned();
    await failures(tenant.teamId, 10, Date.now());
    await watch();
    const [{ id }] = (await alertsOf(token, tenant.teamId)).alerts as [Alert];
    for (const role of ["member", "viewer"] as const) {
      const { token: theirs } = await keyFor(tenant, await addMember(tenant.teamId, role));
      expect((await send({ token: theirs, method: "GET", path: `/v1/teams/${tenant.teamId}/alerts` })).status).toBe(403);
      expect((await send({ token: theirs, path: `/v1/teams/${tenant.teamId}/alerts/${id}/acknowledge`, body: "" })).status).toBe(403);
    }
    for (const [team, alert] of [[other.tenant.teamId, id], [tenant.teamId, id], [other.tenant.teamId, "nothing"]]) {
      expect((await send({ token: other.token, path: `/v1/teams/${team}/alerts/${alert}/acknowledge`, body: "" })).status).toBe(404);
    }
    expect((await alertsOf(token, tenant.teamId)).alerts).toHaveLength(1);
  });

  test("a real mass delete, by tool", async () => {
    const team = await newTeam();
    await team.owner.call("omn_import_memories", { memories: Array.from({ length: 100 }, (_, i) => ({ key: `k.${i}`, content: `fact ${i}` })) });
    const preview = await team.owner.call("omn_forget_memory", { key: "k.*", mode: "archive" });
    await callTool(team.owner.token, "omn_forget_memory", { key: "k.*", mode: "archive", confirm: preview.structured["confirm"] });
    await watch();
    expect(await rules(team.owner.token, team.id)).toEqual(["mass-delete"]);
  });
});
