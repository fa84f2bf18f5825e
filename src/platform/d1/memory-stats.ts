import { vectorStageName } from "../../domain/indexing/vector-stage.ts";
import { memoryFields } from "../../domain/memories/memory-fields.ts";
import { quotaUse, type StorageUse, type TeamQuota } from "../../domain/memories/quota.ts";
import type { ScopeFilter, TeamStats, VectorStats } from "../../domain/memories/memory-store.ts";
import type { Principal } from "../../domain/tenancy/principal.ts";
import { filterSql } from "../filter-sql.ts";
import { isVisibleKey } from "../visibility-sql.ts";
import { bindNumbered } from "./memory-sql.ts";

/** Length of a sealed content: an envelope's base64url, from its second dot on, without nonce and tag (28 bytes). As in the triggers of the tallies. */
const sealedBytes = "(length(m.content) - 3 - instr(substr(m.content, 4), '.')) * 3 / 4 - 28";
const lengthOf = (content: string): string => `iif(m.data_key IS NULL, length(${content}), ${sealedBytes})`;

const day = 86_400_000;
const mostNamed = 50;

/** What a filter of statistics asks of is a column of the tallies, too. */
const columns = { value: (field: keyof typeof memoryFields) => `m.${memoryFields[field].name}`, holds: () => "", entries: () => "" };

interface Tally {
  visibility: string;
  namespace: string;
  type: string;
  agent: string;
  run: string;
  archived: number;
  memories: number;
  normal: number;
  versions: number;
  bytes: number;
  characters: number;
  changedAt: number | null;
  createdAt: number | null;
}

/** Read from what triggers keep (`tally-schema.ts`), less what is expired and not swept yet: none goes through the memories. `?1` team, `?2` user, `?3` now, `?4` stage. */
export function statsStatements(asked: readonly string[]): string[] {
  const home = `m.team_id = ?1 AND m.home ${isVisibleKey("", "?2")}`;
  const seen = [home, ...asked].join(" AND ");
  const expired = "memories m INDEXED BY memories_expiring";
  const live = `${seen} AND m.archived_at IS NULL AND (m.expires_at IS NULL OR m.expires_at > ?3)`;
  const normal = `${live} AND m.sensitivity = 'normal'`;
  const isSetAside = "f.team_id = m.team_id AND f.stage = ?4 AND f.space = newest.space AND f.memory_id = m.id AND f.version = m.version";
  const count = (from: string): string => `(SELECT count(*) FROM ${from})`;
  return [
    `SELECT m.visibility, m.namespace, m.type, m.agent_id AS agent, m.run_id AS run, m.archived, m.memories, m.normal, m.versions, m.bytes, m.characters, m.changed_at AS changedAt, m.created_at AS createdAt
      FROM memory_tallies m WHERE ${seen}
      UNION ALL SELECT m.visibility, m.namespace, m.type, coalesce(m.agent_id, ''), coalesce(m.run_id, ''), 0, -1, -(m.sensitivity = 'normal'), -m.version, -${lengthOf("CAST(m.content AS BLOB)")}, -${lengthOf("m.content")}, NULL, NULL
      FROM ${expired} WHERE ${seen} AND m.archived_at IS NULL AND m.expires_at <= ?3`,
    `SELECT tag, sum(n) AS count FROM (SELECT m.tag AS tag, m.memories AS n FROM tag_tallies m WHERE ${home}
      UNION ALL SELECT t.value, -1 FROM ${expired} CROSS JOIN json_each(m.tags) t WHERE ${home} AND m.archived_at IS NULL AND m.expires_at <= ?3) GROUP BY tag HAVING count > 0 ORDER BY count DESC, tag LIMIT 20`,
    `SELECT count(*) AS count FROM ${expired} WHERE ${seen} AND m.archived_at IS NULL AND m.expires_at > ?3 AND m.expires_at <= ?3 + ${day}`,
    // A memory has met the newest space when its last change was followed, nothing set it aside, and no comparison missed its vector since.
    `WITH newest AS (SELECT space, cursor FROM index_progress WHERE team_id = ?1 AND stage = ?4 ORDER BY started_at DESC LIMIT 1)
      SELECT space, (SELECT space FROM serving_spaces WHERE team_id = ?1) AS serving,
        ${count(`index_failures f CROSS JOIN memories m ON ${isSetAside} WHERE f.team_id = ?1 AND ${normal}`)} AS failed,
        ${count(`memories m WHERE m.seq > newest.cursor AND ${normal} AND NOT EXISTS (SELECT 1 FROM index_failures f WHERE ${isSetAside})`)}
        + ${count(`vector_items v INDEXED BY vector_items_missed CROSS JOIN memories m ON m.id = v.id WHERE v.team_id = ?1 AND v.space = newest.space AND v.missed_at IS NOT NULL AND v.kind = 'memory'
          AND v.version <> m.version AND m.seq <= newest.cursor AND ${normal} AND NOT EXISTS (SELECT 1 FROM index_failures f WHERE ${isSetAside})`)} AS waiting
      FROM newest`,
    // Vectors that the last comparison of the serving space did not find.
    `SELECT c.at AS at, ${count(`vector_items v INDEXED BY vector_items_missed CROSS JOIN memories m ON m.id = v.id WHERE v.team_id = ?1 AND v.space = c.space AND v.missed_at = c.at AND v.kind = 'memory' AND ${live}`)} AS missing
      FROM vector_checks c CROSS JOIN serving_spaces s ON s.team_id = c.team_id AND s.space = c.space WHERE c.team_id = ?1 AND c.stage = ?4`,
    "SELECT memories, bytes FROM counters WHERE team_id = ?1",
  ];
}

/** Counts only what the principal may see; how full the team's storage is, coarsely. */
export async function readStats(d1: D1Database, { teamId, userId }: Principal, now: number, filter: ScopeFilter, quota: TeamQuota): Promise<TeamStats> {
  const asked = filterSql(filter, columns);
  const statements = statsStatements(asked.map(({ sql }, i) => sql.replace("?", `?${i + 5}`)));
  const values = [teamId, userId, now, vectorStageName, ...asked.map(({ parameter }) => parameter)];
  const [tallies, tags, expiring, vectors, comparison, stored] = (await d1.batch(statements.map((sql) => bindNumbered(d1, sql, values)))).map(({ results }) => results) as [
    Tally[], TeamStats["topTags"], { count: number }[], Reached[], Comparison[], StorageUse[],
  ];
  const present = tallies.filter(({ archived }) => archived === 0);
  const sum = (of: (tally: Tally) => number, among = present): number => among.reduce((total, tally) => total + of(tally), 0);
  const latest = (of: (tally: Tally) => number | null): number | null => present.reduce<number | null>((last, tally) => Math.max(last ?? 0, of(tally) ?? 0) || null, null);
  const by = (of: (tally: Tally) => string, most = mostNamed): Record<string, number> => {
    const counts = new Map<string, number>();
    for (const tally of present) counts.set(of(tally), (counts.get(of(tally)) ?? 0) + tally.memories);
    const named = [...counts].filter(([name, n]) => name !== "" && n > 0);
    return Object.fromEntries(named.sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)).slice(0, most));
  };
  const total = sum(({ memories }) => memories);
  return {
    total,
    archived: sum(({ memories, archived }) => memories * archived, tallies),
    versions: sum(({ versions }) => versions),
    contentBytes: sum(({ bytes }) => bytes),
    byVisibility: by(({ visibility }) => visibility),
    byNamespace: by(({ namespace }) => namespace),
    byType: by(({ type }) => type, Infinity),
    byAgent: by(({ agent }) => agent),
    byRun: by(({ run }) => run),
    topTags: tags,
    expiringWithinDay: expiring[0]?.count ?? 0,
    lastChangeAt: total === 0 ? null : latest(({ changedAt }) => changedAt),
    lastCreatedAt: total === 0 ? null : latest(({ createdAt }) => createdAt),
    averageLength: total === 0 ? 0 : sum(({ characters }) => characters) / total,
    vectors: toVectorStats(sum(({ normal }) => normal), vectors[0], comparison[0]),
    quota: quotaUse(quota, stored[0] ?? { memories: 0, bytes: 0 }),
  };
}

type Reached = Pick<VectorStats, "space" | "serving" | "failed" | "waiting">;
interface Comparison {
  at: number;
  missing: number;
}

/** Whether the team has any vectors at all would reveal that others write; so somebody who sees none learns nothing. */
function toVectorStats(total: number, reached: Reached | undefined, comparison: Comparison | undefined): VectorStats {
  const { space, serving, failed, waiting } = reached ?? { space: null, serving: null, failed: 0, waiting: total };
  const indexed = total - waiting - failed;
  const known = indexed + failed > 0;
  const compared = known && comparison ? { missing: comparison.missing, compared_at: new Date(comparison.at).toISOString() } : { missing: 0, compared_at: null };
  return { space: known ? space : null, indexed, waiting, failed, ...compared, serving: known ? serving : null };
}
