import { type Examination, type Examined, type Findings, type Found, mostExamined, mostInGroup, mostJudged, oftenRead, type Section } from "../../domain/memories/health-findings.ts";
import { fewestLogLines, logSample, longestShortText } from "../../domain/memories/junk.ts";
import type { Principal } from "../../domain/tenancy/principal.ts";
import { isVisible } from "../visibility-sql.ts";

/**
 * What the report card is made of, each section in one statement of one batch. `?1` team, `?2` user, `?3` now, `?4` limit,
 * `?5` what the section asks for. Sections that no index leads to go through a bounded part of the team's memories.
 */
const live = (m: string): string => `${m}.team_id = ?1 AND ${isVisible(m, "?2")} AND (${m}.expires_at IS NULL OR ${m}.expires_at > ?3) AND ${m}.archived_at IS NULL`;
const plain = (m: string): string => `${live(m)} AND ${m}.sensitivity = 'normal'`;
const newest = `m.id > coalesce((SELECT id FROM memories WHERE team_id = ?1 ORDER BY id DESC LIMIT 1 OFFSET ${mostExamined}), '')`;
const oldest = `m.id < coalesce((SELECT id FROM memories WHERE team_id = ?1 ORDER BY id LIMIT 1 OFFSET ${mostExamined}), 'g')`;
const holds = (m: string): string => `${m}.superseded_by IS NULL AND (${m}.valid_to IS NULL OR ${m}.valid_to > ?3)`;

/** Shorter ones are values, which may well be alike in two places. */
const shortestRepeated = 30;
/** Of at most usual importance. */
const isUsual = "m.importance <= 0.5";

const names = ["id", "key", "namespace", "visibility", "ownerId", "type", "importance", "accessCount", "createdAt", "updatedAt", "beginning"] as const satisfies (keyof Examined)[];
const entry = (m: string): string =>
  `${m}.id, ${m}.key, ${m}.namespace, ${m}.visibility, ${m}.owner_id, ${m}.type, ${m}.importance, ${m}.access_count, ${m}.created_at, ${m}.updated_at, iif(${m}.sensitivity = 'normal', substr(${m}.content, 1, 200), '')`;
type Row = unknown[];
const examined = (row: Row, at: number): Examined => Object.fromEntries(names.map((name, i) => [name, row[at + i]])) as unknown as Examined;
/** The column behind so many memories of a row; the first column is the total. */
const behind = (memories: number): number => 1 + memories * names.length;

const total = "count(*) OVER ()";
const found = <T>(rows: Row[], item: (row: Row) => T): Found<T> => ({ total: Number(rows[0]?.[0] ?? 0), items: rows.map(item) });

interface SectionQuery<S extends Section> {
  sql: string;
  /** The value of `?5`. */
  asks?: (examination: Examination<Section>) => string | number;
  read(rows: Row[]): Findings[S];
}

const lines = `length(m.content) - length(replace(m.content, char(10), '')) >= ${fewestLogLines - 1}`;
const isFiled = (m: string): string => `substr(${m}.namespace, 1, 8) = 'project:'`;

const queries: { [S in Section]: SectionQuery<S> } = {
  quarantined: {
    sql: `SELECT ${total}, m.id, m.created_at, m.quarantine FROM memories m WHERE m.team_id = ?1 AND m.quarantine IS NOT NULL AND ${isVisible("m", "?2")}
      AND (m.expires_at IS NULL OR m.expires_at > ?3) ORDER BY m.id DESC LIMIT ?4 + 0`,
    read: (rows) => found(rows, ([, id, createdAt, quarantine]) => ({ id: String(id), createdAt: Number(createdAt), reasons: (JSON.parse(String(quarantine)) as { reasons: string[] }).reasons })),
  },
  duplicates: {
    sql: `WITH alike AS MATERIALIZED (SELECT ${total} AS total, min(m.id) AS first, json_group_array(m.id) AS ids FROM memories m
        WHERE ${plain("m")} AND ${newest} AND m.value IS NULL AND length(m.content) >= ${shortestRepeated}
        GROUP BY m.home, m.namespace, m.agent_id, m.content HAVING count(*) > 1 ORDER BY count(*) DESC, first LIMIT ?4 + 0)
      SELECT alike.total, ${entry("m")}, alike.first FROM alike CROSS JOIN json_each(alike.ids) e CROSS JOIN memories m ON m.team_id = ?1 AND m.id = e.value
      WHERE e.key < ${mostInGroup} ORDER BY alike.first, m.id`,
    read: (rows) => {
      const groups = Map.groupBy(rows, (row) => row[behind(1)]);
      return { total: Number(rows[0]?.[0] ?? 0), items: [...groups.values()].map((group) => group.map((row) => examined(row, 1))).sort((a, b) => b.length - a.length) };
    },
  },
  stale: {
    sql: `SELECT ${total}, ${entry("m")} FROM memories m WHERE ${plain("m")} AND ${oldest} AND ${isUsual} AND m.updated_at < ?5 AND (m.accessed_at IS NULL OR m.accessed_at < ?5)
      ORDER BY m.access_count, m.updated_at LIMIT ?4 + 0`,
    asks: ({ staleBefore }) => staleBefore,
    read: (rows) => found(rows, (row) => examined(row, 1)),
  },
  suspects: {
    sql: `SELECT ${total}, ${entry("m")}, substr(m.content, 1, ${logSample}) FROM memories m
      WHERE ${plain("m")} AND ${newest} AND ${isUsual} AND m.value IS NULL AND (length(m.content) <= ${longestShortText} OR ${lines}) ORDER BY m.id DESC LIMIT ${mostJudged}`,
    read: (rows) => found(rows, (row) => ({ ...examined(row, 1), content: String(row[behind(1)]) })),
  },
  contradicted: {
    sql: `SELECT ${total}, ${entry("s")}, ${entry("t")}, l.reason FROM memory_links l
        CROSS JOIN memories s ON s.team_id = ?1 AND s.id = l.source_id CROSS JOIN memories t ON t.team_id = ?1 AND t.id = l.target_id
      WHERE l.team_id = ?1 AND l.type = 'contradicts' AND ${live("s")} AND ${live("t")} AND ${holds("s")} AND ${holds("t")}
      ORDER BY l.created_at DESC, l.source_id LIMIT ?4 + 0`,
    read: (rows) => found(rows, (row) => ({ first: examined(row, 1), second: examined(row, behind(1)), reason: String(row[behind(2)]) })),
  },
  superseded: {
    sql: `SELECT ${total}, ${entry("m")}, ${entry("s")} FROM memories m CROSS JOIN memories s ON s.team_id = ?1 AND s.id = m.superseded_by
      WHERE m.superseded_by IS NOT NULL AND m.archived_at IS NULL AND ${live("m")} AND (m.valid_to IS NULL OR m.valid_to > ?3) AND ${live("s")} ORDER BY m.id DESC LIMIT ?4 + 0`,
    read: (rows) => found(rows, (row) => ({ memory: examined(row, 1), by: examined(row, behind(1)) })),
  },
  orphaned: {
    sql: `SELECT ${total}, ${entry("m")}, o.type, o.origin, t.id, t.key FROM (
        SELECT l.source_id AS id, l.type, l.origin, l.target_id AS target FROM memory_links l WHERE l.team_id = ?1 AND l.type IN ('extends', 'implements', 'references')
        UNION ALL SELECT m.id, 'superseded by', 'drawn', m.superseded_by FROM memories m WHERE m.team_id = ?1 AND m.superseded_by IS NOT NULL AND m.archived_at IS NULL
      ) o CROSS JOIN memories m ON m.team_id = ?1 AND m.id = o.id CROSS JOIN memories t ON t.team_id = ?1 AND t.id = o.target
      WHERE ${live("m")} AND ${isVisible("t", "?2")} AND t.archived_at IS NOT NULL AND t.quarantine IS NULL AND t.superseded_by IS NULL
        AND NOT EXISTS (SELECT 1 FROM memories n WHERE ${live("n")} AND n.key = t.key)
      ORDER BY m.id DESC, o.target LIMIT ?4 + 0`,
    read: (rows) =>
      found(rows, (row) => {
        const [type, origin, id, key] = row.slice(behind(1)) as [Findings["orphaned"]["items"][0]["type"], "explicit" | "drawn", string, string | null];
        return { memory: examined(row, 1), type, origin, target: { id, key } };
      }),
  },
  citing: {
    sql: `SELECT ${total}, ${entry("m")}, m.citations FROM memories m WHERE ${plain("m")} AND m.citations <> '[]'
        AND EXISTS (SELECT 1 FROM json_each(m.citations) c WHERE c.value ->> '$.path' IN (SELECT value FROM json_each(?5))) ORDER BY m.id DESC LIMIT ${mostJudged}`,
    asks: ({ paths = [] }) => JSON.stringify(paths),
    read: (rows) => found(rows, (row) => ({ ...examined(row, 1), citations: JSON.parse(String(row[behind(1)])) as Findings["citing"]["items"][0]["citations"] })),
  },
  cited: {
    sql: `SELECT ${total}, c.value ->> '$.path' AS file, citing.namespace FROM (SELECT m.citations, m.namespace FROM memories m WHERE ${plain("m")} AND m.citations <> '[]' ORDER BY m.id DESC LIMIT ${mostJudged}) citing
        CROSS JOIN json_each(citing.citations) c GROUP BY file, citing.namespace ORDER BY file LIMIT ${mostJudged}`,
    read: (rows) => found(rows, ([, path, namespace]) => ({ path: String(path), namespace: String(namespace) })),
  },
  unshared: {
    sql: `SELECT ${total}, ${entry("m")} FROM memories m WHERE ${plain("m")} AND ${newest} AND m.visibility = 'private' AND ${isFiled("m")}
        AND (m.access_count >= ${oftenRead} OR m.type IN ('architecture_decision', 'constraint')) AND m.superseded_by IS NULL
        AND EXISTS (SELECT 1 FROM memories s WHERE s.team_id = ?1 AND s.home = '' AND s.namespace = m.namespace AND s.key IS NOT NULL AND s.archived_at IS NULL AND s.owner_id <> ?2)
        AND NOT EXISTS (SELECT 1 FROM memories s WHERE s.team_id = ?1 AND s.home = '' AND s.namespace = m.namespace AND s.key = m.key AND s.archived_at IS NULL)
      ORDER BY m.access_count DESC, m.id DESC LIMIT ?4 + 0`,
    read: (rows) => found(rows, (row) => examined(row, 1)),
  },
  size: {
    sql: `SELECT count(*) FROM (SELECT 1 FROM memories WHERE team_id = ?1 LIMIT ${mostExamined + 1})`,
    read: (rows) => ({ total: Number(rows[0]?.[0] ?? 0), items: [] }),
  },
  twins: {
    sql: `SELECT ${total}, ${entry("m")}, ${entry("s")} FROM memories m CROSS JOIN memories s ON s.team_id = ?1 AND s.home = '' AND s.namespace = m.namespace AND s.key = m.key AND s.archived_at IS NULL
      WHERE ${plain("m")} AND ${newest} AND m.home = ?2 AND m.key IS NOT NULL AND ${plain("s")} ORDER BY m.id DESC LIMIT ?4 + 0`,
    read: (rows) => found(rows, (row) => ({ own: examined(row, 1), shared: examined(row, behind(1)) })),
  },
};

/** For the test of their plans. */
export const healthStatements: Record<Section, string> = Object.fromEntries(Object.entries(queries).map(([section, { sql }]) => [section, sql])) as Record<Section, string>;

export async function examine<S extends Section>(d1: D1Database, { teamId, userId }: Principal, now: number, examination: Examination<S>): Promise<Pick<Findings, S>> {
  const asked = examination.sections.map((section): [S, SectionQuery<Section>] => [section, queries[section] as unknown as SectionQuery<Section>]);
  const bound = asked.map(([, { sql, asks }]) => {
    const values = [teamId, userId, now, examination.limit, asks?.(examination) ?? null];
    // SQLite counts the highest number that a statement names.
    return d1.prepare(sql).bind(...values.slice(0, Math.max(...[...sql.matchAll(/\?(\d)/g)].map(([, n]) => Number(n)))));
  });
  const rows = await Promise.all(bound.map((statement) => statement.raw<Row>()));
  return Object.fromEntries(asked.map(([section, { read }], i) => [section, read(rows[i] ?? [])])) as unknown as Pick<Findings, S>;
}
