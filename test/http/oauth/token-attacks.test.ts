import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { scopes } from "../../../src/domain/tenancy/principal.ts";
import { newBootstrapLink } from "../../../src/domain/tenancy/sign-in-link.ts";
import { addMember, audit, keyFor, newTenant, store } from "../../domain/tenancy/tenant.ts";
import { callTool } from "../../support/mcp.ts";
import { send, toolCall } from "../raw.ts";
import { Browser, signedIn, signInStore } from "../web/browser.ts";
import { connected, consent, errorOf, grantsOf, OAuthClient, origin, type Tokens } from "./client.ts";

const opens = async (token: string, path = "/mcp"): Promise<boolean> => (await send({ token, path })).status === 200;

describe("codes [A13]", () => {
  test("a code that is shown again ends what it opened", async () => {
    const { client, tokens, browser, team } = await connected();
    const code = await client.code(browser, team);
    const fresh = await (await client.exchange(code)).json<Tokens>();
    expect(await opens(tokens.access_token), "a new consent replaces the client's old one").toBe(false);
    expect(await opens(fresh.access_token)).toBe(true);
    expect(await errorOf(await client.exchange(code))).toEqual([400, "invalid_grant"]);
    expect(await opens(fresh.access_token)).toBe(false);
    expect((await client.refresh(fresh.refresh_token)).status).toBe(400);
  });

  test("of two who show a code at the same moment at most one gets tokens, and those do not last", async () => {
    const { client, browser, team } = await connected();
    const code = await client.code(browser, team);
    const answers = await Promise.all([1, 2, 3, 4].map(() => client.exchange(code)));
    const given = await Promise.all(answers.filter(({ ok }) => ok).map((answer) => answer.json<Tokens>()));
    expect(given.length).toBeLessThanOrEqual(1);
    for (const { access_token, refresh_token } of given) {
      expect(await opens(access_token)).toBe(false);
      expect((await client.refresh(refresh_token)).status).toBe(400);
    }
  });

  const wrong: [what: string, changed: Record<string, string>, error: string][] = [
    ["without its verifier", { code_verifier: "" }, "invalid_request"],
    ["with another verifier", { code_verifier: "x".repeat(43) }, "invalid_grant"],
    ["with another redirect", { redirect_uri: "http://127.0.0.1:1/other" }, "invalid_grant"],
    ["with an invented secret", { code: "me.team:grant:secret" }, "invalid_grant"],
    ["for a foreign resource", { resource: "https://evil.example/mcp" }, "invalid_target"],
    ["for the other endpoint", { resource: `${origin}/sse` }, "invalid_target"],
  ];
  test.each(wrong)("a code %s gives nothing", async (_what, changed, error) => {
    const { client, browser, team } = await connected();
    expect(await errorOf(await client.exchange(await client.code(browser, team), changed))).toEqual([400, error]);
  });

  test("a code in the hands of another client gives nothing", async () => {
    const { client, browser, team } = await connected();
    const thief = await OAuthClient.registered();
    const code = await client.code(browser, team);
    expect(await errorOf(await thief.exchange(code, { code_verifier: client.verifier }))).toEqual([400, "invalid_grant"]);
  });
});

describe("refresh tokens [A13]", () => {
  test("one that was used is shown again: the grant ends, for the thief and for the client", async () => {
    const { client, tokens, tenant } = await connected();
    const second = await (await client.refresh(tokens.refresh_token)).json<Tokens>();
    const third = await (await client.refresh(second.refresh_token)).json<Tokens>();
    expect(await opens(third.access_token)).toBe(true);

    expect(await errorOf(await client.refresh(tokens.refresh_token))).toEqual([400, "invalid_grant"]);

    expect(await opens(third.access_token)).toBe(false);
    expect((await client.refresh(third.refresh_token)).status).toBe(400);
    expect(await grantsOf(tenant.ownerId)).toBe(0);
    expect((await audit("team_id", tenant.teamId)).map(({ action, success }) => [action, success])).toContainEqual(["grant.reuse", 0]);
  });

  test("the one before the current one is no exception, though nobody used the current one yet", async () => {
    const { client, tokens } = await connected();
    const second = await (await client.refresh(tokens.refresh_token)).json<Tokens>();
    expect((await client.refresh(tokens.refresh_token)).status).toBe(400);
    expect(await opens(second.access_token)).toBe(false);
    expect((await client.refresh(second.refresh_token)).status).toBe(400);
  });

  test("of two who use one at the same moment neither keeps what it got", async () => {
    const { client, tokens } = await connected();
    const answers = await Promise.all([1, 2, 3].map(() => client.refresh(tokens.refresh_token)));
    const given = await Promise.all(answers.filter(({ ok }) => ok).map((answer) => answer.json<Tokens>()));
    expect(given.length).toBeLessThanOrEqual(1);
    for (const { access_token, refresh_token } of given) {
      expect(await opens(access_token)).toBe(false);
      expect((await client.refresh(refresh_token)).status).toBe(400);
    }
  });

  test("in the hands of another client it does nothing, and the client keeps its own", async () => {
    const { client, tokens } = await connected();
    const thief = await OAuthClient.registered();
    expect(await errorOf(await thief.refresh(tokens.refresh_token))).toEqual([400, "invalid_grant"]);
    expect((await client.refresh(tokens.refresh_token)).status).toBe(200);
  });

  test("an invented one ends nothing", async () => {
    const { client, tokens, tenant } = await connected();
    const [subject, grant] = tokens.refresh_token.split(":");
    expect((await client.refresh(`${subject}:${grant}:${"x".repeat(32)}`)).status).toBe(400);
    expect(await grantsOf(tenant.ownerId)).toBe(1);
    expect(await opens(tokens.access_token)).toBe(true);
  });

  test("asking for more than was granted does not give more", async () => {
    const { client, browser, team } = await connected();
    const { refresh_token } = await client.tokens(browser, team, { scope: "memory:read" });
    const { scope, access_token } = await (await client.refresh(refresh_token, { scope: "memory:read memory:write memory:admin" })).json<Tokens>();
    expect(scope).toBe("memory:read");
    expect((await callTool(access_token, "omn_store_memory", { key: "k", content: "c" })).error?.code).toBe("PERMISSION_DENIED");
  });

  test("revocation by another client does nothing", async () => {
    const { tokens } = await connected();
    const other = await OAuthClient.registered();
    await other.token({ token: tokens.refresh_token });
    await other.token({ token: tokens.access_token });
    expect(await opens(tokens.access_token)).toBe(true);
  });
});

describe("access tokens [A13]", () => {
  test("one for /mcp does not open /sse, and one for another name of the machine does not open this one", async () => {
    const { client, tokens, browser, team } = await connected();
    expect((await send({ token: tokens.access_token, path: "/sse", method: "POST" })).status).toBe(401);
    const elsewhere = await client.tokens(browser, team, { resource: "http://127.0.0.1/mcp" });
    expect(await opens(elsewhere.access_token)).toBe(false);
    const other = await client.tokens(browser, team, { resource: `${origin}/sse` });
    expect(await opens(other.access_token)).toBe(false);
    expect(await opens(other.access_token, "/sse")).toBe(true);
  });

  test("token of team A used for B: one of a team does not open another team of the same person", async () => {
    const { tokens, tenant } = await connected();
    const other = await newTenant();
    await store.addMember({ teamId: other.teamId, userId: tenant.ownerId, role: "owner" }, Date.now());
    expect(await opens(tokens.access_token.replace(tenant.teamId, other.teamId))).toBe(false);
    const stored = await callTool(tokens.access_token, "omn_store_memory", { key: "only.here", content: "secret", metadata: { scope: "shared" } });
    expect(stored.isError).toBe(false);
    const key = await keyFor(other, tenant.ownerId);
    expect((await callTool(key.token, "omn_retrieve_memory", { key: "only.here" })).structured["total_found"]).toBe(0);
  });

  test.each(["x-team-id", "x-user-id", "x-memory-user-id", "x-omnimemory-team"])("header spoofing of the tenant: a header %s moves nobody into another tenant", async (name) => {
    const { tokens, tenant } = await connected();
    const victim = await signedIn();
    const secret = await keyFor(victim.tenant, victim.tenant.ownerId);
    await callTool(secret.token, "omn_store_memory", { key: "victim.secret", content: "hidden" });
    const answer = await send({ token: tokens.access_token, headers: { [name]: victim.tenant.teamId }, body: toolCall("omn_retrieve_memory", { key: "victim.secret" }) });
    expect(await answer.text()).not.toContain("hidden");
    expect(tenant.teamId).not.toBe(victim.tenant.teamId);
  });

  test("names person and team, grant and secret, parted by what no id of ours holds", async () => {
    const { tokens, tenant } = await connected();
    for (const token of [tokens.access_token, tokens.refresh_token]) expect(token.split(":")).toEqual([`${tenant.ownerId}.${tenant.teamId}`, expect.stringMatching(/^[\w-]+$/), expect.stringMatching(/^[\w-]{16,}$/)]);
  });

  test("the secret of one token with the name of another opens nothing", async () => {
    const [mine, theirs] = [await connected(), await connected()];
    const [, , secret] = mine.tokens.access_token.split(":");
    const [subject, grant] = theirs.tokens.access_token.split(":");
    expect(await opens(`${subject}:${grant}:${secret}`)).toBe(false);
  });

  test("an expired one opens nothing, also if the row outlives it", async () => {
    const { tokens } = await connected();
    const { results } = await env.DB.prepare("select key, value from oauth_records where key like 'token:%' order by rowid desc limit 1").all<{ key: string; value: string }>();
    const [row] = results;
    const value = { ...JSON.parse(row?.value ?? "{}"), expiresAt: Math.floor(Date.now() / 1_000) - 1 };
    await env.DB.prepare("update oauth_records set value = ? where key = ?").bind(JSON.stringify(value), row?.key ?? "").run();
    expect(await opens(tokens.access_token)).toBe(false);
  });

  test("one that outlives its grant, because it was being issued when that ended, opens nothing", async () => {
    const { tokens, tenant } = await connected();
    await env.DB.prepare("delete from oauth_records where key between ? and ?").bind(`grant:${tenant.ownerId}.`, `grant:${tenant.ownerId}.~`).run();
    expect(await opens(tokens.access_token)).toBe(false);
  });

  const b64 = (value: unknown): string => btoa(JSON.stringify(value)).replaceAll("=", "").replaceAll("+", "-").replaceAll("/", "_");
  const claims = { iss: origin, sub: "local.local", aud: `${origin}/mcp`, exp: 4_000_000_000, scope: "memory:read" };
  const forged: [what: string, token: string][] = [
    ["a JWT with alg none", `${b64({ alg: "none" })}.${b64(claims)}.`],
    ["a JWT signed with a guessed secret", `${b64({ alg: "HS256", kid: "../../dev/null" })}.${b64(claims)}.AAAA`],
    ["a JWT that brings its own key", `${b64({ alg: "RS256", jku: "https://evil.example/jwks" })}.${b64({ ...claims, iat: 4_000_000_000 })}.AAAA`],
    ["an empty part", "local.local::x"],
    ["SQL", "local.local:'/**/or/**/1=1--:xxxxxxxxxxxxxxxxxxxxxxxx"],
    ["an enormous one", `local.local:${"g".repeat(16)}:${"x".repeat(7_000)}`],
    ["a refresh token", ""],
    ["a code", ""],
  ];
  test.each(forged)("%s is refused with the text of every other refusal", async (what, token) => {
    const { client, tokens, browser, team } = await connected();
    const shown = what === "a refresh token" ? tokens.refresh_token : what === "a code" ? await client.code(browser, team) : token;
    const answer = await send({ token: shown });
    expect(answer.status).toBe(401);
    expect((await answer.json<{ error: { message: string } }>()).error.message).toBe("The API key or access token is not valid. It may be mistyped, expired or revoked.");
  });

  test("tokens do not open the REST interface of keys, whatever their scopes", async () => {
    const { client, browser, team } = await connected();
    const { answer } = await consent(browser, await client.authorizePath({ scope: scopes.join(" ") }), { team, scopes: [...scopes] });
    const tokens = await (await client.exchange(new URL(answer.headers.get("location") ?? "").searchParams.get("code") ?? "")).json<Tokens>();
    expect(tokens.scope).toBe(scopes.join(" "));
    expect((await send({ token: tokens.access_token, method: "GET", path: "/v1/keys" })).status).toBe(401);
  });
});

describe("what changes while a client is connected [A13]", () => {
  const changed = async (userId: string, team: string): Promise<void> => env.USER_SESSION.getByName(`${team}:${userId}`).credentialsChanged();

  test("a role that is taken down holds from the next request on", async () => {
    const { browser, tenant } = await signedIn();
    const other = await newTenant();
    await store.addMember({ teamId: other.teamId, userId: tenant.ownerId, role: "member" }, Date.now());
    const { access_token } = await (await OAuthClient.registered()).tokens(browser, other.teamId);
    expect((await callTool(access_token, "omn_store_memory", { key: "a", content: "b" })).isError).toBe(false);
    await env.DB.prepare("update memberships set role = 'viewer' where team_id = ? and user_id = ?").bind(other.teamId, tenant.ownerId).run();
    await changed(tenant.ownerId, other.teamId);
    expect((await callTool(access_token, "omn_store_memory", { key: "a", content: "c" })).error?.code).toBe("PERMISSION_DENIED");
  });

  const gone: [what: string, sql: string, id: "teamId" | "ownerId" | "organizationId"][] = [
    ["leaves the team", "delete from memberships where user_id = ?", "ownerId"],
    ["is deleted", "update users set deleted_at = 1 where id = ?", "ownerId"],
    ["sees the team deleted", "update teams set deleted_at = 1 where id = ?", "teamId"],
    ["sees the organization deleted", "update organizations set deleted_at = 1 where id = ?", "organizationId"],
  ];
  test.each(gone)("tokens of a person who %s open nothing", async (_what, sql, id) => {
    const { tokens, tenant } = await connected();
    expect(await opens(tokens.access_token)).toBe(true);
    await env.DB.prepare(sql).bind(tenant[id]).run();
    await changed(tenant.ownerId, tenant.teamId);
    expect(await opens(tokens.access_token)).toBe(false);
  });
});

test("the token of a member opens with the member's role, not the granter's wish [S17]", async () => {
  const tenant = await newTenant();
  const memberId = await addMember(tenant.teamId, "viewer");
  const browser = new Browser();
  await browser.post("/sign-in/link", { token: (await newBootstrapLink(signInStore, memberId, Date.now())) ?? "" });
  const { access_token } = await (await OAuthClient.registered()).tokens(browser, tenant.teamId);
  for (const [name, args] of [["omn_store_memory", { key: "k", content: "c" }], ["omn_forget_memory", { key: "k" }]] as const) {
    expect((await callTool(access_token, name, args)).error?.code).toBe("PERMISSION_DENIED");
  }
});
