import { applyD1Migrations, env } from "cloudflare:test";

await applyD1Migrations(env.DB, env.DIRECTORY_MIGRATIONS);
await applyD1Migrations(env.SHARD_0, env.SHARD_MIGRATIONS);
await applyD1Migrations(env.SHARD_1, env.SHARD_MIGRATIONS);
