import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { newRecoveryLink } from "../../../src/domain/tenancy/sign-in-link.ts";
import { services } from "../../support/team.ts";
import { Browser, newPerson, signedIn, signInStore } from "./browser.ts";

const pageOf = async (browser: Browser, token: string): Promise<string> => (await browser.get(`/sign-in/link?token=${token}`)).text();
const whoIs = async (browser: Browser): Promise<string | undefined> => /Signed in as <strong>([^<]*)/.exec(await (await browser.get("/")).text())?.[1];
const rename = (userId: string, name: string) => env.DB.prepare("update users set name = ? where id = ?").bind(name, userId).run();
const replaceIn = (page: string): string => /name="replace" value="([^"]+)"/.exec(page)?.[1] ?? "";
const linksUsed = async (userId: string): Promise<number> => (await env.DB.prepare("select count(*) as n from sign_in_links where user_id = ? and used_at is not null").bind(userId).first<number>("n")) ?? -1;

/** Somebody who mails a link of their own. */
async function mallory() {
  const { tenant, link } = await newPerson();
  await rename(tenant.ownerId, "Mallory <b>");
  return { id: tenant.ownerId, link };
}

describe("a sign-in link says whose account it opens, and replaces no session unasked", () => {
  test("the page names the person, and the end of their id where no issuer gave an address", async () => {
    const { id, link } = await mallory();
    const page = await pageOf(new Browser(), link);
    expect(page).toContain("You are about to be signed in as <strong>Mallory &lt;b&gt;</strong>");
    expect(page).toContain(`account …${id.slice(-8)}`);
    expect(page).not.toContain(id);
  });

  test("the page of a recovery link names the person, and the address that their issuer gave, masked", async () => {
    const { tenant } = await newPerson();
    await env.DB.prepare("insert into identities (issuer, subject, user_id, email, created_at, last_used_at) values ('https://issuer.example', ?1, ?1, 'ada.lovelace@example.org', 0, 0)").bind(tenant.ownerId).run();
    const page = await pageOf(new Browser(), await newRecoveryLink(signInStore, tenant.ownerId, Date.now()));
    expect(page).toContain("You are about to be signed in as <strong>Ada</strong> (a…@example.org)");
    expect(page).not.toContain("lovelace");
  });

  test("whoever is signed in as somebody else is asked first, and keeps their session as long as they do not say so", async () => {
    const { id, link } = await mallory();
    const { browser, tenant } = await signedIn();
    const page = await pageOf(browser, link);
    expect(page).toContain("This browser is signed in as <strong>Ada</strong>, which is another account.");
    expect(page).toContain('<a href="/">Stay signed in as Ada</a>');
    for (const form of [{ token: link }, { token: link, replace: "" }, { token: link, replace: "another" }]) {
      const answer = await browser.post("/sign-in/link", form);
      expect(answer.status).toBe(409);
      expect(replaceIn(await answer.text())).toBe(replaceIn(page));
    }
    expect([await whoIs(browser), await linksUsed(id)]).toEqual(["Ada", 0]);

    const answer = await browser.post("/sign-in/link", { token: link, replace: replaceIn(page) });
    expect([answer.status, await whoIs(browser), await linksUsed(id)]).toEqual([303, "Mallory &lt;b&gt;", 1]);
    expect(await services.signIn.listSessions({ userId: tenant.ownerId, name: "" }, Date.now())).toEqual([]);
  });

  test("a consent to end one session is none to end the next", async () => {
    const { link } = await mallory();
    const { browser } = await signedIn();
    const replace = replaceIn(await pageOf(browser, link));
    const next = await signedIn();
    browser.cookies.set("__Host-session", next.browser.cookies.get("__Host-session") ?? "");
    expect((await browser.post("/sign-in/link", { token: link, replace })).status).toBe(409);
  });

  test("looking at a link uses nothing up, and a link that signs nobody in says so at once", async () => {
    const { id, link } = await mallory();
    for (const _look of [1, 2, 3]) await pageOf(new Browser("link preview"), link);
    expect(await linksUsed(id)).toBe(0);
    expect((await new Browser().post("/sign-in/link", { token: link })).status).toBe(303);
    const late = await new Browser().get(`/sign-in/link?token=${link}`);
    expect([late.status, (await late.text()).includes("This link does not sign you in")]).toEqual([403, true]);
  });
});
