import type { Memory } from "../../memories/memory.ts";
import { tokensOfMemory } from "../kept-words.ts";
import type { Question } from "../ranking/relevance.ts";
import type { Recalled, RecallOutcome } from "../recall.ts";
import { pack, tokensOf, type Rendering } from "./budget.ts";
import { withPassages } from "./passages.ts";
import { fitReceipt, receiptOf, type Drop, type HitTrace, type LegReports, type Receipt, type ReceiptInput } from "./receipt.ts";

/** How the search went; for the receipt, and to say what was missing. */
export interface SearchReport {
  mode: Receipt["mode"];
  legs: LegReports;
  cache: Receipt["cache"];
  /** By memory id. */
  traces: ReadonlyMap<string, HitTrace>;
  drops: Drop[];
  /** All that matched, up to the limit, as a search without threshold, deduplication and previews returns it. */
  unshaped: Recalled[];
  /** What the answer was drawn from. */
  sources: readonly Memory[];
}

export interface AnswerOptions {
  maxTokens?: number | undefined;
  rendering?: Rendering | undefined;
  receipt: boolean;
  /** The words asked for. */
  terms: readonly string[];
  /** The question of which long contents say no more than passages; without it they come whole. */
  passagesOf?: Question | undefined;
  /** Which items have the room before others. */
  stageOf?: ((item: Recalled) => number) | undefined;
}

/** The largest share of a budget for the receipt: it explains the memories, it does not replace them. */
const receiptShare = 0.4;

/** The answer within its budget, with a receipt if one was asked for. */
export function finish(answer: RecallOutcome, report: SearchReport, { maxTokens, rendering, receipt: wanted, terms, passagesOf, stageOf }: AnswerOptions): RecallOutcome {
  const found = { ...answer, baseline: report.sources.reduce((sum, memory) => sum + tokensOfMemory(memory), 0) };
  if (!rendering) return found;
  const outcome = passagesOf ? withPassages(found, passagesOf, { rendering, maxTokens }) : found;
  const fit = (tokens: number): RecallOutcome => pack(outcome, tokens, rendering, terms, stageOf);
  if (!wanted) return maxTokens === undefined ? outcome : fit(maxTokens);
  const tokensUnshaped = tokensOf(rendering.answer({ ...outcome, items: report.unshaped, more: [] }));
  const receiptFor = (shown: RecallOutcome): Receipt => draft(shown, outcome, report, { tokensReturned: tokensOf(rendering.answer(shown)), tokensUnshaped });
  const full = receiptFor(outcome);
  if (maxTokens === undefined) return { ...outcome, receipt: full };

  const size = tokensOf(rendering.answer({ ...outcome, items: [], more: [], receipt: full })) - tokensOf(rendering.answer({ ...outcome, items: [], more: [] }));
  const packed = fit(maxTokens - Math.min(size, Math.floor(maxTokens * receiptShare)));
  const receipt = fitReceipt(receiptFor(packed), (attempt) => tokensOf(rendering.answer({ ...packed, receipt: attempt })) <= maxTokens);
  // Where not even a short receipt fits, its share is better spent on memories.
  return receipt ? { ...packed, receipt } : fit(maxTokens);
}

function draft(packed: RecallOutcome, outcome: RecallOutcome, report: SearchReport, counted: Pick<ReceiptInput, "tokensReturned" | "tokensUnshaped">): Receipt {
  const shown = new Set(packed.items.map(({ memory }) => memory.id));
  const passages = new Set(outcome.items.filter(({ truncated }) => truncated).map(({ memory }) => memory.id));
  const cut = packed.items.filter(({ truncated, memory }) => truncated && !passages.has(memory.id));
  const unseen = outcome.items.filter(({ memory }) => !shown.has(memory.id));
  return receiptOf({
    mode: report.mode,
    legs: report.legs,
    cache: report.cache,
    hits: packed.items.flatMap(({ memory }) => report.traces.get(memory.id) ?? []),
    drops: [...report.drops, ...[...passages].map((id) => ({ reason: "passage" as const, id })), ...[...cut, ...unseen].map(({ memory }) => ({ reason: "budget" as const, id: memory.id }))],
    ...counted,
  });
}
