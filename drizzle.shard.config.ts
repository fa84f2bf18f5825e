import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "sqlite",
  schema: ["./src/platform/d1/shard-schema.ts", "./src/platform/d1/index-schema.ts", "./src/platform/d1/graph-schema.ts", "./src/platform/d1/review-schema.ts", "./src/platform/d1/reversion-schema.ts", "./src/platform/d1/intelligence-schema.ts", "./src/platform/d1/curation-schema.ts", "./src/platform/d1/session-schema.ts", "./src/platform/d1/workflow-schema.ts", "./src/platform/d1/metrics-schema.ts", "./src/platform/d1/job-schema.ts"],
  out: "./migrations/shard",
});
