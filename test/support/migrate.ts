import { applyD1Migrations, env } from "cloudflare:test";

await Promise.all([
  applyD1Migrations(env.DB, env.DIRECTORY_MIGRATIONS),
  applyD1Migrations(env.SHARD_0, env.SHARD_MIGRATIONS),
  applyD1Migrations(env.SHARD_1, env.SHARD_MIGRATIONS),
]);
