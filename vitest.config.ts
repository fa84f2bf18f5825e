import { fileURLToPath } from "node:url";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { bundleWorker } from "./src/launcher/bundle.ts";
import { localPlatform, localPlatformEntry, vectorizeStandIn } from "./src/launcher/local-platform.ts";
import { readWorkerOptions } from "./src/launcher/worker-options.ts";

// As `npm start` does it: wrangler.toml read by wrangler, its AI and Vectorize bindings emulated, so that no test asks for a
// login. (Given the file itself, the plugin cannot be told to leave bindings out.)
const worker = await readWorkerOptions();
const reranker = {
  name: "reranker",
  compatibilityDate: worker.compatibilityDate,
  compatibilityFlags: ["nodejs_compat"],
  modules: await bundleWorker(fileURLToPath(new URL("./test/support/reranker.ts", import.meta.url))),
};
const { product, standIn } = localPlatform({ worker, modules: await bundleWorker(localPlatformEntry) });

// CI draws the same cases every time, so that what it says of a commit stays true; everybody else draws new ones at every run.
if (process.env["CI"]) process.env["VITE_PROPERTY_SEED"] ??= "1";

/** Tests inside workerd, with the real bindings of wrangler.toml, real migrations and two shards. */
export default defineConfig({
  plugins: [
    cloudflareTest({
      main: "./src/index.ts",
      miniflare: {
        ...product,
        serviceBindings: {
          ...product.serviceBindings,
          RERANKER: { name: reranker.name, entrypoint: "Reranker" },
          VECTORIZE_SMALL: vectorizeStandIn(8),
          VECTORIZE_SLOW: vectorizeStandIn(8, { index: "slow", visibleAfterMs: 3_000 }),
          VECTORIZE_HELD: vectorizeStandIn(8, { index: "held", visibleAfterMs: 3_600_000 }),
        },
        workers: [standIn, reranker],
        d1Databases: ["DB", "SHARD_0", "SHARD_1"],
        bindings: {
          ...product.bindings,
          OMNIMEMORY_RATE_LIMIT: "off",
          MASTER_KEYS: JSON.stringify([{ id: "test-1", key: Buffer.alloc(32, 7).toString("base64") }]),
          DIRECTORY_MIGRATIONS: await readD1Migrations("migrations/directory"),
          SHARD_MIGRATIONS: await readD1Migrations("migrations/shard"),
        },
      },
    }),
  ],
  test: {
    include: ["test/{domain,platform,tools,mcp,session,http,jobs,properties}/**/*.test.ts"],
    setupFiles: ["./test/support/migrate.ts", "./test/support/property-seed.ts"],
    testTimeout: 30_000,
    // A poll ends as soon as it has what it waits for; how long that takes is up to the machine.
    expect: { poll: { timeout: 20_000 } },
    // One is the default on two cores; each file's runtime and the transforms for the next one fill both.
    maxWorkers: 2,
  },
});
