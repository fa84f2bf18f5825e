import type { TeamHome } from "../../domain/search/vector-index.ts";
import type { ShardOf } from "./memory-store.ts";

/** A tenth of the time for which a space is kept after it stopped serving (`retireAfterMs`). */
const rememberMs = 60_000;
const mostTeams = 1_000;

/** The space that answers a team's queries, remembered for a while, since it changes only with the model. */
export class ServingSpaces {
  readonly #shardOf: ShardOf;
  readonly #known = new Map<string, { space: string; until: number }>();

  constructor(shardOf: ShardOf) {
    this.#shardOf = shardOf;
  }

  /** `undefined`: nothing of the team was embedded yet. */
  async of({ teamId, shard }: Pick<TeamHome, "teamId" | "shard">, now: number): Promise<string | undefined> {
    const known = this.#known.get(teamId);
    if (known && now < known.until) return known.space;
    const row = await this.#shardOf(shard).prepare("SELECT space FROM serving_spaces WHERE team_id = ?1").bind(teamId).first<{ space: string }>();
    if (!row) return undefined;
    if (this.#known.size >= mostTeams) this.#known.clear();
    this.#known.set(teamId, { space: row.space, until: now + rememberMs });
    return row.space;
  }
}
