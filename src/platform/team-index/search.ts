import type { MemoryFilter } from "../../domain/ports.ts";
import { compileKeyPattern } from "../d1/key-pattern.ts";

export interface Viewer {
  userId: string;
  teamId: string;
}

export interface IndexQuery {
  viewer: Viewer;
  now: number;
  /** Distinct words, at least one matches. */
  terms: string[];
  filter: MemoryFilter;
  limit: number;
  asOf: number | undefined;
  /** Leave out the viewer's own team: the organization's index is asked for the others only. */
  othersOnly: boolean;
}

/** A look-up in the past; the present is looked up in the truth. */
export interface PastQuery extends Pick<IndexQuery, "viewer" | "filter" | "limit"> {
  at: number;
  /** With `*` for any characters. */
  key: string | undefined;
}

export interface IndexHit {
  [column: string]: SqlStorageValue;
  id: string;
  teamId: string;
  shard: string;
  score: number;
}

/** FTS5 reads a quoted string as text: no word of a query is ever syntax. */
const matchAny = (terms: string[]): string => terms.map((term) => `"${term.replaceAll('"', '""')}"`).join(" OR ");

const filters: { [K in keyof MemoryFilter]-?: string } = {
  tags: "NOT EXISTS (SELECT 1 FROM json_each(?) w WHERE w.value NOT IN (SELECT value FROM json_each(d.tags)))",
  namespaces: `EXISTS (SELECT 1 FROM json_each(?) n WHERE CASE WHEN substr(n.value, -1) = '*'
    THEN substr(d.namespace, 1, length(n.value) - 1) = substr(n.value, 1, length(n.value) - 1) ELSE d.namespace = n.value END)`,
  visibility: "d.visibility = ?",
  type: "d.type = ?",
  minImportance: "d.importance >= ?",
  changedSince: "d.updated_at >= ?",
  author: "d.author_id = ?",
};

/**
 * The best documents for any of the words. FTS5 yields them in rank order and the conditions are tested row by
 * row until `limit` have passed, so what the viewer may not see never takes a place among the candidates.
 */
export function searchDocuments(sql: SqlStorage, query: IndexQuery): IndexHit[] {
  const present = rank(sql, "now_fts", query, query.asOf === undefined ? "d.until_at IS NULL" : "d.from_at <= ?1", query.asOf);
  if (query.asOf === undefined) return present;
  const past = rank(sql, "past_fts", query, "d.from_at <= ?1 AND d.until_at > ?1", query.asOf);
  return [...present, ...past].sort((a, b) => b.score - a.score).slice(0, query.limit);
}

/** What was current at the instant and fits key and filter; one's own first, then the newest. */
export function documentsAt(sql: SqlStorage, { viewer, filter, limit, at, key }: PastQuery): IndexHit[] {
  const pattern = key === undefined ? undefined : compileKeyPattern(key);
  const { conditions, parameters } = allowed({ viewer, filter, now: at, othersOnly: false, terms: [] }, at);
  const rows = sql.exec<IndexHit & { key: string | null }>(
    `SELECT d.memory_id AS id, d.team_id AS teamId, s.shard AS shard, 0 AS score, d.key AS key
     FROM docs d CROSS JOIN sources s ON s.team_id = d.team_id
     WHERE d.from_at <= ?1 AND (d.until_at IS NULL OR d.until_at > ?1) AND d.archived = 0 AND ${conditions.join(" AND ")}
     ORDER BY d.visibility = 'private' DESC, d.from_at DESC, d.doc DESC`,
    ...parameters,
  );
  const hits: IndexHit[] = [];
  for (const { key: found, ...hit } of rows) {
    if (pattern && (found === null || !pattern.matches(found))) continue;
    if (hits.push(hit as IndexHit) === limit) break;
  }
  return hits;
}

/** What the viewer may see and the filter lets through. ?1 is the instant or unused, ?2 the words. */
function allowed(query: Omit<IndexQuery, "asOf" | "limit">, asOf: number | undefined): { conditions: string[]; parameters: SqlStorageValue[] } {
  // Numbered parameters, since the conditions vary.
  const parameters: SqlStorageValue[] = [asOf ?? null, matchAny(query.terms), query.viewer.teamId, query.viewer.userId, asOf ?? query.now];
  const conditions = [
    "(d.visibility <> 'private' OR d.owner_id = ?4)",
    query.othersOnly ? "d.team_id <> ?3" : "d.team_id = ?3",
    "(d.expires_at IS NULL OR d.expires_at > ?5)",
    // What another has made private since is theirs alone, its past included: it takes no place among the candidates.
    ...(asOf === undefined ? [] : [`EXISTS (SELECT 1 FROM docs p WHERE p.team_id = d.team_id AND p.memory_id = d.memory_id AND p.until_at IS NULL
      AND (p.visibility <> 'private' OR p.owner_id = ?4))`]),
  ];
  for (const [name, condition] of Object.entries(filters)) {
    const value = query.filter[name as keyof MemoryFilter];
    if (value === undefined) continue;
    parameters.push(Array.isArray(value) ? JSON.stringify(value) : value);
    conditions.push(condition.replace("?", `?${parameters.length}`));
  }
  return { conditions, parameters };
}

function rank(sql: SqlStorage, table: string, query: IndexQuery, moment: string, asOf: number | undefined): IndexHit[] {
  const { conditions, parameters } = allowed(query, asOf);
  parameters.push(query.limit);
  return sql
    .exec<IndexHit>(
      `SELECT d.memory_id AS id, d.team_id AS teamId, s.shard AS shard, -f.rank AS score
       FROM ${table} f CROSS JOIN docs d ON d.doc = f.rowid CROSS JOIN sources s ON s.team_id = d.team_id
       WHERE f.${table} MATCH ?2 AND ${[moment, ...conditions].join(" AND ")} ORDER BY f.rank LIMIT ?${parameters.length}`,
      ...parameters,
    )
    .toArray();
}
