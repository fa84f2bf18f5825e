import { type ChildProcess, execFile, spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("../", import.meta.url));
const script = join(root, "node_modules", "wrangler", "bin", "wrangler.js");

/** Runs the project's own wrangler in the terminal of whoever asked for it. */
export function startWrangler(...args: string[]): ChildProcess {
  return spawn(process.execPath, [script, ...args], { cwd: root, stdio: "inherit" });
}

/** Runs the project's own wrangler, which asks nothing and tells nobody. @throws with what it printed */
export async function wrangler(...args: string[]): Promise<void> {
  const env = { ...process.env, WRANGLER_SEND_METRICS: "false", WRANGLER_WRITE_LOGS: "false", CI: "1" };
  try {
    await promisify(execFile)(process.execPath, [script, ...args], { cwd: root, env });
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    throw new Error(`wrangler ${args.slice(0, 2).join(" ")} failed:\n${stdout}${stderr}`, { cause: error });
  }
}
