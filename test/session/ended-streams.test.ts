import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { scopes } from "../../src/domain/tenancy/principal.ts";
import { hour, keyFor, minute } from "../domain/tenancy/tenant.ts";
import { OpenStreams } from "../../src/session/open-streams.ts";
import { OAuthClient } from "../http/oauth/client.ts";
import { meta, send } from "../http/raw.ts";
import { signedIn } from "../http/web/browser.ts";
import { callTool } from "../support/mcp.ts";
import { Session } from "../support/sessions.ts";
import { newTeam, services, sessionOf, type Person, type Team } from "../support/team.ts";

const speaking = (): Response => new Response(new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode("begun")) }), { headers: { "content-type": "text/event-stream" } });
const presented = { token: "t", from: { requestId: "r" }, resource: undefined };
const listen = { jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params: { notifications: { resourcesListChanged: true }, _meta: meta } };

/** Each way to hold a stream open in which the server speaks by itself. */
const ways: [how: string, open: (token: string) => Promise<Response>][] = [
  ["the stream of 2024-11-05", (token) => send({ token, path: "/sse", method: "GET", headers: { "mcp-method": null, "mcp-name": null, accept: "text/event-stream", "mcp-protocol-version": null } })],
  ["the GET stream of a session", async (token) => (await Session.open(token)).stream(token)],
  ["subscriptions/listen of 2026-07-28", (token) => send({ token, body: listen })],
];

/** A stream, and what came by it. */
class Heard {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  text = "";

  constructor({ body }: Response) {
    this.#reader = (body as ReadableStream<Uint8Array>).getReader();
  }

  /** All that came, once the stream has ended. */
  async end(): Promise<string> {
    while (await this.#next());
    return this.text;
  }

  async until(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.text)) expect(await this.#next(), this.text).toBe(true);
  }

  close(): Promise<void> {
    return this.#reader.cancel();
  }

  async #next(): Promise<boolean> {
    const { done, value } = await this.#reader.read();
    this.text += new TextDecoder().decode(value);
    return !done;
  }
}

let team: Team;
let grace: Person;
beforeEach(async () => {
  team = await newTeam();
  grace = await team.join();
});

afterEach(() => void vi.useRealTimers());

const opened = async (open: (token: string) => Promise<Response>, token: string): Promise<Heard> => {
  const answer = await open(token);
  expect(answer.status).toBe(200);
  return new Heard(answer);
};
const share = (who: Person, key: string) => who.call("omn_store_memory", { key, content: `Notes on ${key}.`, metadata: { scope: "shared" } });
const at = (action: "account.delete" | "grant.end") => ({ at: Date.now(), action, success: true });

describe.each(ways)("%s ends [A13] [S17]", (how, open) => {
  test("with the membership of the person who opened it, and tells of nothing after that", async () => {
    const heard = await opened(open, grace.token);
    const answer = await send({ token: team.owner.token, method: "DELETE", path: `/v1/teams/${team.id}/members/${grace.id}`, body: "" });
    expect(answer.status).toBe(200);
    await share(team.owner, "later");
    expect(await heard.end()).not.toContain("list_changed");
  });

  test("with the key that opened it; a stream of another key of the same person goes on", async () => {
    const other = await keyFor({ teamId: team.id, organizationId: team.organizationId }, grace.id);
    const heard = await opened(open, grace.token);
    const stays = await opened(open, other.token);
    const answer = await send({ token: other.token, method: "DELETE", path: `/v1/keys/${grace.principal.credential.id}`, body: "" });
    expect(answer.status).toBe(200);
    expect(await heard.end()).not.toContain("list_changed");
    await share(team.owner, "later");
    await stays.until(/list_changed/);
    await stays.close();
  });

  test("with the account of the person, and with what is kept of them here", async () => {
    const [heard, erased] = [await opened(open, grace.token), await opened(open, team.owner.token)];
    await services.deletion.deleteAccount({ userId: grace.id }, { ...at("account.delete"), userId: grace.id });
    expect(await heard.end()).not.toContain("list_changed");
    await sessionOf(team.owner).erase();
    expect(await erased.end()).not.toContain("list_changed");
  });

  test("with the grant that the person gave the client", async () => {
    const { browser, tenant } = await signedIn();
    const resource = `http://localhost/${how.includes("2024") ? "sse" : "mcp"}`;
    const { access_token } = await (await OAuthClient.registered()).tokens(browser, tenant.teamId, { resource });
    const heard = await opened(open, access_token);
    const [connection] = await services.grants.connections({ userId: tenant.ownerId, name: "" }, Date.now());
    await services.grants.endGrant({ teamId: tenant.teamId, userId: tenant.ownerId }, connection?.grantId ?? "", at("grant.end"));
    expect(await heard.end()).not.toContain("list_changed");
  });

  test("when its key runs out by time, and its access token, without a change of anything, and tells of nothing after that", async () => {
    const { browser, tenant } = await signedIn();
    const at = { teamId: tenant.teamId, organizationId: tenant.organizationId };
    const writer = (await keyFor(at, tenant.ownerId)).token;
    const share = (key: string) => callTool(writer, "omn_store_memory", { key, content: `Notes on ${key}.`, metadata: { scope: "shared" } });
    const resource = `http://localhost/${how.includes("2024") ? "sse" : "mcp"}`;
    const { access_token } = await (await OAuthClient.registered()).tokens(browser, tenant.teamId, { resource });
    const key = await keyFor(at, tenant.ownerId, scopes, Date.now() + hour);
    const all = [await opened(open, key.token), await opened(open, access_token)];
    await share("before");
    for (const heard of all) await heard.until(/list_changed/);
    const before = all.map(({ text }) => text);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + hour + 1 });
    await share("later");
    expect(await Promise.all(all.map((heard) => heard.end()))).toEqual(before);
  });

  test("not with a change that leaves its credential valid", async () => {
    const heard = await opened(open, grace.token);
    const answer = await send({ token: team.owner.token, method: "PATCH", path: `/v1/teams/${team.id}/members/${grace.id}`, body: { role: "viewer" } });
    expect(answer.status).toBe(200);
    await share(team.owner, "later");
    await heard.until(/list_changed/);
    await heard.close();
  });
});

test("a credential that is asked about because a stream hangs on it leaves no failure in the audit [A14]", async () => {
  const heard = await opened(ways[0]?.[1] as (token: string) => Promise<Response>, grace.token);
  await send({ token: team.owner.token, method: "DELETE", path: `/v1/keys/${grace.principal.credential.id}`, body: "" });
  await heard.end();
  const [rows = []] = await services.audit.ofTeams(team.owner.principal, [{ id: team.id, shard: grace.principal.shard }], { limit: 50, success: false });
  expect(rows).toEqual([]);
});

test("a stream whose credential ended while its request was on its way ends as it begins [A13]", async () => {
  let isValid = true;
  const streams = new OpenStreams(async () => (isValid ? Infinity : 0));
  const { changes } = streams;
  await streams.changed();
  const stays = new Heard(await streams.opened(speaking(), presented, changes, Infinity));
  await stays.until(/begun/);
  isValid = false;
  expect(await new Heard(await streams.opened(speaking(), presented, changes, Infinity)).end()).toMatch(/^(begun)?$/);
  expect(await stays.end()).toBe("begun");
});

test("a silent stream ends within a minute after its credential, and one whose credential was renewed goes on [A13]", async () => {
  vi.useFakeTimers({ toFake: ["Date", "setInterval", "clearInterval"] });
  let end = Date.now() + 3 * minute;
  let asked = 0;
  const streams = new OpenStreams(async () => (asked += 1) && end);
  const heard = new Heard(await streams.opened(speaking(), presented, streams.changes, end));
  await heard.until(/begun/);
  let hasEnded = false;
  const ending = heard.end().then(() => (hasEnded = true));
  end += 2 * minute;
  await vi.advanceTimersByTimeAsync(4 * minute + minute / 2);
  expect([hasEnded, asked]).toEqual([false, 1]);
  await vi.advanceTimersByTimeAsync(minute);
  await ending;
  expect([hasEnded, asked, vi.getTimerCount()]).toEqual([true, 2, 0]);
});
