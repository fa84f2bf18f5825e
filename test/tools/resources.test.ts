import { beforeEach, describe, expect, test } from "vitest";
import { syncJobsUri, tierUri } from "../../src/tools/families/kom/tier-resources.ts";
import { send } from "../http/raw.ts";
import { rpc } from "../support/mcp.ts";
import { indexed, newTeam, type Person, type Team } from "../support/team.ts";

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

describe("what is known of a project [A8]", () => {
  const remote = "github.com/acme/shop";
  const uri = (project: string) => `omnimemory://project/${encodeURIComponent(project)}`;
  const inShop = (who: Person, name: string, args: Record<string, unknown>) => rpc(who.token, "tools/call", { name, arguments: args }, `?surface=all&project=${encodeURIComponent("git@github.com:acme/shop.git")}`, "claude-code");

  test("is how much the caller sees of it and usually does there, by any form of its name", async () => {
    const grace = await team.join();
    const { body } = await inShop(ada, "omn_store_memory", { key: "db", content: "The billing service uses PostgreSQL 16.", metadata: { scope: "shared" } });
    await inShop(ada, "omn_store_memory", { key: "queue", content: "Redis Streams carries the jobs.", links: [{ to: body.result.structuredContent.memory_id, type: "references" }] });
    for (let i = 0; i < 3; i += 1) for (const command of ["npm test", "git push"]) await inShop(ada, "omn_record_workflow_step", { command, session_id: `s${i}` });
    await indexed(ada.principal);
    const known = await read(ada, uri(remote));
    expect(known).toMatchObject({ project_id: remote, workspace_path: null, memories: 2, common_patterns: [{ commands: ["npm test", "git push"], support: 3 }] });
    expect(known.knowledge_graph.nodes).toBeGreaterThanOrEqual(2);
    expect(known.knowledge_graph.edges).toBeGreaterThanOrEqual(1);
    expect(await read(ada, "omnimemory://project/github.com/acme/shop")).toEqual(known);
    expect(await read(ada, uri("https://github.com/acme/shop.git"))).toEqual(known);
    const hers = await read(grace, uri(remote));
    expect(hers).toMatchObject({ memories: 1, common_patterns: [] });
    expect(hers.knowledge_graph.nodes, "of what is shared").toBeLessThan(known.knowledge_graph.nodes);
  });

  test("is nothing for a stranger, and for a project that nobody has named", async () => {
    await inShop(ada, "omn_store_memory", { content: "Only mine." });
    const stranger = (await newTeam()).owner;
    const grace = await team.join();
    for (const [who, project] of [[stranger, remote], [grace, remote], [ada, "nowhere"], [ada, " "], [ada, "%"]] as const) {
      expect((await rpc(who.token, "resources/read", { uri: uri(project) })).body.error.message, project).toContain("There is no resource");
    }
  });

  test("is completed by the names of projects that the caller has memories of, and its reading is in the audit without the name", async () => {
    const grace = await team.join();
    await inShop(ada, "omn_store_memory", { content: "Only mine." });
    const template = "omnimemory://project/{project_id}";
    expect((await completed(template, "project_id", "github.com/a")).result.completion.values).toEqual([remote]);
    expect((await rpc(grace.token, "completion/complete", { ref: { type: "ref/resource", uri: template }, argument: { name: "project_id", value: "" } })).body.result.completion.values).toEqual([]);
    await read(ada, uri(remote));
    const audit = async () => (await send({ method: "GET", path: `/v1/teams/${ada.principal.teamId}/audit?action=resource.read`, token: ada.token })).text();
    await expect.poll(audit).toContain("omnimemory://project/{project_id}");
    expect(await audit()).not.toContain("acme");
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
