import { entityDocument, relationshipDocument, type GraphChange, type GraphDocument } from "../../domain/graph/documents.ts";
import type { EntityType } from "../../domain/graph/graph.ts";
import type { Contribution, GraphWriter } from "../../domain/graph/graph-store.ts";
import type { ChangePage } from "../../domain/indexing/progress-store.ts";
import type { TeamRef } from "../../domain/tenancy/team-ref.ts";
import { jsonArrays } from "./memory-sql.ts";
import type { ShardOf } from "./shard-of.ts";

/**
 * Writes of the graph, in bulk over one JSON parameter. `?1` team, `?2` rows as JSON. Every row names its memory and the
 * version it was extracted from; the statement takes only rows whose memory is still in that version and may be in the graph.
 */
const drawn = "m.team_id = ?1 AND m.id = e.value ->> '$.memory' AND m.version = e.value ->> '$.version' AND m.archived_at IS NULL AND m.sensitivity = 'normal'";
const from = `FROM json_each(?2) e CROSS JOIN memories m ON ${drawn}`;
const value = (name: string): string => `e.value ->> '$.${name}'`;
const theirs = `team_id = ?1 AND memory_id IN (SELECT m.id ${from})`;

const withdraw = [
  `DELETE FROM entity_mentions WHERE ${theirs}`,
  `DELETE FROM relationship_mentions WHERE ${theirs}`,
  `DELETE FROM memory_references WHERE ${theirs}`,
  `DELETE FROM memory_links WHERE team_id = ?1 AND origin = 'drawn' AND source_id IN (SELECT m.id ${from})`,
];

const name = `n.team_id = ?1 AND n.entity = ${value("entity")} AND n.home = m.home AND n.name = ${value("name")}`;
const insertEntities = [
  `INSERT INTO entities (team_id, home, entity, norm, name, id, type)
    SELECT ?1, m.home, ${value("entity")}, ${value("norm")}, ${value("name")}, ${value("id")}, ${value("type")} ${from} WHERE true
    ON CONFLICT (team_id, entity, home, name) DO UPDATE SET type = excluded.type WHERE entities.type <> excluded.type`,
  `INSERT INTO entity_mentions (team_id, memory_id, entity_row, confidence, expires_at)
    SELECT ?1, m.id, n.row, ${value("confidence")}, m.expires_at ${from} CROSS JOIN entities n ON ${name} WHERE true ON CONFLICT DO NOTHING`,
  `INSERT INTO entity_tokens (team_id, token, home, share, row)
    SELECT ?1, t.value ->> '$[0]', m.home, t.value ->> '$[1]', n.row ${from} CROSS JOIN entities n ON ${name} CROSS JOIN json_each(e.value, '$.tokens') t
    WHERE true ON CONFLICT DO NOTHING`,
];

const statement = `r.team_id = ?1 AND r.source = ${value("source")} AND r.home = m.home AND r.type = ${value("type")} AND r.target = ${value("target")}`;
const insertRelationships = [
  `INSERT INTO relationships (team_id, home, source, type, target, id)
    SELECT ?1, m.home, ${value("source")}, ${value("type")}, ${value("target")}, ${value("id")} ${from} WHERE true ON CONFLICT (team_id, source, home, type, target) DO NOTHING`,
  `INSERT INTO relationship_mentions (team_id, memory_id, relationship_row, source_name, target_name, context, valid_from, valid_to, confidence, expires_at)
    SELECT ?1, m.id, r.row, ${value("sourceName")}, ${value("targetName")}, ${value("context")}, ${value("validFrom")}, ${value("validTo")}, ${value("confidence")}, m.expires_at
    ${from} CROSS JOIN relationships r ON ${statement} WHERE true ON CONFLICT DO NOTHING`,
  `INSERT INTO relationship_tokens (team_id, token, home, share, row)
    SELECT ?1, t.value ->> '$[0]', m.home, t.value ->> '$[1]', r.row ${from} CROSS JOIN relationships r ON ${statement} CROSS JOIN json_each(e.value, '$.tokens') t
    WHERE true ON CONFLICT DO NOTHING`,
];

const insertReferences = `INSERT INTO memory_references (team_id, name, memory_id) SELECT ?1, ${value("name")}, m.id ${from} WHERE true ON CONFLICT DO NOTHING`;

/** To name another's key or id is a plain reference; `supersededBy` is said by whoever decided it. Adds: ?3 now. */
const insertLink = (type: string, strength: number, reason: string, ends: string, rest: string): string =>
  `INSERT INTO memory_links (team_id, source_id, target_id, type, strength, reason, origin, created_at)
    SELECT ?1, ${ends}, '${type}', ${strength}, '${reason}', 'drawn', ?3 ${rest} ON CONFLICT DO NOTHING`;

/** A key counts where the memory itself stands and among what is global; never one of another person's private memories. */
const reachable = "o.team_id = ?1 AND o.id <> s.id AND o.home IN ('', s.home) AND o.archived_at IS NULL";
const samePlace = "o.namespace IN (s.namespace, 'global')";

/** Without statistics SQLite prefers a primary key that covers the row, and reads all references (or former ids) of the team for each memory. */
const named = `${from} CROSS JOIN memories s ON s.team_id = ?1 AND s.id = m.id
     CROSS JOIN memory_references r INDEXED BY memory_references_memory ON r.team_id = ?1 AND r.memory_id = s.id`;

/** `?2` the memories of the page. */
const drawLinks = [
  insertLink("references", 0.5, "names its key", "s.id, o.id",
    `${named}
     CROSS JOIN memories o ON o.key = r.name AND ${reachable} AND ${samePlace} WHERE true`),
  insertLink("references", 0.7, "names its id", "s.id, o.id",
    `${named}
     CROSS JOIN memories o ON o.id IN (SELECT r.name UNION ALL SELECT f.memory_id FROM former_ids f WHERE f.team_id = ?1 AND f.former_id = r.name) AND ${reachable} WHERE true`),
  // Others named this memory before it existed, or before it changed.
  insertLink("references", 0.5, "names its key", "s.id, o.id",
    `${from} CROSS JOIN memories o ON o.team_id = ?1 AND o.id = m.id CROSS JOIN memory_references r ON r.team_id = ?1 AND r.name = o.key
     CROSS JOIN memories s ON s.team_id = ?1 AND s.id = r.memory_id WHERE ${reachable} AND ${samePlace}`),
  insertLink("references", 0.7, "names its id", "s.id, o.id",
    `${from} CROSS JOIN memories o ON o.team_id = ?1 AND o.id = m.id CROSS JOIN memory_references r ON r.team_id = ?1
       AND r.name IN (SELECT o.id UNION ALL SELECT f.former_id FROM former_ids f INDEXED BY former_ids_memory WHERE f.team_id = ?1 AND f.memory_id = o.id)
     CROSS JOIN memories s ON s.team_id = ?1 AND s.id = r.memory_id WHERE ${reachable}`),
];

/** Archived memories count, too: superseded ones are often archived. `?2` `[{id, version}]` of the page. */
const drawSupersession = `INSERT INTO memory_links (team_id, source_id, target_id, type, strength, reason, origin, created_at)
  SELECT ?1, o.id, s.id, 'supersedes', 1, coalesce(s.superseded_reason, 'superseded by it'), 'drawn', ?3
  FROM json_each(?2) e CROSS JOIN memories s ON s.team_id = ?1 AND s.id = ${value("memory")} AND s.version = ${value("version")}
   CROSS JOIN memories o ON o.team_id = ?1 AND o.id = s.superseded_by AND o.id <> s.id WHERE s.superseded_by IS NOT NULL ON CONFLICT DO NOTHING`;

export class D1GraphWriter implements GraphWriter {
  readonly #shardOf: ShardOf;

  constructor(shardOf: ShardOf) {
    this.#shardOf = shardOf;
  }

  async contribute({ teamId, shard }: TeamRef, now: number, contributions: Contribution[]): Promise<void> {
    const d1 = this.#shardOf(shard);
    const page = contributions.map(({ memoryId, version }) => ({ memory: memoryId, version }));
    const rows = <T>(of: (contribution: Contribution) => T[]) =>
      jsonArrays(contributions.flatMap((contribution) => of(contribution).map((row) => ({ ...row, memory: contribution.memoryId, version: contribution.version }))));
    const over = (arrays: string[], sql: string[]) => arrays.flatMap((json) => sql.map((text) => d1.prepare(text).bind(teamId, json)));
    const whole = JSON.stringify(page);
    await d1.batch([
      ...over([whole], withdraw),
      ...over(rows(({ entities }) => entities), insertEntities),
      ...over(rows(({ relationships }) => relationships), insertRelationships),
      ...over(rows(({ references }) => references.map((reference) => ({ name: reference }))), [insertReferences]),
      ...[...drawLinks, drawSupersession].map((sql) => d1.prepare(sql).bind(teamId, whole, now)),
    ]);
  }

  async changedDocuments({ teamId, shard }: TeamRef, after: number, limit: number): Promise<ChangePage<GraphChange>> {
    const rows = await this.#shardOf(shard).prepare(changed).bind(teamId, after, limit).raw<[number, "entity" | "relationship", string, string | null]>();
    const items = rows.map(([seq, kind, id, json]): GraphChange => {
      const document = documentFrom(kind, id, json);
      return { seq, kind, id, ...(document ? { document } : {}) };
    });
    return { items, upTo: rows.at(-1)?.[0] ?? after, last: rows.length < limit };
  }
}

/** Parameters: ?1 team, ?2 after, ?3 limit. What has no rows any more is gone. */
const changed = `SELECT o.seq, o.kind, o.id, CASE o.kind
    WHEN 'entity' THEN (SELECT json_group_array(json_array(home, norm = entity, name, type)) FROM (
      SELECT * FROM entities n WHERE n.team_id = ?1 AND n.id = o.id ORDER BY n.norm <> n.entity, n.mentions DESC, n.name))
    ELSE (SELECT json_group_array(json_array(r.home, x.source_name, r.type, x.target_name, x.context)) FROM relationships r
      CROSS JOIN relationship_mentions x ON x.relationship_row = r.row WHERE r.team_id = ?1 AND r.id = o.id
      AND x.memory_id = (SELECT max(memory_id) FROM relationship_mentions WHERE relationship_row = r.row)) END
  FROM graph_outbox o WHERE o.team_id = ?1 AND o.seq > ?2 ORDER BY o.seq LIMIT ?3`;

function documentFrom(kind: "entity" | "relationship", id: string, json: string | null): GraphDocument | undefined {
  const rows = JSON.parse(json ?? "[]") as [string, ...(string | null)[]][];
  const [first] = rows;
  if (!first) return undefined;
  const [visibilityKey] = first;
  if (kind === "entity") return entityDocument(visibilityKey, { id, names: rows.map((row) => row[2] as string), type: first[3] as EntityType });
  const [, source, type, target, temporalContext] = first as [string, string, string, string, string | null];
  return relationshipDocument(visibilityKey, { id, source, type, target, temporalContext });
}
