import { beforeEach, describe, expect, test } from "vitest";
import { exported, recordsOf } from "../support/revert.ts";
import { newTeam, type Person } from "../support/team.ts";

let ada: Person;
beforeEach(async () => {
  ada = (await newTeam()).owner;
});

type Data = Record<string, any>;
const data = async (name: string, args: Data = {}, who = ada): Promise<Data> => {
  const { structured, isError, text } = await who.call(name, args);
  expect(isError, text).toBe(false);
  return structured["data"] as Data;
};
const said = "My doctor is Dr. Hansen. How far is the pharmacy?";
const add = async (args: Data, who = ada): Promise<string> => (await data("memory_add", { messages: [{ role: "user", name: "Anna", content: said }], ...args }, who))[0].id;
const foundIn = async (args: Data = {}, who = ada): Promise<string[]> =>
  (await data("memory_search", { query: "doctor Hansen pharmacy", score_threshold: 0, ...args }, who))["results"].map(({ content }: Data) => content);

async function deleteAll(args: Data, who = ada): Promise<Data> {
  const preview = await data("memory_delete_all", args, who);
  const done = await data("memory_delete_all", { ...args, confirm: preview["confirm"] }, who);
  expect(done["success_count"]).toBe(preview["count"]);
  return preview;
}

describe("what was said goes with the facts [D1] [D2]", () => {
  test.each([{}, { run_id: "visit-1" }, { agent_id: "nurse" }])("all memories of a user are gone with the messages, of %j", async (scope) => {
    const mine = { user_id: "anna", ...scope };
    await add(mine);
    expect(await foundIn()).toHaveLength(2);
    expect(await deleteAll({ user_id: "anna" })).toMatchObject({ count: 2 });
    expect(await foundIn()).toEqual([]);
    for (const [tool, args] of [["omn_retrieve_memory", { query: "Hansen pharmacy", min_relevance: 0 }], ["search", { query: "Dr. Hansen pharmacy" }]] as const) {
      expect((await ada.call(tool, args)).text).not.toContain("How far");
    }
  });

  test("but not those of another user, of nobody, and of another person [S6]", async () => {
    const team = await newTeam();
    const [own, bob] = [team.owner, await team.join()];
    await add({ user_id: "anna", run_id: "r" }, own);
    for (const scope of [{ user_id: "anna_2", run_id: "r" }, { user_id: "ann" }, { run_id: "user" }, { run_id: "anna" }, {}]) await add(scope, own);
    await add({ user_id: "anna", run_id: "r" }, bob);
    expect(await deleteAll({ user_id: "anna" }, own)).toMatchObject({ count: 2 });
    expect(recordsOf(await exported(own)).filter(({ archived_at, key }) => archived_at === null && key?.startsWith("messages."))).toHaveLength(5);
    expect(await foundIn({}, bob)).toHaveLength(2);
    expect(await deleteAll({ user_id: "anna", run_id: "r" }, bob)).toMatchObject({ count: 2 });
  });

  test("a search or list of a user shows facts and no messages; the longest names fit into an export", async () => {
    const names = { user_id: "u".repeat(100), run_id: "r".repeat(100) };
    await add(names);
    expect(await foundIn({ user_id: names.user_id })).toEqual(["Anna's doctor is Dr. Hansen."]);
    expect((await data("memory_get_all", { user_id: names.user_id }))["count"]).toBe(1);
    const other = (await newTeam()).owner;
    expect((await other.call("omn_import_memories", { data: await exported(ada) })).structured).toMatchObject({ created: 2 });
    expect(await deleteAll({ user_id: names.user_id }, other)).toMatchObject({ count: 2 });
  });

  test("to delete one fact says that its messages stay, and of a memory that was stored by hand nothing", async () => {
    const id = await add({ user_id: "anna" });
    expect(await data("memory_delete", { memory_id: id })).toMatchObject({ event: "DELETE", message: expect.stringContaining("memory_delete_all") });
    expect(await foundIn()).toEqual([`Anna: ${said}`]);
    const [byHand] = (await data("memory_add", { messages: "I like tea.", infer: false })) as Data[];
    expect(await data("memory_delete", { memory_id: byHand?.["id"] })).not.toHaveProperty("message");
  });
});

describe("a text that is changed by hand [D1] [D2]", () => {
  test.each([["memory_update", "memory_id", "data"], ["omn_update_memory", "id", "content"]])("with %s no more says that it was taken from messages", async (tool, name, text) => {
    const id = await add({ metadata: { mood: "calm" } });
    const now = async (): Promise<Data> => recordsOf(await exported(ada)).find((record) => record.id === id) as Data;
    expect((await now())["metadata"]).toMatchObject({ decision: { event: "ADD" }, mood: "calm" });
    await ada.call(tool, { [name]: id, [text]: "Anna's doctor is Dr. Hansen.", metadata: { importance: 0.8 } });
    expect((await now())["metadata"]).toHaveProperty("decision");
    await ada.call(tool, { [name]: id, [text]: "Anna's doctor is Dr. Berg." });
    expect((await now())["metadata"]).toEqual({ mood: "calm" });
    expect((await data("memory_get_all"))["results"].find((one: Data) => one["id"] === id)["metadata"]).not.toHaveProperty("confidence");
  });

  test("keeps an entry of one's own of that name", async () => {
    const [{ id }] = (await data("memory_add", { messages: "We take PostgreSQL.", infer: false, metadata: { decision: "database" } })) as [Data];
    await ada.call("memory_update", { memory_id: id, data: "We take SQLite." });
    expect((await data("memory_get_all"))["results"][0].metadata.custom_metadata).toMatchObject({ decision: "database" });
  });
});

describe("what is asked for wrongly is told in this tool's words [D1]", () => {
  test("memory_delete_all of a scope that holds nothing names its arguments", async () => {
    expect((await ada.call("memory_delete_all", { user_id: "nobody" })).error).toMatchObject({ code: "MEMORY_NOT_FOUND", hint: expect.stringContaining("user_id") });
  });

  test.each(["memory_search", "memory_get_all"])("%s refuses dates in the wrong order, and takes a single day or instant", async (tool) => {
    const ask = (start: string, end: string) => ada.call(tool, { ...(tool === "memory_search" ? { query: "fair" } : {}), filters: { date_range: { start, end } } });
    expect((await ask("2026-05-02", "2026-05-01")).error).toMatchObject({ code: "VALIDATION_ERROR", message: expect.stringContaining("date_range.start: must not be later than end") });
    for (const [start, end] of [["2026-05-01", "2026-05-01"], ["2026-05-01T08:00:00Z", "2026-05-01T08:00:00Z"]] as const) expect((await ask(start, end)).isError).toBe(false);
  });
});

describe("pages of a search [D1] [D6]", () => {
  test("are disjoint, and together what one page holds, whatever their size", async () => {
    const about = ["owns the books", "owns the bookings", "is run by Ben", "has a test", "keeps the books of Rome", "is slow", "was moved to Oslo", "keeps the keys", "calls the billing service"];
    for (const what of about) await data("memory_add", { messages: `The ledger service ${what}.`, infer: false });
    const asked = { query: "ledger service books", score_threshold: 0 };
    const ids = async (limit: number, offset: number): Promise<string[]> => (await data("memory_search", { ...asked, limit, offset }))["results"].map(({ id }: Data) => id);
    const whole = await ids(100, 0);
    expect(whole.length).toBeGreaterThan(7);
    for (const size of [1, 2, 3]) {
      const pages: string[] = [];
      for (let offset = 0; offset < whole.length; offset += size) pages.push(...(await ids(size, offset)));
      expect(pages).toEqual(whole);
    }
  });
});
