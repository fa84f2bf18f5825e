import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { addMember, keyFor, newTenant, now as provisioned, store, type Tenant } from "../domain/tenancy/tenant.ts";
import { callTool } from "../support/mcp.ts";
import { uuidv7 } from "../../src/domain/ids.ts";
import { send, sendByCloudflare, toolCall } from "./raw.ts";
import { Browser, signedIn } from "./web/browser.ts";

interface Entry {
  at: string; action: string; success: boolean; team_id: string | null; user_id: string | null; user_name: string | null; subject: string | null;
  count?: number; client: string | null; address: string | null; country: string | null; credential_id: string | null; request_id: string | null;
}
interface Page { entries: Entry[]; next_cursor?: string }

const whence = { "user-agent": "claude-code/2.1 (linux)", "cf-connecting-ip": "203.0.113.9", "cf-ipcountry": "PT" };
const get = (token: string, path: string, headers: Record<string, string> = {}) => send({ token, method: "GET", path, headers });
const read = async (token: string, teamId: string, query = ""): Promise<Page> => (await get(token, `/v1/teams/${teamId}/audit${query}`)).json<Page>();
const actions = ({ entries }: Page): string[] => entries.map(({ action }) => action);

const owned = async () => {
  const tenant = await newTenant();
  return { tenant, ...(await keyFor(tenant, tenant.ownerId)) };
};

/** What is written after the answer. */
const until = async <T>(look: () => Promise<T>, good: (found: T) => boolean): Promise<T> => {
  for (let left = 1_000; ; left -= 1) {
    const found = await look();
    if (good(found) || left === 0) return found;
    await scheduler.wait(20);
  }
};

/** Another team of the same organization. */
async function besides({ organizationId }: Tenant, userId: string, role: "owner" | "admin"): Promise<string> {
  const { teamId: id } = await store.createTeam({ id: uuidv7(provisioned), organizationId, name: "Second" }, provisioned);
  await store.addMember({ teamId: id, userId, role }, provisioned);
  return id;
}

describe("the audit of a team [A14]", () => {
  test("says who did what, when, from which client and address, to keys and to memories alike", async () => {
    const { tenant, token, keyId } = await owned();
    await sendByCloudflare({ token, headers: whence, body: toolCall("omn_store_memory", { key: "a", content: "one" }) });
    const made = await sendByCloudflare({ token, path: "/v1/keys", headers: whence, body: { name: "ci", scopes: ["memory:read"] } });
    const { key } = await made.json<{ key: { key_id: string } }>();
    const isUse = ({ action, client }: Entry): boolean => action === "key.use" && client !== null;
    const page = await until(() => read(token, tenant.teamId), ({ entries }) => entries.some(isUse));
    const by = { user_id: tenant.ownerId, user_name: "Ada", team_id: tenant.teamId, credential_id: keyId, success: true };
    expect(page.entries.find(({ action }) => action === "memory.create")).toMatchObject({ ...by, client: "vitest", address: "203.0.113.9", count: 1, subject: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    expect(page.entries.find(({ subject }) => subject === key.key_id)).toMatchObject({ ...by, action: "key.create", client: "claude-code", address: "203.0.113.9", country: "PT" });
    expect(page.entries.find(isUse)).toMatchObject({ ...by, client: "claude-code", country: "PT", subject: keyId });
    expect(page.entries.every(({ at }) => Number.isFinite(Date.parse(at)))).toBe(true);
    expect(JSON.stringify(page)).not.toContain("one");
  });

  test("names the memory of which a secret was masked, as that of any other store", async () => {
    const { tenant, token } = await owned();
    const stored = await callTool(token, "omn_store_memory", { content: "The deploy script uses the AWS key AKIAQ3EGRZTKX5LMW2PD." });
    expect(stored.text).toContain("Masked");
    expect((await read(token, tenant.teamId)).entries.filter(({ action }) => action.startsWith("memory."))).toEqual([expect.objectContaining({ action: "memory.create", count: 1, subject: stored.structured["memory_id"] })]);
  });

  test("in pages of any size and as NDJSON, each entry once, newest first", async () => {
    const { tenant, token } = await owned();
    for (const key of ["a", "b", "c"]) await callTool(token, "omn_store_memory", { key, content: key });
    // Written at one and the same instant, in both places.
    for (const name of ["x", "y", "z"]) {
      await env.DB.prepare("insert into audit (at, team_id, action, success, subject) values (?, ?, 'key.create', 1, ?)").bind(provisioned, tenant.teamId, name).run();
      await env.SHARD_0.prepare("insert into audit (at, team_id, user_id, credential_id, tool, action, count, request_id) values (?, ?, 'u', 'c', 't', 'erase', 1, ?)").bind(provisioned, tenant.teamId, name).run();
    }
    await until(() => read(token, tenant.teamId), ({ entries }) => entries.some(({ action }) => action === "key.use"));
    const whole = (await read(token, tenant.teamId, "?limit=200")).entries;
    expect(whole.length).toBeGreaterThanOrEqual(11);
    for (const limit of [1, 2, 5]) {
      const walked: Entry[] = [];
      for (let cursor = ""; ; ) {
        const page = await read(token, tenant.teamId, `?limit=${limit}${cursor}`);
        walked.push(...page.entries);
        if (page.next_cursor === undefined) break;
        cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`;
      }
      expect(walked).toEqual(whole);
    }
    const exported = await get(token, `/v1/teams/${tenant.teamId}/audit/export`);
    expect(exported.headers.get("content-type")).toBe("application/x-ndjson");
    const lines = (await exported.text()).trim().split("\n").map((line) => JSON.parse(line) as Entry);
    expect(lines).toEqual(whole);
    expect(actions(await read(token, tenant.teamId))[0]).toBe("audit.export");
  });

  test("filtered by action, actor, time and success", async () => {
    const { tenant, token } = await owned();
    const memberId = await addMember(tenant.teamId, "member");
    const member = await keyFor(tenant, memberId);
    await callTool(member.token, "omn_store_memory", { key: "a", content: "one" });
    await callTool(token, "omn_store_memory", { key: "b", content: "two" });
    await send({ token: member.token, method: "DELETE", path: `/v1/teams/${tenant.teamId}`, body: "" });
    const of = (query: string) => read(token, tenant.teamId, query);
    expect(new Set(actions(await of("?action=memory.")))).toEqual(new Set(["memory.create"]));
    expect(actions(await of("?action=key.c"))).toEqual(["key.create", "key.create"]);
    expect(new Set((await of(`?actor=${memberId}`)).entries.map(({ user_id: by }) => by))).toEqual(new Set([memberId]));
    const refused = await until(() => of("?success=false"), ({ entries }) => entries.length > 0);
    expect(refused.entries).toMatchObject([{ action: "authorize.refused", subject: "DELETE /v1/teams/:team", user_id: memberId, credential_id: member.keyId }]);
    const since = new Date(provisioned + 1).toISOString();
    expect(actions(await of(`?since=${since}`))).not.toContain("key.create");
    expect(new Set(actions(await of(`?until=${since}`)))).toEqual(new Set(["key.create"]));
  });

  test.each(["cursor=x", "limit=0", "limit=201", "since=yesterday", "until=1795176000000", "success=perhaps", "success=TRUE", "success=1", "action=", "action=memori", "action=KEY.", "actor=", "actor=%20", "cursor=1~directory.99999", "user=ada", "createdAfter=2026-11-20T12:00:00Z", "success=true&success=false", "since=2026-11-20T12:00:00Z&until=2026-11-19T12:00:00Z"])("with %s it is a clear refusal", async (query) => {
    const { tenant, token } = await owned();
    const answer = await get(token, `/v1/teams/${tenant.teamId}/audit?${query}`);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { code: "VALIDATION_ERROR" } });
  });

  test.each(["%", "_", "*", "' OR 1=1 --"])("%s in a filter is text and nothing else", async (text) => {
    const { tenant, token } = await owned();
    for (const name of ["action", "actor"]) {
      const answer = await get(token, `/v1/teams/${tenant.teamId}/audit?${name}=${encodeURIComponent(text)}`);
      expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(`${name}: `)]);
    }
  });
});

describe("audit?actor=ada", () => {
  const message = async (token: string, teamId: string, query: string): Promise<string> => {
    const answer = await get(token, `/v1/teams/${teamId}/audit?${query}`);
    expect(answer.status).toBe(400);
    return (await answer.json<{ error: { message: string } }>()).error.message;
  };
  const called = (userId: string, name: string) => env.DB.prepare("update users set name = ? where id = ?").bind(name, userId).run();
  const withAccount = (userId: string, email: string) =>
    env.DB.prepare("insert into identities (issuer, subject, user_id, email, created_at, last_used_at) values ('https://issuer.example', ?, ?, ?, 0, 0)").bind(userId, userId, email).run();
  const actors = ({ entries }: Page): unknown[] => [...new Set(entries.map(({ user_id: by }) => by))];

  test("finds what the people of that name or mail address did, whatever the case", async () => {
    const { tenant, token } = await owned();
    const [grace, other] = [await addMember(tenant.teamId, "member"), await addMember(tenant.teamId, "member")];
    await called(grace, "Åsa Hopper");
    await withAccount(grace, "grace@example.com");
    for (const userId of [grace, other]) await callTool((await keyFor(tenant, userId)).token, "omn_store_memory", { key: userId, content: userId });
    await callTool(token, "omn_store_memory", { key: "a", content: "one" });
    for (const actor of ["Ada", "ada", "ADA", tenant.ownerId]) expect(actors(await read(token, tenant.teamId, `?actor=${actor}`)), actor).toEqual([tenant.ownerId]);
    for (const actor of ["åsa hopper", "Grace@Example.com", grace]) {
      expect(actors(await read(token, tenant.teamId, `?actor=${encodeURIComponent(actor)}&action=memory.`)), actor).toEqual([grace]);
    }
    await called(other, "Ada");
    expect(actors(await read(token, tenant.teamId, "?actor=ada")).sort()).toEqual([tenant.ownerId, other].sort());
    const exported = await get(token, `/v1/teams/${tenant.teamId}/audit/export?actor=grace@example.com`);
    expect(actors({ entries: (await exported.text()).trim().split("\n").map((line) => JSON.parse(line) as Entry) })).toEqual([grace]);
  });

  test("says so when nobody is called so, and what to give instead", async () => {
    const { tenant, token } = await owned();
    expect(await message(token, tenant.teamId, "actor=ad")).toBe('actor: nobody here has the id, name or mail address "ad". Give it whole, as a member has it, or the user_id of an entry.');
    expect(await message(token, tenant.teamId, `actor=${crypto.randomUUID()}`)).toContain("nobody here");
    expect(await message(token, tenant.teamId, "action=memory.eat")).toMatch(/none begins with "memory\.eat"\. Actions of this kind: memory\.accept, memory\.archive, memory\.consolidate, memory\.create/);
    expect(await message(token, tenant.teamId, "action=eat")).toMatch(/Actions begin with one of: account\., alert\./);
    expect(await message(token, tenant.teamId, "user=ada")).toMatch(/user.*Known here: action, actor, since, until, success, cursor, limit/);
    expect(await message(token, tenant.teamId, "since=today")).toContain("2026-11-20T12:00:00Z");
  });

  test("somebody who left, and what the product did itself, are found by the id that their entries have", async () => {
    const { tenant, token } = await owned();
    const memberId = await addMember(tenant.teamId, "member");
    await called(memberId, "Linus");
    await callTool((await keyFor(tenant, memberId)).token, "omn_store_memory", { key: "a", content: "one" });
    await store.removeMember(tenant.teamId, memberId);
    expect(actors(await read(token, tenant.teamId, `?actor=${memberId}`))).toEqual([memberId]);
    expect(await message(token, tenant.teamId, "actor=linus")).toContain("nobody here");
    expect((await read(token, tenant.teamId, "?actor=system")).entries).toEqual([]);
  });

  test("nobody outside the team is found by their name or address, and the refusal is the same as for nobody at all", async () => {
    const [mine, other] = [await owned(), await owned()];
    await called(other.tenant.ownerId, "Secretive");
    await withAccount(other.tenant.ownerId, "secretive@example.com");
    const texts = await Promise.all(["secretive", "secretive@example.com", other.tenant.ownerId, "unheard-of"].map(async (actor) => (await message(mine.token, mine.tenant.teamId, `actor=${actor}`)).replace(actor, "…")));
    expect(new Set(texts).size).toBe(1);
  });

  test("in the audit of an account: the person, and whoever did something to them; addresses of others are no way to ask", async () => {
    const { tenant, browser } = await signedIn();
    const second = await addMember(tenant.teamId, "owner");
    await called(second, "Grace");
    await withAccount(second, "grace@example.org");
    await send({ token: (await keyFor(tenant, second)).token, method: "PATCH", path: `/v1/teams/${tenant.teamId}/members/${tenant.ownerId}`, body: { role: "admin" } });
    const ask = (actor: string) => browser.get(`/v1/account/audit?actor=${actor}`);
    expect((await (await ask("grace")).json<Page>()).entries.map(({ action }) => action)).toEqual(["member.role.admin"]);
    expect(actors(await (await ask("ada")).json<Page>())).toEqual([tenant.ownerId]);
    expect((await ask("grace@example.org")).status).toBe(400);
  });
});

describe("who may read it [A13] [A14]", () => {
  test("owners and admins with memory:admin, by key or browser, and nobody else", async () => {
    const tenant = await newTenant();
    const path = `/v1/teams/${tenant.teamId}/audit`;
    for (const [role, granted, status] of [
      ["owner", undefined, 200], ["admin", undefined, 200], ["member", undefined, 403], ["viewer", undefined, 403],
      ["owner", ["memory:read", "memory:write"], 403],
    ] as const) {
      const { token } = await keyFor(tenant, role === "owner" ? tenant.ownerId : await addMember(tenant.teamId, role), granted);
      for (const suffix of ["", "/export"]) expect((await get(token, path + suffix)).status, `${role} ${suffix}`).toBe(status);
    }
    expect((await new Browser().get(path)).status).toBe(401);
    const { tenant: own, browser } = await signedIn();
    expect((await browser.get(`/v1/teams/${own.teamId}/audit`)).status).toBe(200);
    expect((await browser.get(path)).status).toBe(404);
  });

  test("other teams' entries are never shown, whatever is asked", async () => {
    const [mine, other] = [await owned(), await owned()];
    await callTool(other.token, "omn_store_memory", { key: "a", content: "one" });
    await callTool(mine.token, "omn_store_memory", { key: "a", content: "one" });
    const foreign = await get(mine.token, `/v1/teams/${mine.tenant.teamId}/audit?actor=${other.tenant.ownerId}`);
    expect([foreign.status, await foreign.text()]).toEqual([400, expect.stringContaining("nobody here has the id")]);
    for (const query of ["", "?action=memory.", `?cursor=${Date.now()}~directory.0~SHARD_0.0~SHARD_1.0`]) {
      const { entries } = await read(mine.token, mine.tenant.teamId, query);
      expect(entries.filter(({ team_id: team }) => team !== mine.tenant.teamId), query).toEqual([]);
    }
    for (const path of ["audit", "audit/export", "organization/audit"]) {
      expect((await get(mine.token, `/v1/teams/${other.tenant.teamId}/${path}`)).status).not.toBe(200);
    }
  });

  test("an owner sees all teams of the organization that they own, and those alone", async () => {
    const { tenant, browser } = await signedIn();
    const second = await besides(tenant, tenant.ownerId, "owner");
    const administered = await besides(tenant, tenant.ownerId, "admin");
    const foreign = await besides(tenant, await addMember(tenant.teamId, "member"), "owner");
    const elsewhere = await newTenant();
    for (const teamId of [tenant.teamId, second, administered, foreign, elsewhere.teamId]) {
      await env.DB.prepare("insert into audit (at, team_id, organization_id, action, success) values (?, ?, ?, 'team.rename', 1)").bind(provisioned, teamId, tenant.organizationId).run();
    }
    const path = `/v1/teams/${tenant.teamId}/organization/audit?action=team.rename`;
    const { entries } = await (await browser.get(path)).json<Page>();
    expect(entries.map(({ team_id: team }) => team).sort()).toEqual([tenant.teamId, second].sort());
    const first = await (await browser.get(`${path}&limit=1`)).json<Page>();
    const rest = await (await browser.get(`${path}&limit=1&cursor=${first.next_cursor}`)).json<Page>();
    expect([...first.entries, ...rest.entries]).toEqual(entries);
    expect(rest.next_cursor).toBeUndefined();
    const { token } = await keyFor(tenant, tenant.ownerId);
    expect((await get(token, path)).status).toBe(403);
  });

  test("also where its teams live in several shards", async () => {
    const { tenant, browser } = await signedIn();
    const second = await besides(tenant, tenant.ownerId, "owner");
    await env.DB.prepare("insert into shards (name, accepts_teams, created_at) values ('SHARD_1', 0, 0) on conflict do nothing").run();
    await env.DB.prepare("update teams set shard = 'SHARD_1' where id = ?").bind(second).run();
    for (const [shard, teamId] of [[env.SHARD_0, tenant.teamId], [env.SHARD_1, second], [env.SHARD_1, "others"]] as const) {
      for (const id of ["1", "2"]) {
        await shard.prepare("insert into audit (at, team_id, user_id, credential_id, tool, action, count, request_id) values (?, ?, 'u', 'c', 't', 'erase', 1, ?)").bind(provisioned, teamId, id).run();
      }
    }
    const seen: string[] = [];
    for (let cursor: string | undefined = ""; cursor !== undefined; ) {
      const page: Page = await (await browser.get(`/v1/teams/${tenant.teamId}/organization/audit?action=memory.&limit=1${cursor}`)).json<Page>();
      seen.push(...page.entries.map(({ team_id: team, request_id: id }) => `${team} ${id}`));
      cursor = page.next_cursor === undefined ? undefined : `&cursor=${page.next_cursor}`;
    }
    expect(seen).toEqual([tenant.teamId, second].flatMap((team) => [`${team} 1`, `${team} 2`]));
  });

  test("a person sees what concerns their account: what they did, and what others did to them, not from where", async () => {
    const { tenant, browser } = await signedIn();
    const { token } = await keyFor(tenant, tenant.ownerId);
    const memberId = await addMember(tenant.teamId, "member");
    const secondOwner = await keyFor(tenant, await addMember(tenant.teamId, "owner"));
    await sendByCloudflare({ token, method: "PATCH", path: `/v1/teams/${tenant.teamId}/members/${memberId}`, body: { role: "viewer" }, headers: whence });
    await sendByCloudflare({ token: secondOwner.token, method: "PATCH", path: `/v1/teams/${tenant.teamId}/members/${tenant.ownerId}`, body: { role: "admin" }, headers: whence });
    const { entries } = await (await browser.get("/v1/account/audit?limit=200")).json<Page>();
    expect(entries.map(({ action }) => action)).toEqual(expect.arrayContaining(["sign-in.link", "link.create", "key.create", "member.role.viewer"]));
    const toThem = entries.filter(({ user_id: by }) => by !== tenant.ownerId);
    expect(toThem).toMatchObject([{ action: "member.role.admin", subject: tenant.ownerId, address: null, client: null, country: null, credential_id: null, request_id: null }]);
    expect((await get(token, "/v1/account/audit")).status).toBe(403);
    expect((await (await (await signedIn()).browser.get("/v1/account/audit")).json<Page>()).entries.map(({ action }) => action)).not.toContain("member.role.admin");
  });
});
