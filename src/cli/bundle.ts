import { build, stop } from "esbuild";
import { projectRoot } from "./project.ts";
import { messageOf, StartFailure } from "./start-failure.ts";

let building = 0;

/** The Worker as one ES module, resolved the way wrangler resolves it for deployment. Kept in memory: 0.1–0.3 s beat a cache that can be stale. */
export async function bundleWorker(entry: string): Promise<string> {
  building += 1;
  try {
    const { outputFiles } = await build({
      entryPoints: [entry],
      absWorkingDir: projectRoot,
      bundle: true,
      write: false,
      format: "esm",
      target: "es2023",
      platform: "browser",
      conditions: ["workerd", "worker", "browser"],
      external: ["cloudflare:*", "node:*"],
      loader: { ".sql": "text", ".txt": "text", ".html": "text" },
      define: { "process.env.NODE_ENV": '"production"' },
      logLevel: "silent",
    });
    return outputFiles[0]?.text ?? "";
  } catch (error) {
    throw new StartFailure(`The Worker could not be built: ${messageOf(error).split("\n").slice(0, 2).join(" ")}`, { cause: error });
  } finally {
    // esbuild leaves a helper process running for the next build; there is none. (Stopping it under another build hangs that.)
    building -= 1;
    if (building === 0) await stop();
  }
}
