import type { D1Migration } from "@cloudflare/vitest-plugin";

declare global {
  namespace Cloudflare {
    interface Env {
      SHARD_1: D1Database;
      DIRECTORY_MIGRATIONS: D1Migration[];
      SHARD_MIGRATIONS: D1Migration[];
    }
  }
}
