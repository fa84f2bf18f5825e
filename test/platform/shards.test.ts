import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { sweep } from "../../src/domain/memories/sweep.ts";
import { newTeam, now, services, sisterOf, type Team } from "../support/team.ts";
import { day, onlyOpen } from "../domain/tenancy/tenant.ts";

/** A team whose memories are in this shard and no other. */
async function teamIn(shard: string, create: (shard: string) => Promise<Team>): Promise<Team> {
  await onlyOpen(shard);
  const team = await create(shard);
  expect(team.owner.principal.shard).toBe(shard);
  return team;
}

/** Rows of the team in each table of a shard that knows teams. */
async function rowsOf(shard: D1Database, teamId: string): Promise<Record<string, number>> {
  const tables = ["memories", "versions", "memory_tags", "outbox", "idempotency", "counters", "audit"];
  const counts = await shard.batch<{ n: number }>(tables.map((table) => shard.prepare(`SELECT count(*) AS n FROM ${table} WHERE team_id = ?`).bind(teamId)));
  return Object.fromEntries(tables.map((table, i) => [table, counts[i]?.results[0]?.n ?? -1]));
}

const nothing = { memories: 0, versions: 0, memory_tags: 0, outbox: 0, idempotency: 0, counters: 0, audit: 0 };

describe("two shards [S13] [S6]", () => {
  test("each team's data is in its own shard only, and both teams work side by side", async () => {
    const left = await teamIn("SHARD_0", newTeam);
    const right = await teamIn("SHARD_1", newTeam);
    for (const { owner } of [left, right]) {
      await owner.call("omn_store_memory", { key: "office", content: `the office of ${owner.id}`, metadata: { tags: ["place"] }, idempotency_key: "once" });
      await owner.call("omn_store_memory", { key: "office", content: `the new office of ${owner.id}` });
      await owner.call("omn_import_memories", { memories: [{ key: "more", content: "more of it" }] });
    }
    for (const { owner } of [left, right]) {
      const found = await owner.call("omn_retrieve_memory", { query: "office" });
      expect(found.structured["memories"].map((memory: { content: string }) => memory.content)).toEqual([`the new office of ${owner.id}`]);
      expect((await owner.call("omn_memory_stats")).structured).toMatchObject({ total: 2, versions: 3 });
    }
    const full = { memories: 2, versions: 3, memory_tags: 1, outbox: 3, idempotency: 1, counters: 1, audit: 3 };
    expect([await rowsOf(env.SHARD_0, left.id), await rowsOf(env.SHARD_1, left.id)]).toEqual([full, nothing]);
    expect([await rowsOf(env.SHARD_0, right.id), await rowsOf(env.SHARD_1, right.id)]).toEqual([nothing, full]);
  });

  test("public memories are found across the shards of an organization [A13]", async () => {
    const left = await teamIn("SHARD_0", newTeam);
    const right = await teamIn("SHARD_1", () => sisterOf(left));
    await left.owner.keep("left.menu", "gazpacho on monday", { visibility: "public" });
    await right.owner.keep("right.menu", "gazpacho on friday", { visibility: "public" });
    for (const { owner } of [left, right]) {
      expect((await owner.search("gazpacho")).sort()).toEqual(["gazpacho on friday", "gazpacho on monday"]);
      expect((await owner.recall({ key: "left.menu" })).map(({ memory }) => memory.content)).toEqual(["gazpacho on monday"]);
      expect((await owner.recall({ key: "right.menu" })).map(({ memory }) => memory.content)).toEqual(["gazpacho on friday"]);
    }
    await right.index.rebuild(right.ref);
    expect(await right.owner.search("friday")).toEqual(["gazpacho on friday"]);
  });

  test("the sweep serves all shards [S14]", async () => {
    const teams = [await teamIn("SHARD_0", newTeam), await teamIn("SHARD_1", newTeam)];
    for (const { owner } of teams) {
      await owner.keep("brief", "gone tomorrow", { expiresAt: now + day });
      await owner.commitOnly("missed by the index");
    }
    const report = await sweep(services.maintenance, now + day);
    expect(report.purged).toBe(2);
    for (const team of teams) {
      expect(await rowsOf(env[team.owner.principal.shard as "SHARD_0"], team.id)).toMatchObject({ memories: 1, versions: 1 });
      expect((await team.index.stats(team.ref)).documents).toBe(1);
      expect(await team.owner.search("missed gone", {}, now + day)).toEqual(["missed by the index"]);
    }
  });
});
