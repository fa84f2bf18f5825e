import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { extractGraph } from "../../../src/domain/graph/extract-graph.ts";
import type { TeamRef } from "../../../src/domain/tenancy/team-ref.ts";
import { D1GraphWriter } from "../../../src/platform/d1/graph-writer.ts";
import { toMemory } from "../../../src/platform/d1/sealed-rows.ts";
import { memories } from "../../../src/platform/d1/shard-schema.ts";
import { now, type Team } from "../../support/team.ts";

export const graphWriter = new D1GraphWriter((name) => (env as unknown as Record<string, D1Database>)[name] as D1Database);

export const teamRefOf = (team: Team): TeamRef => ({ teamId: team.id, organizationId: team.organizationId, shard: team.owner.principal.shard });

/** What the stage that draws the graph does once it has caught up: it goes through all memories of the team. */
export async function redraw(team: Team, at = now): Promise<void> {
  const rows = await drizzle(env.SHARD_0).select().from(memories).where(eq(memories.teamId, team.id)).orderBy(memories.seq);
  await extractGraph({ graph: graphWriter }, teamRefOf(team), at, rows.map(toMemory));
}

const tables = ["entities", "entity_mentions", "entity_tokens", "relationships", "relationship_mentions", "relationship_tokens", "memory_links", "memory_references"] as const;

/** All that the graph holds of a team, as the disk has it, without the numbers of rows. */
export async function stored(team: Team): Promise<Record<string, unknown[]>> {
  const found: Record<string, unknown[]> = {};
  for (const table of tables) {
    const { results } = await env.SHARD_0.prepare(`SELECT * FROM ${table} WHERE team_id = ?`).bind(team.id).all();
    found[table] = results.map(({ row: _row, entity_row: _entity, relationship_row: _relationship, ...rest }) => JSON.stringify(rest)).sort();
  }
  return found;
}
