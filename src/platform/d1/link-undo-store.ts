import type { LinkRef, LinkUndoStore } from "../../domain/evolution/link-decay.ts";
import type { WriteContext } from "../../domain/memories/memory-store.ts";
import type { Principal } from "../../domain/tenancy/principal.ts";
import { isVisibleKey } from "../visibility-sql.ts";
import { auditMemories } from "./memory-audit.ts";
import { isReviewing } from "./proposal-store.ts";
import type { ShardOf } from "./shard-of.ts";

/**
 * Parameters: ?1 team, ?2 run, ?3 user, ?4 now. Marks those whose link is as the run left it. Where the team reviews what others see, what was dropped
 * stays so between memories that others see by now: nobody has reviewed it.
 */
const mark = `UPDATE link_changes SET undone_at = ?4 WHERE rowid IN (
    SELECT c.rowid FROM link_changes c
      CROSS JOIN memories s ON s.team_id = ?1 AND s.id = c.source_id AND s.home ${isVisibleKey("", "?3")} AND (s.expires_at IS NULL OR s.expires_at > ?4)
      CROSS JOIN memories t ON t.team_id = ?1 AND t.id = c.target_id AND t.home ${isVisibleKey("", "?3")} AND (t.expires_at IS NULL OR t.expires_at > ?4)
      LEFT JOIN memory_links l ON l.team_id = ?1 AND l.source_id = c.source_id AND l.target_id = c.target_id AND l.type = c.type
    WHERE c.team_id = ?1 AND c.run_id = ?2 AND c.undone_at IS NULL AND iif(c.after IS NULL, l.team_id IS NULL AND NOT (s.home = '' AND t.home = '' AND ${isReviewing}), l.strength = c.after AND l.origin = 'explicit' AND l.made_by IN ('rule', 'model')))
  RETURNING source_id AS source, target_id AS target, type,
    (SELECT iif(s.home = '', t.home, s.home) FROM memories s, memories t WHERE s.team_id = ?1 AND s.id = source_id AND t.team_id = ?1 AND t.id = target_id) AS audience`;
/** Parameters: ?1 team, ?2 run, ?3 user, ?4 now, as marked before in the same batch. */
const restore = `INSERT INTO memory_links (team_id, source_id, target_id, type, strength, base, reason, origin, created_at, created_by, made_by)
  SELECT c.team_id, c.source_id, c.target_id, c.type, c.before ->> '$.strength', c.before ->> '$.base', c.before ->> '$.reason', 'explicit',
    c.before ->> '$.created_at', c.before ->> '$.created_by', c.before ->> '$.made_by'
  FROM link_changes c
    CROSS JOIN memories s ON s.team_id = ?1 AND s.id = c.source_id AND s.home ${isVisibleKey("", "?3")}
    CROSS JOIN memories t ON t.team_id = ?1 AND t.id = c.target_id AND t.home ${isVisibleKey("", "?3")}
  WHERE c.team_id = ?1 AND c.run_id = ?2 AND c.undone_at = ?4
  ON CONFLICT (team_id, source_id, target_id, type) DO UPDATE SET strength = excluded.strength, base = excluded.base`;

/** Apart from what changes links, which the curator alone does. */
export class D1LinkUndoStore implements LinkUndoStore {
  readonly #shardOf: ShardOf;

  constructor(shardOf: ShardOf) {
    this.#shardOf = shardOf;
  }

  async undo(principal: Principal, write: WriteContext, run: string): Promise<LinkRef[]> {
    const d1 = this.#shardOf(principal.shard);
    const bound = [principal.teamId, run, principal.userId, write.now] as const;
    const [marked] = await d1.batch<LinkRef>([d1.prepare(mark).bind(...bound), d1.prepare(restore).bind(...bound)]);
    const undone = marked?.results ?? [];
    if (undone.length > 0) await auditMemories(d1, principal, write, { action: "undo", count: undone.length }).run();
    return undone;
  }
}
