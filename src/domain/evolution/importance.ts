import { dayMs, idleMs, type MemoryFacts, type Rule } from "./facts.ts";

/** Reads after which more of them say nothing more. */
const fullUse = 32;
/** What full use adds, and what it still adds after so long without any: half. */
const useGain = 0.3;
const useHalfLife = 90 * dayMs;
/** Nothing is lost before this; then up to `idleLoss`, half of it after the half-life. */
const idleGrace = 30 * dayMs;
const idleLoss = 0.3;
const idleHalfLife = 180 * dayMs;
/** Smaller moves are left out: each is a version in the memory's history, and changes no order that anybody would notice. */
const noticeable = 0.1;

const half = (ms: number, halfLife: number): number => 2 ** (-ms / halfLife);

/**
 * 0–1: what was derived from the words (`base`), moved by up to 0.3 either way: more by the logarithm of how often it was read, as long
 * as that is not long ago, and less the longer nobody has written or read it. Both fade exponentially (Ebbinghaus's forgetting, as
 * the recency of ranking does). It starts from the base each time, so that a run which is done again moves nothing further.
 */
export function importanceFrom(base: number, facts: MemoryFacts, now: number): number {
  const idle = idleMs(facts, now);
  const use = Math.min(1, Math.log2(1 + facts.accessCount) / Math.log2(1 + fullUse));
  const gain = useGain * use * half(idle, useHalfLife);
  const loss = idleLoss * (1 - half(Math.max(0, idle - idleGrace), idleHalfLife));
  return Math.min(1, Math.max(0, base + gain - loss));
}

export const importanceRule: Rule = {
  name: "importance",
  wish: (facts, now) => {
    if (facts.baseImportance === null) return undefined;
    const wanted = importanceFrom(facts.baseImportance, facts, now);
    return Math.abs(wanted - facts.importance) < noticeable ? undefined : { importance: Math.round(wanted * 10) / 10 };
  },
};
