import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { formatApiKey, newApiKey } from "../../src/domain/tenancy/api-key.ts";
import type { Scope } from "../../src/domain/tenancy/principal.ts";

const usualScopes: readonly Scope[] = ["memory:read", "memory:write"];

/**
 * Adds teams of another organization to the data of a stopped server, in the shard of the team that is there, and returns
 * a key to each. No tool creates teams yet; the columns are those of src/platform/d1/directory-schema.ts.
 */
export function addTeams(dataDir: string, count: number, scopes: readonly Scope[] = usualScopes): string[] {
  const directory = openDirectory(dataDir);
  try {
    const row = directory.prepare("select shard from teams limit 1").get() as { shard: string } | undefined;
    if (!row) throw new Error("the directory holds no team: was the server ever started?");
    return Array.from({ length: count }, (_, index) => addTeam(directory, row.shard, `bench-${index}`, scopes));
  } finally {
    directory.close();
  }
}

/** Adds members to the one team of a stopped server, and returns a key to each. */
export function addMembers(dataDir: string, count: number): string[] {
  const directory = openDirectory(dataDir);
  try {
    const row = directory.prepare("select id from teams limit 1").get() as { id: string } | undefined;
    if (!row) throw new Error("the directory holds no team: was the server ever started?");
    return Array.from({ length: count }, (_, index) => addMember(directory, row.id, `bench-member-${index}`, "member", usualScopes));
  } finally {
    directory.close();
  }
}

function addTeam(directory: DatabaseSync, shard: string, id: string, scopes: readonly Scope[]): string {
  const now = Date.now();
  directory.prepare("insert into organizations (id, name, created_at) values (?, ?, ?)").run(id, id, now);
  directory.prepare("insert into teams (id, organization_id, name, shard, created_at) values (?, ?, ?, ?, ?)").run(id, id, id, shard, now);
  return addMember(directory, id, id, "owner", scopes);
}

function addMember(directory: DatabaseSync, teamId: string, id: string, role: string, scopes: readonly Scope[]): string {
  const now = Date.now();
  const { keyId, secret } = newApiKey();
  const hash = createHash("sha256").update(secret).digest("hex");
  directory.prepare("insert into users (id, name, created_at) values (?, ?, ?)").run(id, id, now);
  directory.prepare("insert into memberships (team_id, user_id, role, created_at) values (?, ?, ?, ?)").run(teamId, id, role, now);
  directory
    .prepare("insert into api_keys (key_id, secret_hash, user_id, team_id, name, scopes, created_at) values (?, ?, ?, ?, ?, ?, ?)")
    .run(keyId, hash, id, teamId, id, JSON.stringify(scopes), now);
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
