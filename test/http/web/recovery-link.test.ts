import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { sha256Hex } from "../../../src/domain/hash.ts";
import { accountConfirmation, deleteAccount } from "../../../src/domain/tenancy/deletion.ts";
import { newBootstrapLink, newRecoveryLink } from "../../../src/domain/tenancy/sign-in-link.ts";
import { D1IdentityMaintenance } from "../../../src/platform/d1/identity-maintenance.ts";
import { services } from "../../support/team.ts";
import { day, minute } from "../../domain/tenancy/tenant.ts";
import { OAuthClient } from "../oauth/client.ts";
import { Browser, origin, signedIn, signInStore } from "./browser.ts";

const linkIn = (page: string): string => /\/sign-in\/link\?token=(\w{43})</.exec(page)?.[1] ?? "";
const make = async (browser: Browser): Promise<string> => linkIn(await (await browser.post("/recovery-link")).text());
const home = async (browser: Browser): Promise<string> => (await browser.get("/")).text();
const use = (token: string, browser = new Browser()): Promise<Response> => browser.post("/sign-in/link", { token });
const linksOf = async (userId: string): Promise<{ token_hash: string; created_by: string | null; expires_at: number; created_at: number }[]> =>
  (await env.DB.prepare("select * from sign_in_links where user_id = ? and purpose = 'recovery'").bind(userId).all<any>()).results;
const auditOf = async (userId: string): Promise<{ action: string; subject: string; credential_id: string | null }[]> =>
  (await env.DB.prepare("select action, subject, credential_id from audit where user_id = ? and subject = 'recovery' order by id").bind(userId).all<any>()).results;
const signInWas = (userId: string, ms: number) => env.DB.prepare("update web_sessions set created_at = created_at - ? where user_id = ?").bind(ms, userId).run();

async function withLink() {
  const person = await signedIn();
  return { ...person, token: await make(person.browser) };
}

describe("a recovery link of one's own [A13]", () => {
  test("is shown once and kept as a digest; the account page says since and until when there is one", async () => {
    const { tenant, browser } = await signedIn();
    expect(await home(browser)).toContain("You have none.");
    const answer = await browser.post("/recovery-link");
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([201, "no-store"]);
    const page = await answer.text();
    const token = linkIn(page);
    expect(page).toContain(`<code>${origin}/sign-in/link?token=${token}</code>`);

    const [link, ...others] = await linksOf(tenant.ownerId);
    expect(others).toEqual([]);
    expect(link).toMatchObject({ token_hash: await sha256Hex(token), created_by: tenant.ownerId });
    expect((link?.expires_at ?? 0) - (link?.created_at ?? 0)).toBe(365 * day);
    expect(JSON.stringify(link)).not.toContain(token);
    const shown = await home(browser);
    expect(shown).not.toContain(token);
    for (const at of [link?.created_at ?? 0, link?.expires_at ?? 0]) expect(shown).toContain(`datetime="${new Date(at).toISOString()}"`);
  });

  test("signs its person in once, in any browser, and says that it is used up until there is another way in", async () => {
    const { token, tenant } = await withLink();
    const other = new Browser();
    const answer = await use(token, other);
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/"]);
    const page = await home(other);
    expect(page).toContain("You came in by your recovery link; it is used up.");
    expect(page).toContain("Signed in as <strong>Ada</strong>");
    expect(page).toContain("You have none.");
    expect((await use(token)).status).toBe(403);

    await make(other);
    expect(await home(other)).not.toContain("You came in by");
    expect((await auditOf(tenant.ownerId)).map(({ action }) => action)).toEqual(["link.create", "link.use", "link.create"]);
    const { results } = await env.DB.prepare("select action from audit where user_id = ? and action like 'sign-in.%' order by id").bind(tenant.ownerId).all();
    expect(results).toEqual([{ action: "sign-in.link" }, { action: "sign-in.recovery" }]);
  });

  test("signs in the browser that showed it also by a second press of the button, when the answer to the first one was lost; for a minute, and none that has not seen that page", async () => {
    const { token } = await withLink();
    const other = await withLink();
    const browser = new Browser();
    const page = /name="page" value="(\w{43})"/.exec(await (await browser.get(`/sign-in/link?token=${token}`)).text())?.[1] ?? "";
    const press = (form: Record<string, string> = {}) => browser.post("/sign-in/link", { token, page, ...form });
    expect((await press({ token: "x".repeat(43) })).status).toBe(403);
    for (let presses = 0; presses < 2; presses += 1) {
      browser.cookies.clear();
      expect((await press()).status).toBe(303);
      expect(await home(browser)).toContain("You came in by your recovery link; it is used up.");
    }
    expect((await use(token)).status, "another browser").toBe(403);
    expect((await press({ page: "x".repeat(43) })).status, "another page").toBe(403);
    expect((await use(other.token)).status).toBe(303);
    expect((await press({ token: other.token })).status, "another link that is used").toBe(403);
    await env.DB.prepare("update sign_in_attempts set expires_at = expires_at - ? where kind = 'link'").bind(minute).run();
    expect((await press()).status, "a minute later").toBe(403);
  });

  test("of those who use it at the same moment one gets in, and the audit says so once", async () => {
    const { token, tenant } = await withLink();
    const answers = await Promise.all([1, 2, 3].map(() => use(token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 403, 403]);
    expect((await auditOf(tenant.ownerId)).map(({ action }) => action)).toEqual(["link.create", "link.use"]);
  });

  test("is its person's whoever was signed in before, and leaves others alone", async () => {
    const { token } = await withLink();
    const { browser, tenant } = await signedIn();
    const [before] = await services.signIn.listSessions({ userId: tenant.ownerId, name: "" }, Date.now());
    const owner = await withLink();
    await browser.post("/sign-in/link", { token, replace: before?.id ?? "" });
    expect((await services.signIn.listSessions({ userId: tenant.ownerId, name: "" }, Date.now())).map(({ id }) => id)).not.toContain(before?.id);
    expect((await use(owner.token)).status, "somebody else's link still works").toBe(303);
  });

  test("there is one for each person: a new one takes the place of the old", async () => {
    const { browser, token, tenant } = await withLink();
    const newer = await make(browser);
    expect(newer).not.toBe(token);
    expect(await linksOf(tenant.ownerId)).toHaveLength(1);
    expect((await use(token)).status).toBe(403);
    expect((await use(newer)).status).toBe(303);
  });

  test("the link of the launcher and one's own do not replace each other", async () => {
    const { browser, token, tenant } = await withLink();
    const launcher = await newRecoveryLink(signInStore, tenant.ownerId, Date.now());
    const newer = await make(browser);
    expect((await use(token)).status).toBe(403);
    const recovered = new Browser();
    expect((await use(launcher, recovered)).status).toBe(303);
    expect(await home(recovered)).not.toContain("You came in by");
    expect((await use(newer)).status).toBe(303);
  });

  test("can be revoked, by its person only; the audit names the session", async () => {
    const { browser, token, tenant } = await withLink();
    const stranger = await signedIn();
    await stranger.browser.post("/recovery-link/revoke");
    expect(await linksOf(tenant.ownerId)).toHaveLength(1);
    for (const _again of [1, 2]) expect((await browser.post("/recovery-link/revoke")).headers.get("location")).toBe("/");
    expect(await home(browser)).toContain("You have none.");
    expect((await use(token)).status).toBe(403);
    const [session] = await services.signIn.listSessions({ userId: tenant.ownerId, name: "" }, Date.now());
    expect(await auditOf(tenant.ownerId)).toEqual(["link.create", "link.revoke"].map((action) => ({ action, subject: "recovery", credential_id: session?.id })));
    expect(await auditOf(stranger.tenant.ownerId)).toEqual([]);
  });

  test.each([["a minute before", 9, 201], ["at the end", 10, 403], ["after", 60, 403]])("is made within ten minutes of signing in: %s", async (_when, minutes, status) => {
    const { tenant, browser } = await signedIn();
    await signInWas(tenant.ownerId, minutes * minute);
    const answer = await browser.post("/recovery-link");
    expect(answer.status).toBe(status);
    expect(await linksOf(tenant.ownerId)).toHaveLength(status === 201 ? 1 : 0);
  });

  test("whoever signed in too long ago signs in again and comes back, and keeps the link that they had", async () => {
    const { tenant, browser, token } = await withLink();
    await signInWas(tenant.ownerId, day);
    const page = await (await browser.post("/recovery-link")).text();
    const [, again = ""] = /<a href="(\/sign-in[^"]*)"/.exec(page) ?? [];
    expect((await browser.get(again)).status).toBe(200);
    const link = (await newBootstrapLink(signInStore, tenant.ownerId, Date.now())) ?? "";
    expect((await use(link, browser)).headers.get("location")).toBe("/#ways-in");
    expect(await linksOf(tenant.ownerId)).toMatchObject([{ token_hash: await sha256Hex(token) }]);
    expect((await browser.post("/recovery-link")).status).toBe(201);
  });

  test("leads back to what the person came for, in two steps", async () => {
    const { token } = await withLink();
    const browser = new Browser();
    const path = await (await OAuthClient.registered()).authorizePath();
    await browser.get(path);
    expect((await use(token, browser)).headers.get("location")).toBe("/");
    expect(await home(browser)).toContain(`href="${path.replaceAll("&", "&amp;")}"`);
  });

  test("does not count when the last passkey is to be removed", async () => {
    const { tenant, browser } = await withLink();
    await env.DB.prepare("insert into passkeys (credential_id, user_id, public_key, counter, transports, backed_up, name, created_at) values (?, ?, '', 0, '[]', 0, 'k', 0)").bind(tenant.ownerId, tenant.ownerId).run();
    expect((await browser.post(`/passkeys/${tenant.ownerId}/remove`)).status).toBe(409);
  });

  test("is nothing for a stranger or another site", async () => {
    const { tenant, browser } = await withLink();
    for (const path of ["/recovery-link", "/recovery-link/revoke"]) {
      expect((await new Browser().post(path)).headers.get("location")).toBe("/sign-in");
      expect((await browser.post(path, {}, { "sec-fetch-site": "cross-site", origin: "https://evil.example" })).status).toBe(403);
      expect((await browser.get(path)).status).toBe(404);
    }
    expect((await auditOf(tenant.ownerId)).map(({ action }) => action)).toEqual(["link.create"]);
  });

  test("does not work once it expired, and the cron takes it away; used ones go at once", async () => {
    const { token, tenant, browser } = await withLink();
    await env.DB.prepare("update sign_in_links set expires_at = ? where user_id = ?").bind(Date.now(), tenant.ownerId).run();
    expect(await home(browser)).toContain("You have none.");
    expect((await use(token)).status).toBe(403);
    const other = await withLink();
    const kept = await withLink();
    await use(other.token);
    await new D1IdentityMaintenance(env.DB).purge(Date.now());
    expect(await Promise.all([tenant, other.tenant, kept.tenant].map(async ({ ownerId }) => (await linksOf(ownerId)).length))).toEqual([0, 0, 1]);
  });

  test("ends with the account, and none is made for an account that is deleted", async () => {
    const { token, tenant } = await withLink();
    const deletion = { person: { userId: tenant.ownerId, name: "Ada" }, session: { id: "browser", createdAt: Date.now() }, now: Date.now(), tenants: services.tenants, deletion: services.deletion };
    await deleteAccount(deletion, { confirm: accountConfirmation });
    expect((await use(token)).status).toBe(403);
    await services.erasure.directory.forgetAccount(tenant.ownerId, { at: Date.now(), action: "account.erase", success: true, userId: tenant.ownerId });
    expect(await linksOf(tenant.ownerId)).toEqual([]);
    expect((await use(await newRecoveryLink(signInStore, tenant.ownerId, Date.now()))).status).toBe(403);
    expect(await linksOf(tenant.ownerId)).toEqual([]);
  });

  test("does not keep the launcher from printing its first link", async () => {
    const { tenant } = await withLink();
    expect(await newBootstrapLink(signInStore, tenant.ownerId, Date.now())).toBeDefined();
  });
});
