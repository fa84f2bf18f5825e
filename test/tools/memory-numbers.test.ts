import { beforeEach, describe, expect, test } from "vitest";
import { indexed, newTeam, type Person, sisterOf, type Team } from "../support/team.ts";

let team: Team;
let ada: Person;
beforeEach(async () => {
  team = await newTeam();
  ada = team.owner;
});

const store = async (who: Person, content: string, fields: object = {}): Promise<string> => (await who.call("omn_store_memory", { content, ...fields })).structured["memory_id"] as string;
/** What a model reads of a search: how each hit is called, and the rest of its tag. */
async function hits(who: Person, query: string): Promise<{ called: string; tag: string; content: string }[]> {
  const { text } = await who.call("omn_retrieve_memory", { query });
  return [...text.matchAll(/<memory id="([^"]+)"([^>]*)>\n([^<]*)\n/g)].map(([, called = "", tag = "", content = ""]) => ({ called, tag, content }));
}

test("an id in capitals, as some programs write UUIDs, is the same id for every tool [A1]", async () => {
  const id = await store(ada, "The lighthouse is painted white.");
  const other = await store(ada, "The harbour closes at nine.");
  const capitals = id.toUpperCase();
  expect((await ada.call("omn_retrieve_memory", { id: capitals })).structured["memories"]).toMatchObject([{ memory_id: id }]);
  expect((await ada.call("fetch", { id: capitals })).structured).toMatchObject({ id });
  expect((await ada.call("omn_update_memory", { id: other, links: [{ to: capitals, type: "references" }] })).isError).toBeFalsy();
  expect((await ada.call("upsert_memory", { items: [{ id: capitals, text: "The lighthouse is painted red." }] })).structured).toMatchObject({ ids: [id] });
  expect((await ada.call("mnemosyne_update", { memory_id: capitals, importance: 9 })).structured).toMatchObject({ memory_id: id, updated: true });
  expect((await ada.call("memory_delete", { memory_id: capitals })).structured).toMatchObject({ data: { id, event: "DELETE" } });
});

describe("what a search calls a memory [U5]", () => {
  test("is a number, which every tool takes for an id, as text, too", async () => {
    const id = await store(ada, "The lighthouse is painted white.");
    const other = await store(ada, "The harbour closes at nine.");
    const [hit] = await hits(ada, "lighthouse");
    const called = hit?.called as string;
    expect(called).toMatch(/^\d{1,6}$/);
    const { structured } = await ada.call("omn_retrieve_memory", { id: called });
    expect(structured["memories"]).toMatchObject([{ memory_id: id, content: "The lighthouse is painted white." }]);
    expect((await ada.call("omn_update_memory", { id: called, content: "The lighthouse is painted red." })).structured).toMatchObject({ memory_id: id, outcome: "updated" });
    expect((await ada.call("omn_update_memory", { id: other, links: [{ to: called, type: "references" }] })).isError).toBeFalsy();
    expect((await ada.call("omn_retrieve_memory", { id: other, include: ["links"] })).text).toContain(id);
    expect((await ada.call("mnemosyne_update", { memory_id: called, content: "The lighthouse is painted blue." })).isError).toBeFalsy();
    const { structured: preview } = await ada.call("omn_forget_memory", { ids: [called] });
    expect((await ada.call("omn_forget_memory", { ids: [called], confirm: preview["confirm"] })).isError).toBeFalsy();
    expect(await hits(ada, "lighthouse")).toEqual([]);
  });

  test("is what a store, a list and the preview of a forgetting call it, too, unless it has a key", async () => {
    const stored = await ada.call("omn_store_memory", { content: "The lighthouse is painted white." });
    const [, called] = /^created id (\d+) /.exec(stored.text) ?? [];
    expect((await ada.call("omn_retrieve_memory", { id: called })).structured["memories"]).toMatchObject([{ memory_id: stored.structured["memory_id"] }]);
    expect((await ada.call("omn_list_memories", {})).text).toMatch(new RegExp(`^- id ${called} \\(.*\\): The lighthouse is painted white\\.$`));
    expect((await ada.call("omn_forget_memory", { ids: [called] })).text).toContain(`- id ${called}`);
    expect((await ada.call("omn_store_memory", { key: "harbour", content: "The harbour closes at nine." })).text).toMatch(/^created harbour \(id \d+, version 1, /);
    expect((await ada.call("omn_list_memories", {})).text).toMatch(/^- harbour \(/);
  });

  test("says by the same numbers what is said of another hit", async () => {
    await store(ada, "Our package manager is npm.");
    await store(ada, "We switched from npm to pnpm.");
    await indexed(ada.principal);
    const [later, earlier] = await hits(ada, "Which package manager do we use?");
    expect(later?.content).toBe("We switched from npm to pnpm.");
    expect(earlier?.tag).toMatch(new RegExp(` (?:superseded_by|may_be_outdated_by)="${later?.called}"`));
  });

  test("is the whole id where another team's memory is found, whose numbers are that team's own [S6]", async () => {
    const other = await sisterOf(team);
    const id = await store(other.owner, "The lighthouse is painted white.", { metadata: { scope: "public" } });
    await store(ada, "The harbour closes at nine.");
    const [hit] = await hits(ada, "lighthouse");
    expect(hit?.called).toBe(id);
  });

  test("leads nowhere for who may not see the memory [S6]", async () => {
    await store(ada, "The lighthouse is painted white.");
    const [hit] = await hits(ada, "lighthouse");
    const grace = await team.join();
    const stranger = (await newTeam()).owner;
    for (const who of [grace, stranger]) {
      expect((await who.call("omn_retrieve_memory", { id: hit?.called })).text).not.toContain("lighthouse");
      expect((await who.call("omn_update_memory", { id: hit?.called, content: "mine" })).error?.code).toBe("MEMORY_NOT_FOUND");
    }
  });

  test.each(["0", "-1", "1.5", "07", "9".repeat(16), "4e2"])("%s is no number of a memory", async (id) => {
    expect((await ada.call("omn_retrieve_memory", { id })).error?.code).toBe("VALIDATION_ERROR");
  });
});
