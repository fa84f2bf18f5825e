import { guarded } from "../guarded.ts";
import { retentionMs } from "../metrics/prevention-stats.ts";
import type { TeamRef } from "../tenancy/team-ref.ts";
import type { Memory } from "./memory.ts";

/** One whose time is over, or whose owner is gone. */
export type ExpiredMemory = Pick<Memory, "teamId" | "id" | "version" | "visibility">;

/** Work on whole shards that no person asked for; the only access to memories without a principal. */
export interface MaintenanceStore {
  expired(shard: string, now: number, limit: number, exceptTeams?: readonly string[]): Promise<ExpiredMemory[]>;
  /** Teams whose outbox has rows that a sweep has not seen yet. */
  teamsWithOutbox(shard: string): Promise<{ teamId: string; seq: number }[]>;
  /** Drops rows up to `seq`; tombstones stay until they are older than `tombstonesBefore`. */
  trimOutbox(place: TeamRef, seq: number, tombstonesBefore: number): Promise<void>;
  dropIdempotencyBefore(shard: string, before: number): Promise<void>;
  /** Roll-ups of hours and days that began before. */
  dropPreventionBefore(shard: string, before: { hour: number; day: number }): Promise<void>;
}

export interface MaintenanceIndex {
  /** Brings the team's index, and its organization's, up to date; answers how far the team's has come. */
  follow(place: TeamRef, seq: number): Promise<number>;
  /** Erases memories of the team in just these versions, in the truth and in its index, and leaves tombstones. */
  purge(place: TeamRef, now: number, memories: ExpiredMemory[]): Promise<void>;
  /** Compares the indexes with the truth and rebuilds them on any difference. */
  verify(place: TeamRef): Promise<{ rebuilt: boolean }>;
}

export interface TeamDirectory {
  listTeams(after?: string, limit?: number): Promise<TeamRef[]>;
}

export interface MaintenancePorts {
  teams: TeamDirectory;
  store: MaintenanceStore;
  index: MaintenanceIndex;
  vectors: { compare(place: TeamRef): Promise<{ missing: number; unwanted: number }> };
  report(event: string, error: unknown): void;
}

export interface SweepReport {
  purged: number;
  teamsFollowed: number;
  rebuilt: number;
  /** Vectors that the vector index lacked, or held without reason. */
  vectorsRepaired: number;
}

const day = 86_400_000;

/** An index that missed an erasure for longer than this is rebuilt rather than followed. */
const tombstoneLife = 30 * day;

const idempotencyLife = 7 * day;

const purgeBatch = 500;

/**
 * Repairs what failed in between: expired memories go, indexes follow changes they missed, and once an hour each index, of
 * words and of vectors, is compared with the truth. One team's failure does not stop the others.
 */
export async function sweep(ports: MaintenancePorts, now: number): Promise<SweepReport> {
  const report: SweepReport = { purged: 0, teamsFollowed: 0, rebuilt: 0, vectorsRepaired: 0 };
  const places = new Map<string, TeamRef>();
  for (let after = ""; ; ) {
    const page = await ports.teams.listTeams(after);
    for (const place of page) places.set(place.teamId, place);
    const last = page.at(-1);
    if (!last) break;
    after = last.teamId;
  }
  const shards = [...new Set([...places.values()].map(({ shard }) => shard))];
  for (const shard of shards) {
    await guarded(ports, "sweep.expire", async () => {
      report.purged += await purgeExpired(ports, places, shard, now);
      await ports.store.dropIdempotencyBefore(shard, now - idempotencyLife);
      await ports.store.dropPreventionBefore(shard, { hour: now - retentionMs.hour, day: now - retentionMs.day });
    });
    let changed: { teamId: string; seq: number }[] = [];
    await guarded(ports, "sweep.outbox", async () => {
      changed = await ports.store.teamsWithOutbox(shard);
    });
    for (const { teamId, seq } of changed) {
      const place = places.get(teamId);
      if (!place) continue;
      await guarded(ports, "sweep.follow", async () => {
        const applied = await ports.index.follow(place, seq);
        await ports.store.trimOutbox(place, Math.min(applied, seq), now - tombstoneLife);
        report.teamsFollowed += 1;
      });
    }
  }
  // Each team's turn comes once an hour, at its own minute.
  const minute = Math.floor(now / 60_000) % 60;
  for (const place of places.values()) {
    if (minuteOf(place.teamId) !== minute) continue;
    await guarded(ports, "sweep.verify", async () => {
      if ((await ports.index.verify(place)).rebuilt) report.rebuilt += 1;
    });
    await guarded(ports, "sweep.vectors", async () => {
      const { missing, unwanted } = await ports.vectors.compare(place);
      report.vectorsRepaired += missing + unwanted;
    });
  }
  return report;
}

/** Those of a team that cannot be purged give way to the others'. */
async function purgeExpired(ports: MaintenancePorts, places: Map<string, TeamRef>, shard: string, now: number): Promise<number> {
  const kept: string[] = [];
  for (let purged = 0; ; ) {
    const before = kept.length;
    const expired = await ports.store.expired(shard, now, purgeBatch, kept);
    for (const [teamId, group] of Map.groupBy(expired, (memory) => memory.teamId)) {
      const place = places.get(teamId);
      kept.push(teamId);
      if (place) await guarded(ports, "sweep.purge", async () => {
        await ports.index.purge(place, now, group);
        kept.pop();
        purged += group.length;
      });
    }
    if (expired.length < purgeBatch || kept.length === before) return purged;
  }
}

/** A fixed minute of the hour for each team. */
export const minuteOf = (teamId: string): number => [...teamId].reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) % 60, 0);
