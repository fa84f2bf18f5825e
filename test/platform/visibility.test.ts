import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { expect, test } from "vitest";
import { visibilities, visibilityKeyOf, type Visibility } from "../../src/domain/memories/memory.ts";
import { maySee } from "../../src/domain/memories/policy.ts";
import type { Principal } from "../../src/domain/tenancy/principal.ts";
import { visibleTo } from "../../src/platform/d1/memory-conditions.ts";
import { isVisible, isVisibleKey } from "../../src/platform/visibility-sql.ts";

interface Row {
  n: number;
  teamId: string;
  visibility: Visibility;
  ownerId: string;
}

const people = ["ada", "grace"];
const teams = ["one", "two"];
const rows: Row[] = teams.flatMap((teamId) => visibilities.flatMap((visibility) => people.map((ownerId) => ({ teamId, visibility, ownerId })))).map((row, n) => ({ n, ...row }));
const values = rows.map(({ n, teamId, visibility, ownerId }) => `(${n}, '${teamId}', '${visibility}', '${ownerId}', '${visibilityKeyOf(visibility, ownerId)}')`).join(", ");
const table = `memories (n, team_id, visibility, owner_id, home) AS (VALUES ${values})`;

const principal = (teamId: string, userId: string): Principal => ({
  userId, teamId, organizationId: "o", role: "member", scopes: [], shard: "SHARD_0", credential: { kind: "api-key", id: "k" },
});

test.each(teams.flatMap((team) => people.map((user) => [team, user] as const)))("in team %s, %s sees the same memories by the rule and by each of its SQL forms [S6]", async (team, user) => {
  const expected = rows.filter((row) => maySee(principal(team, user), row)).map(({ n }) => n);
  const select = async (condition: string): Promise<number[]> =>
    (await env.SHARD_0.prepare(`WITH ${table} SELECT m.n FROM memories m WHERE m.team_id = ?1 AND ${condition} ORDER BY m.n`).bind(team, user).all<{ n: number }>()).results.map(({ n }) => n);
  expect(await select(isVisible("m", "?2"))).toEqual(expected);
  expect(await select(isVisibleKey("m.home", "?2"))).toEqual(expected);
  const built = await drizzle(env.SHARD_0).all<{ n: number }>(sql`WITH ${sql.raw(table)} SELECT n FROM "memories" WHERE ${visibleTo(principal(team, user))} ORDER BY n`);
  expect(built.map(({ n }) => n)).toEqual(expected);
  expect(expected.length).toBeGreaterThan(2);
});
