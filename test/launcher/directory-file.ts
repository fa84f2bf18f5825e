import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** What a test cannot wait for, or an earlier version left there, put into the directory database of a server that is stopped. */
export const withDirectory = <T>(dataDir: string, use: (db: DatabaseSync) => T): T => withDatabase(dataDir, "api_keys", use);

/** The same with the shard, where memories and the policies of teams are. */
export const withShard = <T>(dataDir: string, use: (db: DatabaseSync) => T): T => withDatabase(dataDir, "curator_runs", use);

function withDatabase<T>(dataDir: string, table: string, use: (db: DatabaseSync) => T): T {
  const folder = join(dataDir, "state", "d1");
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
