import { beforeEach, describe, expect, test } from "vitest";
import { day, minute, newTeam, now, type Person, type Team } from "../../support/team.ts";

let team: Team;
let ada: Person;

beforeEach(async () => {
  team = await newTeam();
  ada = team.owner;
});

const bring = (who: Person, memories: Record<string, unknown>[], more: Record<string, unknown> = {}) =>
  who.call("omn_import_memories", { memories, ...more });

interface Page {
  data: string;
  sha256: string;
  count: number;
}

async function exportAll(who: Person): Promise<Page[]> {
  const pages: Page[] = [];
  for (let cursor: string | undefined; ; ) {
    const { structured } = await who.call("omn_export_memories", cursor ? { cursor } : {});
    pages.push(structured as unknown as Page);
    cursor = structured["next_cursor"];
    if (!cursor) return pages;
  }
}

interface Held {
  id: string;
  key: string | null;
  version: number;
  content: string;
  history?: { version: number; state: { content: string } }[];
}

/** Everything of the team that the person sees, with history, by key. */
async function held(who: Person): Promise<Record<string, Held>> {
  const lines = (await exportAll(who)).flatMap(({ data }) => data.split("\n").filter(Boolean));
  return Object.fromEntries(lines.map((line) => JSON.parse(line) as Held).map((memory) => [memory.key ?? memory.id, memory]));
}

describe("import takes records in order [A1] [S14]", () => {
  test("an archived memory takes nothing from the one that has its key now, in whatever order they come, also where both are here already", async () => {
    const first = (await ada.call("omn_store_memory", { key: "k", content: "Old" })).structured["memory_id"] as string;
    const preview = await ada.call("omn_forget_memory", { id: first });
    await ada.call("omn_forget_memory", { id: first, confirm: preview.structured["confirm"] as string });
    await ada.call("omn_store_memory", { key: "k", content: "New" });
    const [{ data }] = (await exportAll(ada)) as [Page];
    const records = data.split("\n").filter(Boolean).map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(records).toHaveLength(2);
    for (const memories of [records, records.toReversed()]) {
      const other = (await newTeam()).owner;
      expect((await bring(other, memories)).structured).toMatchObject({ created: 2, updated: 0 });
      expect((await bring(other, memories)).structured).toMatchObject({ created: 0, updated: 0, unchanged: 2 });
      expect((await other.call("omn_retrieve_memory", { key: "k" })).structured["memories"]).toMatchObject([{ content: "New" }]);
    }
    expect((await bring(ada, records.toReversed())).structured).toMatchObject({ created: 0, updated: 0, unchanged: 2 });
  });

  test("a key that occurs twice makes two versions of one memory", async () => {
    const answer = await bring(ada, [{ key: "k", content: "one" }, { key: "other", content: "x" }, { key: "k", content: "two" }]);
    expect(answer.structured).toMatchObject({ created: 2, updated: 1, count: 3 });
    const { k } = await held(ada);
    expect(k).toMatchObject({ version: 2, content: "two", history: [{ version: 1, state: { content: "one" } }] });
    expect(answer.structured["memory_ids"][0]).toBe(answer.structured["memory_ids"][2]);
  });

  test("an id and a key that name the same memory, in one call", async () => {
    const { id } = await ada.keep("k", "zero");
    const answer = await bring(ada, [{ id, key: "k", content: "one", namespace: "global" }, { key: "k", content: "two" }]);
    expect(answer.structured).toMatchObject({ created: 0, updated: 2 });
    expect((await held(ada))["k"]).toMatchObject({ id, version: 3, content: "two" });
  });

  test("a memory that is renamed, and its old key taken by a new one, in one call", async () => {
    const { id } = await ada.keep("old", "zero");
    const answer = await bring(ada, [{ id, key: "new", content: "zero" }, { key: "old", content: "another" }]);
    expect(answer.structured).toMatchObject({ created: 1, updated: 1 });
    const found = await held(ada);
    expect(found["new"]).toMatchObject({ id, version: 2 });
    expect(found["old"]).toMatchObject({ version: 1, content: "another" });
  });

  test("a key that another memory holds is refused by name, and nothing of it is stored", async () => {
    const { id } = await ada.keep("mine", "one");
    await ada.keep("taken", "two");
    const answer = await bring(ada, [{ key: "fresh", content: "x" }, { id, key: "taken", content: "one" }]);
    expect(answer.error).toMatchObject({ code: "CONFLICT", message: expect.stringContaining("taken") });
    expect(Object.keys(await held(ada)).sort()).toEqual(["mine", "taken"]);
  });

  test("what is here already and the same is unchanged; what differs is updated, or skipped on demand", async () => {
    await ada.keep("same", "as it was");
    await ada.keep("differs", "before");
    const records = [{ key: "same", content: "as it was" }, { key: "differs", content: "after" }, { key: "new", content: "n" }];
    expect((await bring(ada, records, { on_conflict: "skip" })).structured).toMatchObject({ created: 1, updated: 0, unchanged: 1, skipped: 1 });
    expect((await held(ada))["differs"]).toMatchObject({ version: 1, content: "before" });
    expect((await bring(ada, records)).structured).toMatchObject({ created: 0, updated: 1, unchanged: 2, skipped: 0 });
    expect((await held(ada))["differs"]).toMatchObject({ version: 2, content: "after" });
  });
});

describe("import of what has expired already [A1] [S14]", () => {
  test("says how many of the memories nobody finds, new ones and those that are here", async () => {
    await ada.call("omn_store_memory", { key: "offer", content: "The offer stands." });
    const ended = { expiry: "2026-01-01T00:00:00Z" };
    const { structured, text } = await ada.call("omn_import_memories", { memories: [
      { key: "news", content: "Old news.", metadata: ended }, { key: "offer", content: "The offer stood.", metadata: ended }, { key: "kept", content: "Still true." },
    ] });
    expect(structured).toMatchObject({ created: 2, updated: 1, expired: 2 });
    expect(text).toContain("2 created, 1 updated, 0 unchanged, 0 skipped. 2 had expired already, and are not found.");
    for (const key of ["news", "offer"]) expect((await ada.call("omn_retrieve_memory", { key })).structured["memories"] ?? []).toEqual([]);
  });

  test("says nothing of it where nothing has", async () => {
    const { structured } = await ada.call("omn_import_memories", { memories: [{ content: "Still true.", metadata: { expiry: "2999-01-01T00:00:00Z" } }] });
    expect(structured["expired"]).toBeUndefined();
    expect(structured["advice"]).toBeUndefined();
  });
});

describe("import in a shared team [S6] [S14]", () => {
  test("a memory that the importer may not see is neither overwritten nor revealed by its id", async () => {
    const grace = await team.join();
    const { id } = await ada.keep("diary", "very private");
    for (const [i, version] of [1, 2, 9].entries()) {
      const history = Array.from({ length: version - 1 }, (_, n) => ({ version: n + 1, at: "2026-01-01", actor_id: "x", tool: "x", action: "update", state: { content: "x" } }));
      const answer = await bring(grace, [{ id, content: `mine now ${version}`, ...(version > 1 ? { version, history: history.slice(-1) } : {}) }]);
      // The first time it becomes a memory of Grace's own, which the old id leads her to from then on.
      expect(answer.structured).toMatchObject(i === 0 ? { created: 1, updated: 0, renamed: [{ from: id }] } : { created: 0, updated: 1 });
      expect(answer.structured["memory_ids"]).not.toContain(id);
    }
    expect((await held(ada))["diary"]).toMatchObject({ id, version: 1, content: "very private" });
    expect(await ada.listed(Date.now())).toEqual(["very private"]);
    expect(await grace.listed(Date.now())).toEqual(["mine now 9"]);
    expect(await ada.search("private diary", {}, Date.now())).toEqual(["very private"]);
  });

  test("nobody imports in another person's name", async () => {
    const grace = await team.join();
    await bring(grace, [{ key: "k", content: "two", visibility: "shared", created_by: ada.id, updated_by: ada.id, version: 2,
      history: [{ version: 1, at: "2026-01-01", actor_id: ada.id, tool: "cursor", action: "create", state: { key: "k", content: "one", visibility: "shared" } }] }]);
    const whole = (await ada.call("omn_export_memories")).structured["data"] as string;
    expect(whole).not.toContain(ada.id);
    expect(JSON.parse(whole)).toMatchObject({ created_by: grace.id, updated_by: grace.id, history: [{ actor_id: grace.id, tool: "cursor" }] });
  });
});

describe("what arrives with an identity and a past [U10] [S14]", () => {
  const entry = (version: number, content: string) => ({ version, at: `2026-01-0${version}`, actor_id: "x", tool: "t", action: "update", state: { key: "k", content } });

  test("can be asked as of its past at once", async () => {
    await bring(ada, [{ key: "k", content: "we meet in Faro", version: 3, updated_at: "2026-01-03", created_at: "2026-01-01", history: [entry(1, "we meet in Lisbon"), entry(2, "we meet in Porto")] }]);
    const ask = async (as_of?: string) =>
      (await ada.call("omn_retrieve_memory", { query: "Lisbon Porto Faro", min_relevance: 0, ...(as_of ? { as_of } : {}) })).structured["memories"].map((memory: { content: string }) => memory.content);
    expect(await ask()).toEqual(["we meet in Faro"]);
    expect(await ask("2026-01-02T12:00:00Z")).toEqual(["we meet in Porto"]);
    expect(await ask("2026-01-01T12:00:00Z")).toEqual(["we meet in Lisbon"]);
    expect(await ask("2025-12-31")).toEqual([]);
  });

  test("a history that begins late goes on from there, also without the version being named", async () => {
    await bring(ada, [{ key: "k", content: "five", history: [entry(3, "three"), entry(4, "four")] }]);
    await ada.keep("k", "six", {}, Date.now());
    const { k } = await held(ada);
    expect([...(k?.history ?? []).map(({ version }) => version), k?.version]).toEqual([3, 4, 5, 6]);
  });

  test.each([
    ["a hole", [entry(1, "one"), entry(3, "three")], 4],
    ["a gap before the present", [entry(1, "one")], 3],
    ["the wrong order", [entry(2, "two"), entry(1, "one")], 3],
  ])("a history with %s is refused, and nothing is imported", async (_name, history, version) => {
    const answer = await bring(ada, [{ key: "fine", content: "x" }, { key: "k", content: "now", version, history }]);
    expect(answer.error).toMatchObject({ code: "VALIDATION_ERROR", message: expect.stringContaining("history of k") });
    expect(await held(ada)).toEqual({});
  });

  test("an id in capital letters is the same id, and pages go on past it", async () => {
    const id = "01A1F8D3-EA00-7AF5-B62C-E54633DC4EA9";
    await bring(ada, [{ id, content: "in capitals" }, { content: "before" }]);
    expect((await bring(ada, [{ id: id.toLowerCase(), content: "in capitals" }])).structured).toMatchObject({ unchanged: 1 });
    const seen: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await ada.call("omn_list_memories", { limit: 1, ...(cursor ? { cursor } : {}) });
      expect(page.error).toBeUndefined();
      seen.push(...page.structured["memories"].map((memory: { content: string }) => memory.content));
      cursor = page.structured["next_cursor"];
      if (!cursor) break;
    }
    expect(seen.sort()).toEqual(["before", "in capitals"]);
  });
});

describe("large imports [A1] [B5]", () => {
  test("three hundred memories at their longest, in a script of three bytes a letter", async () => {
    const memories = Array.from({ length: 300 }, (_, n) => ({ key: `k.${n}`, content: `${n} ${"漢".repeat(9_990)}` }));
    expect((await bring(ada, memories)).structured).toMatchObject({ created: 300 });
    expect((await bring(ada, memories)).structured).toMatchObject({ unchanged: 300 });
    expect((await ada.recall({ key: "k.299" }, Date.now()))[0]?.memory.content).toHaveLength(9_994);
  }, 60_000);

  test("ten thousand short ones in one document", async () => {
    const data = Array.from({ length: 10_000 }, (_, n) => JSON.stringify({ key: `k.${n}`, content: `c${n}` })).join("\n");
    const answer = await ada.call("omn_import_memories", { data, count: 10_000 });
    expect(answer.structured).toMatchObject({ created: 10_000 });
    expect((await ada.call("omn_memory_stats")).structured).toMatchObject({ total: 10_000, versions: 10_000 });
    expect(await team.index.stats(team.ref)).toMatchObject({ documents: 10_000 });
  }, 60_000);

  test("a memory of two thousand versions leaves and comes back whole", async () => {
    const history = Array.from({ length: 1_999 }, (_, n) => ({
      version: n + 1, at: new Date(now - 2 * day + n * minute / 2).toISOString(), actor_id: "x", tool: "t", action: "update",
      state: { key: "k", content: `version ${n + 1} ${"x".repeat(1_000)}` },
    }));
    await bring(ada, [{ key: "k", content: "newest", version: 2_000, history }, { key: "small", content: "beside it" }]);
    const pages = await exportAll(ada);
    const copy = await newTeam();
    for (const { data, sha256, count } of pages) {
      expect((await copy.owner.call("omn_import_memories", { data, sha256, count })).structured).toMatchObject({ created: count });
    }
    const { k, small } = await held(copy.owner);
    expect(small).toMatchObject({ content: "beside it" });
    expect(k).toMatchObject({ version: 2_000, content: "newest" });
    expect(k?.history?.map(({ version }) => version)).toEqual(history.map(({ version }) => version));
  }, 60_000);
});

describe("data that changed on the way [U10]", () => {
  test("is refused by hash or count, and nothing is imported", async () => {
    await ada.keep("a", "one");
    await ada.keep("b", "two");
    const { data, sha256, count } = (await ada.call("omn_export_memories")).structured as { data: string; sha256: string; count: number };
    const copy = (await newTeam()).owner;
    for (const broken of [
      { data: data.replace("one", "0ne"), sha256, count },
      { data: data.split("\n")[0], count },
      { data: data.slice(0, -20) },
      { data: `${data}not json` },
      { data: data.replace('"content":"one"', '"content":""') },
    ]) {
      const answer = await copy.call("omn_import_memories", broken);
      expect(answer.error, JSON.stringify(broken).slice(0, 80)).toMatchObject({ code: "VALIDATION_ERROR", hint: expect.stringContaining("Nothing was imported") });
    }
    expect(await copy.listed(Date.now())).toEqual([]);
    expect((await copy.call("omn_import_memories", { data, sha256: sha256.toUpperCase(), count })).structured).toMatchObject({ created: 2 });
  });
});
