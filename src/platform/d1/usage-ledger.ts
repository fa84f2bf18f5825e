import type { ModelUsage, UsageLedger } from "../../domain/intelligence/model-usage.ts";
import type { TeamRef } from "../../domain/tenancy/team-ref.ts";
import type { ShardOf } from "./shard-of.ts";

type Team = Pick<TeamRef, "teamId" | "shard">;

/** One statement, so that calls side by side cannot take the same tokens. */
const reserve = `INSERT INTO intelligence_usage (team_id, day, model, reserved_tokens)
  SELECT ?1, ?2, ?3, ?4
    WHERE (SELECT coalesce(sum(input_tokens + output_tokens + reserved_tokens), 0) FROM intelligence_usage WHERE team_id = ?1 AND day = ?2) + ?4 <= ?5
  ON CONFLICT (team_id, day, model) DO UPDATE SET reserved_tokens = reserved_tokens + excluded.reserved_tokens`;

const settle = `UPDATE intelligence_usage SET calls = calls + 1, reserved_tokens = reserved_tokens - ?4,
    input_tokens = input_tokens + ?5, output_tokens = output_tokens + ?6, cost_micros = cost_micros + ?7
  WHERE team_id = ?1 AND day = ?2 AND model = ?3`;

const list = `SELECT day, model, calls, input_tokens AS inputTokens, output_tokens AS outputTokens, reserved_tokens AS reservedTokens, cost_micros AS costMicros
  FROM intelligence_usage WHERE team_id = ?1 AND day >= ?2 ORDER BY day DESC, model`;

/** In the shard of the team's memories. */
export class D1UsageLedger implements UsageLedger {
  readonly #shardOf: ShardOf;

  constructor(shardOf: ShardOf) {
    this.#shardOf = shardOf;
  }

  async reserve({ teamId, shard }: Team, { day, model, tokens, limit }: Parameters<UsageLedger["reserve"]>[1]): Promise<boolean> {
    const { meta } = await this.#shardOf(shard).prepare(reserve).bind(teamId, day, model, tokens, limit).run();
    return meta.changes > 0;
  }

  async settle({ teamId, shard }: Team, { day, model, reserved, inputTokens, outputTokens, costMicros }: Parameters<UsageLedger["settle"]>[1]): Promise<void> {
    await this.#shardOf(shard).prepare(settle).bind(teamId, day, model, reserved, inputTokens, outputTokens, costMicros).run();
  }

  async usage({ teamId, shard }: Team, since: string): Promise<ModelUsage[]> {
    const { results } = await this.#shardOf(shard).prepare(list).bind(teamId, since).all<ModelUsage>();
    return results;
  }
}
