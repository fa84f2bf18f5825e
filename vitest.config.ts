import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

/** Tests inside workerd, with the real bindings of wrangler.toml, real migrations and two shards. */
export default defineConfig({
  plugins: [
    cloudflareTest({
      wrangler: { configPath: "./wrangler.toml" },
      miniflare: {
        d1Databases: ["DB", "SHARD_0", "SHARD_1"],
        bindings: {
          OMNIMEMORY_RATE_LIMIT: "off",
          DIRECTORY_MIGRATIONS: await readD1Migrations("migrations/directory"),
          SHARD_MIGRATIONS: await readD1Migrations("migrations/shard"),
        },
      },
    }),
  ],
  test: {
    include: ["test/{domain,platform,mcp,session,http,jobs,properties}/**/*.test.ts"],
    setupFiles: ["./test/support/migrate.ts"],
    testTimeout: 30_000,
  },
});
