import type { Memory } from "../memories/memory.ts";
import type { CacheLevel } from "../recall/cache/recall-cache.ts";
import { estimateTokens } from "../text/token-count.ts";

/**
 * How many tokens a client did not read because it asked (docs/metrics.md). Measured on the person's own memories, call by call:
 *
 * - baseline: the whole text of every memory that the answer was drawn from. Of a search, all that matched, up to the limit; of a
 *   look-up, what was named; of a list or briefing, what it is made of. This is what the client would have read without an answer made of it.
 * - actual: the text of the answer as it went out.
 * - prevented: baseline − actual, where that is more than nothing; in percent of the baseline.
 *
 * Tokens are estimated as for budgets (`text/token-count.ts`).
 */
export interface Prevention {
  calls: number;
  /** Calls whose answer was shorter than what it was drawn from. */
  preventedCalls: number;
  baselineTokens: number;
  actualTokens: number;
  preventedTokens: number;
  /** Of the percentages of the calls that had a baseline; their average is this by `baselineCalls`. */
  percentSum: number;
  baselineCalls: number;
  l1Hits: number;
  l2Hits: number;
  cacheMisses: number;
}

export const noPrevention: Prevention = {
  calls: 0, preventedCalls: 0, baselineTokens: 0, actualTokens: 0, preventedTokens: 0, percentSum: 0, baselineCalls: 0, l1Hits: 0, l2Hits: 0, cacheMisses: 0,
};

export const counts = Object.keys(noPrevention) as (keyof Prevention)[];

export const added = (a: Prevention, b: Prevention): Prevention => Object.fromEntries(counts.map((name) => [name, a[name] + b[name]])) as unknown as Prevention;

export function preventedBy({ baseline, actual, level }: { baseline: number; actual: number; level: CacheLevel | undefined }): Prevention {
  const prevented = Math.max(0, baseline - actual);
  return {
    calls: 1,
    preventedCalls: prevented > 0 ? 1 : 0,
    baselineTokens: baseline,
    actualTokens: actual,
    preventedTokens: prevented,
    percentSum: baseline > 0 ? (100 * prevented) / baseline : 0,
    baselineCalls: baseline > 0 ? 1 : 0,
    l1Hits: level === "l1" ? 1 : 0,
    l2Hits: level === "l2" ? 1 : 0,
    cacheMisses: level === "miss" ? 1 : 0,
  };
}

/** Collects what one call reads; verbs tell it. It is evaluated after the answer went out. */
export class CallReading {
  #level: CacheLevel | undefined;
  #baseline = 0;
  readonly #drawn = new Map<string, string>();
  #shown: string | undefined;
  #isReading = false;

  /** An answer of recall, and what it was drawn from in tokens. */
  answered(level: CacheLevel, baseline: number): void {
    this.#isReading = true;
    this.#baseline += baseline;
    if (this.#level === undefined || this.#level === "off") this.#level = level;
  }

  /** Memories that the answer is made of; those that are told twice count once. */
  drew(memories: readonly Pick<Memory, "id" | "content">[]): void {
    this.#isReading = true;
    for (const { id, content } of memories) this.#drawn.set(id, content);
  }

  /** The part of the answer that tells of memories, where it is not all of it. */
  showed(text: string): void {
    this.#shown = text;
  }

  /** Undefined where the call read no memories. */
  measure(answer: string): Prevention | undefined {
    if (!this.#isReading) return undefined;
    const drawn = [...this.#drawn.values()].reduce((sum, content) => sum + estimateTokens(content), 0);
    return preventedBy({ baseline: this.#baseline + drawn, actual: estimateTokens(this.#shown ?? answer), level: this.#level });
  }
}
