import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { startProxy } from "./proxy.ts";
import { runSuite, type ScenarioResult } from "./suite.ts";

/**
 * `npm run conformance`: the official suite against the product as it runs on one machine, for both protocol eras.
 * With `--url … --key …` against a server that is already there and has the fixtures.
 */
const revisions = ["2025-11-25", "2026-07-28"];

interface Subject {
  url: string;
  apiKey: string | undefined;
  /** What the server logged as errors; the suite provokes some on purpose, so they are shown only with a failure. */
  errors: string[];
  close: () => Promise<void>;
}

async function startProduct(dataDir: string): Promise<Subject> {
  const { startServer } = await import("../../src/launcher/server.ts");
  const entry = fileURLToPath(new URL("worker.ts", import.meta.url));
  // The suite asks faster than the limit per key allows, which has tests of its own.
  const errors: string[] = [];
  const server = await startServer({
    entry, dataDir, port: 0, vars: { OMNIMEMORY_RATE_LIMIT: "off" },
    log: (level, message) => void (level === "error" && errors.push(message)),
  });
  return { url: server.url, apiKey: server.apiKey, errors, close: () => server.close(1_000) };
}

function report(revision: string, results: ScenarioResult[]): boolean {
  console.log(`\n${revision}`);
  for (const { scenario, scored, passed, problems, untested } of results) {
    const mark = problems.length === 0 ? "ok  " : scored ? "FAIL" : "miss";
    const notes = [`${passed} passed`, problems.length > 0 && `${problems.length} not`, untested > 0 && `${untested} not applicable`];
    console.log(`  ${mark} ${scenario}: ${notes.filter(Boolean).join(", ")}${scored ? "" : " (not scored)"}`);
    if (!scored) continue;
    for (const { id, status, errorMessage } of problems) console.log(`         ${status} ${id}: ${errorMessage ?? ""}`);
  }
  const scored = results.filter((result) => result.scored);
  const good = scored.filter(({ problems }) => problems.length === 0);
  const checks = scored.reduce((sum, { passed }) => sum + passed, 0);
  const failed = scored.reduce((sum, { problems }) => sum + problems.length, 0);
  console.log(`  ${revision}: ${good.length} of ${scored.length} required scenarios, ${checks} checks passed, ${failed} not`);
  return failed === 0;
}

async function main(): Promise<boolean> {
  const { values } = parseArgs({ options: { url: { type: "string" }, key: { type: "string" } } });
  const dir = await mkdtemp(join(tmpdir(), "omnimemory-conformance-"));
  const cleanUp: (() => Promise<unknown>)[] = [() => rm(dir, { recursive: true, force: true })];
  const interrupted = new Promise<never>((_, reject) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => reject(new Error(`Ended by ${signal}`)));
  });
  const run = async (): Promise<boolean> => {
    const subject = values.url === undefined
      ? await startProduct(join(dir, "data"))
      : { url: values.url, apiKey: values.key, errors: [], close: () => Promise.resolve() };
    cleanUp.unshift(subject.close);
    const proxy = await startProxy(new URL(subject.url), subject.apiKey);
    cleanUp.unshift(proxy.close);
    let passed = true;
    for (const revision of revisions) {
      const results = await runSuite(proxy.url, revision, join(dir, revision));
      passed = report(revision, results) && passed;
    }
    if (!passed) console.log(["", "The server's last errors:", ...subject.errors.slice(-5)].join("\n"));
    return passed;
  };
  try {
    return await Promise.race([run(), interrupted]);
  } finally {
    for (const step of cleanUp) await step().catch((error: unknown) => console.error(error));
  }
}

try {
  process.exitCode = (await main()) ? 0 : 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
// Nothing is left to wait for; a stream somebody forgot must not keep the run alive.
process.exit();
