import { env } from "cloudflare:workers";

type Row = Record<string, unknown>;

/** Every row of the team in every table of its shard; counts of reading are no writes. */
export async function memoryRows(teamId: string): Promise<Record<string, Row[]>> {
  const { results } = await env.SHARD_0.prepare("select name from sqlite_schema where type = 'table' and sql like '%team_id%'").all<{ name: string }>();
  const found = results.map(async ({ name }): Promise<[string, Row[]]> => {
    const { results: all } = await env.SHARD_0.prepare(`select * from ${name} where team_id = ?`).bind(teamId).all();
    return [name, all.map(({ access_count: _count, accessed_at: _at, ...row }) => row)];
  });
  return Object.fromEntries(await Promise.all(found));
}

/** Written by requests that change nothing: what was tried, and challenges of sign-ins that were only begun. */
const notes = new Set(["audit", "sign_in_attempts"]);

/** Every row of the directory, that is of everybody's account, keys and teams. */
export async function directoryRows(): Promise<Record<string, Row[]>> {
  const { results } = await env.DB.prepare("select name from sqlite_schema where type = 'table' and name not glob '_cf_*' and name not glob 'sqlite_*' and name <> 'd1_migrations'").all<{ name: string }>();
  const found = results.filter(({ name }) => !notes.has(name)).map(async ({ name }): Promise<[string, Row[]]> => {
    const { results: all } = await env.DB.prepare(`select * from ${name} order by 1, 2`).all();
    return [name, all.map(({ last_used_at: _used, last_seen_at: _seen, ...row }) => row)];
  });
  return Object.fromEntries(await Promise.all(found));
}
