import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Options, parseOptions, usage } from "./options.ts";
import { measurePeers } from "./peers.ts";
import { Report } from "./report.ts";
import { Scenario } from "./scenario.ts";
import { projectRoot, stopAll } from "./server.ts";

/** Exit codes: 0 all targets met, 1 a target missed, 2 a row could not be measured or the call was wrong. */
async function main(options: Options, directory: string): Promise<number> {
  const startedAt = new Date();
  const report = new Report();
  const scenario = new Scenario(options, report, directory);
  await scenario.attempt("scenario", () => scenario.run());
  if (interrupted) return interruptedCode;
  await stopAll();
  if (options.wants("peers")) {
    await scenario.attempt("peers", async () => {
      report.peers.push(...(await measurePeers(directory, options.sizes.peers, Math.min(100, options.sizes.samples))));
    });
  }
  if (options.wants("bundle")) report.bundle = bundleReport();

  const results = join(projectRoot, "bench-results");
  mkdirSync(results, { recursive: true });
  const file = join(results, `${startedAt.toISOString().replaceAll(":", "-")}.json`);
  writeFileSync(file, report.toJson({ startedAt: startedAt.toISOString(), quick: options.quick, sizes: options.sizes }));
  process.stdout.write(`${report.toText()}\n\n${file}\n`);

  if (report.failures.length > 0) return 2;
  return options.fail && !report.passes() ? 1 : 0;
}

/** Size of the Worker's bundle and its start-up CPU, in the words of the script that checks them. */
function bundleReport(): string {
  const script = join(projectRoot, "scripts/bundle-report.ts");
  if (!existsSync(script)) return "bundle: scripts/bundle-report.ts does not exist yet";
  const child = spawnSync(process.execPath, [script], { cwd: projectRoot, encoding: "utf8", timeout: 180_000 });
  return `${child.stdout.trim()}${child.status === 0 ? "" : `\n${child.stderr.trim().slice(-500)}`}`.trim();
}

function optionsOrUsage(): Options {
  try {
    return parseOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`bench: ${(error as Error).message}\n\n${usage}\n`);
    process.exit(2);
  }
}

const interruptedCode = 130;
let interrupted = false;
const options = optionsOrUsage();
const directory = mkdtempSync(join(tmpdir(), "omnimemory-bench-"));

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    interrupted = true;
    void stopAll().finally(() => {
      rmSync(directory, { recursive: true, force: true });
      process.exit(interruptedCode);
    });
  });
}

try {
  process.exitCode = await main(options, directory);
} finally {
  await stopAll();
  rmSync(directory, { recursive: true, force: true });
}
