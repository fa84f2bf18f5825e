import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "./build.ts";
import { wrangler } from "./wrangler.ts";

/**
 * What would be deployed: its size, and what it costs to start. Needs no network and no account.
 * Fails above 700 KiB gzip (less than a quarter of the free plan's 3 MiB, so that the limit is never a surprise) or 100 ms of start-up
 * (a tenth of Cloudflare's 1 s). `--size` leaves the start-up out: a time belongs into the bench, not into CI.
 */
const limits = { gzipKiB: 700, startupMs: 100 };
/** A profile counts what other programs take from this one as its own, so the least disturbed run is nearest to the truth. */
const maxRuns = 8;

const scratch = mkdtempSync(join(tmpdir(), "omnimemory-bundle-"));

try {
  process.exitCode = (await report()) ? 0 : 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

async function report(): Promise<boolean> {
  const bundle = join(scratch, "worker.bundle");
  await wrangler(...(await build("wrangler.toml", join(scratch, "build"))), "--dry-run", "--outdir", join(scratch, "out"), "--outfile", bundle);
  const { raw, gzip } = sizeOf(join(scratch, "out"));
  const lines: [what: string, figure: string, good: boolean][] = [
    ["bundle, raw", `${kib(raw)} KiB`, true],
    ["bundle, gzip", `${kib(gzip)} KiB (limit ${limits.gzipKiB})`, gzip <= limits.gzipKiB * 1_024],
  ];
  if (!process.argv.includes("--size")) {
    const startup = await startupRuns(bundle);
    const best = least(startup);
    const runs = startup.map((ms) => ms.toFixed(0)).join(", ");
    lines.push(["start-up CPU", `${best.toFixed(0)} ms (limit ${limits.startupMs}; least of ${runs})`, best <= limits.startupMs]);
    lines.push(["measured with", "wrangler check startup: CPU profile in the local workerd, idle time left out", true]);
  }
  for (const [what, figure, good] of lines) process.stdout.write(`${good ? "ok  " : "FAIL"}  ${what.padEnd(14)} ${figure}\n`);
  return lines.every(([, , good]) => good);
}

/** Milliseconds of each run, until one is within the limit. */
async function startupRuns(bundle: string): Promise<number[]> {
  const startup: number[] = [];
  for (let run = 0; run < maxRuns && least(startup) > limits.startupMs; run += 1) {
    const profile = join(scratch, `startup-${run}.cpuprofile`);
    await wrangler("check", "startup", "--worker", bundle, "--outfile", profile);
    startup.push(activeMs(profile));
  }
  return startup;
}

/** The modules that are uploaded; source maps and wrangler's note to the reader are not. */
function sizeOf(folder: string): { raw: number; gzip: number } {
  const modules = readdirSync(folder).filter((name) => !name.endsWith(".map") && name !== "README.md");
  const contents = modules.map((name) => readFileSync(join(folder, name)));
  return { raw: sum(contents.map((content) => content.length)), gzip: sum(contents.map((content) => gzipSync(content).length)) };
}

interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string } }[];
  samples: number[];
  timeDeltas: number[];
}

/** Milliseconds in which the profile saw code running or garbage being collected. */
function activeMs(path: string): number {
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(path, "utf8")) as CpuProfile;
  const idle = new Set(nodes.filter(({ callFrame }) => callFrame.functionName === "(idle)").map(({ id }) => id));
  return sum(samples.map((id, index) => (idle.has(id) ? 0 : (timeDeltas[index] ?? 0)))) / 1_000;
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function least(values: number[]): number {
  return Math.min(Number.POSITIVE_INFINITY, ...values);
}

function kib(bytes: number): string {
  return (bytes / 1_024).toFixed(1);
}
