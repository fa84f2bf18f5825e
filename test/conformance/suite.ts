import { spawn } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const packageDir = dirname(fileURLToPath(import.meta.resolve("@modelcontextprotocol/conformance/package.json")));
const limitMs = 5 * 60_000;

interface Check {
  id: string;
  status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";
  errorMessage?: string;
}

export interface ScenarioResult {
  scenario: string;
  scored: boolean;
  passed: number;
  /** A WARNING is a SHOULD that is not met; it counts as much as a failure here. */
  problems: Check[];
  /** Neither passed nor failed: the scenario found nothing to look at. */
  untested: number;
}

/** What a server must pass for a revision, from the list the suite itself publishes. */
async function required(revision: string): Promise<string[]> {
  const yaml = await readFile(join(packageDir, "requirements", `${revision}.yaml`), "utf8");
  const section = /^server:\n((?: .*\n)+)/m.exec(yaml)?.[1] ?? "";
  return [...section.matchAll(/^ {2}- (\S+)$/gm)].map(([, name]) => name ?? "");
}

/** Runs all scenarios of a revision against a server. @throws when the suite could not run, or left a required scenario out. */
export async function runSuite(url: string, revision: string, outputDir: string): Promise<ScenarioResult[]> {
  const output = await runCommand(["server", "--url", url, "--requirements", revision, "--output-dir", outputDir]);
  const scored = await required(revision);
  const results = await Promise.all((await readdir(outputDir)).toSorted().map((entry) => readResult(outputDir, entry, scored)));
  const missing = scored.filter((name) => !results.some(({ scenario }) => scenario === name));
  if (scored.length === 0 || missing.length > 0) {
    throw new Error(`The suite did not run ${missing.join(", ") || "anything"} for ${revision}:\n${output.slice(-4_000)}`);
  }
  return results;
}

async function readResult(outputDir: string, entry: string, scored: string[]): Promise<ScenarioResult> {
  const scenario = entry.replace(/^server-/, "").replace(/-\d{4}-\d{2}-\d{2}T[\d-]+Z$/, "");
  const written = await readFile(join(outputDir, entry, "checks.json"), "utf8").catch(() => undefined);
  const checks: Check[] = written === undefined
    ? [{ id: scenario, status: "FAILURE", errorMessage: "the scenario ended before it wrote its checks" }]
    : (JSON.parse(written) as Check[]);
  const of = (...statuses: Check["status"][]): Check[] => checks.filter(({ status }) => statuses.includes(status));
  return {
    scenario,
    scored: scored.includes(scenario),
    passed: of("SUCCESS").length,
    problems: of("FAILURE", "WARNING"),
    untested: of("SKIPPED", "INFO").length,
  };
}

/** The exit code is not used: it passes over warnings, and over scenarios that are not scored. */
function runCommand(args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(packageDir, "dist", "index.js"), ...args], {
      stdio: ["ignore", "pipe", "pipe"], timeout: limitMs,
    });
    const end = (): void => void child.kill();
    process.once("exit", end);
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.once("error", reject);
    child.once("close", (_code, signal) => {
      process.off("exit", end);
      if (signal === null) resolve(output);
      else reject(new Error(`The conformance suite was ended by ${signal}:\n${output.slice(-4_000)}`));
    });
  });
}
