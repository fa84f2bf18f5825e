import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { freshSignInMs } from "../../../src/domain/tenancy/fresh-sign-in.ts";
import { newBootstrapLink } from "../../../src/domain/tenancy/sign-in-link.ts";
import { audit } from "../../domain/tenancy/tenant.ts";
import { directoryRows } from "../../support/rows.ts";
import { newTeam, type Person, type Team } from "../../support/team.ts";
import { Browser, signInStore } from "./browser.ts";

let team: Team;
let [admin, member, viewer]: Person[] = [];
/** Each in their own browser; ada owns the team. */
let [ada, grace, mary, vera]: [Browser, Browser, Browser, Browser] = [new Browser(), new Browser(), new Browser(), new Browser()];
beforeEach(async () => {
  team = await newTeam();
  [admin, member, viewer] = [await team.join("admin"), await team.join(), await team.join("viewer")];
  [ada, grace, mary, vera] = [await browserOf(team.owner.id), await browserOf(idOf(admin)), await browserOf(idOf(member)), await browserOf(idOf(viewer))];
});

const idOf = (person: Person | undefined): string => person?.id ?? "";

async function browserOf(id: string): Promise<Browser> {
  const browser = new Browser();
  await browser.post("/sign-in/link", { token: (await newBootstrapLink(signInStore, id, Date.now())) ?? "" });
  return browser;
}

const path = (rest = ""): string => `/teams/${team.id}${rest}`;
const ofMember = (person: Person | undefined, act: string): string => path(`/members/${idOf(person)}/${act}`);
const page = async (browser: Browser, at = path()): Promise<string> => (await browser.get(at)).text();
const acts = (html: string): string[] => [...html.matchAll(/action="\/teams\/[^/]+\/([^"]+)"/g)].map(([, act = ""]) => act).sort();
const linkIn = (html: string): string => /\/invitation\?token=[^<]+/.exec(html)?.[0] ?? "";
const roles = async (): Promise<Record<string, string>> => {
  const { members } = await (await ada.json("GET", `/v1/teams/${team.id}/members`)).json<{ members: { user_id: string; role: string }[] }>();
  return Object.fromEntries(members.map(({ user_id, role }) => [user_id, role]));
};
const open = async (): Promise<{ id: string; role: string; created_at: string; expires_at: string }[]> =>
  (await (await ada.json("GET", `/v1/teams/${team.id}/invitations`)).json<{ invitations: { id: string; role: string; created_at: string; expires_at: string }[] }>()).invitations;
const actionsOf = async (subject: string): Promise<string[]> => (await audit("subject", subject)).map(({ action }) => action);

describe("the page of a team [S11] [A13]", () => {
  test("everybody in it sees who is in it, and is offered what they may do there", async () => {
    const own = await ada.json("POST", `/v1/teams/${team.id}/invitations`, { role: "viewer" });
    const { invitation } = await own.json<{ invitation: { id: string } }>();
    const ids = [team.owner, admin, member, viewer].map(idOf);
    const of = (which: string[], act: string): string[] => which.map((id) => `members/${id}/${act}`);
    const [, ...others] = ids;
    const managed = ["invitations", `invitations/${invitation.id}/revoke`, "leave"];
    const removable = (except: string): string[] => of(others.filter((id) => id !== except), "remove");
    for (const [who, browser, id, expected] of [
      ["owner", ada, team.owner.id, ["beside", ...managed, ...of(ids, "role"), ...removable("")]],
      ["admin", grace, idOf(admin), [...managed, ...of(others, "role"), ...removable(idOf(admin))]],
      ["member", mary, idOf(member), ["leave"]],
      ["viewer", vera, idOf(viewer), ["leave"]],
    ] as const) {
      const html = await page(browser);
      expect(acts(html), who).toEqual([...expected].sort());
      for (const role of ["owner", "admin", "member", "viewer"]) expect(html, who).toMatch(new RegExp(`</strong>, ${role} ${role === who ? "\\(you\\)" : "</p>"}`));
      expect(html.includes("Open invitations"), who).toBe(who === "owner" || who === "admin");
      expect(html.match(/Since <time /g), who).toHaveLength(4);
      expect(html, who).not.toMatch(/<script/);
      expect((await browser.get(path(), { headers: { accept: "text/html" } })).headers.get("content-security-policy")).toContain("form-action 'self'");
      expect(id).toBeTruthy();
    }
    expect(await page(grace), "nobody makes anybody more than they are").not.toContain('value="owner"');
    expect(await page(ada)).toContain('value="owner"');
  });

  test("it is linked where a team's memories are, and leads back there", async () => {
    expect(await page(mary, "/")).toMatch(new RegExp(`<a href="${path()}">Members of Core</a>`));
    expect(await page(mary, `/memories/${team.id}`)).toContain(`<a href="${path()}">Members</a>`);
    expect(await page(mary)).toContain(`<a href="/memories/${team.id}">Memories</a>`);
  });

  test("names are text, not markup", async () => {
    await env.DB.prepare("update users set name = ? where id = ?").bind("<img src=x onerror=alert(1)> & \"co\"", idOf(member)).run();
    const html = await page(ada);
    expect(html).not.toContain("<img");
    expect(html).toContain("&lt;img");
  });

  test("somebody's own team says that it is, and offers nothing that cannot be", async () => {
    await env.DB.prepare("update teams set personal_of = ? where id = ?").bind(team.owner.id, team.id).run();
    const html = await page(ada);
    expect(html).toContain("It is your own: nobody can be invited. Make another one to share.");
    expect(acts(html)).toEqual(["beside"]);
    const answer = await ada.post(path("/invitations"), { role: "member", days: "7" });
    expect([answer.status, await answer.text()]).toEqual([409, expect.stringContaining("Nobody can be invited now: this is somebody&#39;s own team")]);
  });

  test("what is not a form of the page is refused with what is wrong", async () => {
    for (const [at, form] of [["/invitations", {}], ["/invitations", { role: "king" }], ["/invitations", { role: "member", days: "31" }], ["/invitations", { role: "member", days: "x" }]] as const) {
      expect((await ada.post(path(at), form)).status, JSON.stringify(form)).toBe(400);
    }
    for (const form of [{}, { role: "" }, { role: "king" }]) expect((await ada.post(ofMember(member, "role"), form as Record<string, string>)).status).toBe(400);
    expect((await ada.post(path(`/members/${"x".repeat(101)}/remove`))).status).toBe(400);
    expect((await ada.get(path("?done=x"))).status).toBe(400);
    expect(await open()).toEqual([]);
  });
});

describe("making a team on the page of one [S11] [A13]", () => {
  test("an owner makes one beside theirs, from their own one too, and owns it; a form that is sent twice makes one", async () => {
    await env.DB.prepare("update teams set personal_of = ? where id = ?").bind(team.owner.id, team.id).run();
    const [made, again, other] = [await ada.post(path("/beside"), { name: " Harbour " }), await ada.post(path("/beside"), { name: "Harbour" }), await ada.post(path("/beside"), { name: "Pier" })].map(({ headers }) => headers.get("location") ?? "");
    expect([again, other !== made]).toEqual([made, true]);
    const html = await page(ada, made);
    expect(html).toMatch(/<h1>Members of Harbour<\/h1>[^]*owner \(you\)/);
    expect(acts(html)).toContain("invitations");
    const { teams } = await (await ada.json("GET", "/v1/teams")).json<{ teams: { name: string; organization: { id: string }; personal: boolean }[] }>();
    expect(teams.map(({ name }) => name).sort()).toEqual(["Core", "Harbour", "Pier"]);
    expect(new Set(teams.map(({ organization }) => organization.id)).size).toBe(1);
    expect(await page(ada, "/")).toContain("Members of Pier");
  });

  test("nobody else does, and a name has to be one that is seen", async () => {
    for (const browser of [grace, mary, vera]) {
      expect(acts(await page(browser))).not.toContain("beside");
      expect((await browser.post(path("/beside"), { name: "Harbour" })).status).toBe(403);
    }
    for (const name of ["", "  ", "x".repeat(101), "Har\u200bbour\u202e"]) expect((await ada.post(path("/beside"), { name })).status, JSON.stringify(name)).toBe(400);
    expect((await (await ada.json("GET", "/v1/teams")).json<{ teams: unknown[] }>()).teams).toHaveLength(1);
  });
});

describe("inviting on the page of a team [S11] [A13]", () => {
  test("an admin makes a link, sees it once, and whoever opens it joins in that role for so many days", async () => {
    const made = await grace.post(path("/invitations"), { role: "viewer", days: "14" });
    const html = await made.text();
    expect([made.status, made.headers.get("cache-control")]).toEqual([201, "no-store"]);
    expect(html).toContain("Your invitation to Core");
    expect(html).toContain("It lets one person in as viewer, until <time ");
    const [invitation] = await open();
    expect(invitation).toMatchObject({ role: "viewer" });
    expect(Date.parse(invitation?.expires_at ?? "") - Date.parse(invitation?.created_at ?? "")).toBe(14 * 86_400_000);
    const shown = await page(ada);
    expect(shown).toMatch(/As <strong>viewer<\/strong>, from admin</);
    expect(shown).not.toContain("token=");
    expect(await actionsOf(invitation?.id ?? "")).toEqual(["invitation.create"]);

    const guest = await browserOf((await newTeam()).owner.id);
    const link = linkIn(html);
    expect(await page(guest, link)).toContain("<h1>Join Core</h1>");
    await guest.post("/invitation", { token: link.split("=")[1] ?? "" });
    expect(acts(await page(guest))).toEqual(["leave"]);
    expect(await page(ada)).toContain("<h2 id=\"invitations\">Open invitations</h2><p>None.</p>");
  });

  test("one that is revoked lets nobody in; revoking it twice shows both times that it is done", async () => {
    const link = linkIn(await (await ada.post(path("/invitations"), { role: "member" })).text());
    const [invitation] = await open();
    const revoke = (): Promise<Response> => grace.post(path(`/invitations/${invitation?.id}/revoke`));
    const pressed = [...(await Promise.all([revoke(), revoke()])), await revoke()];
    expect(pressed.map(({ status, headers }) => [status, headers.get("location")])).toEqual([1, 2, 3].map(() => [303, path("?done=revoked")]));
    expect(await page(grace, path("?done=revoked"))).toContain('role="status">Revoked: ');
    expect(await actionsOf(invitation?.id ?? "")).toEqual(["invitation.create", "invitation.revoke"]);
    expect((await (await browserOf((await newTeam()).owner.id)).get(link)).status).toBe(404);
  });

  test("a form that is sent twice makes one link, and shows it both times; another form makes another, and a used one says why not", async () => {
    const form = { page: "p".repeat(43), role: "member", days: "7" };
    const sent = [...(await Promise.all([1, 2, 3].map(() => ada.post(path("/invitations"), form)))), await ada.post(path("/invitations"), form)];
    const links = await Promise.all(sent.map(async (answer) => linkIn(await answer.text())));
    expect(links[0]).toMatch(/token=[0-9a-zA-Z]{43}$/);
    expect([new Set(links).size, (await open()).length]).toEqual([1, 1]);
    expect(await actionsOf((await open())[0]?.id ?? "")).toEqual(["invitation.create"]);
    const theirs = linkIn(await (await grace.post(path("/invitations"), form)).text());
    expect(new Set([links[0], theirs, linkIn(await (await ada.post(path("/invitations"), { ...form, page: "q" })).text())]).size, "nobody else makes the same").toBe(3);
    for (const { id } of await open()) await ada.post(path(`/invitations/${id}/revoke`));
    const late = await ada.post(path("/invitations"), form);
    expect([late.status, await late.text()]).toEqual([409, expect.stringContaining("this form has made an invitation that is used or revoked")]);
    expect(await open()).toEqual([]);
  });

  test("nobody invites above themselves, and a member or viewer not at all", async () => {
    const before = await directoryRows();
    for (const [browser, role] of [[grace, "owner"], [mary, "viewer"], [vera, "viewer"]] as const) {
      expect((await browser.post(path("/invitations"), { role })).status, role).toBe(403);
    }
    expect(await (await grace.post(path("/invitations"), { role: "owner" })).text()).toContain("As admin you may not invite an owner.");
    expect(await directoryRows()).toEqual(before);
    await expect.poll(async () => (await audit("subject", "POST /teams/:team/invitations")).length).toBeGreaterThan(0);
  });
});

describe("roles and leaving on the page of a team [S11] [A13]", () => {
  test("an admin changes a role, which holds from the next request on; pressed twice it is changed once", async () => {
    const change = (): Promise<Response> => grace.post(ofMember(member, "role"), { role: "viewer" });
    const pressed = [...(await Promise.all([change(), change()])), await change()];
    expect(pressed.map(({ status, headers }) => [status, headers.get("location")])).toEqual([1, 2, 3].map(() => [303, path("?done=role")]));
    expect((await roles())[idOf(member)]).toBe("viewer");
    expect(await page(grace, path("?done=role"))).toContain('role="status">The role is changed.');
    expect((await actionsOf(idOf(member))).filter((action) => action.startsWith("member.role"))).toEqual(["member.role.viewer"]);
    expect(JSON.stringify(await member?.call("omn_store_memory", { content: "x" }))).toContain("A viewer of this team may read but not write.");
  });

  test("an admin makes themselves a member, and manages nobody from then on; pressed twice it is done once", async () => {
    const change = (): Promise<Response> => grace.post(ofMember(admin, "role"), { role: "member" });
    const pressed = [...(await Promise.all([change(), change()])), await change()];
    expect(pressed.map(({ headers }) => headers.get("location"))).toEqual([1, 2, 3].map(() => path("?done=role")));
    expect(acts(await page(grace, path("?done=role")))).toEqual(["leave"]);
    expect((await grace.post(ofMember(admin, "role"), { role: "admin" })).status).toBe(403);
    expect((await actionsOf(idOf(admin))).filter((action) => action.startsWith("member.role"))).toEqual(["member.role.member"]);
  });

  test("who is removed is out, with keys and all; pressed twice they are removed once", async () => {
    const remove = (): Promise<Response> => ada.post(ofMember(member, "remove"));
    const pressed = [...(await Promise.all([remove(), remove()])), await remove()];
    expect(pressed.map(({ status, headers }) => [status, headers.get("location")])).toEqual([1, 2, 3].map(() => [303, path("?done=removed")]));
    expect(await page(ada, path("?done=removed"))).toContain('role="status">Removed: ');
    expect((await mary.get(path())).status).toBe(404);
    expect((await member?.call("omn_list_memories"))?.status).toBe(401);
    expect((await actionsOf(idOf(member))).filter((action) => action.startsWith("member."))).toEqual(["member.remove"]);
    const late = await ada.post(ofMember(member, "role"), { role: "admin" });
    expect([late.status, await late.text()]).toEqual([404, expect.stringMatching(/<h1>The team has no such member\.<\/h1>[^]*They may have left\.[^]*All members<\/a>/)]);
  });

  test("anybody leaves, once", async () => {
    for (const [person, browser] of [[viewer, vera], [member, mary], [admin, grace]] as const) {
      const pressed = await Promise.all([browser.post(path("/leave")), browser.post(path("/leave"))]);
      for (const { status, headers } of pressed) expect(status === 303 ? headers.get("location") : status).toBeOneOf(["/", 404]);
      expect(pressed.map(({ status }) => status)).toContain(303);
      expect((await browser.get(path())).status).toBe(404);
      expect((await actionsOf(idOf(person))).filter((action) => action.startsWith("member."))).toEqual(["member.leave"]);
    }
    expect(await roles()).toEqual({ [team.owner.id]: "owner" });
  });

  test("the last owner stays, and is told why; two owners who leave at once leave one", async () => {
    const why = /<h1>A team always has an owner, and this is the last one\.<\/h1>[^]*Transfer ownership to another member first[^]*All members<\/a>/;
    for (const ask of [() => ada.post(path("/leave")), () => ada.post(ofMember(team.owner, "role"), { role: "admin" })]) {
      const answer = await ask();
      expect([answer.status, await answer.text()]).toEqual([409, expect.stringMatching(why)]);
    }
    expect((await ada.post(ofMember(admin, "role"), { role: "owner" })).status).toBe(303);
    const left = await Promise.all([ada.post(path("/leave")), grace.post(path("/leave"))]);
    expect(left.map(({ status }) => status).sort()).toEqual([303, 409]);
    const stayed = left[0].status === 409 ? ada : grace;
    expect(await page(stayed)).toMatch(/, owner \(you\)/);
  });

  test("nobody touches who is more than they are, and a member or viewer nobody at all", async () => {
    const before = await directoryRows();
    for (const [browser, person, act] of [
      [grace, team.owner, "remove"], [grace, team.owner, "role"], [mary, viewer, "remove"], [mary, viewer, "role"], [vera, member, "remove"], [mary, member, "role"],
    ] as const) {
      expect((await browser.post(ofMember(person, act), { role: "admin" })).status, act).toBe(403);
    }
    expect((await grace.post(ofMember(member, "role"), { role: "owner" })).status).toBe(403);
    expect(await (await grace.post(ofMember(team.owner, "remove"))).text()).toContain("As admin you may not remove an owner.");
    expect(await directoryRows()).toEqual(before);
    for (const act of ["role", "remove"]) await expect.poll(async () => (await audit("subject", `POST /teams/:team/members/:id/${act}`)).length).toBeGreaterThan(0);
  });

  test("making or inviting an owner asks for a fresh sign-in, which leads back to the page; anything else does not", async () => {
    await env.DB.prepare("update web_sessions set created_at = created_at - ? where user_id = ?").bind(freshSignInMs, team.owner.id).run();
    const before = await directoryRows();
    for (const ask of [() => ada.post(ofMember(admin, "role"), { role: "owner" }), () => ada.post(path("/invitations"), { role: "owner" })]) {
      const answer = await ask();
      const html = await answer.text();
      expect([answer.status, html]).toEqual([403, expect.stringContaining("<h1>Sign in again first</h1>")]);
      expect(html).toContain(`href="/sign-in?again=teams/${team.id}"`);
    }
    expect(await directoryRows()).toEqual(before);
    expect((await ada.post(path("/invitations"), { role: "admin" })).status).toBe(201);
    expect((await ada.post(ofMember(viewer, "role"), { role: "admin" })).status).toBe(303);
    expect((await ada.post(ofMember(viewer, "remove"))).status).toBe(303);

    await ada.get(`/sign-in?again=teams/${team.id}`);
    const back = await ada.post("/sign-in/link", { token: (await newBootstrapLink(signInStore, team.owner.id, Date.now())) ?? "" });
    expect(back.headers.get("location")).toBe(path());
    expect((await ada.post(ofMember(admin, "role"), { role: "owner" })).status).toBe(303);
  });

  test.each(["teams/..//evil.example", "teams/../..//evil.example/x", "teams/\\evil.example", "/evil.example"])("signing in again leads to no other site: %s", async (again) => {
    await ada.get(`/sign-in?again=${encodeURIComponent(again)}`);
    const back = await ada.post("/sign-in/link", { token: (await newBootstrapLink(signInStore, team.owner.id, Date.now())) ?? "" });
    expect(new URL(back.headers.get("location") ?? "", "http://localhost").origin).toBe("http://localhost");
  });
});

describe("who is not in the team [S6] [S11] [A13]", () => {
  const forms = (): [at: string, form: Record<string, string>][] => [
    [path("/leave"), {}], [path("/beside"), { name: "Pier" }], [ofMember(member, "remove"), {}], [ofMember(member, "role"), { role: "viewer" }], [path("/invitations"), { role: "member" }], [path(`/invitations/${crypto.randomUUID()}/revoke`), {}],
  ];

  test("another team's owner finds no such team, and reaches nobody of it under their own", async () => {
    await ada.post(path("/invitations"), { role: "member" });
    const [invitation] = await open();
    const theirs = await newTeam();
    const mallory = await browserOf(theirs.owner.id);
    const before = await directoryRows();
    expect((await mallory.get(path())).status).toBe(404);
    for (const [at, form] of forms()) expect((await mallory.post(at, form)).status, at).toBe(404);
    const own = (rest: string): string => `/teams/${theirs.id}${rest}`;
    expect((await mallory.post(own(`/members/${idOf(member)}/role`), { role: "viewer" })).status).toBe(404);
    // As for an id that nobody has: they are in that team no more.
    for (const id of [idOf(member), crypto.randomUUID()]) expect((await mallory.post(own(`/members/${id}/remove`))).headers.get("location")).toBe(own("?done=removed"));
    for (const id of [invitation?.id, crypto.randomUUID()]) expect((await mallory.post(own(`/invitations/${id}/revoke`))).headers.get("location")).toBe(own("?done=revoked"));
    expect(await directoryRows()).toEqual(before);
  });

  test("a stranger signs in first and comes back to the page; a button pressed when signed out, or by another site, does nothing", async () => {
    const visitor = new Browser();
    const before = await directoryRows();
    expect((await visitor.get(path())).headers.get("location")).toBe("/sign-in");
    for (const [at, form] of forms()) {
      expect((await visitor.post(at, form)).status, at).toBe(401);
      const foreign = await ada.post(at, form, { origin: "https://evil.example", "sec-fetch-site": "cross-site" });
      expect(foreign.status, at).toBe(403);
      await foreign.body?.cancel();
    }
    expect(await directoryRows()).toEqual(before);
    const back = await visitor.post("/sign-in/link", { token: (await newBootstrapLink(signInStore, idOf(viewer), Date.now())) ?? "" });
    expect(back.headers.get("location")).toBe(path());
  });
});
