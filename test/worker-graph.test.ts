import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, test } from "vitest";

const project = fileURLToPath(new URL("..", import.meta.url));

/** Our files that an entry reaches by imports that remain at run time, and the packages that they import. */
async function graphOf(entry: string): Promise<{ files: string[]; packages: string[] }> {
  const { metafile } = await build({ entryPoints: [entry], absWorkingDir: project, bundle: true, write: false, outdir: "graph", format: "esm", packages: "external", external: ["*.bin", "*.wasm", "*.sql"], jsx: "automatic", metafile: true, logLevel: "silent" });
  const imports = Object.values(metafile.inputs).flatMap((input) => input.imports);
  return { files: Object.keys(metafile.inputs), packages: [...new Set(imports.filter(({ external }) => external).map(({ path }) => path))] };
}

const clients = /^(?:ai|@ai-sdk\/[^/]+|workers-ai-provider)(?:\/|$)/;
const modelFiles = /^src\/(?:platform\/intelligence|curator)\//;

// Their size and their start-up would be paid by every isolate; the curator is a Worker of its own.
test("the Worker that answers calls carries no client of a language model", async () => {
  const { files, packages } = await graphOf("src/index.ts");
  expect(files).toContain("src/domain/intelligence/intelligence-setting.ts");
  expect(files.filter((file) => modelFiles.test(file))).toEqual([]);
  expect(packages.filter((name) => clients.test(name))).toEqual([]);
});

test("the clients are reached from the providers", async () => {
  const { files, packages } = await graphOf("src/platform/intelligence/intelligence-from.ts");
  expect(packages.filter((name) => clients.test(name)).sort()).toEqual(["@ai-sdk/anthropic", "@ai-sdk/openai-compatible", "ai", "workers-ai-provider"]);
  expect(files.filter((file) => /^src\/(?:http|mcp|session|tools|jobs|app)/.test(file))).toEqual([]);
});
