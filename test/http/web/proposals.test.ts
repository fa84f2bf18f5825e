import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { newBootstrapLink } from "../../../src/domain/tenancy/sign-in-link.ts";
import { audit } from "../../domain/tenancy/tenant.ts";
import { memoryRows } from "../../support/rows.ts";
import { newTeam, type Person, type Team } from "../../support/team.ts";
import { Browser, signInStore } from "./browser.ts";

let team: Team;
let member: Person;
/** Each in their own browser; ada owns the team. */
let [ada, grace]: [Browser, Browser] = [new Browser(), new Browser()];
beforeEach(async () => {
  team = await newTeam();
  member = await team.join();
  [ada, grace] = [await browserOf(team.owner), await browserOf(member)];
  await ada.json("PUT", `/v1/teams/${team.id}/review`, { required: true });
});

async function browserOf({ id }: Person): Promise<Browser> {
  const browser = new Browser();
  await browser.post("/sign-in/link", { token: (await newBootstrapLink(signInStore, id, Date.now())) ?? "" });
  return browser;
}

const memories = (): string => `/memories/${team.id}`;
const path = (rest = ""): string => `${memories()}/proposals${rest}`;
const page = async (browser: Browser, at = path()): Promise<string> => (await browser.get(at)).text();
const stored = async (by: Person, args: Record<string, unknown>): Promise<string> => (await by.call("omn_store_memory", args)).structured["memory_id"] as string;
const share = (content: string, more: Record<string, unknown> = {}): Promise<string> => stored(member, { content, ...more, metadata: { scope: "shared", ...(more["metadata"] as object) } });
const idsIn = (html: string): string[] => [...html.matchAll(/action="[^"]*\/proposals\/([^/"]+)\/refuse["?]/g)].map(([, id = ""]) => id);
const waitingIds = async (): Promise<string[]> => idsIn(await page(ada));
const contentOf = async (by: Person, id: string): Promise<string | undefined> => (await by.call("omn_retrieve_memory", { id })).structured["memories"][0]?.content as string | undefined;

describe("the page of what waits for a review [F4] [U7]", () => {
  test("what a member shares is shown whole to an admin, who accepts it; others find it then, and the member sees who decided", async () => {
    const mate = await team.join();
    const id = await share("The harbour <opens> at six.", { key: "harbour", metadata: { tags: ["port"] } });
    expect(await page(ada, memories())).toContain(`<a href="${path()}">Proposals (1 waiting)</a>`);
    expect(await page(grace, memories())).toContain("Proposals (1 waiting)");
    expect(await page(await browserOf(mate), memories())).toContain(`<a href="${path()}">Proposals</a>`);
    const html = await page(ada);
    expect(html).toContain("<strong>To be seen by your team</strong>");
    for (const shown of ["harbour", "The harbour &lt;opens&gt; at six.", 'tags</dt><dd><p class="text" dir="auto">port</p>', "with vitest"]) expect(html).toContain(shown);
    expect(html, "a private memory has no page for others").not.toContain(`href="${memories()}/${id}"`);
    const own = await page(grace);
    expect(own).toContain("Proposed by you");
    expect(own).toContain(`href="${memories()}/${id}"`);
    expect(own).not.toMatch(/<form|<button/);

    const [proposal] = idsIn(html);
    const accepted = await ada.post(path(`/${proposal}/accept`));
    expect([accepted.status, accepted.headers.get("location")]).toEqual([303, path("?done=accepted")]);
    expect(await page(ada, path("?done=accepted"))).toMatch(/role="status">Accepted: [^]*None\./);
    expect(await contentOf(mate, id)).toBe("The harbour <opens> at six.");
    expect(await page(grace, path("?state=accepted"))).toMatch(new RegExp(`<a href="${memories()}/${id}">harbour</a>[^]*Proposed by you[^]*; accepted by `));
    expect(await page(ada, path("?state=accepted"))).toContain("; accepted by you");
    expect(await page(ada, memories())).toContain(">Proposals</a>");
  });

  test("of a change each field that would be another one is shown, as it is and as it would be; refused, it stays as it is", async () => {
    const id = await stored(team.owner, { key: "pier", content: "The pier is long.", metadata: { scope: "shared" } });
    await member.call("omn_update_memory", { id, content: "The pier is short.", metadata: { importance: 0.9 } });
    const html = await page(ada);
    expect(html).toMatch(/To be changed<[^]*content, now<\/dt><dd><p class="text" dir="auto">The pier is long\.<[^]*content, proposed<\/dt><dd><p class="text" dir="auto">The pier is short\.</);
    expect(html).toMatch(/importance, now<[^]*importance, proposed<\/dt><dd><p class="text" dir="auto">0\.9</);
    expect(html).not.toContain("visibility, now");
    const [proposal] = idsIn(html);
    expect((await ada.post(path(`/${proposal}/refuse`))).headers.get("location")).toBe(path("?done=refused"));
    expect(await page(ada, path("?done=refused"))).toContain('role="status">Refused: ');
    expect(await contentOf(team.owner, id)).toBe("The pier is long.");
    expect(await page(grace, path("?state=refused"))).toMatch(/The pier is short\.[^]*; refused by /);
  });

  test("a link that is proposed, or is to go, names what it leads to, and why", async () => {
    const [from, to] = [await stored(team.owner, { key: "pier", content: "The pier is long.", metadata: { scope: "shared" } }), await stored(team.owner, { key: "quay", content: "The quay is short.", metadata: { scope: "shared" } })];
    await member.call("omn_update_memory", { id: from, links: [{ to, type: "extends", strength: 0.5, reason: "both <b>of stone" }] });
    expect(await page(ada)).toContain(`To link: extends <a href="${memories()}/${to}">quay</a>, strength 0.5. both &lt;b&gt;of stone`);
    await ada.post(path(`/${(await waitingIds())[0]}/accept`));
    await member.call("omn_update_memory", { id: from, unlink: [{ to }] });
    expect(await page(ada)).toContain(`To unlink: any link <a href="${memories()}/${to}">quay</a>`);
  });

  test("what takes the place of another is named with a link to its page, to those who may see it", async () => {
    const said = { metadata: { scope: "shared" } };
    const [old, next] = [await stored(team.owner, { key: "pier.old", content: "The pier is long.", ...said }), await stored(team.owner, { key: "pier.new", content: "The pier is short.", ...said })];
    const own = await stored(member, { key: "pier.own", content: "The pier is mine." });
    const replacedBy = (superseded_by: string) => member.call("omn_import_memories", { memories: [{ id: old, key: "pier.old", content: "The pier is long.", visibility: "shared", superseded_by }] });
    await replacedBy(next);
    const html = await page(ada);
    expect(html).toContain(`superseded by, proposed</dt><dd><a href="${memories()}/${next}">pier.new</a>`);
    expect(html).not.toContain(`>${next}<`);
    await replacedBy(own);
    expect(await page(grace)).toContain(`<a href="${memories()}/${own}">pier.own</a>`);
    expect(await page(ada)).not.toMatch(new RegExp(`pier\\.own|${own}`));
  });

  test("archiving and restoring say so", async () => {
    const id = await stored(team.owner, { content: "The pier is long.", metadata: { scope: "shared" } });
    await grace.post(`${memories()}/${id}/archive`);
    expect(await page(ada)).toContain("<strong>To be archived</strong>");
    await ada.post(path(`/${(await waitingIds())[0]}/accept`));
    const restored = await grace.post(`${memories()}/${id}/restore`);
    expect(await page(grace, restored.headers.get("location") ?? "")).toContain(`Your change waits for an admin of the team. <a href="${path()}">Proposals</a>`);
    expect(await page(ada)).toContain("<strong>To be restored</strong>");
  });

  test("what has changed since is not shown, says so, and can only be refused", async () => {
    const id = await share("Fit to print.", { key: "news" });
    const [proposal] = await waitingIds();
    await member.call("omn_update_memory", { id, content: "Not for their eyes." });
    const html = await page(ada);
    expect(html).toContain("The memory has changed since, so this can only be refused.");
    expect(html).toContain("A memory that its owner alone sees");
    for (const text of ["Fit to print", "Not for their eyes", "news", "/accept"]) expect(html).not.toContain(text);
    const late = await ada.post(path(`/${proposal}/accept`));
    expect([late.status, await late.text()]).toEqual([409, expect.stringMatching(/<h1>The memory has changed since it was proposed\.<\/h1>[^]*All proposals<\/a>/)]);
    expect((await ada.post(path(`/${proposal}/refuse`))).status).toBe(303);
    expect(await page(ada)).toContain("None.");
  });

  test("one that is decided meanwhile, or not there, is told with a way back; a button that is pressed twice shows both times that it is done", async () => {
    await share("The harbour opens at six.");
    const [proposal] = await waitingIds();
    const admin = await browserOf(await team.join("admin"));
    const pressed = [...(await Promise.all([1, 2, 3].map(() => ada.post(path(`/${proposal}/accept`))))), await ada.post(path(`/${proposal}/accept`))];
    expect(pressed.map(({ headers }) => headers.get("location"))).toEqual(Array.from({ length: 4 }, () => path("?done=accepted")));
    for (const [browser, act] of [[admin, "accept"], [admin, "refuse"], [ada, "refuse"]] as const) {
      const answer = await browser.post(path(`/${proposal}/${act}`));
      expect([answer.status, await answer.text()], act).toEqual([409, expect.stringMatching(/<h1>This proposal is decided already\.<\/h1>[^]*All proposals<\/a>/)]);
    }
    for (const id of [crypto.randomUUID(), "x"]) {
      for (const act of ["accept", "refuse"]) {
        const answer = await ada.post(path(`/${id}/${act}`));
        const html = await answer.text();
        expect([answer.status, html]).toEqual([404, expect.stringContaining(`<a href="${path()}">All proposals</a>`)]);
        expect(html).not.toMatch(/\bids?\b/);
      }
    }
  });

  test("older ones are on the next page", async () => {
    for (let i = 0; i < 21; i += 1) await share(`Berth ${i} is ${i % 2 ? "free" : "taken"}.`, { key: `berth.${i}` });
    const first = await page(ada);
    const older = (/href="([^"]*before=[^"]*)"/.exec(first)?.[1] ?? "").replaceAll("&amp;", "&");
    const second = await page(ada, older);
    expect([idsIn(first).length, idsIn(second).length, new Set([...idsIn(first), ...idsIn(second)]).size]).toEqual([20, 1, 21]);
    expect(second).not.toContain(">Older</a>");
    const act = (/action="([^"]*refuse[^"]*)"/.exec(second)?.[1] ?? "").replaceAll("&amp;", "&");
    const back = (await ada.post(act)).headers.get("location") ?? "";
    expect(back).toBe(`${path("?done=refused")}&before=${/before=(.*)/.exec(older)?.[1]}`);
    expect(await page(ada, back)).toMatch(new RegExp(`Refused: [^]*<a href="${path("\\?state=pending")}">Waiting</a>[^]*Nothing older\\.`));
    expect(first).not.toContain(">Waiting</a>");
    for (const query of ["?before=x", "?state=lost", "?done=x"]) expect((await ada.get(path(query))).status, query).toBe(400);
  });

  test("what has expired waits no more, swept or not: neither in the list nor in the count of it", async () => {
    const id = await share("The harbour opens at six.");
    expect(await page(ada, memories())).toContain("Proposals (1 waiting)");
    await env.SHARD_0.prepare("UPDATE memories SET expires_at = ?1 WHERE id = ?2").bind(Date.now() - 1, id).run();
    for (const browser of [ada, grace]) {
      expect(await page(browser, memories())).toContain(">Proposals</a>");
      expect(await page(browser)).toContain("None.");
    }
  });

  test("texts are text, not markup; a long one is folded, and a secret is opened by who reads it, which is audited", async () => {
    const evil = '<img src=x onerror=alert(1)> "quoted"';
    await share(evil, { key: "evil", metadata: { tags: ["<b>"], custom: "</p><script>" } });
    await share(`The pier is ${"very ".repeat(200)}long.`);
    await share("The safe opens with 4711.", { metadata: { sensitivity: "secret" } });
    const read = async (): Promise<number> => JSON.stringify(await memoryRows(team.id)).split("read-secret").length - 1;
    const before = await read();
    const html = await page(ada);
    expect(await read()).toBe(before + 1);
    expect(html).not.toMatch(/<img|<b>|<script/);
    expect(html).toMatch(/<summary dir="auto">The pier is [^<]{1,160}…<\/summary>/);
    expect(html.split("4711")).toHaveLength(2);
    expect(html).toMatch(/<details><summary dir="auto">A secret: open it to read it\.<\/summary><p class="text" dir="auto">The safe opens with 4711\./);
  });
});

describe("who decides [F4] [S11] [A13]", () => {
  test("nobody but an admin of the team decides, and nobody else sees what another proposes", async () => {
    const id = await share("The harbour opens at six.", { key: "harbour" });
    const [proposal] = await waitingIds();
    const [mate, viewer, mallory] = [await browserOf(await team.join()), await browserOf(await team.join("viewer")), await browserOf((await newTeam()).owner)];
    const before = await memoryRows(team.id);
    for (const [who, browser, status] of [["its author", grace, 403], ["a member", mate, 403], ["a viewer", viewer, 403], ["another team's owner", mallory, 404]] as const) {
      for (const act of ["accept", "refuse"]) expect((await browser.post(path(`/${proposal}/${act}`))).status, `${who}, ${act}`).toBe(status);
    }
    for (const browser of [mate, viewer]) {
      const html = await page(browser);
      expect(html).toContain("You see your own.");
      for (const text of ["harbour", proposal ?? "", "<form"]) expect(html).not.toContain(text);
    }
    expect((await mallory.get(path())).status).toBe(404);
    expect(await memoryRows(team.id)).toEqual(before);
    await expect.poll(async () => (await audit("subject", "POST /memories/:team/proposals/:id/accept")).length).toBeGreaterThan(0);

    const theirs = await newTeam();
    const eve = await browserOf(theirs.owner);
    const [named, ofNothing] = await Promise.all([proposal, crypto.randomUUID()].map(async (one) => (await eve.post(`/memories/${theirs.id}/proposals/${one}/accept`)).status));
    expect([named, ofNothing], "under their own team there is no such proposal").toEqual([404, 404]);
    expect(await contentOf(team.owner, id)).toBeUndefined();
  });

  test("a stranger signs in first and comes back to the page, and a button pressed when signed out does nothing", async () => {
    await share("The harbour opens at six.");
    const [proposal] = await waitingIds();
    const visitor = new Browser();
    expect((await visitor.get(path())).headers.get("location")).toBe("/sign-in");
    expect((await visitor.post(path(`/${proposal}/accept`))).status).toBe(401);
    expect((await ada.post(path(`/${proposal}/accept`), {}, { origin: "https://evil.example", "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect(await waitingIds()).toEqual([proposal]);
  });
});
