import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { freshSignInMs } from "../../../src/domain/tenancy/fresh-sign-in.ts";
import { newBootstrapLink } from "../../../src/domain/tenancy/sign-in-link.ts";
import { addMember, keyFor, minute } from "../../domain/tenancy/tenant.ts";
import { send } from "../raw.ts";
import { type Browser, newPerson, signedIn, signInStore } from "./browser.ts";

type Person = Awaited<ReturnType<typeof person>>;

/** An owner with a key of a year, a colleague, and a session of this age. */
async function person(age = freshSignInMs) {
  const { tenant, browser } = await signedIn();
  const colleague = await addMember(tenant.teamId, "member");
  const { keyId } = await keyFor(tenant, tenant.ownerId);
  await env.DB.prepare("update web_sessions set created_at = created_at - ? where user_id = ?").bind(age, tenant.ownerId).run();
  return { tenant, browser, colleague, keyId };
}

const team = ({ tenant }: Person, path = ""): string => `/v1/teams/${tenant.teamId}${path}`;
const newKey = { name: "k", scopes: ["memory:read"] };

/** What the scripts of our pages and others ask for by a cookie. */
const asked: [what: string, ask: (person: Person) => Promise<Response>][] = [
  ["adds a passkey", ({ browser }) => browser.json("POST", "/passkeys/options", {})],
  ["makes a key of a year", (one) => one.browser.json("POST", team(one, "/keys"), { ...newKey, expires_in_days: 365 })],
  ["makes a key that administers", (one) => one.browser.json("POST", team(one, "/keys"), { ...newKey, scopes: ["memory:admin"] })],
  ["rotates a key that administers", (one) => one.browser.json("POST", team(one, `/keys/${one.keyId}/rotate`), {})],
  ["deletes the account", ({ browser }) => browser.json("DELETE", "/v1/account", { confirm: "delete my account" })],
  ["deletes the team", (one) => one.browser.json("DELETE", team(one))],
  ["deletes the organization", (one) => one.browser.json("DELETE", team(one, "/organization"))],
  ["hands the team over", (one) => one.browser.json("POST", team(one, "/transfer"), { user_id: one.colleague })],
  ["makes somebody an owner", (one) => one.browser.json("PATCH", team(one, `/members/${one.colleague}`), { role: "owner" })],
  ["invites an owner", (one) => one.browser.json("POST", team(one, "/invitations"), { role: "owner" })],
];

/** What the forms of our pages ask for. */
const forms: [what: string, post: (person: Person) => Promise<Response>][] = [
  ["makes a recovery link", ({ browser }) => browser.post("/recovery-link")],
  ["revokes the recovery link", ({ browser }) => browser.post("/recovery-link/revoke")],
  ["removes a passkey", ({ browser }) => browser.post("/passkeys/any/remove")],
  ["adds an account elsewhere", ({ browser }) => browser.post("/identities/any")],
  ["makes a key of a year", ({ browser, tenant }) => browser.post("/keys", { name: "k", team: tenant.teamId, scope: "memory:read", days: "365" })],
  ["makes a key that administers", ({ browser, tenant }) => browser.post("/keys", { name: "k", team: tenant.teamId, scope: "memory:admin", days: "7" })],
  ["replaces a key that administers", ({ browser, tenant, keyId }) => browser.post(`/keys/${tenant.teamId}/${keyId}/rotate`)],
];

/** Everything that could have changed. */
async function state({ tenant: { teamId, organizationId, ownerId } }: Person): Promise<unknown> {
  const read = async (sql: string, ...values: string[]) => (await env.DB.prepare(sql).bind(...values).all()).results;
  return Promise.all([
    read("select * from teams where id = ?", teamId),
    read("select * from organizations where id = ?", organizationId),
    read("select * from users where id = ?", ownerId),
    read("select * from memberships where team_id = ? order by user_id", teamId),
    read("select * from invitations where team_id = ?", teamId),
    read("select key_id, expires_at, revoked_at from api_keys where team_id = ? order by key_id", teamId),
    read("select * from sign_in_links where user_id = ? and purpose = 'recovery'", ownerId),
    read("select * from passkeys where user_id = ?", ownerId),
  ]);
}

describe("an old cookie is not enough", () => {
  test.each(asked)("who %s over REST or by script hears how to go on, and nothing changes", async (_what, ask) => {
    const one = await person();
    const before = await state(one);
    const answer = await ask(one);
    const { error } = await answer.json<{ error?: { code: string; message: string } }>();
    expect([answer.status, error?.code, error?.message]).toEqual([403, "FRESH_SIGN_IN_REQUIRED", expect.stringContaining("Sign in again at /sign-in?again")]);
    expect(await state(one)).toEqual(before);
  });

  test.each(forms)("who %s by a form is asked to sign in again, and nothing changes", async (_what, post) => {
    const one = await person();
    const before = await state(one);
    const answer = await post(one);
    expect(answer.status).toBe(403);
    const page = await answer.text();
    expect(page).toContain("<h1>Sign in again first</h1>");
    expect(page).toContain("What you had filled in is to be filled in");
    expect(await state(one)).toEqual(before);
  });

  test.each([...asked, ...forms])("who %s a minute before the ten are over is not asked", async (_what, ask) => {
    const answer = await ask(await person(freshSignInMs - minute));
    expect(await answer.text()).not.toMatch(/FRESH_SIGN_IN_REQUIRED|Sign in again first/);
  });

  test("a key for the usual time that reads and writes is made by whoever is signed in, and any key is revoked", async () => {
    const one = await person();
    const made = await one.browser.json("POST", team(one, "/keys"), { name: "k", scopes: ["memory:read", "memory:write"], expires_in_days: 90 });
    expect(made.status).toBe(201);
    expect((await one.browser.post("/keys", { name: "k", team: one.tenant.teamId, scope: "memory:read", days: "90" })).status).toBe(201);
    expect((await one.browser.post(`/keys/${one.tenant.teamId}/${one.keyId}/revoke`)).status).toBe(303);
  });

  test("a key proves itself by its secret at each call, and is not asked to sign in", async () => {
    const { tenant } = await signedIn();
    const { token } = await keyFor(tenant, tenant.ownerId);
    const answer = await send({ token, path: "/v1/keys", body: { ...newKey, scopes: ["memory:admin"], expires_in_days: 365 } });
    expect(answer.status).toBe(201);
  });
});

describe("signing in again", () => {
  const againOf = async (answer: Response): Promise<string> => /<a href="(\/sign-in\?again[^"]*)"/.exec(await answer.text())?.[1] ?? "";
  const link = async (userId: string): Promise<string> => (await newBootstrapLink(signInStore, userId, Date.now())) ?? "";

  test("leads back to the part of the page that holds the form, which then does what it says", async () => {
    const { tenant, browser } = await person();
    const form = { name: "Year", team: tenant.teamId, scope: "memory:read", days: "365" };
    const again = await againOf(await browser.post("/keys", form));
    const page = await (await browser.get(again)).text();
    expect(page).toContain("You are signed in as <strong>Ada</strong>. Sign in again to show that it is you");
    expect((await browser.post("/sign-in/link", { token: await link(tenant.ownerId) })).headers.get("location")).toBe("/#keys");
    expect((await browser.post("/keys", form)).status).toBe(201);
  });

  test("as somebody else does not go on with what the first person began", async () => {
    const { browser } = await person();
    const other = await newPerson();
    await browser.get(await againOf(await browser.post("/recovery-link")));
    const [, replace = ""] = /name="replace" value="([^"]+)"/.exec(await (await browser.get(`/sign-in/link?token=${other.link}`)).text()) ?? [];
    const answer = await browser.post("/sign-in/link", { token: other.link, replace });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/"]);
    expect(await linksOf(other.tenant.ownerId), "nothing was done for them").toBe(0);
  });

  test("shows the ways to sign in without ending the session that there is", async () => {
    const { browser } = await person();
    expect((await browser.get("/sign-in?again=keys")).status).toBe(200);
    expect((await browser.get("/")).status).toBe(200);
    expect((await (browser as Browser).get("/sign-in")).headers.get("location")).toBe("/");
  });
});

const linksOf = async (userId: string): Promise<number> =>
  (await env.DB.prepare("select count(*) as n from sign_in_links where user_id = ? and purpose = 'recovery'").bind(userId).first<number>("n")) ?? -1;
