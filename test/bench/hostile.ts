import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { BenchClient, type Timed } from "./client.ts";
import type { HostileData, Statuses } from "./hostile-clients.ts";
import { summarise } from "./measure.ts";
import type { Report } from "./report.ts";
import { Server } from "./server.ts";
import { Team, TeamContent } from "./team.ts";
import { addMembers } from "./tenants.ts";

/** Below the limit of a key, which is not lifted here. */
const samples = 90;
const pauseMs = 100;
/** The attackers go on for as long as the others measure, at the least. */
const attackMs = 20_000;
const rssEveryMs = 200;

interface Measured {
  times: Timed[];
  refused: number;
  faults: number;
  peakRssMiB: number;
}

/** What one hostile key and one stranger do to a member who behaves, on a server with all its limits. */
export async function hostileLoad(dataDir: string, size: number, report: Report): Promise<void> {
  const content = new TeamContent(9);
  const filled = await Server.start(dataDir);
  const owner = new Team(filled.client, content);
  await owner.growTo(size, "shared");
  await owner.indexed();
  await filled.stop();
  const [quietKey, loadedKey, hostileKey] = addMembers(dataDir, 3) as [string, string, string];

  const server = await Server.start(dataDir, "on");
  const quiet = await measure(server, quietKey, 1);
  const hostile: HostileData = { origin: new URL(server.url).origin, key: hostileKey, forMs: attackMs };
  const attackers = new Worker(new URL("hostile-clients.ts", import.meta.url), { workerData: hostile });
  const ended = new Promise<Statuses>((resolve, reject) => attackers.once("message", resolve).once("error", reject));
  await sleep(500);
  const loaded = await measure(server, loadedKey, 2);
  const answered = await ended;
  await attackers.terminate();

  const [quietRow, loadedRow] = [summarise(quiet.times), summarise(loaded.times)];
  report.row({ name: "query, nobody hostile", ...quietRow, rssMiB: quiet.peakRssMiB });
  report.row({ name: "query beside hostile clients", ...loadedRow, rssMiB: loaded.peakRssMiB, note: `attackers were answered ${JSON.stringify(answered)}` });
  report.p95Ratio("p95 beside hostile clients / quiet", 5, loadedRow, quietRow);
  report.bound("RSS beside hostile clients over quiet, MiB", 1_024, loaded.peakRssMiB - quiet.peakRssMiB);
  report.bound("5xx for who behaves", 0, loaded.faults);
  report.bound("other refusals for who behaves", 0, loaded.refused);
  await server.stop();
}

/** Answers of a member at a pace that a busy client has; the peak of memory while they came. */
async function measure(server: Server, key: string, seed: number): Promise<Measured> {
  const client = new BenchClient(server.url, key);
  const query = new Team(client, new TeamContent(9)).query(seed);
  const measured: Measured = { times: [], refused: 0, faults: 0, peakRssMiB: 0 };
  const look = (): void => void (measured.peakRssMiB = Math.max(measured.peakRssMiB, server.rssMiB() ?? 0));
  const watching = setInterval(look, rssEveryMs);
  try {
    for (let n = 0; n < 10; n += 1) await query.run();
    for (let n = 0; n < samples; n += 1) {
      await query.run().then((timed) => measured.times.push(timed), (error: Error) => void (/HTTP 5/.test(error.message) ? (measured.faults += 1) : (measured.refused += 1)));
      await sleep(pauseMs);
    }
    look();
    return measured;
  } finally {
    clearInterval(watching);
    client.close();
  }
}
