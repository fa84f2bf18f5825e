import type { LinkChange, LinkDecayStore, LinkFacts } from "../../domain/evolution/link-decay.ts";
import type { WriteContext } from "../../domain/memories/memory-store.ts";
import type { Principal } from "../../domain/tenancy/principal.ts";
import type { TeamRef } from "../../domain/tenancy/team-ref.ts";
import { auditMemories } from "./memory-audit.ts";
import type { ShardOf } from "./shard-of.ts";
import { isVisibleKey } from "../visibility-sql.ts";

/** Parameters: ?1 team, ?2 now. */
const isOpen = (m: string): string => `${m}.archived_at IS NULL AND ${m}.quarantine IS NULL AND ${m}.sensitivity = 'normal' AND (${m}.expires_at IS NULL OR ${m}.expires_at > ?2)`;
const derived = (l: string): string => `${l}.origin = 'explicit' AND ${l}.made_by IN ('rule', 'model')`;
const isSame = "l.team_id = ?1 AND l.source_id = c.source_id AND l.target_id = c.target_id AND l.type = c.type";
const audience = "iif(s.home = '', t.home, s.home) AS audience";

/** Adds: ?3–?5 the ends and type above which, ?6 limit. */
const derivedAfter = `SELECT l.source_id AS source, l.target_id AS target, l.type, ${audience}, l.strength, coalesce(l.base, l.strength) AS base, l.created_at AS madeAt,
    iif(s.accessed_at >= l.created_at AND t.accessed_at >= l.created_at, max(s.accessed_at, t.accessed_at), NULL) AS usedAt,
    EXISTS (SELECT 1 FROM link_changes c WHERE ${isSame} AND c.team_id = ?1 AND c.undone_at IS NOT NULL) AS isHeld
  FROM memory_links l
    CROSS JOIN memories s ON s.team_id = ?1 AND s.id = l.source_id AND ${isOpen("s")}
    CROSS JOIN memories t ON t.team_id = ?1 AND t.id = l.target_id AND ${isOpen("t")}
  WHERE l.team_id = ?1 AND l.made_by IN ('rule', 'model') AND l.origin = 'explicit' AND (l.source_id, l.target_id, l.type) > (?3, ?4, ?5)
  ORDER BY l.source_id, l.target_id, l.type LIMIT ?6 + 0`;

/** Parameters: ?1 team, ?2 changes as JSON. Of links that are as they were seen, by a principal who sees both ends: ?3. */
const seen = (m: string, end: string): string => `CROSS JOIN memories ${m} ON ${m}.team_id = ?1 AND ${m}.id = l.${end}_id AND ${m}.home ${isVisibleKey("", "?3")}`;
const wanted = `FROM json_each(?2) e CROSS JOIN memory_links l ON l.team_id = ?1 AND l.source_id = e.value ->> '$.source' AND l.target_id = e.value ->> '$.target'
    AND l.type = e.value ->> '$.type' AND l.strength = e.value ->> '$.from' AND ${derived("l")} ${seen("s", "source")} ${seen("t", "target")}`;

/** Adds: ?4 run. */
const record = `INSERT INTO link_changes (team_id, run_id, source_id, target_id, type, before, after)
  SELECT ?1, ?4, l.source_id, l.target_id, l.type,
    json_object('strength', l.strength, 'base', l.base, 'reason', l.reason, 'created_at', l.created_at, 'created_by', l.created_by, 'made_by', l.made_by), e.value ->> '$.to'
  ${wanted} WHERE true ON CONFLICT DO NOTHING`;
const weaken = `UPDATE memory_links SET base = coalesce(memory_links.base, memory_links.strength), strength = w.wish
  FROM (SELECT l.source_id, l.target_id, l.type, e.value ->> '$.to' AS wish ${wanted} WHERE e.value ->> '$.to' IS NOT NULL) w
  WHERE memory_links.team_id = ?1 AND memory_links.source_id = w.source_id AND memory_links.target_id = w.target_id AND memory_links.type = w.type`;
const drop = `DELETE FROM memory_links WHERE team_id = ?1 AND (source_id, target_id, type) IN (SELECT l.source_id, l.target_id, l.type ${wanted} WHERE e.value ->> '$.to' IS NULL)`;

type Stored = Omit<LinkFacts, "isHeld"> & { isHeld: number };

export class D1LinkDecayStore implements LinkDecayStore {
  readonly #shardOf: ShardOf;

  constructor(shardOf: ShardOf) {
    this.#shardOf = shardOf;
  }

  async derivedAfter({ teamId, shard }: TeamRef, now: number, after: string, limit: number): Promise<LinkFacts[]> {
    const [source = "", target = "", type = ""] = after.split(" ");
    const { results } = await this.#shardOf(shard).prepare(derivedAfter).bind(teamId, now, source, target, type, limit).all<Stored>();
    return results.map((row) => ({ ...row, isHeld: row.isHeld === 1 }));
  }

  async change(principal: Principal, write: WriteContext, run: string, changes: readonly LinkChange[]): Promise<void> {
    const d1 = this.#shardOf(principal.shard);
    const bound = [principal.teamId, JSON.stringify(changes), principal.userId] as const;
    await d1.batch([
      d1.prepare(record).bind(...bound, run),
      d1.prepare(weaken).bind(...bound),
      d1.prepare(drop).bind(...bound),
      auditMemories(d1, principal, write, { action: "evolve", count: changes.length }),
    ]);
  }
}
