import { archivalRule } from "./archival.ts";
import type { MemoryFacts, Rule, Wish } from "./facts.ts";
import { importanceRule } from "./importance.ts";
import { promotionRule } from "./promotion.ts";

/** In this order: a later one sees what an earlier one wants. */
const rules: readonly Rule[] = [importanceRule, promotionRule, archivalRule];

/** What is to become of a memory, and by which rules. */
export interface Evolution {
  wish: Wish;
  rules: string[];
}

/**
 * Undefined where it stays as it is. Asked again at the same instant of what came of it, the answer is: as it is. A memory whose
 * present version is of a later instant than this waits until the clock has caught up.
 */
export function evolutionOf(facts: MemoryFacts, now: number, allowed: { archive: boolean }): Evolution | undefined {
  if (facts.isHeld || now < facts.changedAt) return undefined;
  const seen = { ...facts };
  const evolution: Evolution = { wish: {}, rules: [] };
  for (const { name, wish } of rules) {
    const wanted = wish(seen, now);
    if (!wanted || (wanted.archive && !allowed.archive)) continue;
    if (wanted.importance !== undefined) seen.importance = wanted.importance;
    if (wanted.tier !== undefined) seen.tier = wanted.tier;
    Object.assign(evolution.wish, wanted);
    evolution.rules.push(name);
  }
  return evolution.rules.length === 0 ? undefined : evolution;
}
