import { indexTerms } from "../../domain/text/query-terms.ts";
import { isSlip, mayBeSlip } from "../../domain/text/spelling.ts";
import { cachedTokenizer } from "../text-index/cached-tokenizer.ts";
import { Analyzer, type TextAnalysis } from "../text-index/term-bag.ts";
import type { TextIndexOptions } from "../text-index/text-index.ts";

/**
 * The texts by which a memory is found: its content, its key, tags, summary and keywords (`label`), who wrote it and when
 * (`moment`), what memories said that were merged into it (`merged`), and what its neighbours in the thread say, one place away
 * (`near`) and two (`far`).
 */
export type MemoryField = "content" | "label" | "moment" | "merged" | "near" | "far";

const resolution = 20;

/** A thread is indexed message by message, and each message with four around it. */
const maxKeptCharacters = 256 * 1_024;

/** The weights follow the columns that did best in the retrieval baselines: text 1, neighbours .3 and .15, speaker and date .3. */
export const memoryAnalysis = {
  fields: {
    content: { weight: 1 },
    label: { weight: 0.5 },
    moment: { weight: 0.3 },
    merged: { weight: 0.3, spare: true },
    near: { weight: 0.3, context: true },
    far: { weight: 0.15, context: true },
  },
  resolution,
  tokenize: indexTerms,
} as const satisfies TextAnalysis<MemoryField>;

export const memoryAnalyzer = (): Analyzer<MemoryField> => new Analyzer({ ...memoryAnalysis, tokenize: cachedTokenizer(indexTerms, maxKeptCharacters) });

/** The values of BM25F of the baseline that did best. */
export const memoryTextOptions: TextIndexOptions = { resolution, k1: 0.9, b: 0.4, spelling: { mayBeSlip, isSlip } };
