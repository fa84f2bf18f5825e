import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { exportMemories } from "../../../src/domain/memories/export.ts";
import { archiveOne } from "../../../src/domain/memories/forget.ts";
import { list, stats } from "../../../src/domain/memories/list.ts";
import { resolveOne } from "../../../src/domain/memories/resolve.ts";
import { sweep } from "../../../src/domain/memories/sweep.ts";
import { revise } from "../../../src/domain/memories/revise.ts";
import { rpc } from "../../support/mcp.ts";
import { hour, minute, newTeam, now, segmentsOf, services, sisterOf, type Person, type Team } from "../../support/team.ts";

let team: Team;
let ada: Person;
const end = now + hour;

beforeEach(async () => {
  team = await newTeam();
  ada = team.owner;
});

const rowsLeft = async (table: string, column: string, id: string): Promise<number> =>
  (await env.SHARD_0.prepare(`SELECT count(*) AS n FROM ${table} WHERE ${column} = ?`).bind(id).first<{ n: number }>())?.n ?? -1;

describe("an expired memory is never returned [S14] [B2]", () => {
  test("by any verb, from the very millisecond of its expiry on", async () => {
    const { id, alias } = await ada.keep("brief", "gone at noon", { expiresAt: end, tags: ["t"], visibility: "public" });
    const neighbour = (await sisterOf(team)).owner;
    const reads: [name: string, read: (at: number) => Promise<unknown[]>][] = [
      ["key", (at) => ada.recall({ key: "brief" }, at)],
      ["wildcard", (at) => ada.recall({ key: "b*f" }, at)],
      ["id", (at) => ada.recall({ id }, at)],
      ["alias", (at) => ada.recall({ id: alias }, at)],
      ["query", (at) => ada.recall({ query: "noon" }, at)],
      ["query as of its time", (at) => ada.recall({ query: "noon", asOf: now }, at)],
      ["key as of its time", (at) => ada.recall({ key: "brief", asOf: now }, at)],
      ["filters", (at) => ada.recall({ filter: { tags: ["t"] } }, at)],
      ["list", (at) => ada.listed(at)],
      ["export", async (at) => (await exportMemories(ada.at(at), { format: "ndjson", limit: 10, includeHistory: true })).data.split("\n").filter(Boolean)],
      ["stats", async (at) => Array.from({ length: (await stats(ada.at(at))).total })],
      ["tags in stats", async (at) => (await stats(ada.at(at))).topTags],
      ["another team by query", (at) => neighbour.recall({ query: "noon" }, at)],
      ["another team by key", (at) => neighbour.recall({ key: "brief" }, at)],
      ["another team by id", (at) => neighbour.recall({ id }, at)],
    ];
    for (const [name, read] of reads) {
      expect(await read(end - 1), `${name}, just before`).toHaveLength(1);
      expect(await read(end), `${name}, at the instant`).toHaveLength(0);
      expect(await read(end + hour), `${name}, later`).toHaveLength(0);
    }
  });

  test("and no longer counted when it was archived before, as lists of what is archived leave it out", async () => {
    const { id } = await ada.keep("brief", "gone at noon", { expiresAt: end });
    await archiveOne(ada.at(now), await resolveOne(ada.at(now), { id }));
    for (const [at, count] of [[end - 1, 1], [end, 0]] as const) {
      expect((await stats(ada.at(at))).archived).toBe(count);
      expect((await list(ada.at(at), { limit: 10, archived: true })).memories).toHaveLength(count);
    }
  });

  test("by tools and resources of the running server", async () => {
    await ada.keep("lasting", "noon is lunch time", {}, Date.now());
    const { id } = await ada.keep("brief", "gone before noon", { expiresAt: Date.now() + 150 }, Date.now());
    await new Promise((resolve) => setTimeout(resolve, 160));
    const uri = `omnimemory://memory/${id}`;
    const answers = await Promise.all([
      ada.call("omn_retrieve_memory", { query: "noon" }), ada.call("omn_retrieve_memory", { key: "*" }), ada.call("omn_list_memories", { full: true }),
      ada.call("omn_export_memories"), ada.call("omn_memory_stats"), ada.call("search", { query: "noon" }), ada.call("smart_resume"),
      ada.call("read_memory", { key: "brief" }), ada.call("list_memories"), ada.call("fetch", { id }), ada.call("omn_update_memory", { id, content: "back" }),
      ada.call("omn_forget_memory", { key: "brief" }), ada.call("delete_memory", { key: "brief" }),
    ]);
    for (const answer of answers) expect(`${answer.text}${JSON.stringify(answer.structured)}`).not.toMatch(/gone before/);
    for (const method of ["resources/list", "resources/read"]) {
      const { body } = await rpc(ada.token, method, method === "resources/read" ? { uri: "omnimemory://memories/recent" } : {});
      expect(JSON.stringify(body)).toContain("lunch time");
      expect(JSON.stringify(body)).not.toMatch(/gone before|"brief"/);
    }
    expect((await rpc(ada.token, "resources/read", { uri })).body.error).toBeDefined();
    expect(answers[4]?.structured).toMatchObject({ total: 1 });
  });

  test("an expiry in the past is refused; a later one, or none, keeps the memory", async () => {
    await expect(ada.remember("x", { expiresAt: now })).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
    const { id } = await ada.keep("brief", "gone at noon", { expiresAt: end });
    await revise(ada.at(now + minute), { target: { id }, changes: { expiresAt: null } });
    expect(await ada.listed(end)).toEqual(["gone at noon"]);
  });
});

describe("the key of an expired memory [S14]", () => {
  test("is free at once, for a new memory without the old one's past", async () => {
    const old = await ada.keep("brief", "gone at noon", { expiresAt: end, tags: ["old"] });
    const { outcome, memory } = await ada.remember("a new start", { key: "brief" }, end);
    expect(outcome).toBe("created");
    expect(memory).toMatchObject({ version: 1, tags: [] });
    expect(memory.id).not.toBe(old.id);
    expect(await ada.search("noon start", {}, end)).toEqual(["a new start"]);
    expect(await ada.search("noon", { asOf: now }, end)).toEqual([]);
    expect(await rowsLeft("versions", "memory_id", old.id)).toBe(0);
    expect(await team.index.verify(team.ref)).toEqual({ rebuilt: false });
  });

  test("is free for an import and for a rename, too, and taken by one of many writers", async () => {
    await ada.keep("a", "gone", { expiresAt: end });
    await ada.keep("b", "gone", { expiresAt: end });
    await ada.keep("c", "gone", { expiresAt: end });
    const late = now + 10 * hour;
    const { id } = await ada.keep("other", "moves", {}, late);
    expect(await revise(ada.at(late), { target: { id }, changes: { key: "a" } })).toMatchObject({ outcome: "updated" });
    expect((await ada.call("omn_import_memories", { memories: [{ key: "b", content: "arrives" }] })).structured).toMatchObject({ created: 1 });
    const outcomes = await Promise.all(Array.from({ length: 6 }, (_, n) => ada.remember(`writer ${n}`, { key: "c" }, late)));
    expect(outcomes.map(({ memory }) => memory.version).sort()).toEqual([1, 2, 3, 4, 5, 6]);
    expect((await ada.listed(late)).filter((content) => content === "gone")).toEqual([]);
  });
});

describe("the sweep purges what has expired [S14] [S15]", () => {
  test("with all versions and tags, from the index too, and no trace of its text stays", async () => {
    const { id } = await ada.keep("brief", "gone at noon", { expiresAt: end, tags: ["t"], idempotencyKey: "i" });
    await ada.keep("brief", "gone for good", { expiresAt: end, tags: ["t"] }, now + minute);
    await ada.keep("lasting", "stays");
    expect(await rowsLeft("versions", "memory_id", id)).toBe(2);

    await sweep(services.maintenance, end - 1);
    expect(await ada.search("gone", {}, end - 1)).toEqual(["gone for good"]);
    expect(await segmentsOf(team.index)).toMatch(/noon/);
    expect((await sweep(services.maintenance, end)).purged).toBeGreaterThanOrEqual(1);

    for (const [table, column] of [["memories", "id"], ["versions", "memory_id"], ["memory_tags", "memory_id"], ["idempotency", "memory_id"]] as const) {
      expect(await rowsLeft(table, column, id), table).toBe(0);
    }
    expect(await team.index.stats(team.ref)).toMatchObject({ documents: 1 });
    expect(await runDurableObjectAlarm(team.index), "what merges the full-text segments is due").toBe(true);
    expect(await segmentsOf(team.index)).not.toMatch(/gone|noon|good/);
    expect(await ada.listed(end)).toEqual(["stays"]);
    expect(await ada.search("gone noon stays", {}, end)).toEqual(["stays"]);
    expect(await team.index.verify(team.ref)).toEqual({ rebuilt: false });
  });

  test("and spares one that got a new expiry while the sweep was on its way", async () => {
    const { id } = await ada.keep("brief", "gone at noon", { expiresAt: end });
    const { store, index } = services.maintenance;
    const expired = (await store.expired("SHARD_0", end, 500)).filter((memory) => memory.teamId === team.id);
    expect(expired).toHaveLength(1);
    await revise(ada.at(end - 1), { target: { id }, changes: { expiresAt: end + hour } });
    await index.purge({ teamId: team.id, organizationId: team.organizationId, shard: "SHARD_0" }, end, expired);
    expect(await ada.listed(end)).toEqual(["gone at noon"]);
  });
});

test("what expired goes though another team's cannot be purged, which has more of it than a sweep takes at once [S14]", async () => {
  const page = Array.from({ length: 1_001 }, (_, i) => ({ teamId: i < 1_000 ? "stuck" : team.id, id: `${i}`, version: 1, visibility: "private" }));
  const { store, index } = services.maintenance;
  const purged: string[] = [];
  const ref = { ...team.ref, organizationId: ada.principal.organizationId };
  await sweep({
    ...services.maintenance,
    teams: { listTeams: async (after = "") => (after === "" ? [{ ...ref, teamId: "stuck" }, ref] : []) },
    store: Object.assign(Object.create(store) as typeof store, {
      expired: async (_shard: string, _now: number, limit: number, exceptTeams: readonly string[] = []) => page.filter(({ teamId }) => !exceptTeams.includes(teamId)).slice(0, limit),
    }),
    index: Object.assign(Object.create(index) as typeof index, {
      purge: async ({ teamId }: { teamId: string }) => {
        if (teamId === "stuck") throw new Error("away");
        purged.push(teamId);
      },
    }),
    report: () => undefined,
  }, end);
  expect(purged).toEqual([team.id]);
  await ada.keep("brief", "gone at noon", { expiresAt: end });
  const expired = async (except: string[]) => (await store.expired(team.ref.shard, end, 10_000, except)).filter(({ teamId }) => teamId === team.id).length;
  expect([await expired([]), await expired([team.id])]).toEqual([1, 0]);
});
