import type { Services } from "../app.ts";
import { watchAudits } from "../domain/audit/watch.ts";
import { resultLifeMs } from "../domain/transfers/export-result.ts";
import { sweepJobs } from "../domain/transfers/work.ts";
import { sweepIndexing } from "../domain/indexing/index-team.ts";
import { eraseDue } from "../domain/tenancy/erasure.ts";
import { keepSecrets } from "../domain/secrets/rotation.ts";
import { sweep } from "../domain/memories/sweep.ts";
import { jobPortsOf } from "./job-ports.ts";

/** So that the next minute's run does not find this one at work. */
const indexingMs = 40_000;
/** Erasing a large team takes several runs. */
const erasingMs = 10_000;
const watchingMs = 5_000;
/** Sealing all secrets of a large team anew takes several runs. */
const sealingMs = 10_000;
/** Imports and exports whose message was lost. */
const jobsMs = 10_000;

/** Cron trigger, every minute. */
export async function runScheduled(services: Services, now: number, clock: () => number = Date.now): Promise<void> {
  await services.registerShards(now).catch((error: unknown) => services.report("shards.register", "", error));
  // The clock of the run, so that what is due is due for all of it.
  const since = clock();
  const running = (): number => now + clock() - since;
  await eraseDue(services.erasure, running, now + erasingMs);
  await services.identityMaintenance.purge(now).catch((error: unknown) => services.report("identity.purge", "", error));
  await watchAudits(services.watch, now, clock, clock() + watchingMs).catch((error: unknown) => services.report("audit.watch", "", error));
  await keepSecrets(services.secrets, running, running() + sealingMs);
  await sweep(services.maintenance, now);
  await sweepJobs(jobPortsOf(services), running, running() + jobsMs, resultLifeMs);
  await sweepIndexing(services.indexing, clock, clock() + indexingMs);
}
