import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { archiveOne, forget } from "../../src/domain/memories/forget.ts";
import type { Memory, MemoryState } from "../../src/domain/memories/memory.ts";
import { revise } from "../../src/domain/memories/revise.ts";
import { sweep } from "../../src/domain/memories/sweep.ts";
import { statsStatements } from "../../src/platform/d1/memory-stats.ts";
import { day, hour, newTeam, now, type Person, services, type Team } from "../support/team.ts";

const placed = "team_id, home, archived_at IS NOT NULL AS archived, visibility, namespace, type, coalesce(agent_id, '') AS agent_id, coalesce(run_id, '') AS run_id";
/** What the tallies have to say, by the memories themselves. */
const counted = `SELECT ${placed}, count(*) AS memories, sum(sensitivity = 'normal') AS normal, sum((SELECT count(*) FROM versions v WHERE v.team_id = memories.team_id AND v.memory_id = memories.id)) AS versions
  FROM memories WHERE team_id = ?1 AND (archived_at IS NULL OR quarantine IS NULL) GROUP BY 1, 2, 3, 4, 5, 6, 7, 8 ORDER BY 2, 3, 4, 5, 6, 7, 8`;
const tallied = `SELECT team_id, home, archived, visibility, namespace, type, agent_id, run_id, memories, normal, versions FROM memory_tallies WHERE team_id = ?1 ORDER BY 2, 3, 4, 5, 6, 7, 8`;
const tagsCounted = "SELECT m.home, t.value AS tag, count(*) AS memories FROM memories m CROSS JOIN json_each(m.tags) t WHERE m.team_id = ?1 AND m.archived_at IS NULL GROUP BY 1, 2 ORDER BY 1, 2";
const tagsTallied = "SELECT home, tag, memories FROM tag_tallies WHERE team_id = ?1 ORDER BY 1, 2";

const rowsOf = async (team: Team, sql: string) => (await env.SHARD_0.prepare(sql).bind(team.id).all()).results;

async function expectTallied(team: Team): Promise<void> {
  expect(await rowsOf(team, tallied)).toEqual(await rowsOf(team, counted));
  expect(await rowsOf(team, tagsTallied)).toEqual(await rowsOf(team, tagsCounted));
}

const statsOf = (who: Person, at = now, filter = {}) => services.memories.stats(who.principal, at, filter);

test("statistics follow every change of a memory, and no name stays that nothing has any more [A1] [D1]", async () => {
  const team = await newTeam();
  const ada = team.owner;
  const bob = await team.join();
  const change = (key: string, changes: Partial<Omit<MemoryState, "archivedAt">>, at = now) => revise(ada.at(at), { target: { key }, changes });
  await ada.keep("a", "The harbour café", { namespace: "project:p", tags: ["x", "y"], visibility: "private" });
  await ada.keep("b", "The harbour opens at six.", { namespace: "project:p", tags: ["x"], visibility: "shared", agentId: "writer", runId: "r1" });
  await ada.keep("s", "The word for the safe is long.", { sensitivity: "secret", visibility: "private", tags: ["y"] });
  await bob.keep("c", "What Bob alone sees.", { visibility: "private", namespace: "project:hidden", tags: ["z"] });
  await expectTallied(team);
  expect(await statsOf(ada)).toMatchObject({
    total: 3, archived: 0, versions: 3, byVisibility: { private: 2, shared: 1 }, byNamespace: { "project:p": 2 }, byAgent: { writer: 1 }, byRun: { r1: 1 }, topTags: [{ tag: "x", count: 2 }, { tag: "y", count: 2 }],
    contentBytes: "The harbour café".length + 1 + "The harbour opens at six.".length + "The word for the safe is long.".length, lastChangeAt: now, lastCreatedAt: now, vectors: { space: null, indexed: 0, waiting: 2, failed: 0 },
  });
  expect(await statsOf(ada, now, { agentId: "writer" })).toMatchObject({ total: 1, byNamespace: { "project:p": 1 } });
  expect(await statsOf(ada, now, { namespaces: ["project:*"] })).toMatchObject({ total: 2 });
  expect(await statsOf(bob)).toMatchObject({ total: 2, byNamespace: { "project:p": 1, "project:hidden": 1 } });

  await change("a", { content: "The harbour is closed.", tags: ["y", "new"], visibility: "shared" }, now + 1);
  await archiveOne(ada.at(now + 2), (await services.memories.byKey(ada.principal, now, "b", {}))[0] as Memory);
  await change("s", { sensitivity: "normal" }, now + 3);
  await expectTallied(team);
  expect(await statsOf(ada, now + 3)).toMatchObject({ total: 2, archived: 1, versions: 4, topTags: [{ tag: "y", count: 2 }, { tag: "new", count: 1 }], byAgent: {}, lastChangeAt: now + 3 });

  await ada.keep("e", "What lasts for an hour.", { expiresAt: now + hour, tags: ["brief"], visibility: "private" });
  expect(await statsOf(ada, now + 3)).toMatchObject({ total: 3, expiringWithinDay: 1 });
  // It is expired, and nobody has swept it yet.
  expect(await statsOf(ada, now + 2 * hour)).toMatchObject({ total: 2, expiringWithinDay: 0, versions: 4, topTags: [{ tag: "y", count: 2 }, { tag: "new", count: 1 }] });
  await sweep(services.maintenance, now + 2 * hour);
  await expectTallied(team);

  for (const key of ["a", "s"]) {
    const preview = await forget(ada.at(now + day), { key, mode: "erase" });
    await forget(ada.at(now + day), { key, mode: "erase", confirm: "confirm" in preview ? preview.confirm : "" });
  }
  await expectTallied(team);
  expect(await statsOf(ada, now + day)).toMatchObject({ total: 0, archived: 1, versions: 0, averageLength: 0, lastChangeAt: null, topTags: [] });
});

test("no statement of the statistics goes through a team's memories [A1]", async () => {
  for (const sql of statsStatements(["m.agent_id = ?5"])) {
    const parameters = ["t", "u", 1, "vectors", "a"].slice(0, Math.max(...[...sql.matchAll(/\?(\d)/g)].map(([, n]) => Number(n))));
    const { results } = await env.SHARD_0.prepare(`explain query plan ${sql}`).bind(...parameters).all<{ detail: string }>();
    for (const { detail } of results) {
      expect(detail).not.toMatch(/SCAN (?:m|v|f|c|s|memories|vector_items)\b/);
      // By the team alone memories and vectors are not read, only what is kept of them in few rows.
      if (detail.startsWith("SEARCH m USING INDEX") && !detail.includes("tallies")) expect(detail).toMatch(/team_id=\? AND (?:id=\?|seq>\?|expires_at[<>]\?|home=\?)/);
      if (detail.startsWith("SEARCH v ")) expect(detail).toContain("vector_items_missed");
    }
  }
});
