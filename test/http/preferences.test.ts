import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { preferencesFrom, usualPreferences } from "../../src/domain/tenancy/preferences.ts";
import { callTool, rpc } from "../support/mcp.ts";
import { services } from "../support/team.ts";
import { connected } from "./oauth/client.ts";
import { send } from "./raw.ts";
import type { Browser } from "./web/browser.ts";

let browser: Browser;
let token: string;
let userId: string;
let team: string;

const keyOf = async (who: Browser, team: string): Promise<string> =>
  (await (await who.json("POST", `/v1/teams/${team}/keys`, { name: "k", scopes: ["memory:read", "memory:write"] })).json<{ token: string }>()).token;

beforeEach(async () => {
  const person = await connected();
  ({ browser, team } = person);
  userId = person.tenant.ownerId;
  token = await keyOf(browser, person.team);
});

const change = async (patch: unknown): Promise<Response> => browser.json("PATCH", "/v1/account/preferences", patch);
const told = async (uri = "omnimemory://user/preferences", as = token): Promise<unknown> => {
  const { body } = await rpc(as, "resources/read", { uri });
  return body.error ? undefined : JSON.parse(body.result.contents[0].text);
};
const store = (content: string, more: Record<string, unknown> = {}) => callTool(token, "omn_store_memory", { content, allow_duplicate: true, ...more });

describe("preferences of a person [A8]", () => {
  test("are as usual until they are changed, and null makes them so again", async () => {
    expect(await (await browser.get("/v1/account/preferences")).json()).toEqual(usualPreferences);
    const answer = await change({ theme: "dark", search_defaults: { max_results: 3 }, auto_features: { workflow_learning: false } });
    const changed = { ...usualPreferences, theme: "dark", search_defaults: { min_relevance: null, max_results: 3 }, auto_features: { workflow_learning: false, context_compression: true } };
    expect([answer.status, await answer.json()]).toEqual([200, changed]);
    expect(await (await change({ search_defaults: { min_relevance: 0.4 } })).json()).toMatchObject({ search_defaults: { min_relevance: 0.4, max_results: 3 } });
    expect(await (await browser.get("/v1/account")).json()).toMatchObject({ preferences: { theme: "dark" } });
    expect(await (await change({ theme: null, search_defaults: null, auto_features: { workflow_learning: null } })).json()).toEqual(usualPreferences);
  });

  test.each([[{ theme: "pink" }], [{ search_defaults: { max_results: 0 } }], [{ search_defaults: { min_relevance: 2 } }], [{ search_defaults: { limit: 3 } }], [{ auto_features: { spying: true } }], [[]], [null]])("%j is refused", async (patch) => {
    expect((await change(patch)).status).toBe(400);
    expect(await told()).toEqual(usualPreferences);
  });

  test("are read as a resource, one's own only, and changed by nobody's key", async () => {
    const other = await connected();
    await change({ theme: "light" });
    expect(await told()).toMatchObject({ theme: "light" });
    expect(await told(`omnimemory://user/${userId}/preferences`)).toMatchObject({ theme: "light" });
    expect(await told(`omnimemory://user/${other.tenant.ownerId}/preferences`)).toBeUndefined();
    expect(await told("omnimemory://user/preferences", await keyOf(other.browser, other.team))).toEqual(usualPreferences);
    expect((await send({ token, method: "PATCH", path: "/v1/account/preferences", body: { theme: "dark" } })).status).toBe(403);
    expect(await told()).toMatchObject({ theme: "light" });
  });

  test("without workflow_learning no step is recorded, by tool or by hook, until it is on again", async () => {
    const step = { command: "git push" };
    const record = async (): Promise<unknown[]> => [
      (await callTool(token, "omn_record_workflow_step", step)).structured,
      await (await send({ token, method: "POST", path: `/v1/teams/${team}/workflows/steps`, body: { steps: [step] } })).json(),
    ];
    await change({ auto_features: { workflow_learning: false } });
    expect(await record()).toEqual([{ outcome: "off" }, { recorded: 0, repeated: 0, workflow_learning: false }]);
    expect(await (await send({ token, method: "GET", path: `/v1/teams/${team}/workflows/steps`, body: "" })).json()).toEqual({ steps: [] });
    await change({ auto_features: { workflow_learning: null } });
    expect(await record()).toEqual([{ outcome: "recorded", command: "git push" }, { recorded: 1, repeated: 0 }]);
  });

  test("hold from the next call on, in every family, where the call does not say", async () => {
    for (let i = 0; i < 5; i += 1) await store(`Release ${i} of the harbour crane firmware ships on day ${i}.`);
    const counts = async (args: Record<string, unknown> = {}): Promise<number[]> => {
      const query = "release of the harbour crane firmware";
      const omn = await callTool(token, "omn_retrieve_memory", { query, min_relevance: 0, without: ["dedupe"], ...(args["limit"] ? { limit: args["limit"] } : {}) });
      const kom = await callTool(token, "search_memory", { query: { text: query, ...(args["limit"] ? { k: args["limit"] } : {}) } });
      return [omn.structured["memories"].length, kom.structured["matches"].length];
    };
    const [omn = 0, kom = 0] = await counts();
    expect(Math.min(omn, kom)).toBeGreaterThan(2);
    await change({ search_defaults: { max_results: 2 } });
    expect(await counts()).toEqual([2, 2]);
    expect((await callTool(token, "mnemosyne_recall", { query: "release of the harbour crane firmware" })).structured["results"].length).toBeLessThanOrEqual(2);
    expect((await callTool(token, "search", { query: "release of the harbour crane firmware" })).structured["results"].length).toBeLessThanOrEqual(2);
    expect(await counts({ limit: 3 })).toEqual([3, 3]);
    await change({ search_defaults: { min_relevance: 0.99 } });
    expect((await callTool(token, "omn_retrieve_memory", { query: "release of the harbour crane firmware" })).structured["memories"]).toEqual([]);
  });

  test("say whether long contents are compressed, and shown in parts", async () => {
    const long = (about: string): string => Array.from({ length: 90 }, (_, i) => `Paragraph ${i} about the ${about} says that valve ${i} was opened on the ${i}th day of the inspection.`).join("\n");
    const ratio = async (key: string) => (await callTool(token, "omn_retrieve_memory", { key, decompress: false })).structured["memories"][0].compression_ratio as number | undefined;
    expect((await store(long("boiler"), { key: "boiler" })).structured["compressed"]).toBe(true);
    await change({ default_compression: false });
    expect((await store(long("turbine"), { key: "turbine" })).structured["compressed"]).toBe(false);
    await callTool(token, "write_memory", { key: "pump", value: long("pump") });
    expect(await ratio("pump") ?? 1).toBe(1);
    expect((await store(long("crane"), { key: "crane", compress: true })).structured["compressed"]).toBe(true);
    const shown = async () => (await callTool(token, "omn_retrieve_memory", { query: "turbine valve 40 inspection", limit: 1, min_relevance: 0 })).structured["memories"][0].content.length as number;
    const part = await shown();
    await change({ auto_features: { context_compression: false } });
    expect(await shown()).toBeGreaterThan(2 * part);
  });

  test("two changes at once lose nothing of each other, and go with the account", async () => {
    const { preferences } = services;
    await Promise.all([preferences.changePreferences({ userId }, { theme: "dark" }), preferences.changePreferences({ userId }, { default_compression: false })]);
    expect(await preferences.preferences({ userId })).toMatchObject({ theme: "dark", default_compression: false });
    await env.DB.prepare("UPDATE users SET deleted_at = 1 WHERE id = ?").bind(userId).run();
    expect(await preferences.preferences({ userId })).toEqual(usualPreferences);
  });

  test("what a later version wrote counts as not said", () => {
    expect(preferencesFrom('{"theme":"neon","search_defaults":{"max_results":5,"min_relevance":"high"},"more":1}')).toEqual({ ...usualPreferences, search_defaults: { min_relevance: null, max_results: 5 } });
    expect(preferencesFrom("[]")).toEqual(usualPreferences);
  });
});
