import { guarded } from "../domain/guarded.ts";
import type { TeamRef } from "../domain/tenancy/team-ref.ts";
import type { CuratorServices } from "./services.ts";

/** Teams of a shard that one minute wakes; the others are first in the next. */
const teamsAtOnce = 50;
/** A team whose own schedule was lost, or that has none yet, is found after so long: a day, and what its place in the day may be late. */
const missedMs = 26 * 3_600_000;

/**
 * Cron trigger, every minute: wakes the objects of teams that have work to begin or to finish. Each then has a schedule of its own,
 * so that this finds new teams, requests whose call was lost, and runs that a crash left behind. One team's failure does not stop the others.
 */
export async function wakeTeams(services: Pick<CuratorServices, "teams" | "runs" | "report">, wake: (team: TeamRef) => Promise<unknown>, now: number): Promise<number> {
  const { teams, runs } = services;
  let woken = 0;
  for (const shard of await teams.listShards()) {
    await guarded(services, "curator.cron", async () => {
      for (const id of await runs.teamsToWake(shard, now - missedMs, teamsAtOnce)) {
        await guarded(services, "curator.wake", async () => {
          const found = await teams.findTeam(id);
          if (!found) return;
          await wake({ teamId: id, organizationId: found.organizationId, shard });
          woken += 1;
        });
      }
    });
  }
  return woken;
}
