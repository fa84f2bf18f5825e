import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { uuidv7 } from "../../../src/domain/ids.ts";
import { acceptInvitation, invite, listInvitations, readInvitation, revokeInvitation } from "../../../src/domain/tenancy/invitations.ts";
import { changeRole, listMembers, removeMember } from "../../../src/domain/tenancy/members.ts";
import { type Role, roles } from "../../../src/domain/tenancy/principal.ts";
import { mayGive } from "../../../src/domain/tenancy/roles.ts";
import { createOrganization, ensurePersonalTeam, principalIn } from "../../../src/domain/tenancy/teams.ts";
import { D1InvitationStore } from "../../../src/platform/d1/invitation-store.ts";
import { D1TenantStore } from "../../../src/platform/d1/tenant-store.ts";
import { addMember, audit, day, newTenant, now, store } from "./tenant.ts";

const tenants = new D1TenantStore(env.DB);
const invitations = new D1InvitationStore(env.DB);

async function contextOf(teamId: string, userId: string, at = now) {
  const principal = await principalIn(tenants, { person: { userId }, session: { id: "browser", createdAt: now } }, teamId);
  if (!principal) throw new Error("not in the team");
  return { principal, now: at, tenants, invitations };
}

async function newPerson(): Promise<{ userId: string; name: string }> {
  const person = { userId: uuidv7(now), name: "Grace" };
  await store.createUser({ id: person.userId, name: person.name }, now);
  return person;
}

async function invited(role: Role = "member", expiresInDays?: number) {
  const tenant = await newTenant();
  const owner = await contextOf(tenant.teamId, tenant.ownerId);
  const { token, invitation } = await invite(owner, { role, ...(expiresInDays === undefined ? {} : { expiresInDays }) });
  return { tenant, owner, token, invitation };
}

const accept = (person: { userId: string; name: string }, token: string | undefined, at = now) => acceptInvitation({ person, now: at, tenants, invitations }, { token });

describe("an invitation [F3]", () => {
  test.each(roles)("as %s makes whoever accepts it just that, once", async (role) => {
    const { tenant, owner, token } = await invited(role);
    const [first, second] = [await newPerson(), await newPerson()];
    expect(await readInvitation(invitations, token, now)).toMatchObject({ teamName: "Core", role });
    expect(await accept(first, token, now + 1)).toEqual({ teamId: tenant.teamId, joined: true });
    await expect(accept(second, token, now + 2)).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect((await listMembers(owner)).map(({ userId, role }) => ({ userId, role }))).toContainEqual({ userId: first.userId, role });
    expect(await tenants.membership(second, tenant.teamId)).toBeUndefined();
    expect((await audit("subject", first.userId)).map(({ action }) => action)).toEqual(["invitation.accept"]);
    expect(await listInvitations(owner)).toEqual([]);
  });

  test("accepted by many at the same moment, brings in one of them", async () => {
    const { owner, token } = await invited();
    const people = await Promise.all(Array.from({ length: 6 }, newPerson));
    const outcomes = await Promise.allSettled(people.map((person) => accept(person, token)));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await listMembers(owner)).toHaveLength(2);
  });

  test("lasts seven days unless asked otherwise, and to the millisecond", async () => {
    const week = await invited();
    expect(week.invitation.expiresAt).toBe(now + 7 * day);
    await expect(accept(await newPerson(), week.token, now + 7 * day)).rejects.toThrow("cannot be accepted");
    await accept(await newPerson(), week.token, now + 7 * day - 1);
    const month = await invited("viewer", 30);
    expect(month.invitation.expiresAt).toBe(now + 30 * day);
  });

  test.each([0, 31, 1.5, Number.NaN])("is not made for %d days", async (days) => {
    await expect(invited("member", days)).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
  });

  test("keeps no trace of the secret", async () => {
    const { token, owner } = await invited();
    const tables = await Promise.all(["invitations", "audit"].map((table) => env.DB.prepare(`select * from ${table}`).all()));
    expect(JSON.stringify([tables.map(({ results }) => results), await listInvitations(owner)])).not.toContain(token);
    expect(JSON.stringify(await listInvitations(owner))).not.toContain("tokenHash");
  });

  test("is given by who may give the role", async () => {
    for (const actor of roles) {
      const tenant = await newTenant();
      const ctx = await contextOf(tenant.teamId, await addMember(tenant.teamId, actor));
      for (const role of roles) {
        expect(await invite(ctx, { role }).then(() => true, () => false), `${actor} invites ${role}`).toBe(mayGive(actor, role));
      }
    }
  });

  test("does not touch who is in the team already, and is not used up by them", async () => {
    const { tenant, token } = await invited("viewer");
    expect(await accept({ userId: tenant.ownerId, name: "Ada" }, token)).toEqual({ teamId: tenant.teamId, joined: false });
    expect((await tenants.membership({ userId: tenant.ownerId }, tenant.teamId))?.role).toBe("owner");
    expect(await accept(await newPerson(), token)).toMatchObject({ joined: true });
  });

  test("is not to somebody's own team", async () => {
    const person = await newPerson();
    await ensurePersonalTeam({ person, now, tenants });
    const [team] = await tenants.listTeams(person, now);
    await expect(invite(await contextOf(team?.id ?? "", person.userId), { role: "member" })).rejects.toMatchObject({ code: "CONFLICT" });
  });
});

describe("a link that does not work [F3] [A13]", () => {
  test("answers alike for every reason", async () => {
    const person = await newPerson();
    const used = await invited();
    await accept(await newPerson(), used.token);
    const expired = await invited("member", 1);
    const revoked = await invited();
    expect(await revokeInvitation(revoked.owner, { id: revoked.invitation.id })).toEqual({ revoked: true });
    expect(await revokeInvitation(revoked.owner, { id: revoked.invitation.id })).toEqual({ revoked: false });
    const deleted = await invited();
    await env.DB.prepare("update teams set deleted_at = 1 where id = ?").bind(deleted.tenant.teamId).run();
    const demoted = await invitedByAdminWho(async (owner, userId) => void (await changeRole(owner, { userId, role: "member" })));
    const gone = await invitedByAdminWho((owner, userId) => removeMember(owner, { userId }));

    const tokens = [used.token, expired.token, revoked.token, deleted.token, demoted, gone, "0".repeat(43), "", "x".repeat(9), undefined];
    const answers = await Promise.all(tokens.map(async (token) => ({
      read: await readInvitation(invitations, token, now + 2 * day),
      accepted: await accept(person, token, now + 2 * day).then(() => "accepted", (error: Error) => error.message),
    })));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]).toEqual({ read: undefined, accepted: expect.stringContaining("used, expired, revoked or mistyped") });
    expect(await tenants.listTeams(person, now)).toEqual([]);
  });

  test("of another team is not revoked or seen", async () => {
    const [mine, theirs] = [await invited(), await invited()];
    expect(await revokeInvitation(mine.owner, { id: theirs.invitation.id })).toEqual({ revoked: false });
    expect((await listInvitations(mine.owner)).map(({ id }) => id)).toEqual([mine.invitation.id]);
    expect(await accept(await newPerson(), theirs.token)).toMatchObject({ teamId: theirs.tenant.teamId });
  });
});

/** The token of an invitation whose inviter may not invite any more. */
async function invitedByAdminWho(fares: (owner: Awaited<ReturnType<typeof contextOf>>, userId: string) => Promise<void>): Promise<string> {
  const person = await newPerson();
  const { team } = await createOrganization({ person, now, tenants }, { name: "Lab" });
  const admin = await addMember(team.id, "admin");
  const { token } = await invite(await contextOf(team.id, admin), { role: "member" });
  await fares(await contextOf(team.id, person.userId), admin);
  return token;
}
