import { basename } from "node:path";
import { bundle } from "./esbuild.ts";
import { projectRoot } from "./project.ts";
import { messageOf, StartFailure } from "./start-failure.ts";

/** In the form in which Miniflare takes modules; the first one is the Worker itself. */
export type WorkerModule = { type: "ESModule"; path: string; contents: string } | { type: "Data" | "CompiledWasm"; path: string; contents: Uint8Array<ArrayBuffer> };

/**
 * The Worker as one ES module and the binary files it imports, resolved the way wrangler resolves them for deployment. Kept
 * in memory: 0.1–0.3 s beat a cache that can be stale.
 */
export async function bundleWorker(entry: string): Promise<WorkerModule[]> {
  try {
    const { outputFiles } = await bundle({
      entryPoints: [entry],
      absWorkingDir: projectRoot,
      bundle: true,
      write: false,
      outdir: "bundle",
      format: "esm",
      target: "es2023",
      platform: "browser",
      conditions: ["workerd", "worker", "browser"],
      external: ["cloudflare:*", "node:*"],
      // As in wrangler.toml and wrangler.curator.toml, but for drizzle's column types: esbuild takes no relative path here, and size is nothing to this bundle.
      alias: { "@modelcontextprotocol/server/_shims": "./src/mcp/sdk-shims.ts", mimetext: "./src/curator/no-mail.ts" },
      loader: { ".sql": "text", ".txt": "text", ".html": "text", ".bin": "copy", ".wasm": "copy" },
      define: { "process.env.NODE_ENV": '"production"' },
      logLevel: "silent",
    });
    const modules = outputFiles.map(({ path, text, contents }): WorkerModule =>
      path.endsWith(".js")
        ? { type: "ESModule", path: basename(path), contents: text }
        : { type: path.endsWith(".wasm") ? "CompiledWasm" : "Data", path: basename(path), contents: new Uint8Array(contents) });
    return modules.sort((a, b) => Number(b.type === "ESModule") - Number(a.type === "ESModule"));
  } catch (error) {
    throw new StartFailure(`The Worker could not be built: ${messageOf(error).split("\n").slice(0, 2).join(" ")}`, { cause: error });
  }
}
