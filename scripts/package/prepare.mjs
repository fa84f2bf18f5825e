// Of npm, after `npm ci` and before packing. Where what builds the package is not installed, it is not built.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

if (existsSync(fileURLToPath(new URL("../../node_modules/esbuild", import.meta.url)))) {
  const { buildPackage } = await import("./build.ts");
  await buildPackage(fileURLToPath(new URL("../../dist", import.meta.url)));
}
