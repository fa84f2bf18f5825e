import { and, eq, isNull } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { defaultEvolution, type EvolutionPolicy, type EvolutionPolicyStore } from "../../domain/evolution/evolution-policy.ts";
import type { EnrichableStore } from "../../domain/evolution/enrichment.ts";
import type { EvolutionStore, FactsStep, MemoryFacts } from "../../domain/evolution/facts.ts";
import type { Memory } from "../../domain/memories/memory.ts";
import type { WriteContext } from "../../domain/memories/memory-store.ts";
import { curatorActor, type Principal } from "../../domain/tenancy/principal.ts";
import { auditMemories } from "./memory-audit.ts";
import { idsIn, visibleTo } from "./memory-conditions.ts";
import { teamPolicies } from "./review-schema.ts";
import { toMemory } from "./sealed-rows.ts";
import { memories } from "./shard-schema.ts";
import type { ShardOf } from "./shard-of.ts";

/** Parameters: team, now, the curator's actor, the run. */
const isHeld = `EXISTS (SELECT 1 FROM reverted_memories r JOIN reversions s ON s.team_id = ?1 AND s.id = r.reversion_id AND (s.user_id = ?3 OR s.selection ->> '$.kind' = 'consolidation')
      WHERE r.team_id = ?1 AND r.memory_id = m.id AND r.undo_version IS NOT NULL)
    OR EXISTS (SELECT 1 FROM reverted_memories r WHERE r.team_id = ?1 AND r.reversion_id = ?4 AND r.memory_id = m.id)
    OR EXISTS (SELECT 1 FROM proposals p WHERE p.team_id = ?1 AND p.memory_id = m.id AND p.state = 'pending')`;
const isOpen = `m.archived_at IS NULL AND m.quarantine IS NULL AND m.sensitivity = 'normal' AND (m.expires_at IS NULL OR m.expires_at > ?2)`;
const facts = `SELECT m.id, m.version, m.home AS audience, m.importance, m.tier, m.key IS NOT NULL AS isNamed, m.expires_at IS NOT NULL AS isExpiring,
    m.created_at AS createdAt, m.updated_at AS updatedAt, v.at AS changedAt, m.access_count AS accessCount, m.accessed_at AS accessedAt,
    EXISTS (SELECT 1 FROM memory_links l WHERE l.team_id = ?1 AND l.source_id = m.id) OR EXISTS (SELECT 1 FROM memory_links l WHERE l.team_id = ?1 AND l.target_id = m.id) AS isLinked,
    iif(EXISTS (SELECT 1 FROM json_each(m.enrichment, '$.fields') f WHERE f.value = 'importance'), coalesce(m.enrichment ->> '$.base', m.importance), NULL) AS baseImportance,
    ${isHeld} AS isHeld`;
const version = "CROSS JOIN versions v ON v.team_id = ?1 AND v.memory_id = m.id AND v.version = m.version";
/** Adds: ?5 id above which, ?6 limit. */
const factsAfter = `${facts} FROM memories m ${version} WHERE m.team_id = ?1 AND m.id > ?5 AND ${isOpen} ORDER BY m.id LIMIT ?6 + 0`;
/** Adds: ?5 ids as JSON. */
const factsOf = `${facts} FROM json_each(?5) e CROSS JOIN memories m ON m.team_id = ?1 AND m.id = e.value ${version} WHERE ${isOpen} ORDER BY m.id`;
/** Adds: ?5 id above which, ?6 limit, ?7 the model. What has been superseded is history, which nobody needs to tell apart. */
const toEnrich = `SELECT m.id, m.home AS audience FROM memories m
  WHERE m.team_id = ?1 AND m.id > ?5 AND ${isOpen} AND m.superseded_by IS NULL AND m.value IS NULL AND NOT coalesce(m.trust ->> '$.quarantined', 0)
    AND m.enrichment ->> '$.by' = 'rules' AND json_array_length(m.enrichment, '$.fields') > 0 AND m.enrichment ->> '$.tried' IS NOT ?7 AND NOT (${isHeld})
  ORDER BY m.id LIMIT ?6 + 0`;

const boundOf = ({ team: { teamId }, run, now }: FactsStep) => [teamId, now, curatorActor, run.id] as const;

type Flag = "isNamed" | "isLinked" | "isExpiring" | "isHeld";
type Stored = Omit<MemoryFacts, Flag> & Record<Flag, number>;
const opened = ({ results }: D1Result<Stored>): MemoryFacts[] =>
  results.map((row) => ({ ...row, isNamed: row.isNamed === 1, isLinked: row.isLinked === 1, isExpiring: row.isExpiring === 1, isHeld: row.isHeld === 1 }));

const setPolicy = `INSERT INTO team_policies (team_id, evolution_policy) VALUES (?1, ?2)
  ON CONFLICT (team_id) DO UPDATE SET evolution_policy = excluded.evolution_policy`;

export class D1EvolutionStore implements EvolutionStore, EvolutionPolicyStore, EnrichableStore {
  readonly #shardOf: ShardOf;

  constructor(shardOf: ShardOf) {
    this.#shardOf = shardOf;
  }

  async factsAfter(step: FactsStep, after: string, limit: number): Promise<MemoryFacts[]> {
    return opened(await this.#shardOf(step.team.shard).prepare(factsAfter).bind(...boundOf(step), after, limit).all<Stored>());
  }

  async factsOf(step: FactsStep, ids: readonly string[]): Promise<MemoryFacts[]> {
    return opened(await this.#shardOf(step.team.shard).prepare(factsOf).bind(...boundOf(step), JSON.stringify(ids)).all<Stored>());
  }

  async toEnrich(step: FactsStep, { after, model, limit }: Parameters<EnrichableStore["toEnrich"]>[1]): Promise<{ id: string; audience: string }[]> {
    return (await this.#shardOf(step.team.shard).prepare(toEnrich).bind(...boundOf(step), after, limit, model).all<{ id: string; audience: string }>()).results;
  }

  async whole(principal: Principal, audience: string, ids: string[]): Promise<Memory[]> {
    const rows = await drizzle(this.#shardOf(principal.shard))
      .select()
      .from(memories)
      .where(and(visibleTo(principal), eq(memories.visibilityKey, audience), eq(memories.sensitivity, "normal"), isNull(memories.archivedAt), idsIn(memories.id, ids)));
    return rows.map(toMemory);
  }

  async policy({ teamId, shard }: Principal): Promise<EvolutionPolicy> {
    const [row] = await drizzle(this.#shardOf(shard)).select({ policy: teamPolicies.evolutionPolicy }).from(teamPolicies).where(eq(teamPolicies.teamId, teamId));
    return row?.policy ?? defaultEvolution;
  }

  async setPolicy(principal: Principal, write: WriteContext, policy: EvolutionPolicy): Promise<void> {
    const d1 = this.#shardOf(principal.shard);
    await d1.batch([d1.prepare(setPolicy).bind(principal.teamId, policy), auditMemories(d1, principal, write, { action: "evolution-policy", count: 0 })]);
  }
}
