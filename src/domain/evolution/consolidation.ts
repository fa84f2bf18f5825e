import { byRules } from "../intelligence/rules/rule-consolidation.ts";
import type { Step, StepResult, WorkKind } from "../curation/work-kind.ts";
import type { Memory } from "../memories/memory.ts";
import { leastConfidence } from "../memories/consolidate.ts";
import { judgePairs, type PageContext } from "../memories/consolidation-pairs.ts";
import { stepsOf } from "../memories/consolidation-steps.ts";
import { retryOnConflict } from "../memories/retry-on-conflict.ts";
import { curatorActor } from "../tenancy/principal.ts";
import { upkeepIn } from "../tenancy/upkeep.ts";
import { isEvolving } from "./evolution-policy.ts";
import type { EvolutionPorts } from "./evolve.ts";
import { dayMs, type MemoryFacts } from "./facts.ts";
import { type Evolved, writeEvolved } from "./write-evolved.ts";

export interface ConsolidationPorts extends EvolutionPorts, Pick<PageContext, "index" | "graph"> {}

/** Memories of one step: for each of them the team's index is asked once. */
const looksAtOnce = 60;
/** A pair changes two memories at most. */
const mostSteps = 50;

/**
 * Merges what is said twice and marks what was replaced, in one pass over the memories of a team, each audience by itself. The rules
 * decide, and only where one author wrote both last; what they are not sure of, and in a team with review all that others see, stays.
 */
export const consolidation = (ports: ConsolidationPorts): WorkKind => ({
  name: "consolidation",
  every: dayMs,
  isWanted: (team) => isEvolving(ports.policy, team),
  step: (step) => retryOnConflict("these memories", () => settle(ports, step)),
});

async function settle(ports: ConsolidationPorts, step: Step): Promise<StepResult> {
  const { run, cursor, changes } = step;
  const page = await ports.facts.factsAfter(step, cursor, looksAtOnce);
  const counts: Record<string, number> = { looked_at: page.length };
  let left = changes;
  for (const [audience, group] of Map.groupBy(page.filter(({ isHeld }) => !isHeld), (facts) => facts.audience)) {
    if (left <= 0) break;
    const settled = await settledIn(ports, { ...step, changes: left }, audience, group.map(({ id }) => id));
    for (const { rules: [rule = ""] } of settled) counts[rule] = (counts[rule] ?? 0) + 1;
    if (!run.isDry) await writeEvolved(ports, step, audience, settled);
    left -= settled.length;
  }
  return { cursor: page.at(-1)?.id ?? cursor, isLast: page.length < looksAtOnce, counts };
}

async function settledIn(ports: ConsolidationPorts, step: Step, audience: string, ids: string[]): Promise<Evolved[]> {
  const { team, now, changes } = step;
  const principal = upkeepIn(team, audience);
  const ctx = { principal, now, tool: curatorActor, index: ports.index, graph: ports.graph };
  const pairs = await judgePairs(ctx, byRules, await ports.facts.whole(principal, audience, ids));
  if (pairs.length === 0) return [];
  const [facts, isReviewed] = await Promise.all([ports.facts.factsOf(step, pairs.flatMap(({ kept, gone }) => [kept.id, gone.id])), ports.proposals.reviewRequired(principal)]);
  const byId = new Map(facts.map((one) => [one.id, one]));
  const open = pairs.filter(({ kept, gone }) => [kept, gone].every((memory) => isFree(memory, byId.get(memory.id), { audience, now })));
  const { steps } = stepsOf(ctx, open, { leastConfidence, isReviewed, isUnattended: true, mostSteps: Math.min(mostSteps, Math.max(1, Math.floor(changes / 2))) });
  return steps.flatMap(({ writes, verdict }) =>
    writes.map(({ memory, next }) => {
      const { updatedAt, updatedBy, updatedTool } = memory;
      return { memory, next: { ...next, updatedAt, updatedBy, updatedTool }, changedAt: byId.get(memory.id)?.changedAt ?? now, rules: [verdict.decision] };
    }),
  );
}

/** It is as it was seen, of this audience, and nothing says that it is to stay as it is. */
const isFree = ({ version }: Memory, facts: MemoryFacts | undefined, { audience, now }: { audience: string; now: number }): boolean =>
  facts !== undefined && !facts.isHeld && facts.version === version && facts.audience === audience && facts.changedAt <= now;
