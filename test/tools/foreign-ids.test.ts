import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { newState, type Memory } from "../../src/domain/memories/memory.ts";
import { firstVersion } from "../../src/domain/memories/versions.ts";
import { indexed, newTeam, services, sisterOf, type Person, type Team } from "../support/team.ts";
import { rpc } from "../support/mcp.ts";

const question = "where does the walrus sleep";
const places = ["on the ice", "in the harbour", "under the pier", "beside the ship"];
const textsOf = (name: string): string[] => places.map((place) => `the walrus of ${name} sleeps ${place}`);

interface Wire {
  id: string;
  content: string;
}

/** What a person finds by meaning alone, through the tool. */
async function near(who: Person): Promise<string[]> {
  const { structured } = await who.call("omn_retrieve_memory", { query: question, mode: "vector", min_relevance: 0, limit: 20, without: ["dedupe", "diversity"] });
  return (structured["memories"] as Wire[]).map(({ content }) => content).sort();
}

async function landed(...people: Person[]): Promise<void> {
  for (const { principal } of people) await indexed(principal);
}

const vectorsOf = async (who: Person) => (await who.call("omn_memory_stats")).structured["vectors"] as { indexed: number; waiting: number };

/** Stores it through the tool, and answers its id. */
async function keep(who: Person, content: string, visibility = "private", more: Record<string, unknown> = {}): Promise<string> {
  const { structured } = await who.call("omn_store_memory", { key: content.replaceAll(" ", "."), content, metadata: { scope: visibility }, ...more });
  return structured["memory_id"] as string;
}

async function keepAll(who: Person, visibility: "private" | "public" = "private"): Promise<string[]> {
  const ids: string[] = [];
  for (const content of textsOf("the harbour master")) ids.push(await keep(who, content, visibility));
  return ids;
}

const bring = (who: Person, ids: string[], name: string, visibility = "private") =>
  who.call("omn_import_memories", { memories: textsOf(name).slice(0, ids.length).map((content, i) => ({ id: ids[i], content, visibility })) });

/** As an import of before left it: the very id that another team holds. */
async function holdToo(who: Person, id: string, content: string, visibility: Memory["visibility"]): Promise<void> {
  const ctx = who.at(Date.now());
  const memory = firstVersion(ctx, newState({ content, visibility, ownerId: who.id }), id);
  await services.writer.commit(who.principal, ctx, [{ memory, action: "import" }]);
}

let team: Team;
let ada: Person;

beforeEach(async () => {
  team = await newTeam();
  ada = team.owner;
});

describe("imports with ids that another team holds", () => {
  test("another organization imports a team's ids, and the team's vectors stay", async () => {
    const mallory = (await newTeam()).owner;
    const ids = await keepAll(ada);
    await landed(ada);
    expect(await near(ada)).toHaveLength(4);

    const answer = await bring(mallory, ids, "the thief");
    expect(answer.structured).toMatchObject({ created: 4, renamed: ids.map((from) => ({ from, to: expect.any(String) })) });
    expect(answer.text).toContain("4 have new ids");
    expect((answer.structured["memory_ids"] as string[]).filter((id) => ids.includes(id))).toEqual([]);
    await landed(ada, mallory);

    expect(await near(ada)).toEqual(textsOf("the harbour master").sort());
    expect(await near(mallory)).toEqual(textsOf("the thief").sort());
    for (const who of [ada, mallory]) expect(await vectorsOf(who)).toMatchObject({ indexed: 4, waiting: 0, missing: 0 });
  });

  test("an export of one team imported into another of the server leaves both whole", async () => {
    const copy = (await newTeam()).owner;
    await keepAll(ada, "public");
    await landed(ada);
    const { structured } = await ada.call("omn_export_memories");
    const { data, sha256, count } = structured;
    expect((await copy.call("omn_import_memories", { data, sha256, count })).structured).toMatchObject({ created: 4 });
    await landed(ada, copy);
    for (const who of [ada, copy]) {
      expect(await near(who)).toEqual(textsOf("the harbour master").sort());
      expect(await vectorsOf(who)).toMatchObject({ indexed: 4, waiting: 0 });
    }
    expect((await copy.call("omn_import_memories", { data, sha256, count })).structured).toMatchObject({ created: 0, updated: 0, unchanged: 4 });
  });

  test.each(["of the organization", "of another organization"])("two teams that hold the same ids from before keep their vectors, a team %s", async (whose) => {
    const mallory = (whose === "of the organization" ? await sisterOf(team) : await newTeam()).owner;
    const ids = await keepAll(ada, "public");
    await landed(ada);
    for (const [i, id] of ids.entries()) await holdToo(mallory, id, textsOf("the thief")[i] as string, "public");
    await landed(ada, mallory);
    expect(await near(ada)).toEqual(expect.arrayContaining(textsOf("the harbour master")));
    expect(await near(mallory)).toEqual(expect.arrayContaining(textsOf("the thief")));
    for (const id of ids) await mallory.call("omn_forget_memory", { id, mode: "erase", confirm: (await mallory.call("omn_forget_memory", { id, mode: "erase" })).structured["confirm"] });
    await landed(ada, mallory);
    expect(await near(ada)).toEqual(textsOf("the harbour master").sort());
  });

  test("an id that nobody on the server holds is kept", async () => {
    const id = crypto.randomUUID();
    const answer = await bring(ada, [id], "nobody");
    expect(answer.structured).toMatchObject({ created: 1, memory_ids: [id] });
    expect(answer.structured["renamed"]).toBeUndefined();
  });

  test("the same import twice at once makes one copy of each memory", async () => {
    const ids = await keepAll((await newTeam()).owner);
    await Promise.all([bring(ada, ids, "the copy"), bring(ada, ids, "the copy")]);
    expect((await ada.listed(Date.now())).sort()).toEqual(textsOf("the copy").sort());
  });
});

describe("the id that an imported memory had elsewhere", () => {
  let from: string;
  let to: string;
  let grace: Person;

  beforeEach(async () => {
    grace = await team.join();
    [from = ""] = await keepAll((await newTeam()).owner);
    const answer = await bring(ada, [from], "the copy", "shared");
    [{ to }] = answer.structured["renamed"] as [{ to: string }];
  });

  test("leads to it within the team: look-up, fetch, resource, update, links, archive", async () => {
    expect((await grace.call("omn_retrieve_memory", { id: from })).structured["memories"]).toMatchObject([{ memory_id: to }]);
    expect((await grace.call("fetch", { id: from })).structured).toMatchObject({ id: to });
    const { body } = await rpc(grace.token, "resources/read", { uri: `omnimemory://memory/${from}` });
    expect(JSON.parse(body.result.contents[0].text)).toMatchObject({ memory_id: to });
    expect((await grace.call("omn_update_memory", { id: from, content: "changed by its former id" })).structured).toMatchObject({ outcome: "updated", memory_id: to, version: 2 });
    const other = await keep(ada, "a memory beside it", "private", { links: [{ to: from, type: "extends" }] });
    expect(await env.SHARD_0.prepare("SELECT target_id FROM memory_links WHERE team_id = ? AND source_id = ?").bind(team.id, other).first("target_id")).toBe(to);
    const { confirm } = (await ada.call("omn_forget_memory", { id: from })).structured;
    expect((await ada.call("omn_forget_memory", { id: from, confirm })).structured).toMatchObject({ outcome: "archived", memory_ids: [to] });
  });

  test("is the memory's for an import that comes again, and for links of records that come later", async () => {
    expect((await bring(ada, [from], "the copy", "shared")).structured).toMatchObject({ created: 0, unchanged: 1, memory_ids: [to] });
    const later = await ada.call("omn_import_memories", { memories: [{ content: "comes later", links: [{ to: from, type: "extends" }] }] });
    const [id] = later.structured["memory_ids"] as [string];
    expect(await env.SHARD_0.prepare("SELECT target_id FROM memory_links WHERE team_id = ? AND source_id = ?").bind(team.id, id).first("target_id")).toBe(to);
  });

  test("is nobody's any more when it is erased, and nothing to other teams", async () => {
    const stranger = (await newTeam()).owner;
    expect((await stranger.call("fetch", { id: from })).error?.code).toBe("MEMORY_NOT_FOUND");
    const { confirm } = (await ada.call("omn_forget_memory", { id: from, mode: "erase" })).structured;
    await ada.call("omn_forget_memory", { id: from, mode: "erase", confirm });
    expect((await ada.call("fetch", { id: from })).error?.code).toBe("MEMORY_NOT_FOUND");
    expect(await env.SHARD_0.prepare("SELECT count(*) AS n FROM former_ids WHERE team_id = ?").bind(team.id).first("n")).toBe(0);
  });

  test("is each person's own for what they imported for themselves", async () => {
    const [other = ""] = await keepAll((await newTeam()).owner);
    const [mine, hers] = [await bring(ada, [other], "Ada"), await bring(grace, [other], "Grace")];
    expect((await ada.call("fetch", { id: other })).structured).toMatchObject({ id: mine.structured["memory_ids"][0] });
    expect((await grace.call("fetch", { id: other })).structured).toMatchObject({ id: hers.structured["memory_ids"][0] });
  });
});

describe("a public id that several teams hold", () => {
  let owner: Person;
  let thief: Person;
  let id: string;

  beforeEach(async () => {
    owner = (await sisterOf(team)).owner;
    thief = (await sisterOf(team)).owner;
    id = await keep(owner, "the walrus sleeps at home", "public");
  });

  const expectOwners = async (text: string): Promise<void> => {
    expect((await ada.call("fetch", { id })).structured).toMatchObject({ text });
    expect((await ada.call("omn_retrieve_memory", { id })).structured["memories"]).toMatchObject([{ content: text }]);
    const { body } = await rpc(ada.token, "resources/read", { uri: `omnimemory://memory/${id}` });
    expect(JSON.parse(body.result.contents[0].text)).toMatchObject({ content: text });
  };
  const change = async (): Promise<string> => {
    const content = "the walrus sleeps at home no more";
    await owner.call("omn_update_memory", { id, content });
    return content;
  };

  test("an import of it does not stand in for it, also after its team has changed it", async () => {
    await bring(thief, [id], "the thief", "public");
    await expectOwners("the walrus sleeps at home");
    await expectOwners(await change());
  });

  test("one imported before does not stand in for it, also after its team has changed it", async () => {
    await holdToo(thief, id, "the walrus sleeps at the thief's", "public");
    await expectOwners("the walrus sleeps at home");
    await expectOwners(await change());
  });

  test("one's own memory is found as one's own where another team holds its id too", async () => {
    const mine = await keep(ada, "the heron sleeps at home");
    await holdToo(thief, mine, "the pelican sleeps at the thief's", "public");
    const found = async (query: string): Promise<string[]> =>
      ((await ada.call("omn_retrieve_memory", { query, mode: "text", min_relevance: 0, without: ["dedupe"] })).structured["memories"] as Wire[]).map(({ content }) => content);
    expect(await found("sleeps")).toEqual(expect.arrayContaining(["the heron sleeps at home"]));
    expect(await found("sleeps")).not.toContain("the pelican sleeps at the thief's");
    expect(await found("heron")).toEqual(["the heron sleeps at home"]);
    expect((await ada.call("fetch", { id: mine })).structured).toMatchObject({ text: "the heron sleeps at home" });
  });
});
