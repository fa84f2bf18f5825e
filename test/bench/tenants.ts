import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { formatApiKey, newApiKey } from "../../src/domain/tenancy/api-key.ts";

/**
 * Adds teams of another organization to the data of a stopped server, in the shard of the team that is there, and returns
 * a key to each. No tool creates teams yet; the columns are those of src/platform/d1/directory-schema.ts.
 */
export function addTeams(dataDir: string, count: number): string[] {
  const directory = openDirectory(dataDir);
  try {
    const row = directory.prepare("select shard from teams limit 1").get() as { shard: string } | undefined;
    if (!row) throw new Error("the directory holds no team: was the server ever started?");
    return Array.from({ length: count }, (_, index) => addTeam(directory, row.shard, `bench-${index}`));
  } finally {
    directory.close();
  }
}

function addTeam(directory: DatabaseSync, shard: string, id: string): string {
  const now = Date.now();
  const { keyId, secret } = newApiKey();
  const hash = createHash("sha256").update(secret).digest("hex");
  const scopes = JSON.stringify(["memory:read", "memory:write"]);
  const insert = (sql: string, ...values: (string | number)[]): unknown => directory.prepare(sql).run(...values);
  insert("insert into organizations (id, name, created_at) values (?, ?, ?)", id, id, now);
  insert("insert into teams (id, organization_id, name, shard, created_at) values (?, ?, ?, ?, ?)", id, id, id, shard, now);
  insert("insert into users (id, name, created_at) values (?, ?, ?)", id, id, now);
  insert("insert into memberships (team_id, user_id, role, created_at) values (?, ?, 'owner', ?)", id, id, now);
  insert(
    "insert into api_keys (key_id, secret_hash, user_id, team_id, name, scopes, created_at) values (?, ?, ?, ?, ?, ?, ?)",
    keyId, hash, id, id, id, scopes, now,
  );
  return formatApiKey({ keyId, secret });
}

/** The runtime names its SQLite files by hashes, so the directory is the one that holds API keys. */
function openDirectory(dataDir: string): DatabaseSync {
  const files = readdirSync(dataDir, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".sqlite"));
  for (const file of files) {
    const database = new DatabaseSync(join(dataDir, file));
    if (database.prepare("select 1 from sqlite_master where type = 'table' and name = 'api_keys'").get()) return database;
    database.close();
  }
  throw new Error(`no SQLite file with API keys under ${dataDir}`);
}
