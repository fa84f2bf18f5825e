import { dayMs, type Rule } from "./facts.ts";

const minAge = 30 * dayMs;
const minReads = 5;
const minImportance = 0.5;

/**
 * What was said on one occasion and is asked for again and again is knowledge: `tier: semantic`. Its text, chunks and vector are in
 * the indexes since it was stored, so that nothing but the tier changes.
 */
export const promotionRule: Rule = {
  name: "promotion",
  wish: ({ tier, createdAt, accessCount, importance, isExpiring }, now) =>
    tier === "episodic" && !isExpiring && accessCount >= minReads && importance >= minImportance && now - createdAt >= minAge ? { tier: "semantic" } : undefined,
};
