import { upkeepIn } from "../tenancy/upkeep.ts";
import type { Memory } from "../memories/memory.ts";
import type { ProposalStore } from "../memories/proposal-store.ts";
import { retryOnConflict } from "../memories/retry-on-conflict.ts";
import type { Step, StepResult, WorkKind } from "../curation/work-kind.ts";
import { dayMs, type EvolutionStore, type MemoryFacts } from "./facts.ts";
import { type EvolutionPolicyStore, isEvolving } from "./evolution-policy.ts";
import { type Evolution, evolutionOf } from "./rules.ts";
import { type EvolvedPorts, writeEvolved } from "./write-evolved.ts";

export interface EvolutionPorts extends EvolvedPorts {
  facts: EvolutionStore;
  policy: Pick<EvolutionPolicyStore, "policy">;
  proposals: Pick<ProposalStore, "reviewRequired">;
}

/** Memories of one step: their facts are some 100 bytes each. */
const looksAtOnce = 500;

/**
 * Importance from use and age, promotion, and archival of the dead, in one pass over the memories of a team: each is changed once,
 * by one version that says why. Expiry is the sweep's (`memories/sweep.ts`), which erases what a person gave an end.
 */
export const evolution = (ports: EvolutionPorts): WorkKind => ({
  name: "evolution",
  every: dayMs,
  isWanted: (team) => isEvolving(ports.policy, team),
  step: (step) => retryOnConflict("these memories", () => evolve(ports, step)),
});

interface Evolving {
  facts: MemoryFacts;
  evolution: Evolution;
}

async function evolve(ports: EvolutionPorts, step: Step): Promise<StepResult> {
  const { team, run, now, cursor, changes } = step;
  const [page, isReviewed] = await Promise.all([ports.facts.factsAfter(step, cursor, looksAtOnce), ports.proposals.reviewRequired(upkeepIn(team, ""))]);
  const evolving: Evolving[] = [];
  let looked = 0;
  for (const facts of page) {
    // Where a team reviews what others see, nobody hides a shared memory unasked.
    const evolution = evolutionOf(facts, now, { archive: facts.audience !== "" || !isReviewed });
    if (evolution && evolving.length === changes) break;
    looked += 1;
    if (evolution) evolving.push({ facts, evolution });
  }
  const counts: Record<string, number> = { looked_at: looked };
  for (const rule of evolving.flatMap(({ evolution }) => evolution.rules)) counts[rule] = (counts[rule] ?? 0) + 1;
  if (!run.isDry) {
    for (const [audience, group] of Map.groupBy(evolving, ({ facts }) => facts.audience)) await writeAudience(ports, { team, run, now }, audience, group);
  }
  return { cursor: page[looked - 1]?.id ?? cursor, isLast: looked === page.length && page.length < looksAtOnce, counts };
}

async function writeAudience(ports: EvolutionPorts, { team, run, now }: Pick<Step, "team" | "run" | "now">, audience: string, evolving: readonly Evolving[]): Promise<void> {
  const principal = upkeepIn(team, audience);
  const byId = new Map(evolving.map((one) => [one.facts.id, one]));
  const found = await ports.facts.whole(principal, audience, [...byId.keys()]);
  const changes = found.flatMap((memory) => {
    const one = byId.get(memory.id);
    // What has changed since is looked at in the next run.
    return one && memory.version === one.facts.version ? { memory, next: nextOf(memory, one, now), changedAt: one.facts.changedAt, rules: one.evolution.rules } : [];
  });
  await writeEvolved(ports, { team, run, now }, audience, changes);
}

function nextOf(memory: Memory, { facts: { baseImportance: base }, evolution: { wish } }: Evolving, now: number): Memory {
  const { importance = memory.importance, tier = memory.tier, archive } = wish;
  const enrichment = memory.enrichment && base !== null && wish.importance !== undefined ? { ...memory.enrichment, base } : memory.enrichment;
  return { ...memory, importance, tier, enrichment, ...(archive ? { archivedAt: now } : {}), version: memory.version + 1 };
}
