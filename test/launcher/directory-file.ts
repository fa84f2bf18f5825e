import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

const d1 = (dataDir: string): string => join(dataDir, "state", "d1");

/** What a test cannot wait for, or an earlier version left there, put into the directory database of a server that is stopped. */
export const withDirectory = <T>(dataDir: string, use: (db: DatabaseSync) => T): T => withDatabase(d1(dataDir), "api_keys", use);

/** The same with the shard, where memories and the policies of teams are. */
export const withShard = <T>(dataDir: string, use: (db: DatabaseSync) => T): T => withDatabase(d1(dataDir), "curator_runs", use);

/** With the database below a folder that has this table. */
export function withDatabase<T>(folder: string, table: string, use: (db: DatabaseSync) => T): T {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".sqlite") && !file.endsWith("metadata.sqlite"));
  for (const file of files) {
    const db = new DatabaseSync(join(folder, file));
    try {
      if (db.prepare("select 1 from sqlite_schema where name = ?").get(table) !== undefined) return use(db);
    } finally {
      db.close();
    }
  }
  throw new Error(`no database with ${table} below ${folder}`);
}
