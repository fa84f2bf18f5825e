import type { TeamRef } from "../tenancy/team-ref.ts";
import type { Budget, Outcome } from "./follow.ts";
import type { ProgressStore } from "./progress-store.ts";
import type { Clock } from "./stage.ts";
import type { IndexingTask } from "./task.ts";

export interface TeamFinder {
  findTeam(id: string): Promise<TeamRef | undefined>;
  /** Binding names of the shards that hold teams. */
  listShards(): Promise<string[]>;
}

export interface IndexingPorts {
  teams: TeamFinder;
  progress: Pick<ProgressStore, "teamsBehind">;
  tasks: readonly IndexingTask[];
  report(event: string, error: unknown): void;
}

/** Follows the team's changes with every task. One task's trouble does not stop the others. */
export async function indexTeam(ports: IndexingPorts, team: TeamRef, clock: Clock, budget: Budget): Promise<Outcome> {
  const outcomes: Outcome[] = [];
  for (const task of ports.tasks) {
    try {
      outcomes.push(await task.run(team, clock, budget));
    } catch (error) {
      ports.report("indexing", error);
    }
  }
  const waiting = outcomes.flatMap((outcome) => (outcome.state === "waiting" ? outcome.until : []));
  if (outcomes.some(({ state }) => state === "more")) return { state: "more" };
  if (outcomes.length < ports.tasks.length) return { state: "waiting", until: clock() };
  return waiting.length > 0 ? { state: "waiting", until: Math.min(...waiting) } : { state: "done" };
}

/** Most teams of a shard that one sweep looks after; the others are first in the next. */
const sweepTeams = 50;
const sweepMemories = 10_000;

/** Looks after teams whose message was lost, that waited after a failure, or that have memories set aside. */
export async function sweepIndexing(ports: IndexingPorts, clock: Clock, deadline: number): Promise<{ teams: number }> {
  const expected = ports.tasks.flatMap(({ expectedCursors }) => expectedCursors);
  let teams = 0;
  for (const shard of await ports.teams.listShards()) {
    try {
      for (const id of await ports.progress.teamsBehind(shard, expected, clock(), sweepTeams)) {
        if (clock() >= deadline) return { teams };
        const place = await ports.teams.findTeam(id);
        if (!place) continue;
        await indexTeam(ports, { teamId: id, organizationId: place.organizationId, shard }, clock, { deadline, memories: sweepMemories });
        teams += 1;
      }
    } catch (error) {
      ports.report("indexing.sweep", error);
    }
  }
  return { teams };
}
