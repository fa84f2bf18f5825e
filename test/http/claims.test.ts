import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { claimMs, newClaim, previewClaim, takeClaim } from "../../src/domain/sessions/claims.ts";
import { contextFor } from "../../src/http/routes/proposals.ts";
import { newBootstrapLink } from "../../src/domain/tenancy/sign-in-link.ts";
import { addMember, keyFor, newTenant, principalOf, type Tenant } from "../domain/tenancy/tenant.ts";
import { rpc } from "../support/mcp.ts";
import { services } from "../support/team.ts";
import { readQrCode } from "../support/qr-reader.ts";
import { send } from "./raw.ts";
import { Browser, signedIn, signInStore } from "./web/browser.ts";

let tenant: Tenant;
let browser: Browser;
let token: string;
beforeEach(async () => {
  ({ tenant, browser } = await signedIn());
  ({ token } = await keyFor(tenant, tenant.ownerId));
});

async function ask(name: string, args: Record<string, unknown> = {}, by = token, client = "claude-code"): Promise<Record<string, any>> {
  const { body } = await rpc(by, "tools/call", { name, arguments: args }, "?surface=all&project=shop", client);
  return { ...body.result.structuredContent, text: body.result.content[0].text, error: body.result._meta?.["omnimemory/error"] };
}
/** The link of a session with a search in it. */
async function exported(): Promise<{ url: string; path: string; id: string }> {
  await ask("omn_retrieve_memory", { query: "which database for billing" });
  const { export_url: url, session_id: id } = await ask("omn_export_session");
  return { url, path: new URL(url).pathname, id };
}
async function browserOf(userId: string): Promise<Browser> {
  const other = new Browser();
  await other.post("/sign-in/link", { token: (await newBootstrapLink(signInStore, userId, Date.now())) ?? "" });
  return other;
}
const refusal = "This link opens no session";

describe("the link of an exported session [A5]", () => {
  test("shows its person what it leads to as often as they look, and gives the session once", async () => {
    const { url, path, id } = await exported();
    expect(url).toMatch(/^http:\/\/localhost\/claim\/[\w-]+\/[0-9A-Za-z]{43}$/);
    for (let looks = 0; looks < 2; looks += 1) {
      const page = await browser.get(path);
      expect(page.status).toBe(200);
      expect(page.headers.get("cache-control")).toBe("no-store");
      expect(await page.text()).toMatch(/shop<\/strong>, last used with claude-code[^]*0 files, 1 search, 0 decisions, 0 tasks[^]*method="post"[^]*<a href="\/">Back to your account/);
    }
    const taken = await browser.post(path);
    const text = await taken.text();
    expect(taken.status).toBe(200);
    expect(text).toContain(`Restore my OmniMemory session ${id} with omn_restore_session.`);
    const passport = JSON.parse(decodeURIComponent(/href="data:application\/json;charset=utf-8,([^"]+)"/.exec(text)?.[1] ?? ""));
    for (const again of [await browser.post(path), await browser.get(path)]) {
      expect(again.status).toBe(404);
      expect(await again.text()).toMatch(new RegExp(`<h1>${refusal}\\.</h1><p>It may be used, `));
    }
    // Both ways that the page names lead on.
    expect((await ask("omn_restore_session", { session_id: id }, token, "cursor"))["context"].recent_searches).toEqual(["which database for billing"]);
    expect((await ask("omn_restore_session", { passport }, token, "vscode"))["session_id"]).toBe(id);
  });

  test("is on its page and in the passport as a QR code, which reads as the link and nothing else", async () => {
    const { path, url } = await exported();
    expect(readQrCode(await (await browser.get(path)).text())).toBe(url);

    const { export_url: link, passport, qr_code: beside } = await ask("omn_export_session", { qr: true });
    const picture = ({ qr_code: dataUrl }: { qr_code: string }): string => atob(dataUrl.replace("data:image/svg+xml;base64,", ""));
    expect(readQrCode(picture(passport))).toBe(link);
    expect(beside).toBeUndefined();
    const encrypted = await ask("omn_export_session", { qr: true, passphrase: "correct horse battery" });
    expect(encrypted["passport"]).toMatch(/^ey/);
    expect(readQrCode(picture(encrypted as { qr_code: string }))).toBe(encrypted["export_url"]);
    expect(encrypted["text"]).not.toContain(encrypted["qr_code"]);

    // No signature is over it, and the text that a model hands on does without.
    expect((await ask("omn_restore_session", { passport }, token, "cursor"))["session_id"]).toBe(passport.session_id);
    const { qr_code: _, ...plain } = passport;
    expect((await ask("omn_restore_session", { passport: plain }, token, "vscode"))["session_id"]).toBe(passport.session_id);
  });

  test("has no QR code unless it is asked for", async () => {
    await exported();
    const { passport, qr_code: beside, text } = await ask("omn_export_session");
    expect([passport.qr_code, beside, text.includes("qr_code")]).toEqual([undefined, undefined, false]);
  });

  test("is for its person alone: a stranger signs in first, a colleague and another team's member see what a wrong link shows", async () => {
    const { path, url } = await exported();
    const stranger = new Browser();
    const first = await (await stranger.get(path)).text();
    expect(first).toContain("Sign in");
    expect(first).not.toContain("shop");
    expect((await stranger.post(path)).status).toBe(401);
    const colleagueId = await addMember(tenant.teamId, "owner");
    const otherTenant = await newTenant();
    const wrong = await (await browser.get(`/claim/${tenant.teamId}/${"x".repeat(43)}`)).text();
    const plain = (text: string): string => text.replace(/Request [\w-]+/, "");
    for (const other of [await browserOf(colleagueId), await browserOf(otherTenant.ownerId)]) {
      for (const answer of [await other.get(path), await other.post(path)]) {
        expect(answer.status).toBe(404);
        expect(plain(await answer.text())).toBe(plain(wrong));
      }
    }
    for (const by of [(await keyFor(tenant, colleagueId)).token, (await keyFor(otherTenant, otherTenant.ownerId)).token]) {
      expect((await ask("omn_restore_session", { passport: url }, by, "cursor"))["error"]?.message).toContain(refusal);
    }
    // None of this used it up.
    expect((await browser.post(path)).status).toBe(200);
  });

  test("brings whoever signs in for it back", async () => {
    const { path } = await exported();
    const fresh = new Browser();
    await fresh.get(path);
    const link = (await newBootstrapLink(signInStore, tenant.ownerId, Date.now())) ?? "";
    const answer = await fresh.post("/sign-in/link", { token: link });
    expect(answer.headers.get("location")).toBe(path);
  });

  test("opens nothing after ten minutes", async () => {
    await ask("omn_retrieve_memory", { query: "login form" });
    const { session_id: id } = await ask("omn_get_session_context");
    const principal = await principalOf(token);
    const now = Date.now();
    const at = (time: number) => ({ ...contextFor(services, { principal, now: time, requestId: "r", address: undefined }, () => undefined), sessions: services.sessions, passports: services.passports, publicOrigin: "http://localhost" });
    const linkToken = (url: string): string => url.split("/").at(-1) ?? "";
    const [first, second] = [linkToken(await newClaim(at(now), id)), linkToken(await newClaim(at(now), id))];
    expect((await previewClaim(at(now + claimMs - 1), first)).session.id).toBe(id);
    await expect(previewClaim(at(now + claimMs), first)).rejects.toThrow(refusal);
    await expect(takeClaim(at(now + claimMs), first)).rejects.toThrow(refusal);
    expect((await takeClaim(at(now + claimMs - 1), second)).session.id).toBe(id);
    // The next link drops those that are over.
    await newClaim(at(now + claimMs), id);
    expect((await env.SHARD_0.prepare("SELECT count(*) AS n FROM passport_claims WHERE team_id = ?").bind(tenant.teamId).first<{ n: number }>())?.n).toBe(1);
  });

  test("of two who follow it at the same moment, lets one in", async () => {
    const { path, url } = await exported();
    const answers = await Promise.all([browser.post(path), browser.post(path), ask("omn_restore_session", { passport: url }, token, "cursor")]);
    const won = [answers[0].status === 200, answers[1].status === 200, answers[2]["session_id"] !== undefined].filter(Boolean);
    expect(won).toHaveLength(1);
  });

  test("is restored by a tool as it is, once, and every attempt is logged", async () => {
    const { url, id } = await exported();
    expect(await ask("omn_restore_session", { passport: ` ${url}\n` }, token, "cursor")).toMatchObject({ session_id: id, previous_tool: "claude-code", tool_id: "cursor" });
    expect((await ask("omn_restore_session", { passport: url }, token, "vscode"))["error"]).toMatchObject({ code: "NOT_FOUND" });
    const { results } = await env.SHARD_0.prepare("SELECT success, passport_used, to_tool FROM session_migrations WHERE team_id = ? ORDER BY id").bind(tenant.teamId).all();
    expect(results).toEqual([{ success: 1, passport_used: 1, to_tool: "cursor" }, { success: 0, passport_used: 1, to_tool: "vscode" }]);
  });

  test("is followed by no page of another site, and lies nowhere in the database", async () => {
    const { path } = await exported();
    expect((await browser.post(path, {}, { "sec-fetch-site": "cross-site" })).status).toBe(403);
    const { results } = await env.SHARD_0.prepare("SELECT * FROM passport_claims WHERE team_id = ?").bind(tenant.teamId).all();
    expect(results).toHaveLength(1);
    expect(JSON.stringify(results)).not.toContain(path.split("/").at(-1));
    expect((await browser.post(path)).status).toBe(200);
  });

  test("leads nowhere when the session is erased", async () => {
    const { path, id } = await exported();
    await send({ token, method: "DELETE", path: `/v1/teams/${tenant.teamId}/sessions/${id}`, body: "" });
    expect((await browser.get(path)).status).toBe(404);
    expect((await browser.post(path)).status).toBe(404);
  });
});

describe("passports by REST [A5]", () => {
  test("are exported with their link, and with a passphrase encrypted", async () => {
    const { id } = await exported();
    const at = `/v1/teams/${tenant.teamId}/sessions/${id}/passport`;
    const plain = await (await send({ token, method: "POST", path: at, body: {} })).json<Record<string, any>>();
    expect(plain).toMatchObject({ encrypted: false, session: { session_id: id }, passport: { session_id: id, issuer: "http://localhost" }, export_url: expect.stringMatching(/^http:\/\/localhost\/claim\//) });
    const sealed = await (await send({ token, method: "POST", path: at, body: { passphrase: "correct horse battery" } })).json<Record<string, any>>();
    expect(sealed["passport"].split(".")).toHaveLength(5);
    const colleague = await keyFor(tenant, await addMember(tenant.teamId, "member"));
    expect((await send({ token: colleague.token, method: "POST", path: at, body: {} })).status).toBe(404);
  });

  test("of servers that a person trusts: they are listed, and asked about again once that is taken back", async () => {
    const issuer = "https://memory.neighbour.dev";
    const principal = await principalOf(token);
    await services.passports.store.trust(principal, { issuer, trustedAt: Date.now() });
    const at = `/v1/teams/${tenant.teamId}/passport-issuers`;
    const listed = async (by = token) => (await send({ token: by, method: "GET", path: at })).json();
    expect(await listed()).toEqual({ issuers: [{ issuer, trusted_at: expect.any(String) }] });
    const colleague = await keyFor(tenant, await addMember(tenant.teamId, "owner"));
    expect(await listed(colleague.token)).toEqual({ issuers: [] });
    const path = `${at}/${encodeURIComponent(issuer)}`;
    const taken = async (by: string) => (await send({ token: by, method: "DELETE", path, body: "" })).json();
    expect(await taken(colleague.token)).toEqual({ deleted: false });
    expect(await taken(token)).toEqual({ deleted: true });
    expect(await services.passports.store.isTrusted(principal, issuer)).toBe(false);
  });
});
