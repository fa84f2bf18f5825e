import { counts, type Prevention } from "../../domain/metrics/prevention.ts";
import type { PreventionRow, PreventionStore } from "../../domain/metrics/prevention-store.ts";
import type { Principal } from "../../domain/tenancy/principal.ts";
import type { ShardOf } from "./shard-of.ts";

const columnOf = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const columns = counts.map(columnOf);

const dayMs = 86_400_000;
const spans = { hour: 3_600_000, day: dayMs } as const;

const add = `INSERT INTO prevention (team_id, user_id, period, start, operation, ${columns.join(", ")})
  SELECT ?1, value ->> '$.userId', value ->> '$.period', value ->> '$.start', value ->> '$.operation', ${counts.map((name) => `value ->> '$.${name}'`).join(", ")} FROM json_each(?2)
  WHERE NOT EXISTS (SELECT 1 FROM team_policies WHERE team_id = ?1 AND closed_at IS NOT NULL)
  ON CONFLICT (team_id, user_id, period, start, operation) DO UPDATE SET ${columns.map((column) => `${column} = ${column} + excluded.${column}`).join(", ")}`;

const read = `SELECT start, operation, ${counts.map((name, i) => `${columns[i]} AS ${name}`).join(", ")} FROM prevention
  WHERE team_id = ?1 AND user_id = ?2 AND period = ?3 AND start >= ?4 ORDER BY start, operation`;

/** In the shard of the team's memories. */
export class D1PreventionStore implements PreventionStore {
  readonly #shardOf: ShardOf;

  constructor(shardOf: ShardOf) {
    this.#shardOf = shardOf;
  }

  async add({ teamId, userId, shard }: Principal, now: number, measured: ReadonlyMap<string, Prevention>): Promise<void> {
    const rows = [...measured].flatMap(([operation, sums]) => [
      ...["", userId].flatMap((who) => Object.entries(spans).map(([period, ms]) => ({ userId: who, period, start: now - (now % ms), operation, ...sums }))),
      { userId: "", period: "total", start: 0, operation, ...sums },
    ]);
    await this.#shardOf(shard).prepare(add).bind(teamId, JSON.stringify(rows)).run();
  }

  async read({ teamId, userId, shard }: Principal, { of, period, since }: Parameters<PreventionStore["read"]>[1]): Promise<PreventionRow[]> {
    // The period in which the time begins counts whole.
    const { results } = await this.#shardOf(shard).prepare(read).bind(teamId, of === "own" ? userId : "", period, since - (since % spans[period])).all<PreventionRow>();
    return results;
  }

  async totals({ teamId, shard }: Principal): Promise<PreventionRow[]> {
    const { results } = await this.#shardOf(shard).prepare(read).bind(teamId, "", "total", 0).all<PreventionRow>();
    return results;
  }
}
