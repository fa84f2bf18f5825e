import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "sqlite",
  schema: "./src/platform/d1/shard-schema.ts",
  out: "./migrations/shard",
});
