import { vectorStageName } from "../../domain/indexing/vector-stage.ts";
import type { Principal } from "../../domain/tenancy/principal.ts";
import { isVisible } from "../visibility-sql.ts";

/** Changes that are counted; more of them are said to be so many. */
const mostCounted = 1_000;

const visible = `m.team_id = ?1 AND ${isVisible("m", "?2")} AND (m.expires_at IS NULL OR m.expires_at > ?3)`;
const space = `(SELECT space FROM index_progress WHERE team_id = ?1 AND stage = '${vectorStageName}' ORDER BY started_at DESC LIMIT 1)`;
/** Written well before the work for the newest model began; old rows of the outbox are gone. */
const isBefore = `NOT EXISTS (SELECT 1 FROM outbox o WHERE o.team_id = ?1 AND o.seq = m.seq
  AND o.created_at > (SELECT max(started_at) FROM index_progress WHERE team_id = ?1 AND stage = '${vectorStageName}') - 600000)`;
const cursor = `coalesce((SELECT cursor FROM index_progress WHERE team_id = ?1 AND stage = '${vectorStageName}' AND space = ${space}), 0)`;

export interface Backlog {
  /** Memories that the principal may see whose last change the jobs have not followed. */
  waiting: number;
  oldestAt: number | null;
  /** Those that a job gave up on for now. */
  setAside: number;
  /** Those of which another model than before has made no vector yet. */
  anew: number;
}

/** What the work behind the writes has still to do, of what the principal may see. */
export async function readBacklog(d1: D1Database, { teamId, userId }: Principal, now: number): Promise<Backlog> {
  const [changes, failures, anew] = await d1.batch<{ count: number; oldest: number | null }>([
    d1.prepare(`SELECT count(DISTINCT id) AS count, min(at) AS oldest FROM (SELECT m.id, o.created_at AS at FROM outbox o CROSS JOIN memories m ON m.id = o.memory_id AND ${visible} AND m.sensitivity = 'normal'
      WHERE o.team_id = ?1 AND o.seq > ${cursor} ORDER BY o.seq LIMIT ${mostCounted})`).bind(teamId, userId, now),
    d1.prepare(`SELECT count(*) AS count FROM (SELECT DISTINCT f.memory_id FROM index_failures f CROSS JOIN memories m ON m.id = f.memory_id AND ${visible} WHERE f.team_id = ?1 LIMIT ${mostCounted})`).bind(teamId, userId, now),
    d1.prepare(`SELECT count(*) AS count FROM (SELECT 1 FROM memories m WHERE ${visible} AND m.seq > ${cursor} AND m.sensitivity = 'normal' AND m.archived_at IS NULL AND ${space} <> '' AND ${isBefore} LIMIT ${mostCounted})`).bind(teamId, userId, now),
  ]);
  return { waiting: changes?.results[0]?.count ?? 0, oldestAt: changes?.results[0]?.oldest ?? null, setAside: failures?.results[0]?.count ?? 0, anew: anew?.results[0]?.count ?? 0 };
}
