import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { beforeEach, describe, expect, test } from "vitest";
import { newState, type Memory } from "../../src/domain/memories/memory.ts";
import { firstVersion } from "../../src/domain/memories/versions.ts";
import { RecalledTexts } from "../../src/session/recalled-texts.ts";
import { hour, newTeam, now, sessionOf, sisterOf, type Person, type Team } from "../support/team.ts";
import { keyFor } from "../domain/tenancy/tenant.ts";
import { callTool, type ToolAnswer } from "../support/mcp.ts";

let team: Team;
let ada: Person;
const fact = "The deploy key of staging lives in the vault under ops/staging.";

beforeEach(async () => {
  team = await newTeam();
  ada = team.owner;
});

const store = (who: Person, key: string, content: string, extra: Record<string, unknown> = {}): Promise<ToolAnswer> =>
  who.call("omn_store_memory", { key, content, ...extra });
const recalled = (who: Person, query = "deploy key") => who.call("omn_retrieve_memory", { query });

describe("what this session was just shown whole [U3] [A1]", () => {
  const long = `${fact} ${"Nobody else may read it, and it is rotated every month by hand. ".repeat(3)}`.trim();

  test.each<[string, string, Record<string, unknown>]>([
    ["a list", "omn_list_memories", {}], ["a list of the other vocabulary", "list_memories", {}], ["the briefing", "smart_resume", {}],
  ])("by %s is not stored again as new", async (_, tool, args) => {
    const { structured } = await ada.call("write_memory", { key: "project.staging", value: fact });
    expect((await ada.call(tool, args)).text).toContain(fact);
    const again = await ada.call("write_memory", { key: "project.other", value: fact });
    expect(again.structured).toMatchObject({ outcome: "duplicate", id: structured["id"] });
  });

  test("is what counts: of a preview one does not know the rest", async () => {
    await store(ada, "ops.key", long);
    expect((await ada.call("omn_list_memories")).text).not.toContain(long);
    expect((await store(ada, "notes.a", long)).structured["outcome"]).toBe("created");
    expect((await ada.call("omn_list_memories", { full: true })).text).toContain(long);
    expect((await store(ada, "notes.b", long)).structured["outcome"]).toBe("duplicate");
  });
});

describe("what this session just recalled [U3] [A1]", () => {
  let id: string;

  beforeEach(async () => {
    id = (await store(ada, "ops.key", fact)).structured["memory_id"];
    await recalled(ada);
  });

  test("is not stored again as new: the answer names the memory and says what to do", async () => {
    const again = await store(ada, "notes.key", `- **${fact}**`);
    expect(again).toMatchObject({ isError: false, structured: { outcome: "duplicate", memory_id: id, key: "ops.key", version: 1 } });
    expect(again.text).toMatch(/from memory \d+ \(key ops\.key\)/);
    expect(again.text).toMatch(/omn_update_memory.*allow_duplicate: true/s);
    expect(await ada.listed(Date.now())).toEqual([fact]);
  });

  test("nor through the other vocabulary, which says so in its own form", async () => {
    const again = await ada.call("write_memory", { key: "notes.key", value: fact });
    expect(again.structured).toEqual({ outcome: "duplicate", id, key: "ops.key", scope: "global", version: 1, advice: again.text });
    expect(again.text).toContain("write_memory under its key");
    expect((await ada.call("read_memory", { key: "notes.key" })).structured["memory"]).toBeNull();
  });

  test("is stored when that is what one wants", async () => {
    expect((await store(ada, "notes.key", fact, { allow_duplicate: true })).structured["outcome"]).toBe("created");
    expect((await ada.call("write_memory", { key: "own.key", value: fact, allow_duplicate: true })).structured["outcome"]).toBe("created");
  });

  test("under its own key is unchanged, with something new an update, and under another key something new is new", async () => {
    expect((await store(ada, "ops.key", fact)).structured["outcome"]).toBe("unchanged");
    expect((await store(ada, "notes.key", `${fact} It is rotated monthly.`)).structured["outcome"]).toBe("created");
    expect((await store(ada, "ops.key", fact.replace("ops", "dev"))).structured["outcome"]).toBe("updated");
  });

  test("a key that exists is updated with it, wherever it was recalled from", async () => {
    await store(ada, "notes.key", "See the wiki.");
    expect((await store(ada, "notes.key", fact)).structured["outcome"]).toBe("updated");
  });

  test("is stored once it is gone, archived, or says something else", async () => {
    await ada.call("omn_update_memory", { id, content: "It moved." });
    expect((await store(ada, "notes.a", fact)).structured["outcome"]).toBe("created");
    await recalled(ada);
    const { confirm } = (await ada.call("omn_forget_memory", { key: "notes.a", mode: "archive" })).structured;
    await ada.call("omn_forget_memory", { key: "notes.a", mode: "archive", confirm });
    const created = await store(ada, "notes.b", fact);
    expect(created.structured["outcome"]).toBe("created");
    await recalled(ada);
    const preview = (await ada.call("omn_forget_memory", { key: "notes.b", mode: "erase" })).structured;
    await ada.call("omn_forget_memory", { key: "notes.b", mode: "erase", confirm: preview["confirm"] });
    expect((await store(ada, "notes.c", fact)).structured["outcome"]).toBe("created");
  });

  test("is stored of another time, and when it holds again", async () => {
    const [first, second] = ["The pump limit of station 4 is 500.", "The pump limit of station 4 is now 200."];
    const limit = async (content: string, extra?: Record<string, unknown>) => (await ada.call("omn_store_memory", { content, ...extra })).structured["outcome"];
    await limit(first, { occurred_at: "2026-05-01" });
    await recalled(ada, "pump limit of station 4");
    expect(await limit(first)).toBe("duplicate");
    await limit(second, { occurred_at: "2026-05-04" });
    await recalled(ada, "pump limit of station 4");
    expect(await limit(second)).toBe("duplicate");
    expect(await limit(second, { occurred_at: "2026-05-05" })).toBe("created");
    expect(await limit(first)).toBe("created");
  });

  test("is stored for others who could not see it before", async () => {
    expect((await store(ada, "shared.key", fact, { metadata: { scope: "shared" } })).structured["outcome"]).toBe("created");
    await recalled(ada);
    expect((await store(ada, "shared.again", fact, { metadata: { scope: "shared" } })).structured["outcome"]).toBe("duplicate");
    expect((await store(ada, "public.key", fact, { metadata: { scope: "public" } })).structured["outcome"]).toBe("created");
  });

  test("is stored of another project, of everything, and as data; not of a session of the same project", async () => {
    const { structured } = await store(ada, "a.key", "Releases are cut every second Friday.", { namespace: "project:a" });
    await recalled(ada, "releases Friday");
    const again = (key: string, namespace: string) => store(ada, key, "Releases are cut every second Friday", { namespace });
    expect((await again("x", "session:a/1")).structured).toMatchObject({ outcome: "duplicate", memory_id: structured["memory_id"] });
    expect((await again("b.key", "project:b")).structured["outcome"]).toBe("created");
    expect((await again("c.key", "global")).structured["outcome"]).toBe("created");
    const progress = { module: "authentication", progress: 70, next: "Add tests" };
    await ada.call("write_memory", { key: "current.a", value: progress });
    await ada.call("read_memory", { key: "current.a" });
    expect((await ada.call("write_memory", { key: "current.b", value: progress })).structured["outcome"]).toBe("created");
  });

  test("also by another client of the same person, but not by a colleague", async () => {
    const other = await keyFor({ teamId: team.id, organizationId: team.organizationId }, ada.id);
    expect((await callTool(other.token, "omn_store_memory", { key: "x", content: fact })).structured["outcome"]).toBe("duplicate");
    expect((await store(await team.join(), "x", fact)).structured["outcome"]).toBe("created");
  });

  test("a key that may not read is not told of it", async () => {
    const blind = await keyFor({ teamId: team.id, organizationId: team.organizationId }, ada.id, ["memory:write"]);
    expect((await callTool(blind.token, "omn_store_memory", { key: "x", content: fact })).structured["outcome"]).toBe("created");
  });

  test("is known after the session's object was evicted", async () => {
    await expect
      .poll(() => runInDurableObject(sessionOf(ada), (_, { storage }) => storage.sql.exec("SELECT * FROM recalled").toArray().length))
      .toBe(1);
    await evictDurableObject(sessionOf(ada));
    expect((await store(ada, "notes.key", fact)).structured).toMatchObject({ outcome: "duplicate", memory_id: id });
  });

  test("is imported all the same, and a repeated call answers as the first did", async () => {
    const { structured } = await ada.call("omn_import_memories", { memories: [{ key: "imported", content: fact }] });
    expect(structured).toMatchObject({ created: 1 });
    const call = [ada, "once", "Something else entirely.", { idempotency_key: "i1" }] as const;
    await store(...call);
    await recalled(ada, "entirely");
    expect((await store(...call)).structured).toMatchObject({ outcome: "created", replayed: true });
  });

  test("of another team of the organization counts while it is public", async () => {
    const sister = await sisterOf(team);
    await store(sister.owner, "p", "Lighthouses of the coast are painted in white and red.", { metadata: { scope: "public" } });
    await recalled(ada, "lighthouses");
    const copy = "Lighthouses of the coast are painted in white and red";
    expect((await store(ada, "copy", copy)).structured).toMatchObject({ outcome: "duplicate", key: "p" });
    await sister.owner.call("omn_update_memory", { key: "p", metadata: { scope: "shared" } });
    expect((await store(ada, "copy", copy)).structured["outcome"]).toBe("created");
  });
});

test("what was never recalled is stored as often as one likes", async () => {
  for (const key of ["a", "b"]) expect((await store(ada, key, fact)).structured["outcome"]).toBe("created");
});

describe("the session's memory of what was shown [U3]", () => {
  const memory = (n: number, fields: Partial<Memory> = {}): Memory => ({
    ...firstVersion(ada.at(now), newState({ content: `Note number ${n} of a long list of notes about the coast.`, ownerId: ada.id }), `id-${n}`),
    ...fields,
  });
  const inObject = <T>(work: (texts: () => RecalledTexts) => T): Promise<T> =>
    runInDurableObject(sessionOf(ada), (_, { storage }) => work(() => new RecalledTexts(storage)));

  test("reaches back 500 memories and two hours, also into an earlier life of the object", async () => {
    await inObject((texts) => {
      const first = texts();
      first.note(now, Array.from({ length: 510 }, (_, n) => memory(n)));
      expect(first.findSourcesOf(now, memory(9).content)).toEqual([]);
      expect(first.findSourcesOf(now, memory(10).content)).toEqual(["id-10"]);
      const later = texts();
      expect(later.findSourcesOf(now + hour, memory(10).content)).toEqual(["id-10"]);
      expect(later.findSourcesOf(now + 2 * hour, memory(10).content)).toEqual([]);
      later.note(now + 2 * hour, [memory(10), memory(600)]);
      expect(later.findSourcesOf(now + 3 * hour, memory(10).content)).toEqual(["id-10"]);
    });
  });

  test("follows a new version, and keeps nothing of a secret", async () => {
    await inObject((texts) => {
      const seen = texts();
      seen.note(now, [memory(1), memory(2, { sensitivity: "secret" })]);
      seen.note(now, [memory(1, { version: 2, content: "It moved inland, to the hills." })]);
      expect(seen.findSourcesOf(now, memory(1).content)).toEqual([]);
      expect(seen.findSourcesOf(now, "it moved inland - to the hills")).toEqual(["id-1"]);
      expect(seen.findSourcesOf(now, memory(2).content)).toEqual([]);
    });
  });
});
