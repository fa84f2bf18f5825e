import { beforeEach, describe, expect, test } from "vitest";
import { newTeam, type Person, type Team } from "../support/team.ts";
import { redraw } from "../domain/graph/extracted.ts";

let team: Team;
let ada: Person;
beforeEach(async () => {
  team = await newTeam();
  ada = team.owner;
  await ada.call("omn_store_memory", { key: "db.choice", content: "Kubernetes (k8s) runs PostgreSQL since 2024.", metadata: { scope: "shared" } });
});

const linksOf = async (key: string, person = ada): Promise<Record<string, unknown>[]> => {
  const { structured } = await person.call("omn_retrieve_memory", { key });
  const answer = await person.call("omn_retrieve_memory", { id: structured["memories"][0].memory_id, include: ["links"] });
  return answer.structured["memories"][0].links;
};

describe("links given with a memory", () => {
  test("are kept with type, strength and reason, and shown from both ends", async () => {
    const stored = await ada.call("omn_store_memory", {
      key: "db.pool",
      content: "Ten connections each.",
      links: [{ to: "db.choice", type: "implements", strength: 0.7, reason: "sizing" }],
    });
    expect(stored.structured).toMatchObject({ outcome: "created" });
    const expected = [{ from: stored.structured["memory_id"], type: "implements", strength: 0.7, reason: "sizing", origin: "said", created_by: ada.id, created_at: expect.any(String) }];
    expect(await linksOf("db.pool")).toMatchObject(expected);
    expect(await linksOf("db.choice")).toMatchObject(expected);
  });

  test("change without a change of text, and go", async () => {
    await ada.call("omn_store_memory", { key: "db.pool", content: "Ten connections each." });
    expect((await ada.call("omn_update_memory", { key: "db.pool", links: [{ to: "db.choice", type: "extends" }] })).structured).toMatchObject({ outcome: "unchanged", version: 1 });
    expect(await linksOf("db.pool")).toMatchObject([{ type: "extends", strength: 1 }]);
    const late = await ada.call("omn_update_memory", { key: "db.pool", expected_version: 3, unlink: [{ to: "db.choice" }] });
    expect(late.structured).toMatchObject({ outcome: "conflict" });
    expect(await linksOf("db.pool")).toHaveLength(1);
    await ada.call("omn_update_memory", { key: "db.pool", unlink: [{ to: "db.choice" }] });
    expect(await linksOf("db.pool")).toEqual([]);
  });

  test("that lead nowhere, or to the memory itself, are refused, and nothing is stored", async () => {
    for (const to of ["no.such.key", crypto.randomUUID(), 4_711]) {
      const refused = await ada.call("omn_store_memory", { key: "db.pool", content: "x", links: [{ to, type: "extends" }] });
      expect(refused.error?.code).toBe("MEMORY_NOT_FOUND");
    }
    expect((await ada.call("omn_store_memory", { key: "db.pool", content: "x", links: [{ to: "db.choice", type: "likes" }] })).error?.code).toBe("VALIDATION_ERROR");
    expect((await ada.call("omn_retrieve_memory", { key: "db.pool" })).structured).toMatchObject({ memories: [] });
    expect((await ada.call("omn_update_memory", { key: "db.choice", links: [{ to: "db.choice", type: "extends" }] })).error?.code).toBe("VALIDATION_ERROR");
  });

  test("are named beside what a question brings, at once and as long as they are there [D5]", async () => {
    const grace = await team.join();
    const ask = async (person: Person) => (await person.call("omn_retrieve_memory", { query: "which database runs on Kubernetes" })).structured["memories"][0];
    expect(await ask(ada)).not.toHaveProperty("related");
    await ask(grace);
    const stored = await ada.call("omn_store_memory", { key: "tea", content: "Darjeeling, four minutes.", links: [{ to: "db.choice", type: "contradicts" }] });
    const related = [{ kind: "memory", id: stored.structured["memory_id"], key: "tea", title: "Darjeeling, four minutes.", why: "contradicted by" }];
    expect(await ask(ada)).toMatchObject({ key: "db.choice", related });
    expect(await ask(grace)).not.toHaveProperty("related");
    await ada.call("omn_update_memory", { key: "tea", metadata: { scope: "shared" } });
    expect(await ask(grace)).toMatchObject({ related });
    await ada.call("omn_update_memory", { key: "tea", unlink: [{ to: "db.choice" }] });
    expect(await ask(ada)).not.toHaveProperty("related");
    expect(await ask(grace)).not.toHaveProperty("related");
  });

  test("neither reach nor show what somebody may not see [S6] [A13]", async () => {
    const grace = await team.join();
    const stored = await ada.call("omn_store_memory", { key: "mine", content: "private", links: [{ to: "db.choice", type: "references" }] });
    expect(await linksOf("db.choice")).toHaveLength(1);
    expect(await linksOf("db.choice", grace)).toEqual([]);
    const refused = await grace.call("omn_update_memory", { key: "db.choice", links: [{ to: stored.structured["memory_id"], type: "extends" }] });
    expect(refused.error?.code).toBe("MEMORY_NOT_FOUND");
    const reader = await team.join("member", ["memory:read"]);
    expect((await reader.call("omn_update_memory", { key: "db.choice", links: [{ to: "db.choice", type: "extends" }] })).error?.code).toBe("PERMISSION_DENIED");
  });
});

test("a link says who found it: what rules tie says so, in the answer and in an export, and a person who states the same makes it theirs", async () => {
  const store = async (content: string): Promise<string> => (await ada.call("omn_store_memory", { content })).structured["memory_id"] as string;
  const [old, id] = [await store("The upload limit of the portal is 25 MB."), await store("The upload limit of the portal is 50 MB.")];
  const answer = await ada.call("omn_retrieve_memory", { id, include: ["links"] });
  expect(answer.structured["memories"][0].links).toMatchObject([{ from: id, to: old, type: "contradicts", origin: "rule", created_by: ada.id }]);
  expect(answer.text).toContain("by rule");
  expect((await ada.call("mnemosyne_graph", { seed_ids: [id] })).structured["links"]).toMatchObject([{ link_type: "Contradicts", origin: "rule" }]);
  const { data } = (await ada.call("omn_export_memories", {})).structured as { data: string };
  expect(data.match(/"origin":"rule"/g)).toHaveLength(2);
  // Another person's copy, under other ids: what does not say who found it is the file's.
  const { owner } = await newTeam();
  await owner.call("omn_import_memories", { memories: data.split("\n").filter(Boolean).map((line) => JSON.parse(line) as object) });
  const copied = (await owner.call("omn_export_memories", {})).structured as { data: string };
  expect(copied.data.match(/"origin":"rule"/g)).toHaveLength(2);
  await ada.call("omn_update_memory", { id, links: [{ to: old, type: "contradicts" }] });
  expect((await ada.call("omn_retrieve_memory", { id, include: ["links"] })).structured["memories"][0].links).toMatchObject([{ origin: "said", strength: 1 }]);
});

describe("links in an export [S14]", () => {
  test("arrive with the memories, in whatever order the pages are read", async () => {
    await ada.call("omn_store_memory", { key: "a", content: "one", links: [{ to: "db.choice", type: "extends", strength: 0.4, reason: "why" }] });
    await ada.call("omn_update_memory", { key: "db.choice", links: [{ to: "a", type: "contradicts" }] });
    const pages: Record<string, unknown>[] = [];
    for (let cursor: string | undefined; pages.length === 0 || cursor !== undefined; ) {
      const { structured } = await ada.call("omn_export_memories", { format: "json", limit: 1, ...(cursor === undefined ? {} : { cursor }) });
      pages.push(structured);
      cursor = structured["next_cursor"];
    }
    expect(pages).toHaveLength(2);
    for (const order of [pages, [...pages].reverse()]) {
      const { owner } = await newTeam();
      for (const page of order) expect((await owner.call("omn_import_memories", { data: page["data"] })).error).toBeUndefined();
      const links = await linksOf("a", owner);
      expect(links).toHaveLength(2);
      expect(links).toEqual(expect.arrayContaining([expect.objectContaining({ type: "extends", strength: 0.4, reason: "why", origin: "import" }), expect.objectContaining({ type: "contradicts" })]));
    }
  });
});

describe("what the graph knows of a memory", () => {
  test("is shown with its id when asked for", async () => {
    await redraw(team);
    const { structured } = await ada.call("omn_retrieve_memory", { key: "db.choice" });
    const { memory_id: id } = structured["memories"][0];
    expect(structured["memories"][0]).not.toHaveProperty("entities");
    const answer = await ada.call("omn_retrieve_memory", { id, include: ["entities", "relationships", "links"] });
    expect(answer.structured["memories"][0]).toMatchObject({
      entities: expect.arrayContaining([expect.objectContaining({ name: "Kubernetes", type: "technology", aliases: ["k8s"], mentions: 1 })]),
      relationships: [],
      links: [],
    });
    expect(answer.text).toContain("Kubernetes [technology, k8s]");
  });

  test("goes with an id only", async () => {
    expect((await ada.call("omn_retrieve_memory", { query: "k8s", include: ["links"] })).error?.code).toBe("VALIDATION_ERROR");
  });
});
