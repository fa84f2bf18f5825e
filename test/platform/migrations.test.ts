import { applyD1Migrations, type D1Migration } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { exportMemories } from "../../src/domain/memories/export.ts";
import { revise } from "../../src/domain/memories/revise.ts";
import { importMemories, parseExport } from "../../src/domain/memories/import.ts";
import { day, minute, newTeam, now, type Person, type Team } from "../support/team.ts";

const shard = env.SHARD_0;
const appliedNames = async (): Promise<string[]> =>
  (await shard.prepare("SELECT name FROM d1_migrations ORDER BY id").all<{ name: string }>()).results.map(({ name }) => name);

/** What a later stage will do: new columns, an index over one, a table beside. */
const later: D1Migration[] = [
  {
    name: "9000_pinned.sql",
    queries: [
      "ALTER TABLE memories ADD COLUMN pinned integer DEFAULT 0 NOT NULL",
      "ALTER TABLE memories ADD COLUMN mood text",
      "ALTER TABLE versions ADD COLUMN reason text",
      "CREATE INDEX memories_pinned ON memories (team_id, pinned) WHERE pinned = 1",
    ],
  },
  {
    name: "9001_votes.sql",
    queries: [
      `CREATE TABLE votes (team_id text NOT NULL, memory_id text NOT NULL, user_id text NOT NULL, PRIMARY KEY (team_id, memory_id, user_id),
        FOREIGN KEY (team_id, memory_id) REFERENCES memories(team_id, id) ON DELETE cascade)`,
    ],
  },
];

let team: Team;
let ada: Person;
let grace: Person;
let before: string;
let ids: Record<string, string>;

const exportAll = async (who: Person, at = now + day): Promise<string> =>
  (await exportMemories(who.at(at), { format: "ndjson", limit: 1_000, includeHistory: true })).data;

/** One database for the whole file: filled under the present schema, then migrated, then used. */
beforeAll(async () => {
  team = await newTeam();
  ada = team.owner;
  grace = await team.join();
  const one = await ada.keep("office", "we meet in Lisbon", { tags: ["place", "team"], metadata: { floor: 3 }, visibility: "shared" });
  await ada.keep("office", "we meet in Porto", { visibility: "shared", tags: ["place"] }, now + minute);
  await grace.keep("office", "we meet in Faro", { visibility: "shared" }, now + 2 * minute);
  const two = await ada.keep("note", "private thoughts", { value: { deep: [1, null, "x"] }, importance: 0.1, occurredAt: now });
  const old = await ada.keep("old", "to be archived");
  await ada.call("omn_import_memories", { memories: [{ key: "imported", content: "brought along", version: 3, updated_at: "2026-01-03",
    history: [
      { version: 1, at: "2026-01-01", actor_id: "x", tool: "t", action: "create", state: { key: "imported", content: "one" } },
      { version: 2, at: "2026-01-02", actor_id: "x", tool: "t", action: "update", state: { key: "imported", content: "two" } },
    ] }] });
  ids = { office: one.id, note: two.id, old: old.id };
  before = await exportAll(ada);
  expect(before.trim().split("\n")).toHaveLength(4);

  await applyD1Migrations(shard, later);
});

describe("a later column is an ordinary migration of a populated database [S13]", () => {
  test("the migrations were applied once, after those that were there", async () => {
    await applyD1Migrations(shard, later);
    const names = await appliedNames();
    expect(names.slice(-2)).toEqual(["9000_pinned.sql", "9001_votes.sql"]);
    expect(names.slice(0, -2)).toEqual(env.SHARD_MIGRATIONS.map(({ name }) => name));
    const { results } = await shard.prepare("SELECT DISTINCT pinned, mood FROM memories WHERE team_id = ?").bind(team.id).all();
    expect(results).toEqual([{ pinned: 0, mood: null }]);
  });

  test("everything reads as before, history included", async () => {
    expect(await exportAll(ada)).toBe(before);
    expect(await ada.search("Faro", {}, now + day)).toEqual(["we meet in Faro"]);
    expect(await ada.search("Lisbon", { asOf: now }, now + day)).toEqual(["we meet in Lisbon"]);
    expect((await grace.recall({ key: "*" }, now + day)).map(({ memory }) => memory.key)).toEqual(["office"]);
    expect((await ada.recall({ filter: { tags: ["place"] } }, now + day)).map(({ memory }) => memory.id)).toEqual([ids["office"]]);
  });

  test("writes go on: a next version, a new memory, an archive, an erasure, an import", async () => {
    const at = now + day;
    const revised = await revise(ada.at(at), { target: { id: ids["office"] as string }, expectedVersion: 3, changes: { content: "we meet in Beja" } });
    expect(revised).toMatchObject({ outcome: "updated", memory: { version: 4, tags: ["place"], metadata: { floor: 3 } } });
    await shard.prepare("UPDATE memories SET pinned = 1, mood = 'glad' WHERE team_id = ? AND id = ?").bind(team.id, ids["office"]).run();
    await ada.keep("office", "we meet in Evora", { visibility: "shared" }, at + minute);
    const row = await shard.prepare("SELECT version, pinned, mood FROM memories WHERE team_id = ? AND id = ?").bind(team.id, ids["office"]).first();
    expect(row, "a version written by code that does not know a column leaves it as it was").toEqual({ version: 5, pinned: 1, mood: "glad" });

    expect((await ada.remember("stored after the migration", { key: "new" }, at)).outcome).toBe("created");
    const preview = await ada.call("omn_forget_memory", { id: ids["old"], mode: "erase" });
    expect((await ada.call("omn_forget_memory", { id: ids["old"], mode: "erase", confirm: preview.structured["confirm"] })).structured).toMatchObject({ outcome: "erased" });

    const copy = await newTeam();
    const whole = await exportAll(ada, at + 2 * minute);
    const outcome = await importMemories(copy.owner.at(at + 2 * minute), { records: await parseExport(whole, {}), onConflict: "update" });
    expect(outcome).toMatchObject({ created: 4, updated: 0 });
    expect(await ada.search("Evora migration", {}, at + 2 * minute)).toHaveLength(2);
    const versions = JSON.parse(whole.split("\n").find((line) => line.includes('"office"')) as string).history.map((entry: { version: number }) => entry.version);
    expect(versions).toEqual([1, 2, 3, 4]);
  });

  test("an index dropped after the migration is rebuilt from the migrated database", async () => {
    const found = await ada.search("Evora private brought stored", {}, now + 2 * day);
    await team.index.rebuild(team.ref);
    expect((await ada.search("Evora private brought stored", {}, now + 2 * day)).sort()).toEqual(found.sort());
    expect(found).toHaveLength(4);
  });
});

test("the migration counts what was stored before it", async () => {
  const counted = () => shard.prepare("SELECT memories, bytes FROM counters WHERE team_id = ?").bind(team.id).first();
  const kept = await counted();
  await shard.prepare("UPDATE counters SET memories = 0, bytes = 0").run();
  const initial = env.SHARD_MIGRATIONS.flatMap(({ queries }) => queries).find((query) => query.includes("UPDATE `counters` SET") && !query.includes("CREATE TRIGGER"));
  await shard.prepare(initial as string).run();
  expect(await counted()).toEqual(kept);
  expect(kept).toMatchObject({ memories: expect.any(Number), bytes: expect.any(Number) });
});
