import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { newBootstrapLink } from "../../src/domain/tenancy/sign-in-link.ts";
import { addMember, keyFor, newTenant, store, type Tenant } from "../domain/tenancy/tenant.ts";
import { type Work, workOf } from "../support/work.ts";
import { connected } from "./oauth/client.ts";
import { send } from "./raw.ts";
import { allRoutes, bodies, isForKeys, methodOf, pathOf, restRoutes } from "./route-samples.ts";
import { Authenticator } from "./web/authenticator.ts";
import { Browser, newPerson, signedIn, signInStore } from "./web/browser.ts";

/** What a stranger sees of an answer, but for what is new each time. */
const bare = (text: string): string => text.replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|"timestamp":"[^"]*"/g, "");

type Seen = Work & { status: number; text: string };

/** One answer, made by the same work, for every reason. Clocks stand still in a Worker: what takes time is what is done. */
async function expectAlike(asks: (() => Promise<Response>)[]): Promise<Seen> {
  // The first use of a credential in an hour is noted; that is not what is compared.
  await workOf(asks[0] as () => Promise<Response>);
  await scheduler.wait(30);
  const seen: Seen[] = [];
  for (const ask of asks) {
    const { text, ...rest } = await workOf(ask);
    seen.push({ ...rest, text: bare(text) });
  }
  for (const other of seen.slice(1)) expect(other).toEqual(seen[0]);
  return seen[0] as Seen;
}

describe("enumeration of keys, by message or timing [S6] [S11] [A13]", () => {
  let tenant: Tenant;
  const secretOf = (token: string): string => token.slice(21);
  beforeAll(async () => void (tenant = await newTenant()));

  /** Each but the first names a key that is there. */
  async function guesses(): Promise<string[]> {
    const nobody = "y".repeat(32);
    const [live, expired, revoked, theirs] = [
      await keyFor(tenant, tenant.ownerId),
      await keyFor(tenant, tenant.ownerId),
      await keyFor(tenant, tenant.ownerId),
      await keyFor(tenant, await addMember(tenant.teamId, "member")),
    ];
    await env.DB.prepare("update api_keys set revoked_at = 1 where key_id = ?").bind(revoked.keyId).run();
    await env.DB.prepare("update api_keys set expires_at = 1 where key_id = ?").bind(expired.keyId).run();
    await store.removeMember(tenant.teamId, theirs.ctx.principal.userId);
    return [
      `omn_${"x".repeat(16)}_${nobody}`, `omn_${live.keyId}_${nobody}`, `omn_${expired.keyId}_${nobody}`, `omn_${revoked.keyId}_${nobody}`,
      `omn_${theirs.keyId}_${nobody}`, `omn_${live.keyId}_${secretOf(revoked.token)}`, expired.token, revoked.token, theirs.token,
    ];
  }

  test.each([["POST", "/mcp"], ["GET", "/v1/keys"], ["GET", "/v1/teams"]])("%s %s: unknown, wrong, expired, revoked or left: one answer, one look-up, one digest", async (method, path) => {
    const seen = await expectAlike((await guesses()).map((token) => () => send({ token, method, path })));
    expect(seen.status).toBe(401);
    expect(seen.digests).toBe(1);
  });

  test("the id of a key tells nobody of others whether there is such a key", async () => {
    const [mine, theirs] = [await signedIn(), await newTenant()];
    const [own, foreign] = [await keyFor(mine.tenant, mine.tenant.ownerId), await keyFor(theirs, theirs.ownerId)];
    const colleague = await keyFor(mine.tenant, await addMember(mine.tenant.teamId, "member"));
    for (const [method, act] of [["POST", "/rotate"], ["DELETE", ""]] as const) {
      const ids = ["x".repeat(16), foreign.keyId];
      for (const base of ["/v1/keys", `/v1/teams/${mine.tenant.teamId}/keys`]) {
        await expectAlike(ids.map((id) => () => send({ token: own.token, method, path: `${base}/${id}${act}`, body: {} })));
        await expectAlike([...ids, own.keyId].map((id) => () => send({ token: colleague.token, method, path: `${base}/${id}${act}`, body: {} })));
      }
    }
    for (const act of ["rotate", "revoke"]) {
      await expectAlike(["x".repeat(16), foreign.keyId].map((id) => () => mine.browser.post(`/keys/${mine.tenant.teamId}/${id}/${act}`)));
    }
  });

  test("access tokens that name a person, a team and a client that are there get the answer of those that do not", async () => {
    const { tokens } = await connected();
    const [subject, grant] = tokens.access_token.split(":");
    const secret = "s".repeat(32);
    const seen = await expectAlike([`nobody.nowhere:${"g".repeat(16)}:${secret}`, `${subject}:${"g".repeat(16)}:${secret}`, `${subject}:${grant}:${secret}`].map((token) => () => send({ token })));
    expect(seen.status).toBe(401);
  });
});

describe("enumeration of teams [S6] [A13]", () => {
  const inTeam = restRoutes.filter((route) => route.includes(":team"));

  test.each(inTeam)("%s: a team of others is as if it were not there, for a browser and for a key", async (route) => {
    const { browser, tenant } = await signedIn();
    const { token } = await keyFor(tenant, tenant.ownerId);
    const other = await newTenant();
    const deleted = await newTenant();
    await env.DB.prepare("update teams set deleted_at = 1 where id = ?").bind(deleted.teamId).run();
    const own = await newTenant();
    await store.addMember({ teamId: own.teamId, userId: tenant.ownerId, role: "owner" }, Date.now());
    const ask = (team: string, by: "key" | "browser"): Promise<Response> => {
      const path = pathOf(route, { team, user: other.ownerId, keyId: "x".repeat(16), id: "01a1f8d3-ea00-7000-8000-000000000000" });
      const body = bodies[route] ?? "";
      return by === "key" ? send({ token, method: methodOf(route), path, body }) : browser.json(methodOf(route), path, body === "" || methodOf(route) === "GET" ? undefined : body);
    };
    const nowhere = "01a1f8d3-ea00-7fff-8fff-ffffffffffff";
    const seen = await expectAlike([nowhere, other.teamId, deleted.teamId].map((team) => () => ask(team, "browser")));
    expect(seen.status).toBe(isForKeys(route) ? 401 : 404);
    // A key of one team is none of another, though its person owns that as well: token of team A used for B.
    const byKey = await expectAlike([nowhere, other.teamId, deleted.teamId, own.teamId].map((team) => () => ask(team, "key")));
    expect(byKey.status).toBe(route.includes("/organization/audit") ? 403 : 404);
  });

  test("nor do organizations, forms and members tell", async () => {
    const { browser, tenant } = await signedIn();
    const { token } = await keyFor(tenant, tenant.ownerId);
    const other = await newTenant();
    const nowhere = "01a1f8d3-ea00-7fff-8fff-ffffffffffff";
    const organizations = [nowhere, other.organizationId].map((organization_id) => ({ name: "x", organization_id }));
    await expectAlike(organizations.map((body) => () => browser.json("POST", "/v1/teams", body)));
    await expectAlike(organizations.map((body) => () => send({ token, method: "POST", path: "/v1/teams", body })));
    await expectAlike([nowhere, other.teamId].map((team) => () => browser.post("/keys", { page: "p", name: "x", team, scope: "memory:read" })));
    for (const act of ["accept", "refuse"]) await expectAlike([nowhere, other.teamId].map((team) => () => browser.post(`/memories/${team}/proposals/${nowhere}/${act}`)));
    await expectAlike([nowhere, other.teamId].map((team) => () => browser.get(`/memories/${team}/proposals`)));
    const inTeam = [["leave", {}], ["beside", { name: "x" }], [`members/${nowhere}/remove`, {}], [`members/${nowhere}/role`, { role: "viewer" }], ["invitations", { role: "viewer" }], [`invitations/${nowhere}/revoke`, {}]] as const;
    for (const [act, form] of inTeam) expect((await expectAlike([nowhere, other.teamId].map((team) => () => browser.post(`/teams/${team}/${act}`, form)))).status).toBe(404);
    expect((await expectAlike([nowhere, other.teamId].map((team) => () => browser.get(`/teams/${team}`)))).status).toBe(404);
    for (const [act, form] of [["remove", {}], ["role", { role: "viewer" }]] as const) {
      await expectAlike([nowhere, other.ownerId].map((user) => () => browser.post(`/teams/${tenant.teamId}/members/${user}/${act}`, form)));
    }
    for (const [method, path, body] of [["PATCH", "/members/:u", { role: "viewer" }], ["DELETE", "/members/:u", undefined]] as const) {
      await expectAlike([nowhere, other.ownerId].map((user) => () => browser.json(method, `/v1/teams/${tenant.teamId}${path.replace(":u", user)}`, body)));
    }
    await expectAlike([nowhere, other.ownerId].map((user_id) => () => browser.json("POST", `/v1/teams/${tenant.teamId}/transfer`, { user_id })));
  });
});

describe("enumeration of people: emails, links, sessions, passkeys [S6] [A13]", () => {
  const answersOf = (path: string, tokens: string[]) => expectAlike(tokens.map((token) => () => new Browser().post(path, { token })));

  test("no route takes a mail address, so none can tell whether somebody has it", async () => {
    expect(allRoutes.filter((route) => /mail|reset|forgot/i.test(route))).toEqual([]);
    expect(JSON.stringify(bodies)).not.toMatch(/mail/);
    const { browser, tenant } = await signedIn();
    await env.DB.prepare("insert into identities (issuer, subject, user_id, email, created_at, last_used_at) values ('https://i.example', ?, ?, 'ada@mail.example', 0, 0)").bind(tenant.ownerId, tenant.ownerId).run();
    const asks = ["ada@mail.example", "nobody@mail.example"];
    await expectAlike(asks.map((email) => () => browser.json("POST", `/v1/teams/${tenant.teamId}/invitations`, { role: "viewer", email })));
    await expectAlike(asks.map((email) => () => new Browser().post("/sign-in/link", { email, token: "x".repeat(43) })));
    await expectAlike(asks.map((login_hint) => () => new Browser().get(`/sign-in?${new URLSearchParams({ login_hint })}`)));
    expect(await (await new Browser().get("/sign-in")).text()).not.toMatch(/type="email"|name="(?:email|login|user)/);
  });

  test("links that were used, replaced or never made", async () => {
    const used = await newPerson();
    await new Browser().post("/sign-in/link", { token: used.link });
    const replaced = await newPerson();
    await newBootstrapLink(signInStore, replaced.tenant.ownerId, Date.now());
    const late = await newPerson();
    await env.DB.prepare("update sign_in_links set expires_at = 1 where user_id = ?").bind(late.tenant.ownerId).run();
    expect((await answersOf("/sign-in/link", ["x".repeat(43), used.link, replaced.link, late.link])).status).toBe(403);
  });

  test("invitations that were revoked, expired or never made", async () => {
    const { browser } = await signedIn();
    const made = async () => (await browser.json("POST", `/v1/teams/${(await organization()).id}/invitations`, { role: "viewer" })).json<{ token: string; invitation: { id: string } }>();
    const organization = async () => (await (await browser.json("POST", "/v1/organizations", { name: "Lab" })).json<{ team: { id: string } }>()).team;
    const [revoked, late] = [await made(), await made()];
    await env.DB.prepare("update invitations set expires_at = 1 where id in (?, ?)").bind(revoked.invitation.id, late.invitation.id).run();
    const guest = await signedIn();
    const tokens = ["x".repeat(43), revoked.token, late.token];
    expect((await expectAlike(tokens.map((token) => () => guest.browser.get(`/invitation?token=${token}`)))).status).toBe(404);
    expect((await expectAlike(tokens.map((token) => () => guest.browser.post("/invitation", { token })))).status).toBe(404);
    expect((await expectAlike(tokens.map((token) => () => guest.browser.json("POST", "/v1/invitations/accept", { token })))).status).toBe(404);
  });

  test("sessions that ended, of people who are deleted, and that never were", async () => {
    const [ended, gone] = [await signedIn(), await signedIn()];
    const cookies = [ended, gone].map(({ browser }) => browser.cookies.get("__Host-session") ?? "");
    await ended.browser.post("/sign-out");
    await env.DB.prepare("update users set deleted_at = 1 where id = ?").bind(gone.tenant.ownerId).run();
    for (const path of ["/", "/v1/teams", "/v1/account"]) {
      const seen = await expectAlike(["x".repeat(43), ...cookies].map((cookie) => () => new Browser().get(path, { headers: { cookie: `__Host-session=${cookie}` } })));
      expect([302, 401]).toContain(seen.status);
    }
  });

  test("whose sessions, clients, passkeys and accounts there are", async () => {
    const [mine, theirs] = [await signedIn(), await connected()];
    const session = await env.DB.prepare("select id from web_sessions where user_id = ?").bind(theirs.tenant.ownerId).first<string>("id");
    const grant = theirs.tokens.access_token.split(":")[1] ?? "";
    await expectAlike([crypto.randomUUID(), session ?? ""].map((id) => () => mine.browser.post(`/sessions/${id}/end`)));
    await expectAlike([`${crypto.randomUUID()}/${"g".repeat(16)}`, `${theirs.team}/${grant}`].map((path) => () => mine.browser.post(`/connections/${path}/end`)));
    expect((await send({ token: theirs.tokens.access_token })).status).toBe(200);
  });

  test("options for a passkey are the same for everybody, and name nobody's", async () => {
    const { browser } = await signedIn();
    const device = await Authenticator.make();
    const options = await (await browser.json("POST", "/passkeys/options", {})).json();
    await browser.json("POST", "/passkeys", { name: "Laptop", credential: await device.create(options as never) });
    const asks = [{}, { username: "Ada" }, { credential: { id: device.id } }];
    const seen = await Promise.all(asks.map(async (body) => Object.entries(await (await new Browser().json("POST", "/sign-in/passkey/options", body)).json<Record<string, unknown>>())));
    const shown = seen.map((entries) => JSON.stringify(entries.filter(([name]) => name !== "challenge")));
    expect(new Set(shown).size).toBe(1);
    expect(shown[0]).not.toContain(device.id);
  });
});
