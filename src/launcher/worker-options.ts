import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { cacheDir, projectRoot } from "./project.ts";
import { messageOf, StartFailure } from "./start-failure.ts";

/** The part of Miniflare's options that describes the Worker, as far as the launcher looks into it. */
export interface WorkerOptions {
  name: string;
  compatibilityDate: string;
  bindings: Record<string, string>;
  d1Databases: Record<string, { id: string }>;
  kvNamespaces: Record<string, { id: string }>;
  durableObjects: Record<string, { className: string; scriptName?: string; useSQLite?: boolean; unsafePreventEviction?: boolean }>;
  cronTriggers: string[];
  [option: string]: unknown;
}

const run = promisify(execFile);

/**
 * wrangler.toml, or another file of its form, as options for Miniflare. No TOML parser is among our dependencies outside wrangler's own bundle, and a
 * second translation of bindings would drift from the one that deploys, so wrangler does it (measured: 0.9–1.8 s to import,
 * no network), in a process beside the other preparations, once for each version of the file.
 */
export async function readWorkerOptions(file = "wrangler.toml"): Promise<WorkerOptions> {
  const configPath = join(projectRoot, file);
  const [toml, wrangler] = await Promise.all([
    readFile(configPath, "utf8"),
    readFile(join(projectRoot, "node_modules/wrangler/package.json"), "utf8"),
  ]);
  const key = createHash("sha256").update(JSON.stringify([configPath, toml, wrangler])).digest("hex").slice(0, 32);
  const cached = join(cacheDir, `worker-options-${key}.json`);
  const known = await readFile(cached, "utf8").catch(() => undefined);
  const text = known ?? (await askWrangler(configPath));
  // A cache that cannot be written (a read-only image) costs time, not the start.
  if (known === undefined) await store(cached, text).catch(() => undefined);
  return JSON.parse(text) as WorkerOptions;
}

async function askWrangler(configPath: string): Promise<string> {
  const script = fileURLToPath(new URL("./wrangler-config.ts", import.meta.url));
  try {
    const { stdout } = await run(process.execPath, [script, configPath], {
      env: { ...process.env, WRANGLER_SEND_METRICS: "false", WRANGLER_LOG: "error", WRANGLER_WRITE_LOGS: "false" },
    });
    return stdout;
  } catch (error) {
    const stderr = error instanceof Error && "stderr" in error ? String(error.stderr).trim().replaceAll(/\s*\n\s*/g, " ") : "";
    throw new StartFailure(`${basename(configPath)} could not be read: ${stderr || messageOf(error)}`, { cause: error });
  }
}

/** Renamed into place, so that a start at the same moment never reads half a file. */
async function store(path: string, text: string): Promise<void> {
  await mkdir(cacheDir, { recursive: true });
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, text);
  await rename(draft, path);
}
