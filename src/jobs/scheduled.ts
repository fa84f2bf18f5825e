import type { Services } from "../app.ts";
import { sweepIndexing } from "../domain/indexing/index-team.ts";
import { sweep } from "../domain/memories/maintenance.ts";

/** So that the next minute's run does not find this one at work. */
const indexingMs = 40_000;

/** Cron trigger, every minute. */
export async function runScheduled(services: Services, now: number, clock: () => number = Date.now): Promise<void> {
  await services.identityMaintenance.purge(now).catch((error: unknown) => services.report("identity.purge", "", error));
  await sweep(services.maintenance, now);
  await sweepIndexing(services.indexing, clock, clock() + indexingMs);
}
