import { applyD1Migrations, type D1Migration, env } from "cloudflare:test";

/** All statements in one batch: each file of tests begins with this. */
const atOnce = (migrations: D1Migration[]): D1Migration[] => [{ name: "all", queries: migrations.flatMap(({ queries }) => queries) }];

await Promise.all([
  applyD1Migrations(env.DB, atOnce(env.DIRECTORY_MIGRATIONS)),
  applyD1Migrations(env.SHARD_0, atOnce(env.SHARD_MIGRATIONS)),
  applyD1Migrations(env.SHARD_1, atOnce(env.SHARD_MIGRATIONS)),
]);
