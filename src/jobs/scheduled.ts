import type { Services } from "../app.ts";
import { sweep } from "../domain/memories/maintenance.ts";

/** Cron trigger, every minute. */
export async function runScheduled(services: Services, now: number): Promise<void> {
  await sweep(services.maintenance, now);
}
