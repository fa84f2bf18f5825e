import { quotaExceeded, type StorageUse, type TeamQuota } from "../../domain/memories/quota.ts";

/** A team over its quota breaks the column's constraint, and the whole batch. Parameters: team, new memories, most memories, most bytes. */
const requireRoom = `UPDATE counters SET memories = NULL WHERE team_id = ?1 AND ((?2 > 0 AND memories > ?3) OR bytes > ?4)`;
/** The row of a team of which nothing is counted yet; without it there would be nothing to compare. */
const open = "INSERT INTO counters (team_id, seq) VALUES (?1, 0) ON CONFLICT DO NOTHING";
const storageUse = "SELECT memories, bytes FROM counters WHERE team_id = ?1";

/** Refuses what does not fit into the team's quota, in the transaction of the write: of two at once, only one finds the last room. */
export class QuotaGuard {
  readonly #quota: TeamQuota;

  constructor(quota: TeamQuota) {
    this.#quota = quota;
  }

  /** The last statement of the batch, when all has been counted. `created`: how many memories the batch adds. */
  statement(d1: D1Database, teamId: string, created: number): D1PreparedStatement {
    return d1.prepare(requireRoom).bind(teamId, created, this.#quota.maxMemories, this.#quota.maxBytes);
  }

  /** Runs the statements as one transaction that adds no memories; results are theirs. @throws QUOTA_EXCEEDED */
  async batch(d1: D1Database, teamId: string, statements: readonly D1PreparedStatement[]): Promise<D1Result[]> {
    try {
      return (await d1.batch([d1.prepare(open).bind(teamId), ...statements, this.statement(d1, teamId, 0)])).slice(1, -1);
    } catch (error) {
      throw await this.explained(d1, teamId, error);
    }
  }

  /** The batch's error as the caller is to see it. */
  async explained(d1: D1Database, teamId: string, error: unknown): Promise<unknown> {
    const text = error instanceof Error ? `${error.message} ${String(error.cause ?? "")}` : "";
    if (!text.includes("NOT NULL constraint failed: counters.memories")) return error;
    const use = await d1.prepare(storageUse).bind(teamId).first<StorageUse>();
    return quotaExceeded(this.#quota, use ?? { memories: 0, bytes: 0 });
  }
}
