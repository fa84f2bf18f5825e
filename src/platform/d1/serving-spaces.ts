import type { TeamRef } from "../../domain/tenancy/team-ref.ts";
import type { ShardOf } from "./shard-of.ts";
import { TtlCache } from "../../domain/ttl-cache.ts";

/** A tenth of the time for which a space is kept after it stopped serving (`retireAfterMs`). */
const rememberMs = 60_000;

/** The space that answers a team's queries, remembered for a while, since it changes only with the model. */
export class ServingSpaces {
  readonly #shardOf: ShardOf;
  readonly #known = new TtlCache<string>(rememberMs);

  constructor(shardOf: ShardOf) {
    this.#shardOf = shardOf;
  }

  /** `undefined`: nothing of the team was embedded yet. */
  of({ teamId, shard }: Pick<TeamRef, "teamId" | "shard">, now: number): Promise<string | undefined> {
    return this.#known.get(teamId, now, async () => {
      const row = await this.#shardOf(shard).prepare("SELECT space FROM serving_spaces WHERE team_id = ?1").bind(teamId).first<{ space: string }>();
      return row?.space;
    });
  }
}
