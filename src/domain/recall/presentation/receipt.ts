import * as z from "zod";

/** The ways in which a search looks for something (Unified Search Design: six operations; ours beside them). */
export const legs = [
  "memory_text",
  "memory_vector",
  "entity_text",
  "entity_vector",
  "relationship_text",
  "relationship_vector",
  "graph",
  "query_expansion",
  "word_match",
  "rerank",
] as const;
export type Leg = (typeof legs)[number];

export const scoreComponents = ["text", "vector", "graph", "importance", "recency", "neighbours", "rerank", "project"] as const;

const legStatus = z.enum(["ok", "failed", "timeout", "off"]);
export type LegStatus = z.output<typeof legStatus>;

const legReport = z.object({ status: legStatus, ms: z.number(), candidates: z.number() });
export type LegReport = z.output<typeof legReport>;
export type LegReports = Partial<Record<Leg, LegReport>>;

const hit = z.object({
  id: z.string(),
  score: z.number(),
  /** The components of the score; they add up to it before calibration. */
  parts: z.partialRecord(z.enum(scoreComponents), z.number()),
  legs: z.partialRecord(z.enum(legs), z.object({ rank: z.number(), score: z.number() })),
  matched: z.array(z.string()),
});
export type HitTrace = z.output<typeof hit>;

/** Diversity only moves; what it moved below the limit is named. Of a passage the rest was left out. */
const reasons = ["duplicate", "threshold", "diversity", "passage", "budget"] as const;
export type DropReason = (typeof reasons)[number];

const drop = z.object({ id: z.string(), of: z.string().optional() });

/**
 * Why an answer is as it is (users U1). It counts and names only what the caller may see: whatever was sorted out before by
 * visibility is nowhere in it.
 */
export const receiptSchema = z.object({
  mode: z.enum(["text", "vector", "hybrid"]),
  legs: z.partialRecord(z.enum(legs), legReport),
  cache: z.enum(["l1", "l2", "miss", "off"]),
  hits: z.array(hit),
  /** By reason: how many, and which are the best of them, as far as there is room. */
  dropped: z.partialRecord(z.enum(reasons), z.object({ count: z.number(), items: z.array(drop) })),
  tokens_returned: z.number(),
  tokens_prevented: z.number(),
});
export type Receipt = z.output<typeof receiptSchema>;

export interface Drop {
  reason: DropReason;
  id: string;
  /** Id of the item that it repeats. */
  of?: string;
}

export interface ReceiptInput {
  mode: Receipt["mode"];
  legs: LegReports;
  cache: Receipt["cache"];
  /** In the order of the answer. */
  hits: HitTrace[];
  drops: Drop[];
  /** The memories of the answer as rendered, without the receipt. */
  tokensReturned: number;
  /** All that matched, up to the limit, each rendered whole: what a search without threshold, deduplication and previews returns. */
  tokensUnshaped: number;
}

const round = (value: number): number => Math.round(value * 1_000) / 1_000;
const rounded = <K extends string>(values: Partial<Record<K, number>>): Partial<Record<K, number>> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, round(value as number)])) as Partial<Record<K, number>>;

/** By reason; the counts say how many more there were. */
const maxNamed = 10;

export function receiptOf(input: ReceiptInput): Receipt {
  const dropped: Receipt["dropped"] = {};
  for (const { reason, id, of } of input.drops) {
    const group = (dropped[reason] ??= { count: 0, items: [] });
    group.count += 1;
    if (group.items.length < maxNamed) group.items.push(of === undefined ? { id } : { id, of });
  }
  return {
    mode: input.mode,
    legs: Object.fromEntries(Object.entries(input.legs).map(([leg, report]) => [leg, { ...report, ms: round(report.ms) }])),
    cache: input.cache,
    hits: input.hits.map((trace) => ({
      ...trace,
      score: round(trace.score),
      parts: rounded(trace.parts),
      legs: Object.fromEntries(Object.entries(trace.legs).map(([leg, { rank, score }]) => [leg, { rank, score: round(score) }])),
    })),
    dropped,
    tokens_returned: input.tokensReturned,
    tokens_prevented: Math.max(0, input.tokensUnshaped - input.tokensReturned),
  };
}

/** The longest form of a receipt that fits; undefined when not even the counts do. Ids are given up first, then the hits from the last on. */
export function fitReceipt(receipt: Receipt, fits: (receipt: Receipt) => boolean): Receipt | undefined {
  if (fits(receipt)) return receipt;
  const dropped = Object.fromEntries(Object.entries(receipt.dropped).map(([reason, { count }]) => [reason, { count, items: [] }]));
  const brief = { ...receipt, dropped };
  for (let hits = receipt.hits.length; hits > 0; hits = Math.floor(hits / 2)) {
    const shorter = { ...brief, hits: receipt.hits.slice(0, hits) };
    if (fits(shorter)) return shorter;
  }
  const counts = { ...brief, hits: [] };
  return fits(counts) ? counts : undefined;
}
