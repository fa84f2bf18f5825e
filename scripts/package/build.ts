/**
 * Writes `dist/`, what the package offers beside the server: the client for programs (`omnimemory/client`) and the command
 * `omnimemory`, each as one file that a plain Node 20 runs, and the client's types. npm runs it after `npm ci` and before packing.
 */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

export async function buildPackage(dist: string): Promise<void> {
  const [{ bundle }, { default: ts }, { toolTypes }] = await Promise.all([import("../../src/launcher/esbuild.ts"), import("typescript"), import("./tool-types.ts")]);
  mkdirSync(dist, { recursive: true });
  const entries = [["src/client/client.ts", "client.js"], ["src/command/omnimemory.ts", "omnimemory.js"]] as const;
  await Promise.all(
    entries.map(([entry, name]) =>
      bundle({
        entryPoints: [join(root, entry)],
        outfile: join(dist, name),
        bundle: true,
        platform: "node",
        format: "esm",
        target: "node20",
        minify: name !== "client.js",
        logLevel: "warning",
        ...(name === "omnimemory.js" ? { banner: { js: "#!/usr/bin/env node" } } : {}),
      }),
    ),
  );
  chmodSync(join(dist, "omnimemory.js"), 0o755);
  const source = readFileSync(join(root, "src/client/client.ts"), "utf8");
  const { outputText } = ts.transpileDeclaration(source, { fileName: "client.ts", compilerOptions: { target: ts.ScriptTarget.ES2022, stripInternal: true } });
  writeFileSync(join(dist, "client.d.ts"), outputText.replaceAll("./tools.ts", "./tools.js"));
  writeFileSync(join(dist, "tools.d.ts"), toolTypes());
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildPackage(resolve(process.argv[2] ?? join(root, "dist")));
