import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "sqlite",
  schema: ["./src/platform/d1/directory-schema.ts", "./src/platform/d1/identity-schema.ts", "./src/platform/d1/audit-schema.ts"],
  out: "./migrations/directory",
});
