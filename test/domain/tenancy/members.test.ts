import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { uuidv7 } from "../../../src/domain/ids.ts";
import { changeRole, leaveTeam, listMembers, removeMember, transferOwnership } from "../../../src/domain/tenancy/members.ts";
import { type Role, roles, scopes } from "../../../src/domain/tenancy/principal.ts";
import { mayChangeRole, mayRemove } from "../../../src/domain/tenancy/roles.ts";
import { createOrganization, createTeam, ensurePersonalTeam, listTeams, principalIn, renameOrganization, renameTeam, type TenantContext } from "../../../src/domain/tenancy/teams.ts";
import { D1TenantStore } from "../../../src/platform/d1/tenant-store.ts";
import { addMember, audit, keyFor, login, newTenant, now, store, type Tenant } from "./tenant.ts";

const tenants = new D1TenantStore(env.DB);

async function contextOf(teamId: string, userId: string): Promise<TenantContext> {
  const principal = await principalIn(tenants, { person: { userId }, session: { id: "browser", createdAt: now } }, teamId);
  if (!principal) throw new Error("not in the team");
  return { principal, now, tenants };
}

async function teamOf(...others: Role[]): Promise<{ tenant: Tenant; owner: TenantContext; others: TenantContext[] }> {
  const tenant = await newTenant();
  const joined: TenantContext[] = [];
  for (const role of others) joined.push(await contextOf(tenant.teamId, await addMember(tenant.teamId, role)));
  return { tenant, owner: await contextOf(tenant.teamId, tenant.ownerId), others: joined };
}

const rolesIn = async (ctx: TenantContext): Promise<Role[]> => (await listMembers(ctx)).map(({ role }) => role).sort();
const userOf = (ctx: TenantContext | undefined): string => ctx?.principal.userId ?? "";

describe("changing roles [F3]", () => {
  test("exactly what the table allows is done, for every actor, member and role", async () => {
    for (const actorRole of roles) {
      for (const from of roles) {
        const { tenant, others: [actor] } = await teamOf(actorRole);
        for (const to of roles) {
          const userId = await addMember(tenant.teamId, from);
          const done = await changeRole(actor as TenantContext, { userId, role: to }).then(() => true, () => false);
          expect(done, `${actorRole}: ${from} -> ${to}`).toBe(mayChangeRole(actorRole, from, to));
          expect((await tenants.membership({ userId }, tenant.teamId))?.role).toBe(done ? to : from);
        }
        const userId = await addMember(tenant.teamId, from);
        const removed = await removeMember(actor as TenantContext, { userId }).then(() => true, () => false);
        expect(removed, `${actorRole} removes ${from}`).toBe(mayRemove(actorRole, from));
      }
    }
  });

  test("is in the audit, once, with the new role", async () => {
    const { owner, others: [member] } = await teamOf("member");
    await changeRole(owner, { userId: userOf(member), role: "admin" });
    expect(await changeRole(owner, { userId: userOf(member), role: "admin" })).toEqual({ changed: false });
    expect((await audit("subject", userOf(member))).map(({ action }) => action)).toEqual(["member.role.admin"]);
  });

  test("who was an admin when they came in, and is not any more, changes nothing", async () => {
    const { owner, others: [admin, victim] } = await teamOf("admin", "member");
    await changeRole(owner, { userId: userOf(admin), role: "member" });
    await expect(changeRole(admin as TenantContext, { userId: userOf(victim), role: "admin" })).rejects.toMatchObject({ code: "CONFLICT" });
    await expect(removeMember(admin as TenantContext, { userId: userOf(victim) })).rejects.toMatchObject({ code: "CONFLICT" });
    expect(await rolesIn(owner)).toEqual(["member", "member", "owner"]);
  });

  test("nobody outside the team is a member of it", async () => {
    const { owner } = await teamOf();
    const other = await newTenant();
    await expect(changeRole(owner, { userId: other.ownerId, role: "viewer" })).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect(await principalIn(tenants, { person: { userId: owner.principal.userId }, session: { id: "browser", createdAt: now } }, other.teamId)).toBeUndefined();
  });
});

describe("a team never is without an owner [F3]", () => {
  test("the last one can neither leave, nor step down, nor be removed", async () => {
    const { owner } = await teamOf("admin");
    await expect(leaveTeam(owner)).rejects.toMatchObject({ code: "CONFLICT", message: expect.stringContaining("last") });
    await expect(changeRole(owner, { userId: userOf(owner), role: "member" })).rejects.toMatchObject({ code: "CONFLICT", message: expect.stringContaining("last") });
    expect(await rolesIn(owner)).toEqual(["admin", "owner"]);
  });

  test("of several owners who all go at the same moment, one stays", async () => {
    for (let round = 0; round < 5; round += 1) {
      const { tenant, owner, others } = await teamOf("owner", "owner", "owner");
      const all = [owner, ...others];
      const steps = all.map((ctx, i) => (i % 2 === 0 ? leaveTeam(ctx) : changeRole(ctx, { userId: userOf(all[(i + 1) % 4]), role: "viewer" }).then(() => leaveTeam(ctx))));
      await Promise.allSettled([...steps, ...all.map((ctx) => leaveTeam(ctx))]);
      const { results } = await env.DB.prepare("select role from memberships where team_id = ?").bind(tenant.teamId).all<{ role: string }>();
      expect(results.filter(({ role }) => role === "owner").length).toBeGreaterThanOrEqual(1);
    }
  });

  test("handing over makes the other owner and oneself admin, at once", async () => {
    const { owner, others: [member] } = await teamOf("member");
    await transferOwnership(owner, { userId: userOf(member) });
    expect((await listMembers(owner)).map(({ userId, role }) => [userId, role])).toEqual([[userOf(member), "owner"], [userOf(owner), "admin"]]);
    await expect(transferOwnership(owner, { userId: userOf(member) })).rejects.toMatchObject({ code: "CONFLICT" });
  });

  test("handed over to two at once, it has exactly one new owner", async () => {
    const { owner, others: [one, two] } = await teamOf("member", "admin");
    const outcomes = await Promise.allSettled([one, two].map((ctx) => transferOwnership(owner, { userId: userOf(ctx) })));
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect((await rolesIn(owner)).filter((role) => role === "owner")).toHaveLength(1);
  });
});

describe("leaving and removing [F3]", () => {
  test("a viewer may leave; their keys end and do not come back with them", async () => {
    const { tenant, owner, others: [viewer] } = await teamOf("viewer");
    const { token } = await keyFor(tenant, userOf(viewer));
    await leaveTeam(viewer as TenantContext);
    expect(await login(token)).toEqual({ kind: "unknown" });
    await store.addMember({ teamId: tenant.teamId, userId: userOf(viewer), role: "admin" }, now);
    expect(await login(token)).toEqual({ kind: "revoked" });
    expect(await rolesIn(owner)).toEqual(["admin", "owner"]);
  });

  test("ends the person's grants for this team and no others", async () => {
    const { tenant, owner, others: [member, other] } = await teamOf("member", "member");
    const subjects = [`${userOf(member)}.${tenant.teamId}`, `${userOf(other)}.${tenant.teamId}`, `${userOf(member)}.${tenant.teamId}x`];
    const keys = subjects.flatMap((subject) => [`grant:${subject}:g`, `token:${subject}:g:t`]);
    await env.DB.batch(keys.map((key) => env.DB.prepare("insert into oauth_records (key, value) values (?, '')").bind(key)));
    await removeMember(owner, { userId: userOf(member) });
    const { results } = await env.DB.prepare("select key from oauth_records where key in (select value from json_each(?))").bind(JSON.stringify(keys)).all<{ key: string }>();
    expect(results.map(({ key }) => key).sort()).toEqual(keys.slice(2).sort());
  });
});

describe("organizations and teams [F3]", () => {
  test("one makes an organization, and another team in it, and renames both", async () => {
    const { tenant, owner } = await teamOf();
    const person = { userId: tenant.ownerId, name: "Ada" };
    const made = await createOrganization({ person, now: now + 1, tenants }, { name: " Lab ", team: "Bench" });
    const ctx = await contextOf(made.team.id, person.userId);
    const second = await createTeam({ ...ctx, now: now + 2 }, { name: "Field" });
    await renameTeam(ctx, { name: "Workbench" });
    await renameOrganization(ctx, { name: "Laboratory" });
    const listed = await listTeams({ person, now, tenants });
    expect(listed.map(({ id, name, organizationName, role, personal }) => ({ id, name, organizationName, role, personal }))).toEqual([
      { id: owner.principal.teamId, name: "Core", organizationName: "Acme", role: "owner", personal: false },
      { id: made.team.id, name: "Workbench", organizationName: "Laboratory", role: "owner", personal: false },
      { id: second.id, name: "Field", organizationName: "Laboratory", role: "owner", personal: false },
    ]);
  });

  test.each(["member", "viewer", "admin"] as const)("a %s creates no team in it, and only an admin renames theirs", async (role) => {
    const { others: [ctx] } = await teamOf(role);
    await expect(createTeam(ctx as TenantContext, { name: "Mine" })).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
    await expect(renameOrganization(ctx as TenantContext, { name: "Mine" })).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
    const renamed = renameTeam(ctx as TenantContext, { name: "Ours" }).then(() => true, () => false);
    expect(await renamed).toBe(role === "admin");
  });

  test.each(["", "  ", "x".repeat(101)])("refuses the name %j", async (name) => {
    const { owner } = await teamOf();
    await expect(renameTeam(owner, { name })).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
  });
});

describe("a team of one's own [F3]", () => {
  const somebody = async (name = "Linus"): Promise<{ userId: string; name: string }> => {
    const person = { userId: uuidv7(now), name };
    await store.createUser({ id: person.userId, name }, now);
    return person;
  };

  test("is made once, however often and at once it is asked for", async () => {
    await store.registerShards(["SHARD_0"], now);
    const person = await somebody();
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => ensurePersonalTeam({ person, now, tenants })));
    expect(outcomes.filter(({ created }) => created)).toHaveLength(1);
    expect(await listTeams({ person, now, tenants })).toMatchObject([{ name: "Linus", organizationName: "Linus", role: "owner", personal: true, eraseAt: null }]);
    const { results } = await env.DB.prepare("select * from organizations where name = 'Linus'").all();
    expect(results).toHaveLength(1);
    expect(await ensurePersonalTeam({ person, now, tenants })).toEqual({ created: false });
  });

  test("is not made for who is in a team already, and has a name even if the person has none", async () => {
    const tenant = await newTenant();
    expect(await ensurePersonalTeam({ person: { userId: tenant.ownerId, name: "Ada" }, now, tenants })).toEqual({ created: false });
    const nameless = await somebody("");
    await ensurePersonalTeam({ person: nameless, now, tenants });
    expect((await listTeams({ person: nameless, now, tenants }))[0]?.name).toBe("Personal");
  });

  test("holds memories like any other", async () => {
    const person = await somebody("Barbara");
    await ensurePersonalTeam({ person, now, tenants });
    const [team] = await listTeams({ person, now, tenants });
    const { ctx } = await keyFor({ teamId: team?.id ?? "", organizationId: team?.organizationId ?? "" }, person.userId, scopes);
    expect(ctx.principal).toMatchObject({ role: "owner", teamId: team?.id, shard: "SHARD_0" });
  });
});
