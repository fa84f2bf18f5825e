import type { Principal } from "../../domain/tenancy/principal.ts";
import { isVisible } from "../visibility-sql.ts";

/**
 * Files that memories name, in their citations and as related files. `?1` team, `?2` user, `?3` now, `?4` limit. A person types
 * while this is asked, so it goes through a bounded part of the newest memories that name files, which have indexes of their own.
 */
const mostRead = 2_000;

const plain = `m.team_id = ?1 AND m.sensitivity = 'normal' AND ${isVisible("m", "?2")} AND (m.expires_at IS NULL OR m.expires_at > ?3) AND m.archived_at IS NULL`;
const newest = (column: "citations" | "related_files"): string =>
  `(SELECT m.id, m.namespace, m.${column} AS files FROM memories m WHERE ${plain} AND m.${column} <> '[]' ORDER BY m.id DESC LIMIT ${mostRead})`;
/** One row for each file of a memory. */
const filesOfMemories = `SELECT c.id, c.namespace, f.value ->> '$.path' AS file FROM ${newest("citations")} c CROSS JOIN json_each(c.files) f
  UNION ALL SELECT r.id, r.namespace, f.value FROM ${newest("related_files")} r CROSS JOIN json_each(r.files) f`;

/** For the test of their plans. */
export const fileStatements = {
  files: `SELECT file FROM (${filesOfMemories}) WHERE instr(lower(file), lower(?5)) > 0
    GROUP BY file ORDER BY max(namespace = ?6) DESC, lower(substr(file, 1, length(?5))) = lower(?5) DESC, file LIMIT ?4 + 0`,
  aboutFiles: `SELECT id FROM (${filesOfMemories}) WHERE file IN (SELECT value FROM json_each(?5)) GROUP BY id ORDER BY id DESC LIMIT ?4 + 0`,
} as const;

export async function readFiles(d1: D1Database, { teamId, userId }: Principal, now: number, { text, namespace, limit }: { text: string; namespace: string | undefined; limit: number }): Promise<string[]> {
  const rows = await d1.prepare(fileStatements.files).bind(teamId, userId, now, limit, text, namespace ?? "").raw<[string]>();
  return rows.map(([file]) => file);
}

export async function readAboutFiles(d1: D1Database, { teamId, userId }: Principal, now: number, { paths, limit }: { paths: string[]; limit: number }): Promise<string[]> {
  const rows = await d1.prepare(fileStatements.aboutFiles).bind(teamId, userId, now, limit, JSON.stringify(paths)).raw<[string]>();
  return rows.map(([id]) => id);
}
