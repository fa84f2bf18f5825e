import { type Step, toolOf } from "../curation/work-kind.ts";
import { commitAll } from "../memories/commit-all.ts";
import type { Memory } from "../memories/memory.ts";
import type { MemoryWrite, MemoryWriter } from "../memories/memory-store.ts";
import type { ReversionStore } from "../memories/reversion-store.ts";
import { curatorActor } from "../tenancy/principal.ts";
import { upkeepIn } from "../tenancy/upkeep.ts";

export interface EvolvedPorts {
  reversions: Pick<ReversionStore, "begin">;
  writer: Pick<MemoryWriter, "commit">;
}

/** A memory, and what the curator makes of it. */
export interface Evolved {
  memory: Memory;
  /** It keeps author and date of the memory: who says it, and how old it is, has not changed. */
  next: Memory;
  /** When the present version was made, ms since the epoch. */
  changedAt: number;
  /** Why, as it stands in the history. */
  rules: readonly string[];
}

/** Writes what a run changes in one audience, with the record by which the run is undone. @throws WriteConflict when one of the memories has changed */
export async function writeEvolved({ reversions, writer }: EvolvedPorts, { team, run, now }: Pick<Step, "team" | "run" | "now">, audience: string, evolved: readonly Evolved[]): Promise<void> {
  if (evolved.length === 0) return;
  const write = { now, tool: curatorActor, requestId: run.id };
  await reversions.begin(upkeepIn(team, ""), write, { id: run.id, kind: "evolution", selection: {}, memories: 0 });
  const writes = evolved.map(({ memory, next, changedAt, rules }): MemoryWrite => ({
    memory: next,
    action: "evolve",
    before: memory,
    stamp: { at: Math.max(now, changedAt + 1), actorId: curatorActor, tool: toolOf(rules) },
    reversion: { run: run.id, restored: memory.version },
  }));
  await commitAll(writer, upkeepIn(team, audience), write, writes);
}
