import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { D1Database } from "@cloudflare/workers-types";

export interface Migration {
  name: string;
  sql: string;
}

/** The `.sql` files of a folder in the order of their names, as wrangler reads them. */
export function readMigrations(folder: string): Migration[] {
  const names = readdirSync(folder).filter((name) => name.endsWith(".sql")).sort();
  return names.map((name) => ({ name, sql: readFileSync(join(folder, name), "utf8") }));
}

/** wrangler's own table, so that `wrangler d1 migrations apply --local` and this agree on what is done. */
const table = `create table if not exists d1_migrations (
  id integer primary key autoincrement,
  name text unique,
  applied_at timestamp default current_timestamp not null
)`;

/** They were in use for an hour; what they made is dropped by 0030_tallies_gone.sql. */
const withdrawn = new Set(["0030_tallies.sql", "0031_tally_triggers.sql"]);

/** Which of a database's migrations this version has not: a newer one made them. */
export async function unknownMigrations(db: D1Database, migrations: readonly Migration[]): Promise<string[]> {
  const ours = new Set(migrations.map(({ name }) => name));
  return [...(await doneIn(db))].filter((name) => !ours.has(name) && !withdrawn.has(name));
}

/** Applies what is missing, each file whole or not at all. (Local D1 takes a file of many statements as one.) */
export async function applyMigrations(db: D1Database, migrations: readonly Migration[]): Promise<void> {
  const done = await doneIn(db);
  for (const { name, sql } of migrations) {
    if (done.has(name)) continue;
    await db.batch([db.prepare(sql), db.prepare("insert into d1_migrations (name) values (?)").bind(name)]);
  }
}

async function doneIn(db: D1Database): Promise<Set<string>> {
  const [, known] = await db.batch<{ name: string }>([db.prepare(table), db.prepare("select name from d1_migrations")]);
  return new Set(known?.results.map(({ name }) => name));
}
