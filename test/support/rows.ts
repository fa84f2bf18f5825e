import { env } from "cloudflare:workers";

type Row = Record<string, unknown>;
type Rows = Record<string, Row[]>;

async function tables(database: D1Database): Promise<string[]> {
  const sql = "select name from sqlite_schema where type = 'table' and name not glob '_cf_*' and name not glob 'sqlite_*' and name <> 'd1_migrations'";
  return (await database.prepare(sql).all<{ name: string }>()).results.map(({ name }) => name);
}

async function read(database: D1Database, names: string[], statement: (name: string) => D1PreparedStatement, passing: string[]): Promise<Rows> {
  const answers = await database.batch<Row>(names.map(statement));
  const kept = (row: Row): Row => Object.fromEntries(Object.entries(row).filter(([column]) => !passing.includes(column)));
  return Object.fromEntries(names.map((name, at) => [name, (answers[at]?.results ?? []).map(kept)]));
}

/** Every row of the team in every table of its shard; counts of reading are no writes. */
export async function memoryRows(teamId: string): Promise<Rows> {
  const { results } = await env.SHARD_0.prepare("select name from sqlite_schema where type = 'table' and sql like '%team_id%'").all<{ name: string }>();
  const statement = (name: string): D1PreparedStatement => env.SHARD_0.prepare(`select * from ${name} where team_id = ?`).bind(teamId);
  return read(env.SHARD_0, results.map(({ name }) => name), statement, ["access_count", "accessed_at"]);
}

/** Written by requests that change nothing: what was tried, and challenges of sign-ins that were only begun. */
const notes = new Set(["audit", "sign_in_attempts"]);

/** Every row of the directory, that is of everybody's account, keys and teams. */
export async function directoryRows(): Promise<Rows> {
  const names = (await tables(env.DB)).filter((name) => !notes.has(name));
  return read(env.DB, names, (name) => env.DB.prepare(`select * from ${name} order by 1, 2`), ["last_used_at", "last_seen_at"]);
}
