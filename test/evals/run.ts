import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stopAll } from "../bench/server.ts";
import { compression } from "./compression.ts";
import { devmem, devmemFiles } from "./devmem.ts";
import { enrichment } from "./enrichment.ts";
import type { Evaluation, Measured, Miss } from "./evaluation.ts";
import { duplicates } from "./duplicates.ts";
import { facts } from "./facts.ts";
import { guard } from "./guard.ts";
import { locomo, locomoFiles } from "./locomo.ts";
import type { Memories } from "./memories.ts";
import { type Options, parseOptions, type SetName, usage } from "./options.ts";
import { precision, precisionTeams } from "./precision.ts";
import { precisionFiles } from "./precision-cases.ts";
import { resume, resumeFiles } from "./resume.ts";
import { startProduct } from "./product.ts";
import { relations } from "./relations.ts";
import { judge, setTable, type VariantResult, variantTable, verdictTable } from "./report.ts";
import { stream } from "./stream.ts";
import { targets } from "./targets.ts";
import { stackSets, teams, teamSets } from "./teams.ts";
import { base, variants } from "./variants.ts";

const homes = ["locomo", "devmem", "stream", "resume", ...precisionTeams, ...teamSets, ...stackSets] as const;
type Teams = Record<(typeof homes)[number], Memories>;

interface StoredSet {
  title: string;
  files: readonly string[];
  /** The teams that hold its memories. The first is asked what arguments the server takes. */
  homes: readonly [(typeof homes)[number], ...(typeof homes)[number][]];
  prepare(options: Options, teams: Teams): Promise<Evaluation>;
}

/** Needs no server, and no memory is stored. */
interface PureSet {
  title: string;
  files: readonly string[];
  measure(options: Options): Measured;
}

type DataSet = StoredSet | PureSet;

const dataSets: Record<SetName, DataSet> = {
  teams: { title: "Teams, questions not learned from", files: [], homes: teamSets, prepare: ({ limit }, all) => teams(teamSets, all, limit) },
  stacks: { title: "What projects run on, questions not learned from", files: [], homes: stackSets, prepare: ({ limit }, all) => teams(stackSets, all, limit) },
  locomo: { title: "LoCoMo dev, turns", files: locomoFiles, homes: ["locomo"], prepare: ({ dataDir, limit }, { locomo: team }) => locomo(dataDir, team, limit) },
  devmem: { title: "DevMemBench, sessions", files: devmemFiles, homes: ["devmem"], prepare: ({ dataDir, limit }, { devmem: team }) => devmem(dataDir, team, limit) },
  compression: { title: "Long notes, facts that compression retains", files: [], homes: ["ledger"], prepare: ({ limit }) => Promise.resolve(compression(limit)) },
  resume: { title: "LoCoMo dev, a briefing of each conversation", files: resumeFiles, homes: ["resume"], prepare: ({ dataDir, limit }, { resume: team }) => resume(dataDir, team, limit) },
  precision: { title: "PrecisionMemBench", files: precisionFiles, homes: precisionTeams, prepare: ({ dataDir, limit }, all) => precision(dataDir, all, limit) },
  duplicates: { title: "Pairs of notes, one statement or two", files: [], measure: ({ limit }) => duplicates(limit) },
  stream: { title: "Stream of notes with repeats", files: [], homes: ["stream"], prepare: ({ limit }, { stream: team }) => stream(team, limit) },
  facts: { title: "Facts of conversations, and what becomes of them", files: [], measure: ({ limit }) => facts(limit) },
  guard: { title: "Write guard", files: [], measure: ({ limit }) => guard(limit) },
  relations: { title: "Relations of notes", files: [], measure: ({ limit }) => relations(limit) },
  enrichment: { title: "Enrichment by rules", files: [], measure: ({ limit }) => enrichment(limit) },
};

/** Exit codes: 0 all targets met or not asked, 1 a target missed, 2 it could not be measured. */
async function main(options: Options, directory: string): Promise<number> {
  const wanted = options.sets.filter((name) => {
    const missing = dataSets[name].files.filter((file) => !existsSync(join(options.dataDir, file)));
    if (missing.length > 0) print(`**** SKIPPED: ${dataSets[name].title} (${missing.join(", ")} not in ${options.dataDir})`);
    return missing.length === 0;
  });
  if (wanted.length === 0) return 0;

  let product: Promise<Teams> | undefined;
  const started = (): Promise<Teams> => (product ??= startProduct(join(directory, "data"), homes));
  const results = new Map<SetName, Measured>();
  const report: Record<string, VariantResult[]> = {};
  const misses: (Miss & { set: SetName })[] = [];
  for (const name of wanted) {
    const dataSet = dataSets[name];
    const { title } = dataSet;
    const stored = "homes" in dataSet ? await measureStored(dataSet, options, await started()) : undefined;
    const measured = stored?.measured ?? measurePure(dataSet as PureSet, options);
    results.set(name, measured);
    if (options.misses !== undefined) misses.push(...(stored ? await explained(measured.misses, stored.team) : measured.misses).map((miss) => ({ set: name, ...miss })));
    report[name] = [{ name: base.name, measured }, ...(options.variants && stored ? await eachVariant(stored.evaluation, stored.team) : [])];
    if (options.variants && stored) print(`\n${variantTable(title, report[name])}`);
  }

  const verdicts = judge(targets, options.held, results);
  print(`\n${verdictTable(verdicts)}`);
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify({ limit: options.limit, report, verdicts }, withoutMisses, 1)}\n`);
  if (options.misses !== undefined) writeFileSync(options.misses, misses.map((miss) => `${JSON.stringify(miss)}\n`).join(""));
  const faultless = [...results.values()].every(({ faults }) => faults.length === 0);
  return options.check && !(faultless && verdicts.every(({ met }) => met)) ? 1 : 0;
}

function measurePure({ title, measure }: PureSet, options: Options): Measured {
  const startedAt = performance.now();
  const measured = measure(options);
  print(`\n${setTable(title, measured)}`);
  print(`measured in ${seconds(performance.now() - startedAt)}`);
  return measured;
}

async function measureStored({ title, prepare, homes }: StoredSet, options: Options, all: Teams): Promise<{ measured: Measured; evaluation: Evaluation; team: Memories }> {
  const startedAt = performance.now();
  const evaluation = await prepare(options, all);
  const storedAt = performance.now();
  let failed = 0;
  for (const home of homes) failed += (await all[home].settled()).failed;
  const settledAt = performance.now();
  const measured = await evaluation.measure(base.args);
  if (failed > 0) measured.faults.push(`${failed} memories have no vector`);
  print(`\n${setTable(title, measured)}`);
  print(`stored in ${seconds(storedAt - startedAt)}, indexed ${seconds(settledAt - storedAt)} later, measured in ${seconds(performance.now() - settledAt)}`);
  return { measured, evaluation, team: all[homes[0]] };
}

async function eachVariant(evaluation: Evaluation, team: Memories): Promise<VariantResult[]> {
  const results: VariantResult[] = [];
  for (const { name, args } of variants) {
    results.push({ name, measured: (await team.takes(args)) ? await evaluation.measure(args) : undefined });
  }
  return results;
}

/** Asks again, with the receipt where the server takes that argument. */
async function explained(misses: readonly Miss[], team: Memories): Promise<Miss[]> {
  if (!(await team.takes({ receipt: true }))) return [...misses];
  const told: Miss[] = [];
  for (const miss of misses) told.push({ ...miss, receipt: (await team.recall({ ...miss.args, receipt: true })).receipt });
  return told;
}

const withoutMisses = (key: string, value: unknown): unknown => (key === "misses" || key === "recalls" ? undefined : value);
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function optionsOrUsage(): Options {
  try {
    return parseOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`eval: ${(error as Error).message}\n\n${usage}\n`);
    process.exit(2);
  }
}

const options = optionsOrUsage();
const directory = mkdtempSync(join(tmpdir(), "omnimemory-eval-"));
const leave = async (): Promise<void> => {
  await stopAll();
  rmSync(directory, { recursive: true, force: true });
};

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void leave().finally(() => process.exit(130)));
}

try {
  process.exitCode = await main(options, directory);
} catch (error) {
  process.stderr.write(`eval: ${(error as Error).stack ?? String(error)}\n`);
  process.exitCode = 2;
} finally {
  await leave();
}
