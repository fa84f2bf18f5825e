import { type CitedFile, citesFilesOf, type CurrentHashes, freshnessOf } from "../../memories/citations.ts";
import { type Rendering, tokensOf } from "./budget.ts";
import type { Recalled, RecallOutcome } from "../recall.ts";

/** Tokens of a budget that are left for what the client's hashes say of the answer's citations. */
const share = 0.1;
const most = 200;

/** What the memories themselves may take of a budget when hashes come with the question. */
export const budgetBeside = (maxTokens: number | undefined): number | undefined =>
  maxTokens === undefined ? undefined : maxTokens - Math.min(most, Math.floor(maxTokens * share));

export interface Asked {
  hashes: CurrentHashes;
  /** Where the client works: files of memories about other projects are others. */
  project: string | undefined;
  maxTokens: number | undefined;
  rendering: Rendering;
}

/**
 * The answer with what the client's files say of its citations. It is added to an answer that may come from the cache, so that
 * nobody is told of another client's files; the answer itself stays as it is. Where it does not fit into the budget, items name
 * one file each, the first that is not fresh, and the last items none.
 */
export function withFreshness(outcome: RecallOutcome, { hashes, project, maxTokens, rendering }: Asked): RecallOutcome {
  const items = outcome.items.map((item): Recalled => {
    const cited = citesFilesOf(project, item.memory) ? freshnessOf(item.memory.citations, hashes) : [];
    return cited.length === 0 ? item : { ...item, cited };
  });
  const fits = (attempt: RecallOutcome): boolean => maxTokens === undefined || tokensOf(rendering.answer(attempt)) <= maxTokens;
  const whole = { ...outcome, items };
  if (items.every(({ cited }) => cited === undefined)) return outcome;
  if (fits(whole)) return whole;
  const short = items.map((item): Recalled => (item.cited === undefined ? item : { ...item, cited: [worstOf(item.cited)] }));
  const upTo = (count: number): RecallOutcome => ({ ...outcome, items: [...short.slice(0, count), ...outcome.items.slice(count)] });
  let count = items.length;
  while (count > 0 && !fits(upTo(count))) count -= 1;
  return upTo(count);
}

const worstOf = (cited: readonly CitedFile[]): CitedFile => cited.find(({ state }) => state !== "fresh") ?? (cited[0] as CitedFile);
