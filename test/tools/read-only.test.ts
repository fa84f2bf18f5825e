import { beforeEach, describe, expect, test } from "vitest";
import { newBootstrapLink } from "../../src/domain/tenancy/sign-in-link.ts";
import { catalogue } from "../../src/tools/catalogue.ts";
import { addMember, keyFor, newTenant } from "../domain/tenancy/tenant.ts";
import { OAuthClient } from "../http/oauth/client.ts";
import { Browser, signInStore } from "../http/web/browser.ts";
import { callTool, rpc } from "../support/mcp.ts";
import { memoryRows } from "../support/rows.ts";
import { sampleCalls, sampleKey, sampleMemory } from "./samples.ts";

let admin: string;
let reader: string;
let viewer: string;
let token: string;
let teamId: string;
let memoryId: string;

beforeEach(async () => {
  const tenant = await newTenant();
  ({ teamId } = tenant);
  admin = (await keyFor(tenant, tenant.ownerId)).token;
  reader = (await keyFor(tenant, tenant.ownerId, ["memory:read"])).token;
  viewer = (await keyFor(tenant, await addMember(teamId, "viewer"))).token;
  const browser = new Browser();
  await browser.post("/sign-in/link", { token: (await newBootstrapLink(signInStore, tenant.ownerId, Date.now())) ?? "" });
  token = (await (await OAuthClient.registered()).tokens(browser, teamId, { scope: "memory:read" })).access_token;
  const stored = await callTool(admin, "omn_store_memory", { ...sampleMemory, metadata: { ...sampleMemory.metadata, scope: "shared" } });
  memoryId = stored.structured["memory_id"];
});

/** All rows but those that say what was handed out, and how much reading it saved: reading is noted by them. */
async function rows(): ReturnType<typeof memoryRows> {
  const all = await memoryRows(teamId);
  return { ...all, audit: (all["audit"] ?? []).filter(({ action }) => action !== "export"), prevention: [] };
}

const calls = (): [name: string, args: Record<string, unknown>][] =>
  catalogue.flatMap((tool) => [tool.name, ...tool.aliases].map((name): [string, Record<string, unknown>] => [name, sampleCalls(memoryId)[tool.name] ?? {}]));

const writes = new Set(catalogue.filter(({ annotations }) => !annotations.readOnlyHint).flatMap(({ name, aliases }) => [name, ...aliases]));

describe("a key that may only read [S17] [A13]", () => {
  test.each([
    ["of an owner", () => reader, /memory:write/],
    ["of a viewer, with every scope", () => viewer, /viewer/],
    ["that is a token of a client", () => token, /memory:write/],
  ])("%s: no tool and no alias lets it write; those that read, work", async (_whose, key, why) => {
    const before = await rows();
    expect(before["memories"]).toHaveLength(1);
    for (const [name, args] of calls()) {
      const answer = await callTool(key(), name, args);
      if (writes.has(name)) {
        expect(answer, name).toMatchObject({ isError: true, error: { code: "PERMISSION_DENIED" } });
        expect(answer.text, name).toMatch(why);
      } else {
        expect(answer, name).toMatchObject({ status: 200, isError: false });
      }
    }
    expect(await rows()).toEqual(before);
  });

  test("the confirmation of another's preview does not help it to forget", async () => {
    const preview = await callTool(admin, "omn_forget_memory", { key: sampleKey, mode: "erase" });
    const before = await rows();
    const answer = await callTool(reader, "omn_forget_memory", { key: sampleKey, mode: "erase", confirm: preview.structured["confirm"] });
    expect(answer.error?.code).toBe("PERMISSION_DENIED");
    expect(await rows()).toEqual(before);
  });

  test("whether a memory exists is not told by how a write is refused", async () => {
    const told = await Promise.all([sampleKey, "no.such.key"].map((key) => callTool(reader, "omn_update_memory", { key, content: "x" })));
    expect(told[0]?.text).toBe(told[1]?.text);
  });
});

describe("a key that may only write [S17]", () => {
  test("reads nothing by any tool, resource or list", async () => {
    const tenant = await newTenant();
    const { token } = await keyFor(tenant, tenant.ownerId, ["memory:write"]);
    await callTool(token, "omn_store_memory", sampleMemory);
    for (const tool of catalogue.filter(({ scope }) => scope === "memory:read")) {
      const answer = await callTool(token, tool.name, sampleCalls(memoryId)[tool.name]);
      expect(answer.error?.code, tool.name).toBe("PERMISSION_DENIED");
      expect(answer.text).not.toContain("PostgreSQL");
    }
    for (const [method, params] of [["resources/list", {}], ["resources/read", { uri: "omnimemory://memories/recent" }]] as const) {
      const { body } = await rpc(token, method, params);
      expect(body.error.message, method).toContain("memory:read");
    }
  });
});
