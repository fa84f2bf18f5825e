import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const file = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** The text of docs/openapi.json. Some routes answer with pages, and Node reads no JSX: a bundle of them is made first, in the project, so that packages are found. */
export async function generated(): Promise<string> {
  const scratch = mkdtempSync(file(".openapi-"));
  try {
    const outfile = join(scratch, "document.mjs");
    await build({ entryPoints: [file("scripts/openapi/document.ts")], bundle: true, format: "esm", platform: "node", packages: "external", external: ["cloudflare:*"], jsx: "automatic", jsxImportSource: "hono/jsx", outfile });
    const { openApi } = (await import(pathToFileURL(outfile).href)) as { openApi(): unknown };
    return `${JSON.stringify(openApi(), null, 1)}\n`;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
