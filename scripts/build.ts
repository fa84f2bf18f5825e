import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { minify } from "rolldown/utils";
import { wrangler } from "./wrangler.ts";

const folders = fileURLToPath(new URL("../.wrangler/build", import.meta.url));

/**
 * Builds the Worker that `config` (wrangler.toml or a file of its form) names as it is deployed: what wrangler makes of it, minified by Rolldown,
 * whose minifier leaves 19 KiB (gzip) less to upload and to compile at every cold start than wrangler's.
 *
 * @returns the arguments with which wrangler deploys it
 */
export async function build(config: string, folder = join(folders, config)): Promise<string[]> {
  rmSync(folder, { recursive: true, force: true });
  await wrangler("deploy", "--dry-run", "--config", config, "--outdir", folder);
  const main = join(folder, "index.js");
  const { code, map, errors } = await minify(main, readFileSync(main, "utf8"), {
    module: true,
    sourcemap: true,
    inputMap: JSON.parse(readFileSync(`${main}.map`, "utf8")),
  });
  if (errors[0]) throw errors[0];
  writeFileSync(main, `${code}\n//# sourceMappingURL=index.js.map\n`);
  writeFileSync(`${main}.map`, JSON.stringify(map));
  return ["deploy", main, "--config", config, "--no-bundle"];
}
