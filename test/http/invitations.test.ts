import { describe, expect, test } from "vitest";
import { addMember, keyFor, newTenant } from "../domain/tenancy/tenant.ts";
import { send } from "./raw.ts";
import { Browser, newPerson, signedIn } from "./web/browser.ts";

async function invitation(role = "member"): Promise<{ teamId: string; key: string; id: string; token: string; url: string }> {
  const tenant = await newTenant();
  const { token: key } = await keyFor(tenant, tenant.ownerId);
  const answer = await send({ token: key, method: "POST", path: `/v1/teams/${tenant.teamId}/invitations`, body: { role } });
  expect(answer.status).toBe(201);
  const { token, url, invitation: made } = await answer.json<{ token: string; url: string; invitation: { id: string } }>();
  return { teamId: tenant.teamId, key, id: made.id, token, url };
}

const teamsOf = async (browser: Browser): Promise<string[]> =>
  (await (await browser.json("GET", "/v1/teams")).json<{ teams: { id: string }[] }>()).teams.map(({ id }) => id);

describe("the link of an invitation [F3]", () => {
  test("shows the team and the role, and by one click the person is in it", async () => {
    const { teamId, url, token } = await invitation("viewer");
    expect(url).toBe(`http://localhost/invitation?token=${token}`);
    const { browser } = await signedIn();
    for (let looks = 0; looks < 2; looks += 1) {
      const page = await browser.get(url);
      expect(page.status).toBe(200);
      expect(await page.text()).toMatch(/Join Core[^]*, its owner, invites you as viewer to this team of the organization [^]*method="post"[^]*<a href="\/">Back to your account/);
    }
    expect((await browser.post("/invitation", { token })).headers.get("location")).toBe("/");
    expect(await teamsOf(browser)).toContain(teamId);
    expect((await browser.get(url)).status).toBe(404);
    expect((await (await signedIn()).browser.post("/invitation", { token })).status, "nobody else").toBe(404);
  });

  test("lets a person in who presses the button twice, or whose first answer was lost, and not back in once they are removed", async () => {
    const { teamId, key, token } = await invitation();
    const { browser, tenant } = await signedIn();
    for (let presses = 0; presses < 2; presses += 1) expect((await browser.post("/invitation", { token })).headers.get("location")).toBe("/");
    expect(await (await browser.json("POST", "/v1/invitations/accept", { token })).json()).toEqual({ team: teamId, joined: false });
    await send({ token: key, method: "DELETE", path: `/v1/teams/${teamId}/members/${tenant.ownerId}`, body: "" });
    expect((await browser.post("/invitation", { token })).status).toBe(404);
    expect(await teamsOf(browser)).not.toContain(teamId);
  });

  test("asks who is not signed in to do that first, and says nothing of the team", async () => {
    const { url, token, teamId } = await invitation();
    const stranger = new Browser();
    const page = await (await stranger.get(url)).text();
    expect(page).toContain("Sign in");
    expect(page).not.toContain("Core");
    expect((await stranger.post("/invitation", { token })).status).toBe(401);
    const { browser } = await signedIn();
    expect((await browser.json("POST", "/v1/invitations/accept", { token })).status).toBe(200);
    expect(await teamsOf(browser)).toContain(teamId);
  });

  test("brings a stranger back to it after signing in, also from a form whose session has ended", async () => {
    const { url, token, teamId } = await invitation();
    for (const ask of [(stranger: Browser) => stranger.get(url), (stranger: Browser) => stranger.post("/invitation", { token })]) {
      const { link } = await newPerson();
      const stranger = new Browser();
      await ask(stranger);
      expect((await stranger.post("/sign-in/link", { token: link })).headers.get("location")).toBe(`/invitation?token=${token}`);
      expect(await (await stranger.get(`/invitation?token=${token}`)).text()).toContain("Join Core");
      expect(await teamsOf(stranger), "nobody is in before they say so").not.toContain(teamId);
    }
  });

  test("is not accepted by a page of another site", async () => {
    const { token, teamId } = await invitation();
    const { browser } = await signedIn();
    expect((await browser.post("/invitation", { token }, { "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect((await browser.json("POST", "/v1/invitations/accept", { token }, { "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect(await teamsOf(browser)).not.toContain(teamId);
  });

  test("is nothing for an API key, which is for a team", async () => {
    const { token, key } = await invitation();
    expect((await send({ token: key, method: "POST", path: "/v1/invitations/accept", body: { token } })).status).toBe(403);
  });
});

describe("invitations of a team [F3]", () => {
  test("are listed and revoked", async () => {
    const { teamId, key, id, token } = await invitation();
    const list = async () => (await send({ token: key, method: "GET", path: `/v1/teams/${teamId}/invitations` })).json<{ invitations: { id: string }[] }>();
    expect((await list()).invitations).toMatchObject([{ id, role: "member" }]);
    expect(await (await send({ token: key, method: "DELETE", path: `/v1/teams/${teamId}/invitations/${id}`, body: "" })).json()).toEqual({ revoked: true });
    expect((await list()).invitations).toEqual([]);
    const { browser } = await signedIn();
    expect((await browser.json("POST", "/v1/invitations/accept", { token })).status).toBe(404);
  });

  test("are nothing for a member", async () => {
    const tenant = await newTenant();
    const { token } = await keyFor(tenant, await addMember(tenant.teamId, "member"));
    expect((await send({ token, method: "GET", path: `/v1/teams/${tenant.teamId}/invitations` })).status).toBe(403);
    expect((await send({ token, method: "POST", path: `/v1/teams/${tenant.teamId}/invitations`, body: { role: "viewer" } })).status).toBe(403);
  });
});
