import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { importMemories } from "../../../src/domain/memories/import.ts";
import { setReview } from "../../../src/domain/memories/proposals.ts";
import { revise } from "../../../src/domain/memories/revise.ts";
import { accountConfirmation, deleteAccount, deleteOrganization, deleteTeam, graceMs, restoreOrganization, restoreTeam } from "../../../src/domain/tenancy/deletion.ts";
import type { ErasurePorts } from "../../../src/domain/tenancy/deletion-store.ts";
import { eraseDue } from "../../../src/domain/tenancy/erasure.ts";
import { invite } from "../../../src/domain/tenancy/invitations.ts";
import { changeRole, transferOwnership } from "../../../src/domain/tenancy/members.ts";
import { ensurePersonalTeam, principalIn } from "../../../src/domain/tenancy/teams.ts";
import { addTurns } from "../../../src/domain/sessions/turns.ts";
import { teamTables } from "../../../src/platform/d1/erasure-store.ts";
import { markOf, teamDigest, vectorId } from "../../../src/platform/vectorize/vector-ids.ts";
import { consumeJobs } from "../../../src/jobs/queue.ts";
import { sessionName } from "../../../src/session/session-call.ts";
import { commits, indexed, newTeam, services, sisterOf, type Person, type Team } from "../../support/team.ts";
import { day, now } from "./tenant.ts";

const { tenants, deletion, invitations, erasure } = services;
const due = now + graceMs;

async function managing(person: Person, at = now, deleted = false) {
  const { teamId } = person.principal;
  const principal = await principalIn(tenants, { person: { userId: person.id }, session: { id: "browser", createdAt: at } }, teamId, deleted ? { now: at } : undefined);
  if (!principal) throw new Error("not in the team");
  return { principal, now: at, tenants, deletion, invitations };
}

const erase = (at: number, ports: ErasurePorts = erasure) => eraseDue(ports, () => at, at + 1);

/** All rows of all tables in which this text occurs, by table. */
async function rowsWith(db: D1Database, text: string): Promise<Record<string, number>> {
  const { results } = await db.prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' and name not like '_cf_%' and name not like 'd1_%'").all<{ name: string }>();
  const counted: [string, number][] = [];
  for (const { name } of results) {
    const { results: rows } = await db.prepare(`select * from "${name}"`).all();
    const hits = rows.filter((row) => JSON.stringify(row).includes(text)).length;
    if (hits > 0) counted.push([name, hits]);
  }
  return Object.fromEntries(counted);
}

/** Fails at the n-th call, and at each after it, as a process does that was killed there. */
function killedAt(n: number): { ports: ErasurePorts; survived: () => boolean } {
  let calls = 0;
  const step = async (): Promise<void> => {
    calls += 1;
    if (calls >= n) throw new Error("killed");
  };
  const dying = <T extends object>(port: T): T =>
    new Proxy(port, { get: (target, name) => async (...args: unknown[]) => (await step(), (target as Record<string | symbol, (...a: unknown[]) => unknown>)[name]?.(...args)) });
  const { directory, store, index, vectors, sessions, keys } = erasure;
  const ports = { directory: dying(directory), store: dying(store), index: dying(index), vectors: dying(vectors), sessions: dying(sessions), keys: dying(keys), report: () => undefined };
  return { ports, survived: () => calls < n };
}

/** A work session with what was said in it, and an attempt to carry one over that failed. */
async function converse(person: Person, content: string): Promise<void> {
  const { structured } = await person.call("omn_create_session");
  await addTurns(services.sessions, person.principal, structured["session_id"], [{ id: crypto.randomUUID(), role: "user", name: null, at: now, content }]);
  await person.call("omn_restore_session", { session_id: "sess_none" });
  await person.call("omn_export_session");
  await services.passports.store.trust(person.principal, { issuer: "https://memory.neighbour.dev", trustedAt: now });
}

/** Objects of people who have been gone for a while are not in memory any more. */
const rest = (...people: Person[]) => Promise.all(people.map(({ principal }) => evictDurableObject(env.USER_SESSION.getByName(sessionName(principal.teamId, principal.userId)))));

/** A team with something in every table. */
async function fill(team: Team): Promise<{ member: Person; vectors: string[] }> {
  const member = await team.join();
  await setReview(team.owner.at(now), { required: true });
  await team.owner.keep("project.shop.auth", "Grace works on the billing service in Berlin with PostgreSQL.", { visibility: "shared", tags: ["auth"], namespace: "project:shop" });
  await team.owner.keep("project.shop.auth", "Grace works on the billing service in Oslo with PostgreSQL, see project.shop.db.", { visibility: "shared", namespace: "project:shop" });
  await member.keep("project.shop.db", "The database is PostgreSQL, decided by Grace.", { namespace: "project:shop" });
  await team.owner.keep("menu", "gazpacho on monday", { visibility: "public", idempotencyKey: "once" });
  await member.remember("proposed", { key: "p", visibility: "shared" });
  await member.call("omn_record_workflow_step", { command: "deploy gazpacho" });
  await member.call("omn_retrieve_memory", { query: "gazpacho" });
  await converse(member, "We had gazpacho again.");
  const kept = await team.owner.keep("short", "erased soon");
  await commits.erase(team.owner.principal, team.owner.at(now), [kept]);
  await indexed(team.owner.principal);
  await invite(await managing(team.owner), { role: "member" });
  await env.DB.prepare("insert into oauth_records (key, value) values (?, ''), (?, '')").bind(`grant:${member.id}.${team.id}:g`, `token:${member.id}.${team.id}:g:t`).run();
  await env.DB.prepare("insert into oauth_spent_tokens (token_hash, grant_key, expires_at) values (?, ?, 1)").bind(crypto.randomUUID(), `grant:${member.id}.${team.id}:g`).run();
  const { results } = await env.SHARD_0.prepare("select kind, id, space from vector_items where team_id = ?").bind(team.id).all<{ kind: "memory"; id: string; space: string }>();
  const vectors = await Promise.all(results.map(async ({ kind, id, space }) => vectorId(kind, id, { team: await teamDigest(team.id), mark: await markOf(space), copy: "team" })));
  return { member, vectors };
}

let team: Team;
let sister: Team;

beforeEach(async () => {
  team = await newTeam();
  sister = await sisterOf(team);
});

describe("a deleted team [F3] [A13]", () => {
  test("lets nobody in at once, is seen by its owner, and is whole when it is restored", async () => {
    const { member } = await fill(team);
    expect((await member.call("omn_memory_stats")).isError).toBe(false);
    expect(await deleteTeam(await managing(team.owner))).toEqual({ eraseAt: due });
    expect((await member.call("omn_memory_stats")).status).toBe(401);
    expect((await team.owner.call("omn_memory_stats")).status).toBe(401);
    await expect(managing(team.owner)).rejects.toThrow("not in the team");
    expect(await tenants.listTeams({ userId: team.owner.id }, now)).toMatchObject([{ id: team.id, eraseAt: due }]);

    await expect(restoreTeam(await managing(member, now, true))).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
    await erase(due - 1);
    await restoreTeam(await managing(team.owner, due - 1, true));
    expect((await member.call("omn_retrieve_memory", { key: "menu" })).structured["total_found"]).toBe(1);
    expect(await erase(due + day)).toEqual({ teams: 0, accounts: 0 });
    expect((await member.call("omn_memory_stats")).isError).toBe(false);
  });

  test("shows its organization nothing as long as it is deleted", async () => {
    await team.owner.keep("menu", "gazpacho on monday", { visibility: "public" });
    await indexed(team.owner.principal);
    const seen = async () => [
      (await sister.owner.search("gazpacho")).length,
      (await sister.owner.recall({ key: "menu" })).length,
      (await sister.owner.call("omn_retrieve_memory", { query: "gazpacho" })).structured["total_found"],
    ];
    expect(await seen()).toEqual([1, 1, 1]);
    await deleteTeam(await managing(team.owner));
    expect(await seen()).toEqual([0, 0, 0]);
    await restoreTeam(await managing(team.owner, now, true));
    expect(await seen()).toEqual([1, 1, 1]);
  });

  test("is deleted by owners only, and never is somebody's own", async () => {
    const admin = await team.join("admin");
    await expect(deleteTeam(await managing(admin))).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
    await env.DB.prepare("update teams set personal_of = ? where id = ?").bind(team.owner.id, team.id).run();
    await expect(deleteTeam(await managing(team.owner))).rejects.toMatchObject({ code: "CONFLICT" });
  });
});

describe("a deleted organization [F3]", () => {
  test("is deleted only by who owns all its teams, and comes back whole", async () => {
    await expect(deleteOrganization(await managing(team.owner))).rejects.toMatchObject({ code: "CONFLICT" });
    const both = await sister.admit(team.owner, "owner");
    await deleteOrganization(await managing(team.owner));
    for (const person of [team.owner, sister.owner, both]) expect((await person.call("omn_memory_stats")).status).toBe(401);
    await restoreOrganization(await managing(both, now, true));
    for (const person of [team.owner, sister.owner, both]) expect((await person.call("omn_memory_stats")).isError).toBe(false);
  });

  test("is erased with all its teams", async () => {
    await sister.admit(team.owner, "owner");
    await rest((await fill(team)).member);
    await deleteOrganization(await managing(team.owner));
    expect(await erase(due)).toEqual({ teams: 2, accounts: 0 });
    expect(await rowsWith(env.DB, team.organizationId)).toEqual({ audit: expect.any(Number) });
    expect((await runInDurableObject(team.organizationIndex, async (_, { storage }) => storage.sql.exec("select name from sqlite_master where name = 'docs'").toArray()))).toEqual([]);
  });
});

describe("erasing a team [F3]", () => {
  test("knows every table of a shard", async () => {
    const { results } = await env.SHARD_0.prepare("select name from sqlite_schema where type = 'table' and sql like '%team_id%'").all<{ name: string }>();
    expect([...teamTables, "audit"].sort()).toEqual(results.map(({ name }) => name).sort());
  });

  test("leaves nothing but the audit, however often it is killed, and touches nobody else", async () => {
    const { member, vectors } = await fill(team);
    await fill(sister);
    const filled = await rowsWith(env.SHARD_0, team.id);
    expect(Object.keys(filled)).toEqual(expect.arrayContaining(["memories", "versions", "memory_tags", "proposals", "entities", "entity_mentions", "vector_items", "vector_cache", "outbox", "idempotency", "index_progress", "counters", "team_policies", "work_sessions", "session_turns", "session_migrations", "passport_claims", "passport_issuers", "workflow_steps", "workflow_counts", "audit"]));
    expect((await env.VECTORIZE.getByIds(vectors.slice(0, 20))).length).toBeGreaterThan(0);
    const [sisterBefore, sisterDirectory] = [await rowsWith(env.SHARD_0, sister.id), await rowsWith(env.DB, sister.id)];
    await deleteTeam(await managing(team.owner));
    await rest(member, team.owner);

    let kills = 0;
    for (let n = 1; ; n += 1) {
      const { ports, survived } = killedAt(n);
      await eraseDue(ports, () => due, due + 60_000).catch(() => undefined);
      if (survived()) break;
      kills += 1;
    }
    expect(kills).toBeGreaterThan(10);

    expect(await rowsWith(env.SHARD_0, team.id)).toEqual({ audit: filled["audit"] });
    expect(await rowsWith(env.DB, team.id)).toEqual({ audit: expect.any(Number) });
    expect(await env.VECTORIZE.getByIds(vectors.slice(0, 20))).toEqual([]);
    for (const stub of [team.index, env.USER_SESSION.getByName(sessionName(team.id, member.id))]) {
      const tables = await runInDurableObject(stub as typeof team.index, async (_, { storage }) => storage.sql.exec<{ name: string }>("select name from sqlite_master where type = 'table' and name not like '_cf_%'").toArray());
      expect(tables).toEqual([]);
    }
    const known = await runInDurableObject(team.organizationIndex, async (_, { storage }) => storage.sql.exec("select team_id from docs union select team_id from sources").toArray());
    expect(known).toEqual([{ team_id: sister.id }]);
    expect([await rowsWith(env.SHARD_0, sister.id), await rowsWith(env.DB, sister.id)]).toEqual([sisterBefore, sisterDirectory]);
    expect((await sister.owner.search("gazpacho"))[0]).toBe("gazpacho on monday");
    const { results: audit } = await env.SHARD_0.prepare("select * from audit where team_id = ?").bind(team.id).all();
    expect(JSON.stringify(audit)).not.toMatch(/gazpacho|PostgreSQL|Oslo/);
  });

  test("destroys the key of its secrets first: whatever else is left, they cannot be opened any more", async () => {
    await fill(team);
    await team.owner.keep("vault", "the swordfish", { sensitivity: "secret" });
    const keys = () => rowsWith(env.DB, team.id).then(({ team_keys }) => team_keys);
    expect(await keys()).toBe(1);
    await deleteTeam(await managing(team.owner));
    // Killed at the first look at anything in a shard.
    let looks = 0;
    const dead = () => Promise.reject(new Error(`killed ${(looks += 1)}`));
    await eraseDue({ ...erasure, store: { ...killedAt(1).ports.store, vectorsOf: dead, closedTeams: () => Promise.resolve([]), setClosed: () => Promise.resolve() }, report: () => undefined }, () => due, due + 60_000);
    expect(looks).toBeGreaterThan(0);
    expect(await keys()).toBeUndefined();
    expect((await rowsWith(env.SHARD_0, team.id))["memories"]).toBeGreaterThan(0);
  });

  test("cannot be undone once it has begun", async () => {
    await rest((await fill(team)).member);
    await deleteTeam(await managing(team.owner));
    await eraseDue(killedAt(9).ports, () => due, due + 60_000).catch(() => undefined);
    const late = { ...(await managing(team.owner, now, true).catch(() => undefined)) };
    expect(late).toEqual({});
    expect(await tenants.listTeams({ userId: team.owner.id }, now)).toEqual([]);
  });

  test("a message that was on its way makes nothing of it any more", async () => {
    await team.owner.keep("k", "text");
    const { teamId, organizationId, shard } = team.owner.principal;
    await deleteTeam(await managing(team.owner));
    await erase(due);
    const ack = vi.fn<() => void>();
    const message = { id: "m", timestamp: new Date(now), attempts: 1, body: { teamId, organizationId, shard }, ack, retry: vi.fn<() => void>() };
    await consumeJobs(services, { queue: "omnimemory-jobs", messages: [message], ackAll: ack, retryAll: ack } as unknown as MessageBatch, () => due);
    expect(ack).toHaveBeenCalledOnce();
    expect(Object.keys(await rowsWith(env.SHARD_0, team.id))).toEqual(["audit"]);
  });

  test("stops when its time is over, and goes on in the next run", async () => {
    const records = Array.from({ length: 120 }, (_, i) => ({ content: `memory ${i}` }));
    await importMemories(team.owner.at(now), { records, onConflict: "update" });
    await deleteTeam(await managing(team.owner));
    let runs = 1;
    while ((await eraseDue(erasure, () => due, due)).teams === 0) runs += 1;
    expect(runs).toBeGreaterThan(3);
    expect(await rowsWith(env.SHARD_0, team.id)).toEqual({ audit: 1 });
  });
});

describe("deleting one's account [F3]", () => {
  const leaving = (person: Person, at = now) => ({ person: { userId: person.id, name: "Grace" }, session: { id: "browser", createdAt: at }, now: at, tenants, deletion });
  const confirm = { confirm: accountConfirmation };

  test("signs out at once, erases what is theirs alone, and leaves what they shared without a name", async () => {
    const member = await team.join();
    await env.DB.prepare("update users set name = 'Grace Hopper' where id = ?").bind(member.id).run();
    await env.DB.prepare("insert into identities values ('https://issuer', ?, ?, 'Grace Hopper', 'grace@example.com', 1, 1)").bind(member.id, member.id).run();
    await member.keep("diary", "a private thought about coffee");
    await member.keep("fact", "draft nobody saw");
    await converse(member, "More coffee, please.");
    await member.call("omn_record_workflow_step", { command: "brew coffee" });
    const { id } = await member.keep("plan", "secret draft of the plan");
    await revise(member.at(now + 1), { target: { id }, changes: { content: "the plan", visibility: "shared" } });
    await ensurePersonalTeam({ person: { userId: member.id, name: "Grace" }, now, tenants });
    const house = await team.owner.keep("house", "no smoking", { visibility: "shared" });
    await setReview(team.owner.at(now), { required: true });
    // What they proposed goes with their account
    await revise(member.at(now + 2), { target: { id: house.id }, changes: { content: "no smoking, but coffee" } });
    await indexed(team.owner.principal);

    await deleteAccount(leaving(member), confirm);
    expect((await member.call("omn_memory_stats")).status).toBe(401);
    expect((await team.owner.call("omn_memory_stats")).isError).toBe(false);
    await rest(member);

    for (let n = 1; ; n += 1) {
      const { ports, survived } = killedAt(n);
      await eraseDue(ports, () => now, now + 60_000).catch(() => undefined);
      if (survived()) break;
    }
    for (const words of ["coffee", "draft"]) {
      const { audit: _audit, ...rows } = await rowsWith(env.SHARD_0, words);
      expect(rows, words).toEqual({});
    }
    expect(Object.keys(await rowsWith(env.SHARD_0, member.id))).not.toEqual(expect.arrayContaining([expect.stringContaining("session")]));
    expect(await rowsWith(env.SHARD_0, member.id), "nothing of what was learned from them").not.toHaveProperty("workflow_counts");
    expect(await rowsWith(env.DB, "Grace Hopper")).toEqual({});
    expect(await rowsWith(env.DB, "grace@example.com")).toEqual({});
    expect(Object.keys(await rowsWith(env.DB, member.id)).sort()).toEqual(["audit", "users"]);
    expect((await team.owner.recall({ key: "plan" }))[0]?.memory.content).toBe("the plan");
    expect(await team.owner.search("plan", { mode: "hybrid" })).toEqual(["the plan", "no smoking"]);
  });

  test("needs the words, and changes nothing without them", async () => {
    await expect(deleteAccount(leaving(team.owner), { confirm: "yes" })).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
    expect((await team.owner.call("omn_memory_stats")).isError).toBe(false);
  });

  test("is refused while others would be left without an owner", async () => {
    const member = await team.join();
    await expect(deleteAccount(leaving(team.owner), confirm)).rejects.toMatchObject({ code: "CONFLICT", details: { teams: [team.id] } });
    expect(await deletion.fates({ userId: team.owner.id })).toEqual([{ id: team.id, name: "Core", fate: "blocks" }]);
    expect((await team.owner.call("omn_memory_stats")).isError).toBe(false);
    await transferOwnership(await managing(team.owner), { userId: member.id });
    expect(await deletion.fates({ userId: team.owner.id })).toEqual([{ id: team.id, name: "Core", fate: "left" }]);
    await deleteAccount(leaving(team.owner), confirm);
    expect((await team.owner.call("omn_memory_stats")).status).toBe(401);
  });

  test("is not held up by a team whose organization is deleted, which nobody restores without its owner", async () => {
    const member = await team.join();
    const both = await sister.admit(team.owner, "owner");
    await deleteOrganization(await managing(both));
    expect((await deletion.fates({ userId: team.owner.id })).map(({ fate }) => fate)).toEqual(["left", "left"]);
    await deleteAccount(leaving(team.owner), confirm);
    await restoreOrganization(await managing(sister.owner, now, true));
    expect((await sister.owner.call("omn_memory_stats")).isError).toBe(false);
    expect((await member.call("omn_memory_stats")).status, "no owner is left in their team").toBe(401);
    expect(await tenants.listTeams({ userId: member.id }, now)).toMatchObject([{ id: team.id, eraseAt: due }]);
  });

  test("both owners at the same moment: the team, with others in it, keeps one", async () => {
    const other = await team.join("owner");
    await team.join("viewer");
    const outcomes = await Promise.allSettled([deleteAccount(leaving(team.owner), confirm), deleteAccount(leaving(other), confirm)]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  });

  test("a deleted person is no owner any more, as far as the last one is concerned", async () => {
    const other = await team.join("owner");
    await deleteAccount(leaving(other), confirm);
    await expect(changeRole(await managing(team.owner), { userId: team.owner.id, role: "admin" })).rejects.toMatchObject({ code: "CONFLICT" });
  });

  test("takes the teams along that nobody else is in", async () => {
    await fill(sister);
    await changeRole(await managing(sister.owner), { userId: (await tenants.listMembers(sister.owner.principal)).find(({ role }) => role === "member")?.userId ?? "", role: "owner" });
    const alone = await newTeam();
    await alone.owner.keep("k", "only mine, though shared", { visibility: "shared" });
    await deleteAccount(leaving(alone.owner), confirm);
    expect((await erase(now)).teams).toBe(1);
    expect(Object.keys(await rowsWith(env.SHARD_0, alone.id))).toEqual(["audit"]);
    expect(await rowsWith(env.DB, alone.organizationId)).toEqual({ audit: expect.any(Number) });
  });
});
