import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { newBootstrapLink } from "../../../src/domain/tenancy/sign-in-link.ts";
import { idleMs } from "../../../src/domain/tenancy/web-session.ts";
import { audit, day } from "../../domain/tenancy/tenant.ts";
import { Browser, newPerson, origin, signedIn, signInStore } from "./browser.ts";

const cookieOf = (browser: Browser): string => browser.cookies.get("__Host-session") ?? "";
const isIn = async (browser: Browser): Promise<boolean> => (await browser.get("/")).status === 200;
const sessionsOf = async (userId: string): Promise<{ id: string }[]> =>
  (await env.DB.prepare("select * from web_sessions where user_id = ?").bind(userId).all<{ id: string }>()).results;

describe("the bootstrap link [A13]", () => {
  test("signs the person in, with a cookie that scripts, other hosts and plain connections do not see", async () => {
    const { tenant, link } = await newPerson();
    const browser = new Browser();

    expect(await (await browser.get(`/sign-in/link?token=${link}`)).text()).toContain(`value="${link}"`);
    const answer = await browser.post("/sign-in/link", { token: link });

    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/"]);
    expect(answer.headers.get("set-cookie")).toMatch(/^__Host-session=\w{43}; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
    expect(await (await browser.get("/")).text()).toContain("Signed in as <strong>Ada</strong>");
    expect((await audit("subject", (await sessionsOf(tenant.ownerId))[0]?.id ?? "")).map(({ action }) => action)).toEqual(["sign-in.link"]);
  });

  test("opening it does not use it up: programs look ahead at links", async () => {
    const { link } = await newPerson();
    await new Browser("link preview").get(`/sign-in/link?token=${link}`);
    const browser = new Browser();
    await browser.post("/sign-in/link", { token: link });
    expect(await isIn(browser)).toBe(true);
  });

  test("works once, also for two who come at the same time", async () => {
    const { tenant, link } = await newPerson();
    const answers = await Promise.all([1, 2, 3].map(() => new Browser().post("/sign-in/link", { token: link })));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 403, 403]);
    expect(await sessionsOf(tenant.ownerId)).toHaveLength(1);
  });

  const refused: [what: string, spoil: (link: string, userId: string) => Promise<string>][] = [
    ["one that is used", async (link) => (await new Browser().post("/sign-in/link", { token: link }), link)],
    ["one that a newer one replaced", async (link, userId) => (await newBootstrapLink(signInStore, userId, Date.now()), link)],
    ["one that expired", async (link, userId) => {
      await env.DB.prepare("update sign_in_links set expires_at = ? where user_id = ?").bind(Date.now(), userId).run();
      return link;
    }],
    ["one whose person has a way in of their own by now", async (link, userId) => {
      await env.DB.prepare("insert into identities (issuer, subject, user_id, created_at, last_used_at) values ('https://issuer.example', ?, ?, 0, 0)").bind(userId, userId).run();
      return link;
    }],
    ["one whose person is deleted", async (link, userId) => {
      await env.DB.prepare("update users set deleted_at = 1 where id = ?").bind(userId).run();
      return link;
    }],
    ["an invented one", async () => "x".repeat(43)],
    ["what is no token", async () => "' or 1=1 --"],
    ["nothing", async () => ""],
  ];
  test.each(refused)("%s does not sign in, and every refusal reads the same", async (_what, spoil) => {
    const { tenant, link } = await newPerson();
    const browser = new Browser();
    const answer = await browser.post("/sign-in/link", { token: await spoil(link, tenant.ownerId) });
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain("It may be used, expired or mistyped");
    expect(cookieOf(browser)).toBe("");
  });

  test("none is made for whoever has a way in of their own", async () => {
    const { tenant } = await newPerson();
    await env.DB.prepare("insert into passkeys (credential_id, user_id, public_key, counter, transports, backed_up, name, created_at) values (?, ?, '', 0, '[]', 0, 'k', 0)").bind(tenant.ownerId, tenant.ownerId).run();
    expect(await newBootstrapLink(signInStore, tenant.ownerId, Date.now())).toBeUndefined();
  });
});

describe("sessions of browsers [A13]", () => {
  test("the database holds only the digest of the token", async () => {
    const { tenant, browser } = await signedIn();
    expect(JSON.stringify(await sessionsOf(tenant.ownerId))).not.toContain(cookieOf(browser));
  });

  test("session fixation: a sign-in makes a new token and ends the session that the browser had, whosever it was", async () => {
    const attacker = await signedIn("attacker");
    const { link } = await newPerson();
    const victim = new Browser();
    victim.cookies.set("__Host-session", cookieOf(attacker.browser));

    const [replaced] = await sessionsOf(attacker.tenant.ownerId);
    await victim.post("/sign-in/link", { token: link, replace: replaced?.id ?? "" });

    expect(cookieOf(victim)).not.toBe(cookieOf(attacker.browser));
    expect(await isIn(victim)).toBe(true);
    expect(await isIn(attacker.browser)).toBe(false);
  });

  test("session fixation: a token that the browser brought along is never taken over", async () => {
    const { link } = await newPerson();
    const planted = "a".repeat(43);
    const victim = new Browser();
    victim.cookies.set("__Host-session", planted);
    await victim.post("/sign-in/link", { token: link });
    const attacker = new Browser();
    attacker.cookies.set("__Host-session", planted);
    expect(await isIn(attacker)).toBe(false);
  });

  test("the person sees where they are signed in, and ends another browser's session", async () => {
    const { tenant, browser } = await signedIn("Firefox at home");
    const other = new Browser("Old <b>laptop</b>");
    const link = (await newBootstrapLink(signInStore, tenant.ownerId, Date.now())) ?? "";
    await other.post("/sign-in/link", { token: link });

    const page = await (await browser.get("/")).text();
    expect(page).toContain("Firefox at home");
    expect(page).toContain("Old &lt;b&gt;laptop&lt;/b&gt;");
    const [, id] = /action="\/sessions\/([^/]+)\/end"/.exec(page) ?? [];
    expect((await browser.post(`/sessions/${id}/end`)).status).toBe(303);

    expect(await isIn(other)).toBe(false);
    expect(await isIn(browser)).toBe(true);
    expect(await audit("subject", id ?? "")).toMatchObject([{ action: "sign-in.link" }, { action: "session.end" }]);
  });

  test("nobody ends the session of somebody else", async () => {
    const victim = await signedIn();
    const attacker = await signedIn();
    const [session] = await sessionsOf(victim.tenant.ownerId);
    await attacker.browser.post(`/sessions/${session?.id}/end`);
    expect(await isIn(victim.browser)).toBe(true);
  });

  test("signing out ends the session on the server, not only in the browser", async () => {
    const { browser } = await signedIn();
    const kept = new Browser();
    kept.cookies.set("__Host-session", cookieOf(browser));
    expect((await browser.post("/sign-out")).headers.get("location")).toBe("/sign-in");
    expect(cookieOf(browser)).toBe("");
    expect(await isIn(kept)).toBe(false);
  });

  test.each([
    ["after its lifetime", "update web_sessions set expires_at = ? where user_id = ?", () => Date.now()],
    ["when it was not used for long", "update web_sessions set last_seen_at = ? where user_id = ?", () => Date.now() - idleMs],
    ["when the person is deleted", "update users set deleted_at = ? where id = ?", () => Date.now()],
  ])("a session ends %s", async (_when, sql, at) => {
    const { tenant, browser } = await signedIn();
    await env.DB.prepare(sql).bind(at(), tenant.ownerId).run();
    expect((await browser.get("/")).headers.get("location")).toBe("/sign-in");
  });

  test("use is noted now and then, so that a session in use lives on", async () => {
    const { tenant, browser } = await signedIn();
    await env.DB.prepare("update web_sessions set last_seen_at = ? where user_id = ?").bind(Date.now() - day, tenant.ownerId).run();
    await browser.get("/");
    const [session] = await signInStore.listSessions({ userId: tenant.ownerId, name: "" }, Date.now());
    expect(session?.lastSeenAt).toBeGreaterThan(Date.now() - 60_000);
  });
});

describe("CSRF: requests that another site causes [A13]", () => {
  const unsafe = [["/sign-in/link"], ["/sign-out"], ["/sessions/any/end"]];
  const foreign: [what: string, headers: Record<string, string | null>][] = [
    ["from another site", { "sec-fetch-site": "cross-site", origin: "https://evil.example" }],
    ["from another port of this machine", { "sec-fetch-site": "same-site", origin: "http://localhost:3000" }],
    ["from another port, by a browser that sends Origin only", { "sec-fetch-site": null, origin: "http://localhost:3000" }],
    ["whose headers contradict each other", { "sec-fetch-site": "same-origin", origin: "http://localhost:3000" }],
    ["from a page without an origin", { "sec-fetch-site": "cross-site", origin: "null" }],
    ["typed into the address bar", { "sec-fetch-site": "none", origin: null }],
    ["that does not say where it comes from", { "sec-fetch-site": null, origin: null }],
  ];
  const table = unsafe.flatMap(([path = ""]) => foreign.map(([what, headers]) => ({ path, what, headers })));
  test.each(table)("POST $path $what is refused", async ({ path, headers }) => {
    const { tenant, browser } = await signedIn();
    const { link } = await newPerson();
    const before = cookieOf(browser);
    expect((await browser.post(path, { token: link }, headers)).status).toBe(403);
    expect(cookieOf(browser)).toBe(before);
    expect(await sessionsOf(tenant.ownerId)).toHaveLength(1);
    const other = new Browser();
    expect((await other.post("/sign-in/link", { token: link })).status, "the link was not used up").toBe(303);
  });

  test("an Origin alone is enough when it is our own", async () => {
    const { browser } = await signedIn();
    expect((await browser.post("/sign-out", {}, { "sec-fetch-site": null })).status).toBe(303);
  });

  test("an address that changes something does not answer to GET", async () => {
    const { browser } = await signedIn();
    for (const path of ["/sign-out", "/sessions/any/end"]) expect((await browser.get(path)).status).toBe(404);
    expect(await isIn(browser)).toBe(true);
  });
});

describe("pages: clickjacking and scripts [S11]", () => {
  const withPasskeys = "; script-src 'self'; connect-src 'self'; form-action 'self'";
  // Chromium would not let the form of the link lead back to a client.
  test.each([["/", withPasskeys], ["/sign-in", withPasskeys], ["/sign-in/link", ""], ["/invitation", "; form-action 'self'"]])("%s may not be framed, kept, or scripted but by our own file", async (path, rest) => {
    const { browser } = await signedIn();
    const visitor = path === "/" ? browser : new Browser();
    const answer = await visitor.get(path === "/sign-in/link" ? `${path}?token=${(await newPerson()).link}` : path);
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": `default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'${rest}`,
      "x-frame-options": "DENY",
      "x-content-type-options": "nosniff",
      "referrer-policy": "same-origin",
      "cache-control": "no-store",
    });
    const page = (await answer.text()).replace('<script src="/passkey.js" defer=""></script>', "");
    expect(page).not.toMatch(/<script|style=|javascript:| on\w+=/i);
    expect(page).toMatch(/^<!doctype html><html lang="en">.*<title>.+<\/title>.*<main><h1>/s);
  });

  test("browsers find an icon, and keep it", async () => {
    expect(await (await new Browser().get("/sign-in")).text()).toContain('<link rel="icon" href="/favicon.svg"');
    for (const path of ["/favicon.svg", "/favicon.ico"]) {
      const answer = await new Browser().get(path);
      expect([answer.status, answer.headers.get("content-type"), answer.headers.get("cache-control")]).toEqual([200, "image/svg+xml", "public, max-age=86400"]);
      expect(await answer.text()).toMatch(/^<svg /);
    }
  });

  test("what a link says is shown as text", async () => {
    const page = await (await new Browser().get(`/sign-in/link?token=${encodeURIComponent('"><script>alert(1)</script>')}`)).text();
    expect(page).not.toContain("<script>");
  });

  test("other names of this machine lead to the one where the cookies live", async () => {
    const answer = await new Browser().get("http://127.0.0.1/sign-in?x=1", { headers: { host: "127.0.0.1" } });
    expect([answer.status, answer.headers.get("location")]).toEqual([302, `${origin}/sign-in?x=1`]);
  });
});
