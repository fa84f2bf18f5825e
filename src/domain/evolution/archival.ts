import { dayMs, idleMs, type Rule } from "./facts.ts";

const low = 0.3;
/** Somebody said that it matters little. */
const idleWhereSaid = 365 * dayMs;
/** Only that nobody has asked for it says so. */
const idleWhereDerived = 2 * 365 * dayMs;

/**
 * The dead: never read, of little importance, untouched for a year or two, and nothing leads to them: no key, no link. They are
 * archived, which hides them and can be undone; nothing is erased.
 */
export const archivalRule: Rule = {
  name: "archival",
  wish: (facts, now) => {
    const { accessCount, importance, isNamed, isLinked, isExpiring, tier } = facts;
    if (accessCount > 0 || importance > low || isNamed || isLinked || isExpiring || tier === "semantic") return undefined;
    return idleMs(facts, now) >= (facts.baseImportance !== null ? idleWhereDerived : idleWhereSaid) ? { archive: true } : undefined;
  },
};
