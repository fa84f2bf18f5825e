import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

/** What a file of each folder must not import, written as the import itself. */
const forbidden: Record<string, readonly string[]> = {
  "src/domain/memories": [
    "../../http/router.ts", "../../session/user-session.ts", "../../mcp/server.ts", "../../tools/errors.ts", "../../jobs/expire.ts",
    "../../app/memory.ts", "../../platform/d1/shard-store.ts", "../../launcher/start.ts", "../../config.ts", "../../app.ts",
    "hono", "hono/cors", "@modelcontextprotocol/server", "@modelcontextprotocol/sdk/types.js", "drizzle-orm", "drizzle-orm/d1",
    "agents", "cloudflare:workers", "../../../test/helpers.ts", "../../../scripts/x.ts",
  ],
  "src/domain": ["../platform/d1/shard-store.ts", "../http/router.ts", "../config.ts"],
  "src/platform/d1": [
    "../../http/router.ts", "../../session/user-session.ts", "../../mcp/server.ts", "../../tools/errors.ts", "../../jobs/expire.ts", "../../app.ts",
    "../../app/memory.ts",
    "../../config.ts", "../../launcher/start.ts", "../../../test/helpers.ts", "../../../scripts/x.ts",
  ],
  "src/http/middleware": ["../../platform/d1/shard-store.ts", "../../launcher/start.ts", "../../../test/helpers.ts"],
  "src/http/routes": ["../../domain/tenancy/upkeep.ts"],
  "src/session": ["../domain/tenancy/upkeep.ts", "../platform/team-index/team-index.ts", "../launcher/start.ts", "../../test/helpers.ts"],
  "src/mcp": ["../platform/d1/shard-store.ts", "../launcher/start.ts", "../../test/helpers.ts"],
  "src/tools/families/omn": [
    "../../../platform/d1/shard-store.ts", "../../../http/errors.ts", "../../../session/call.ts", "../../../mcp/server.ts", "../../../jobs/queue.ts",
    "../../../app.ts", "../../../app/memory.ts", "../../../config.ts", "../../../launcher/start.ts", "hono", "@modelcontextprotocol/server", "cloudflare:workers", "../../../../test/helpers.ts",
    "../../../domain/tenancy/upkeep.ts",
  ],
  "src/jobs": ["../domain/tenancy/upkeep.ts", "../platform/d1/shard-store.ts", "../launcher/start.ts", "../../scripts/x.ts"],
  "src/launcher": ["../http/router.ts", "../session/user-session.ts", "../mcp/server.ts", "../tools/errors.ts", "../jobs/expire.ts", "../app.ts", "../../test/helpers.ts"],
  "src": ["../test/helpers.ts", "../scripts/x.ts"],
};

const allowed: Record<string, readonly string[]> = {
  "src/domain/memories": ["./remember.ts", "../tenancy/principal.ts", "../sessions/context.ts", "../errors.ts", "../../domain/ids.ts", "zod", "node:crypto"],
  "src/platform/d1": ["../../domain/ports.ts", "../team-index/query.ts", "./shard-schema.ts", "drizzle-orm/d1", "cloudflare:workers"],
  "src/http/middleware": ["../../domain/errors.ts", "../../session/user-session.ts", "../../tools/surfaces.ts", "../../mcp/lean-call.ts", "../../app.ts", "../../config.ts", "../auth/api-key.ts", "../hono.ts", "hono/cors"],
  "src/session": ["../domain/errors.ts", "../mcp/server.ts", "../tools/call-tool.ts", "../app.ts", "cloudflare:workers", "@modelcontextprotocol/server"],
  "src/mcp": ["../tools/call-tool.ts", "../http/errors.ts", "../session/call.ts", "@modelcontextprotocol/server"],
  "src/tools/families/omn": ["../../define-tool.ts", "../../../domain/memories/remember.ts", "zod"],
  "src/jobs": ["../domain/ports.ts", "../app.ts"],
  "src/launcher": ["../domain/ids.ts", "../platform/d1/directory-schema.ts", "../config.ts", "node:fs", "miniflare"],
  "src": ["./platform/d1/shard-store.ts", "./domain/ports.ts", "./http/router.ts", "./session/user-session.ts", "./mcp/server.ts", "./tools/catalogue.ts", "./jobs/expire.ts", "./config.ts"],
  "test/e2e": ["../../src/platform/d1/shard-store.ts", "../../src/domain/ids.ts", "../../scripts/x.ts", "../helpers.ts"],
};

/** The same import in the forms it can take; each of them must be seen. */
const forms: Record<string, (from: string) => string> = {
  value: (from) => `import { x } from "${from}";\nexport const y = x;\n`,
  type: (from) => `import type { X } from "${from}";\nexport type Y = X;\n`,
  effect: (from) => `import "${from}";\n`,
  reexport: (from) => `export * from "${from}";\n`,
  dynamic: (from) => `export const load = async (): Promise<unknown> => await import("${from}");\n`,
};

interface Finding { code: string; help?: string; filename: string }

const project = fileURLToPath(new URL("..", import.meta.url));
const findings = new Map<string, Finding[]>();
let folder: string;

function write(file: string, text: string): string {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
  return file;
}

function nameOf(kind: string, from: string): string {
  return `${kind}-${from.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-").replaceAll(/^-|-$/g, "")}.ts`;
}

const borders = Object.entries(forbidden).flatMap(([place, imports]) =>
  imports.flatMap((from) => Object.keys(forms).map((form) => ({ place, from, form, file: `${place}/${nameOf(form, from)}` }))),
);
const open = Object.entries(allowed).flatMap(([place, imports]) =>
  imports.map((from) => ({ place, from, file: `${place}/${nameOf("open", from)}` })),
);
/** Rules that close ways around a border, or that the borders' sense depends on. */
const others = [
  { file: "src/domain/import-type.ts", text: `export type X = import("../platform/d1/x.ts").X;\n`, code: "typescript(consistent-type-imports)" },
  { file: "src/domain/binding.ts", text: "export const f = (env: Env): unknown => env;\n", code: "typescript(no-restricted-types)" },
  { file: "src/domain/any.ts", text: "export const f = (x: any): unknown => x;\n", code: "typescript(no-explicit-any)" },
  { file: "src/mcp/noisy.ts", text: `console.log("x");\n`, code: "eslint(no-console)" },
  { file: "src/mcp/BadName.ts", text: "export const x = 1;\n", code: "unicorn(filename-case)" },
  { file: "src/mcp/no-extension.ts", text: `export { x } from "./define-tool";\n`, code: "import(extensions)" },
  { file: "src/mcp/default.ts", text: "export default 1;\n", code: "import(no-default-export)" },
  { file: "src/http/preset.ts", text: `import { Hono } from "hono";\nexport const routes = new Hono();\n`, code: "eslint(no-restricted-imports)" },
  { file: "src/mcp/long.ts", text: "export {};\n".repeat(401), code: "eslint(max-lines)" },
];
const quiet = [
  { file: "src/http/context.ts", text: `import type { Context } from "hono";\nexport type Caller = Context;\n` },
  { file: "src/http/log.ts", text: `console.error("x");\n` },
  { file: "src/launcher/print.ts", text: `console.log("x");\n` },
  { file: "scripts/print.ts", text: `console.log("x");\n` },
  { file: "src/index.ts", text: `import { app } from "./app.ts";\nexport { TeamIndex } from "./platform/team-index/team-index.ts";\nexport default app;\n` },
];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "omnimemory-lint-"));
  copyFileSync(join(project, ".oxlintrc.json"), join(folder, ".oxlintrc.json"));
  for (const { file, form, from } of borders) write(file, forms[form]!(from));
  for (const { file, from } of open) write(file, forms["value"]!(from));
  for (const { file, text } of [...others, ...quiet]) write(file, text);

  const oxlint = join(dirname(createRequire(import.meta.url).resolve("oxlint/package.json")), "bin", "oxlint");
  const run = spawnSync(process.execPath, [oxlint, "--deny-warnings", "--format", "json"], { cwd: folder, encoding: "utf8", maxBuffer: 2 ** 26 });
  expect(run.status, run.stderr).toBe(1);
  const { diagnostics } = JSON.parse(run.stdout) as { diagnostics: Finding[] };
  for (const found of diagnostics) findings.set(found.filename, [...(findings.get(found.filename) ?? []), found]);
}, 60_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("lint keeps the layer borders [S12]", () => {
  test.each(borders)("$place does not import $from ($form)", ({ file }) => {
    expect(findings.get(file)?.map(({ code, help }) => [code, help?.startsWith("BORDER")])).toContainEqual(["eslint(no-restricted-imports)", true]);
  });

  test.each(open)("$place may import $from", ({ file }) => {
    expect(findings.get(file)).toBeUndefined();
  });

  test.each(others)("$file breaks $code", ({ file, code }) => {
    expect(findings.get(file)?.map((found) => found.code)).toContain(code);
  });

  test.each(quiet)("$file is clean", ({ file }) => {
    expect(findings.get(file)).toBeUndefined();
  });
});
