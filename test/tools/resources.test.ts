import { beforeEach, describe, expect, test } from "vitest";
import { syncJobsUri, tierUri } from "../../src/tools/families/kom/tier-resources.ts";
import { send } from "../http/raw.ts";
import { rpc } from "../support/mcp.ts";
import { newTeam, type Person, type Team } from "../support/team.ts";

let team: Team;
let ada: Person;
beforeEach(async () => {
  team = await newTeam();
  ada = team.owner;
});

const read = async (who: Person, uri: string) => JSON.parse((await rpc(who.token, "resources/read", { uri })).body.result.contents[0].text);
const completed = async (uri: string, name: string, value: string) => (await rpc(ada.token, "completion/complete", { ref: { type: "ref/resource", uri }, argument: { name, value } })).body;

describe("the descriptors of Kompanion [E4]", () => {
  test("show what each tier holds, and what sync_semantic has still to do", async () => {
    await ada.call("save_context", { key: "plan", content: "Move billing." });
    await ada.call("omn_store_memory", { key: "hush", content: "quiet", metadata: { sensitivity: "secret" } });
    expect(await read(ada, tierUri("episodic"))).toMatchObject({ tool_namespace: "kom.memory.v1", tier: "episodic", items: [{ key: "plan", content: "Move billing." }] });
    expect(await read(ada, syncJobsUri)).toMatchObject({ job: "sync_semantic", pending: 1 });
    await ada.call("sync_semantic");
    expect(await read(ada, tierUri("episodic"))).toMatchObject({ items: [] });
    expect(await read(ada, tierUri("semantic"))).toMatchObject({ items: [{ key: "plan" }] });
    expect((await rpc(ada.token, "resources/read", { uri: tierUri("other") })).body.error).toBeDefined();
  });

  test("show a colleague nothing that is private", async () => {
    await ada.call("save_context", { key: "plan", content: "Move billing." });
    const grace = await team.join();
    expect(await read(grace, tierUri("episodic"))).toMatchObject({ items: [] });
    expect(await read(grace, syncJobsUri)).toMatchObject({ pending: 0 });
  });
});

describe("templates of resources [A8]", () => {
  test("complete their variables", async () => {
    const { structured } = await ada.call("omn_store_memory", { key: "plan.billing", content: "Move billing." });
    expect((await completed(tierUri("{tier}"), "tier", "s")).result.completion.values).toEqual(["semantic"]);
    const memory = "omnimemory://memory/{memory_id}";
    expect((await completed(memory, "memory_id", "plan.b")).result.completion.values).toEqual([structured["memory_id"]]);
    expect((await completed(memory, "memory_id", String(structured["memory_id"]).slice(0, 12))).result.completion.values).toEqual([structured["memory_id"]]);
    for (const [uri, name] of [[memory, "other"], ["file:///{x}", "x"]] as const) expect((await completed(uri, name, "")).error.message).toMatch(/no (?:resource|variable|template)/);
  });
});

test("each read of a resource is in the audit with its URI, whether there was something, and nothing of what a stranger's URI says [A14]", async () => {
  await read(ada, syncJobsUri);
  await rpc(ada.token, "resources/read", { uri: "omnimemory://memory/00000000-0000-7000-8000-000000000000" });
  await rpc(ada.token, "resources/read", { uri: "file:///etc/passwd" });
  const audit = async () => ((await (await send({ method: "GET", path: `/v1/teams/${ada.principal.teamId}/audit?action=resource.read`, token: ada.token })).json()) as { entries: Record<string, any>[] }).entries;
  await expect.poll(async () => (await audit()).map(({ subject, success }) => [subject, success]).sort()).toEqual(
    [[syncJobsUri, true], ["omnimemory://memory/…", false], ["unknown", false]].sort(),
  );
  const grace = await team.join("member");
  const { structured } = await grace.call("omn_store_memory", { content: "Grace keeps this to herself." });
  await rpc(grace.token, "resources/read", { uri: `omnimemory://memory/${structured["memory_id"]}` });
  await expect.poll(async () => (await audit()).filter(({ user_id: id }) => id === grace.principal.userId).map(({ subject, success }) => [subject, success]), { message: "no id: the memory is private" }).toEqual([["omnimemory://memory/…", true]]);
});
