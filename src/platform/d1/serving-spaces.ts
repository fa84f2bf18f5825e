import { measuredScale } from "../../domain/embedding/measured-scales.ts";
import type { ServingSpace } from "../../domain/recall/retrievers/vector-retriever.ts";
import type { TeamRef } from "../../domain/tenancy/team-ref.ts";
import type { ShardOf } from "./shard-of.ts";
import { TtlCache } from "../../domain/ttl-cache.ts";

/** A tenth of the time for which a space is kept after it stopped serving (`retireAfterMs`). */
const rememberMs = 60_000;

const serving = `SELECT s.space, c.unrelated, c.related, c.pairs FROM serving_spaces s
  LEFT JOIN similarity_scales c ON c.team_id = s.team_id AND c.space = s.space WHERE s.team_id = ?1`;

type Row = { space: string; unrelated: number | null; related: number | null; pairs: number | null };

/** The space that answers a team's queries and its scale, remembered for a while, since both hardly ever change. */
export class ServingSpaces {
  readonly #shardOf: ShardOf;
  readonly #known = new TtlCache<ServingSpace>(rememberMs);

  constructor(shardOf: ShardOf) {
    this.#shardOf = shardOf;
  }

  /** `undefined`: nothing of the team was embedded yet. */
  of({ teamId, shard }: Pick<TeamRef, "teamId" | "shard">, now: number): Promise<ServingSpace | undefined> {
    return this.#known.get(teamId, now, async () => {
      const row = await this.#shardOf(shard).prepare(serving).bind(teamId).first<Row>();
      return row ? toServingSpace(row) : undefined;
    });
  }
}

/** A scale that came with the model was measured on more texts than any team's own. */
function toServingSpace({ space, unrelated, related, pairs }: Row): ServingSpace {
  const own = unrelated === null || related === null || pairs === null ? undefined : { unrelated, related, pairs };
  const scale = measuredScale(space) ?? own;
  return { space, ...(scale ? { scale } : {}) };
}
