import { maxSourceMemories } from "../../domain/memories/memory-store.ts";
import { assumedNames, beginning, countedWords, hub, mostNames, mostPostings, mostSources, mostTouched, rankedPerAnswer, strengthDecimals, maxRareTokenNames, weakest } from "../graph-limits.ts";
import { isVisibleKey } from "../visibility-sql.ts";

/**
 * Reads of the graph, each one statement. `?1` team, `?2` user, `?3` now in all of them. A statement never joins a row of
 * another person's visibility key (column `home`): that, and not a later filter, keeps private names private.
 */
const visibleKeys = isVisibleKey("", "?2");
/** SQLite plans a bare `LIMIT ?n` by its value and compiles the statement anew for every call: 0.2 ms of 0.25 for a search of names that finds nothing. */
const atMost = (parameter: string): string => `LIMIT ${parameter} + 0`;
const aliveName = (row: string): string => `${row}.home ${visibleKeys} AND (${row}.lasting > 0 OR ${row}.until > ?3)`;
const aliveMention = (row: string): string => `(${row}.expires_at IS NULL OR ${row}.expires_at > ?3)`;
const readable = (m: string): string => `${m}.home ${visibleKeys} AND (${m}.expires_at IS NULL OR ${m}.expires_at > ?3)`;
const liveMemory = (m: string): string => `${readable(m)} AND ${m}.archived_at IS NULL`;

/** The main name of what goes by a name: `kubernetes` for `k8s`, when a memory that the viewer may see says so. */
const canonical = (name: string): string =>
  `coalesce((SELECT a.entity FROM entities a WHERE a.team_id = ?1 AND a.norm = ${name} AND a.entity <> a.norm AND ${aliveName("a")}
    ORDER BY a.mentions DESC, a.entity LIMIT 1), ${name})`;

/** All normal names of an entity, its main one first. */
const namesOf = (entity: string): string =>
  `SELECT ${entity} UNION SELECT a.norm FROM entities a WHERE a.team_id = ?1 AND a.entity = ${entity} AND ${aliveName("a")}`;

/** An entity for `entityFrom`: a JSON array of its spellings. */
const spellings = (entity: string): string =>
  `(SELECT json_group_array(json_array(n.id, n.home, n.norm, n.name, n.type, n.mentions, n.weight)) FROM entities n
    WHERE n.team_id = ?1 AND n.entity IN (${namesOf(entity)}) AND ${aliveName("n")})`;

/** Adds: ?4 memory ids. Answers entity, its memories, its spellings. */
export const entitiesOf = `WITH hit AS MATERIALIZED (
    SELECT x.memory_id, ${canonical("n.entity")} AS entity, x.confidence
    FROM json_each(?4) j CROSS JOIN entity_mentions x ON x.team_id = ?1 AND x.memory_id = j.value AND ${aliveMention("x")}
      CROSS JOIN entities n ON n.row = x.entity_row AND n.home ${visibleKeys}
  ), found AS MATERIALIZED (SELECT entity, json_group_array(DISTINCT memory_id) AS memories, max(confidence) AS sure FROM hit GROUP BY entity)
  SELECT f.entity, f.memories, ${spellings("f.entity")} FROM found f ORDER BY f.sure DESC, f.entity`;

/** The newest memories of one name: of a name that thousands mention, no more are read than wanted. */
const newestOf = (row: string, limit: string): string =>
  `json_each((SELECT json_group_array(memory_id) FROM (SELECT x.memory_id FROM entity_mentions x
    WHERE x.entity_row = ${row} AND ${aliveMention("x")} ORDER BY x.memory_id DESC ${atMost(limit)})))`;

/** Adds: ?4 entity ids, ?5 limit. The memories that name them under any of their names. */
export const memoriesOf = `WITH wanted AS MATERIALIZED (
    SELECT DISTINCT ${canonical("n.entity")} AS entity FROM json_each(?4) j
      CROSS JOIN entities n ON n.team_id = ?1 AND n.id = j.value AND ${aliveName("n")}
  ), names AS MATERIALIZED (
    SELECT DISTINCT r.row FROM wanted w CROSS JOIN entities r ON r.team_id = ?1 AND r.entity IN (${namesOf("w.entity")}) AND ${aliveName("r")}
  )
  SELECT DISTINCT m.value FROM names, ${newestOf("names.row", "?5")} m ORDER BY m.value DESC ${atMost("?5")}`;

/** The newest memories of an entity under all its names. */
const newestMentions = (entity: string, most: number): string => `(SELECT json_group_array(id) FROM (
    SELECT DISTINCT m.value AS id FROM entities r, ${newestOf("r.row", String(most))} m
    WHERE r.team_id = ?1 AND r.entity IN (${namesOf(entity)}) AND ${aliveName("r")} ORDER BY id DESC LIMIT ${most}))`;

const hasAliases = (entity: string): string =>
  `EXISTS (SELECT 1 FROM entities a WHERE a.team_id = ?1 AND a.entity = ${entity} AND a.norm <> a.entity AND ${aliveName("a")})`;

/** In the order of `chosen`, which has few rows: reading the statements of each costs more than finding it. */
const relationshipsChosen = `SELECT ${canonical("r.source")}, ${canonical("r.target")}, c.score, r.id, r.home, r.mentions, r.weight, r.type,
  (SELECT json_group_array(json_array(memory_id, source_name, target_name, context, valid_from, valid_to)) FROM (
    SELECT * FROM relationship_mentions x WHERE x.relationship_row = r.row AND ${aliveMention("x")} ORDER BY x.memory_id DESC LIMIT ${mostSources}))
  FROM chosen c CROSS JOIN relationships r ON r.row = c.row ORDER BY c.score DESC, r.mentions DESC, r.row DESC`;

/** Adds: ?4 `[{id, score}]`. Answers entity, score, its spellings, its newest memories. */
export const entitiesNear = `WITH found AS MATERIALIZED (
    SELECT ${canonical("n.entity")} AS entity, max(j.value ->> '$.score') AS score FROM json_each(?4) j
      CROSS JOIN entities n ON n.team_id = ?1 AND n.id = j.value ->> '$.id' AND ${aliveName("n")} GROUP BY 1
  )
  SELECT f.entity, f.score, ${spellings("f.entity")}, ${newestMentions("f.entity", mostSources)}
  FROM found f ORDER BY f.score DESC, f.entity`;

/** Adds: ?4 `[{id, score}]`. */
export const relationshipsNear = `WITH chosen AS MATERIALIZED (
    SELECT r.row, j.value ->> '$.score' AS score FROM json_each(?4) j
      CROSS JOIN relationships r ON r.team_id = ?1 AND r.id = j.value ->> '$.id' AND ${aliveName("r")}
  ) ${relationshipsChosen}`;

/** Adds: ?4 memory ids, ?5 limit. */
export const relationshipsOf = `WITH found AS (
    SELECT DISTINCT x.relationship_row AS row FROM json_each(?4) j
      CROSS JOIN relationship_mentions x ON x.team_id = ?1 AND x.memory_id = j.value AND ${aliveMention("x")}
  ), chosen AS MATERIALIZED (
    SELECT f.row, 0 AS score FROM found f CROSS JOIN relationships r ON r.row = f.row AND ${aliveName("r")} ORDER BY r.mentions DESC, r.row DESC ${atMost("?5")}
  ) ${relationshipsChosen}`;

/**
 * Rows by the words they are found by, best first: the rarity of the words, times the part of the name that they make
 * up. A query of none but common words is led by the rarest of them.
 */
const ranked = (table: string): string => `counted AS MATERIALIZED (
    SELECT j.value AS token, (SELECT count(*) FROM (SELECT 1 FROM ${table} t WHERE t.team_id = ?1 AND t.token = j.value AND t.home ${visibleKeys} LIMIT ${countedWords})) AS df
    FROM (SELECT DISTINCT value FROM json_each(?4)) j
  ), weighed AS MATERIALIZED (SELECT token, df, ln(1 + ${assumedNames}.0 / df) AS rarity FROM counted WHERE df > 0
  ), leading AS MATERIALIZED (
    SELECT token FROM weighed WHERE df <= ${maxRareTokenNames} UNION ALL
    SELECT * FROM (SELECT token FROM weighed WHERE NOT EXISTS (SELECT 1 FROM weighed WHERE df <= ${maxRareTokenNames}) ORDER BY df LIMIT 1)
  ), candidates AS MATERIALIZED (
    SELECT DISTINCT p.value AS row FROM leading l CROSS JOIN (SELECT '' AS home UNION SELECT ?2) h
      CROSS JOIN json_each((SELECT json_group_array(row) FROM (SELECT t.row FROM ${table} t
        WHERE t.team_id = ?1 AND t.token = l.token AND t.home = h.home ORDER BY t.share DESC LIMIT ${mostPostings}))) p
  ), ranked AS MATERIALIZED (
    SELECT c.row, sum(w.rarity) * min(1, sum(t.share)) AS score FROM candidates c CROSS JOIN ${table} t ON t.row = c.row JOIN weighed w ON w.token = t.token
    GROUP BY c.row ORDER BY score DESC, c.row DESC LIMIT ?5 * ${rankedPerAnswer}
  )`;

/** Adds: ?4 words, ?5 limit. Answers entity, score, its spellings and, if it has several names, its newest memories. */
export const findEntities = `WITH ${ranked("entity_tokens")}, found AS MATERIALIZED (
    SELECT ${canonical("n.entity")} AS entity, max(k.score) AS score FROM ranked k CROSS JOIN entities n ON n.row = k.row AND ${aliveName("n")}
    GROUP BY 1 ORDER BY 2 DESC, 1 ${atMost("?5")}
  )
  SELECT f.entity, f.score, ${spellings("f.entity")}, iif(${hasAliases("f.entity")}, ${newestMentions("f.entity", maxSourceMemories + 1)}, '[]')
  FROM found f ORDER BY f.score DESC, f.entity`;

/** Adds: ?4 words, ?5 limit. */
export const findRelationships = `WITH ${ranked("relationship_tokens")}, chosen AS MATERIALIZED (
    SELECT r.row, k.score FROM ranked k CROSS JOIN relationships r ON r.row = k.row AND ${aliveName("r")} ORDER BY k.score DESC, r.mentions DESC, r.row DESC ${atMost("?5")}
  ) ${relationshipsChosen}`;

/**
 * The neighbours of a memory with the strength of each tie: links by their own, shared names by rarity, for a name that
 * only two memories share ties them fully, and in a crowd of n the chance is 1/n. Of several ties the one named is the first
 * by `rank`: a link from the memory, a link to it, then the rarest name.
 */
const neighbours = (id: string, within: string): string => `SELECT id, round(min(1.0, sum(strength)), ${strengthDecimals}) AS strength, kind, name, min(rank) FROM (
    SELECT l.target_id AS id, l.strength, 'link' AS kind, l.type AS name, '0' || l.type AS rank FROM memory_links l WHERE l.team_id = ?1 AND l.source_id = ${id}
      AND EXISTS (SELECT 1 FROM memories m WHERE m.team_id = ?1 AND m.id = l.target_id AND ${liveMemory("m")})
    UNION ALL
    SELECT l.source_id, l.strength, 'link', l.type, '1' || l.type FROM memory_links l WHERE l.team_id = ?1 AND l.target_id = ${id}
      AND EXISTS (SELECT 1 FROM memories m WHERE m.team_id = ?1 AND m.id = l.source_id AND ${liveMemory("m")})
    UNION ALL
    SELECT y.memory_id, 2.0 / k.crowd, 'entity', k.name, printf('2%02d', k.crowd) || k.norm FROM (
        SELECT n.norm, n.name, min(n.row), (SELECT sum(c.mentions) FROM entities c WHERE c.team_id = ?1 AND c.norm = n.norm AND c.home ${visibleKeys}) AS crowd
        FROM entity_mentions x CROSS JOIN entities n ON n.row = x.entity_row
        WHERE x.team_id = ?1 AND x.memory_id = ${id} AND n.home ${visibleKeys} AND n.type <> 'date' GROUP BY n.norm HAVING crowd BETWEEN 2 AND ${hub} ORDER BY crowd, n.norm LIMIT ${mostNames}) k
      CROSS JOIN entities n ON n.team_id = ?1 AND n.norm = k.norm AND ${aliveName("n")}
      CROSS JOIN entity_mentions y ON y.entity_row = n.row AND y.memory_id <> ${id} AND ${aliveMention("y")}
  ) near ${within} GROUP BY id ORDER BY 2 DESC, id DESC ${atMost("?5")}`;

/** Memories that meet all the conditions on `memories`, whose parameters begin with ?8. */
const meeting = (conditions: readonly string[]): string =>
  conditions.length === 0 ? "" : `WHERE EXISTS (SELECT 1 FROM memories WHERE memories.team_id = ?1 AND memories.id = near.id
    AND ${conditions.map((condition, i) => condition.replace("?", `?${8 + i}`)).join(" AND ")})`;

/**
 * Adds: ?4 memory ids, ?5 breadth, ?6 depth, ?7 limit. Steps in order of distance, the strongest first; a path never meets a
 * memory twice, so that circles end. `conditions`: of the memories that it meets.
 */
export const walk = (conditions: readonly string[]): string => `WITH RECURSIVE walked (id, distance, strength, path) AS (
    SELECT m.id, 0, 1.0, json_array(json_array(m.id)) FROM json_each(?4) j CROSS JOIN memories m ON m.team_id = ?1 AND m.id = j.value AND ${liveMemory("m")}
    UNION ALL
    SELECT n.value ->> '$[0]', w.distance + 1, w.strength * (n.value ->> '$[1]'),
      json_insert(w.path, '$[#]', json_array(n.value ->> '$[0]', n.value ->> '$[2]', n.value ->> '$[3]'))
    FROM walked w, json_each((SELECT json_group_array(json_array(id, strength, kind, name)) FROM (${neighbours("w.id", meeting(conditions))}))) n
    WHERE w.distance < ?6 AND w.strength >= ${weakest} AND instr(w.path, n.value ->> '$[0]') = 0
    ORDER BY 2, 3 DESC LIMIT ${mostTouched}
  )
  SELECT id, distance, strength, path, min(distance - strength / 2) AS best FROM walked
  WHERE distance > 0 AND id NOT IN (SELECT value FROM json_each(?4)) GROUP BY id ORDER BY best, id DESC ${atMost("?7")}`;

/** Adds: ?4 memory ids. */
export const links = `SELECT DISTINCT l.source_id, l.target_id, l.type, l.strength, l.reason, l.origin, iif(l.origin = 'drawn', 'rule', l.made_by), l.created_by, l.created_at
  FROM json_each(?4) j CROSS JOIN memory_links l ON l.team_id = ?1 AND (l.source_id = j.value OR l.target_id = j.value)
    CROSS JOIN memories s ON s.team_id = ?1 AND s.id = l.source_id AND ${readable("s")}
    CROSS JOIN memories t ON t.team_id = ?1 AND t.id = l.target_id AND ${readable("t")}
  ORDER BY l.strength DESC, l.created_at, l.source_id, l.target_id, l.type`;

/** Adds: ?4 memory ids, ?5 limit. Secrets are shown to who asks for them, not beside something else. */
export const ties = `SELECT l.source_id, l.target_id, l.type, l.strength, o.id, o.key, substr(o.content, 1, ${beginning}) AS content, o.trust ->> '$.quarantined' AS quarantined, o.updated_by, o.expires_at
  FROM json_each(?4) j
    CROSS JOIN memories s ON s.team_id = ?1 AND s.id = j.value AND ${liveMemory("s")}
    CROSS JOIN memory_links l ON l.team_id = ?1 AND (l.source_id = s.id OR l.target_id = s.id)
    CROSS JOIN memories o ON o.team_id = ?1 AND o.id = iif(l.source_id = s.id, l.target_id, l.source_id) AND ${liveMemory("o")} AND o.sensitivity = 'normal'
  ORDER BY l.strength DESC, l.created_at DESC, o.id, l.source_id, l.type ${atMost("?5")}`;

/**
 * An end that is gone or hidden, or one in another version, leaves a NULL where none may be, which breaks the whole
 * batch. Adds: ?4 links as JSON.
 */
export const insertLinks = `INSERT INTO memory_links (team_id, source_id, target_id, type, strength, reason, origin, created_at, created_by, made_by)
  SELECT ?1,
    (SELECT m.id FROM memories m WHERE m.team_id = ?1 AND m.id = e.value ->> '$.source' AND ${readable("m")} AND m.version = coalesce(e.value ->> '$.sourceVersion', m.version)),
    (SELECT m.id FROM memories m WHERE m.team_id = ?1 AND m.id = e.value ->> '$.target' AND ${readable("m")} AND m.version = coalesce(e.value ->> '$.targetVersion', m.version)),
    e.value ->> '$.type', e.value ->> '$.strength', e.value ->> '$.reason', 'explicit', ?3, ?2, coalesce(e.value ->> '$.madeBy', 'said')
  FROM json_each(?4) e WHERE true
  ON CONFLICT (team_id, source_id, target_id, type) DO UPDATE SET strength = excluded.strength, reason = excluded.reason,
    origin = excluded.origin, created_at = excluded.created_at, created_by = excluded.created_by, base = NULL,
    made_by = iif(excluded.made_by = 'import' AND memory_links.origin = 'explicit' AND excluded.strength = memory_links.strength AND excluded.reason = memory_links.reason, memory_links.made_by, excluded.made_by)
  WHERE NOT (excluded.made_by IN ('rule', 'model') AND memory_links.origin = 'explicit' AND memory_links.made_by NOT IN ('rule', 'model'))`;

/** Adds: ?4 `[{source, target, type?}]` as JSON. */
export const deleteLinks = `DELETE FROM memory_links WHERE rowid IN (
  SELECT l.rowid FROM json_each(?4) e
    CROSS JOIN memory_links l ON l.team_id = ?1 AND l.source_id = e.value ->> '$.source' AND l.target_id = e.value ->> '$.target'
      AND l.type = coalesce(e.value ->> '$.type', l.type)
    CROSS JOIN memories s ON s.team_id = ?1 AND s.id = l.source_id AND ${readable("s")}
    CROSS JOIN memories t ON t.team_id = ?1 AND t.id = l.target_id AND ${readable("t")}) RETURNING 1`;

/** How far the newest rules or model have come. */
const cursorOf = (stage: string): string => `coalesce((SELECT cursor FROM index_progress WHERE team_id = ?1 AND stage = ${stage} ORDER BY started_at DESC LIMIT 1), 0)`;

const isMade = (table: string): string => `EXISTS (SELECT 1 FROM ${table} n WHERE n.team_id = ?1 AND n.id = o.id AND ${aliveName("n")})`;

/**
 * Adds: ?4 the stage that extracts, ?5 the stage that embeds entities and relationships. Answers entities, relationships, how
 * much waits.
 */
export const stats = `SELECT
  (SELECT count(DISTINCT n.entity) FROM entities n WHERE n.team_id = ?1 AND ${aliveName("n")}),
  (SELECT count(*) FROM relationships n WHERE n.team_id = ?1 AND ${aliveName("n")}),
  (SELECT count(*) FROM memories m WHERE m.team_id = ?1 AND m.seq > ${cursorOf("?4")} AND ${liveMemory("m")})
    + (SELECT count(*) FROM graph_outbox o WHERE o.team_id = ?1 AND o.seq > ${cursorOf("?5")} AND (${isMade("entities")} OR ${isMade("relationships")}))`;
