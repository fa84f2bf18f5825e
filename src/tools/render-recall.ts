import * as z from "zod";
import { type Framed, joined, say } from "../domain/frame.ts";
import type { Recalled, RecallOutcome } from "../domain/recall/recall.ts";
import type { Rendering } from "../domain/recall/presentation/budget.ts";
import { receiptSchema, type Receipt } from "../domain/recall/presentation/receipt.ts";
import { leastCandidates } from "../domain/recall/weights.ts";
import { always, type Span } from "../domain/text/time-calendar.ts";
import { isoDay, memoryText, omnMemory } from "./render.ts";

export const recallAnswer = z.looseObject({
  memories: z.array(z.looseObject({})),
  total_found: z.number(),
  query_time_ms: z.number().meta({ listed: null }),
  /** Ids of what did not fit into max_tokens. */
  more: z.array(z.string()).optional().meta({ listed: null }),
  degraded: z.array(z.string()).optional().meta({ listed: null }),
  uncertain: z.boolean().optional().meta({ listed: null }),
  /** What the answer's text says beside its memories. */
  advice: z.string().optional().meta({ listed: null }),
  receipt: receiptSchema.optional().meta({ listed: null }),
});

/** An item is measured, rendered and measured again within an answer, and reads the same. */
function once<T>(render: (item: Recalled) => T): (item: Recalled) => T {
  const known = new WeakMap<Recalled, { form: T }>();
  return (item) => {
    const before = known.get(item) ?? { form: render(item) };
    known.set(item, before);
    return before.form;
  };
}

const structuredMemory = once(({ memory, ...extra }): Record<string, unknown> => omnMemory(memory, extra));
const itemText = once(memoryText);

/** Said before leads. */
export const nothingCertain = "nothing certain; these may be meant";

/** The same of a part of the question, where another part is answered. */
const doubtOf = ({ uncertain, doubtful = [] }: RecallOutcome): string[] => (uncertain ? [nothingCertain] : doubtful.map((part) => `nothing certain: ${part}`));

/** Said before what happened at a time. */
const ofTime = (happened: Span): string => [daysOf(happened), "newest first"].filter(Boolean).join(", ");

/** Empty of all time. */
function daysOf({ from, to }: Span): string {
  if (from === always.from) return to === always.to ? "" : `before ${isoDay(to)}`;
  if (to === always.to) return `since ${isoDay(from)}`;
  return isoDay(from) === isoDay(to - 1) ? isoDay(from) : `${isoDay(from)} to ${isoDay(to - 1)}`;
}

/** Said once for all passages of an answer. */
const wholeById = "truncated: recall by id, or with decompress: true, for the whole";

/** Said once for all compressed forms of an answer. */
const wholeByWish = "compressed: recall with decompress: true for the whole";

/** How an answer goes out, and to what. */
export interface RecallForm {
  /** With its structured form, or as text alone. */
  structured: boolean;
  /** A search that may have found more had it been asked otherwise. */
  mayWiden: boolean;
}

type Structured = z.output<typeof recallAnswer>;

const structuredRecall = (outcome: RecallOutcome, form: RecallForm, ms: number): Structured => {
  const { items, totalFound, more, needed, degraded, receipt } = outcome;
  const isEmpty = items.length === 0 && (totalFound === 0 || needed !== undefined);
  return {
    memories: items.map(structuredMemory),
    ...(more.length > 0 ? { more } : {}),
    total_found: totalFound,
    query_time_ms: ms,
    ...(degraded.length > 0 ? { degraded } : {}),
    ...(outcome.uncertain ? { uncertain: true } : {}),
    ...(isEmpty ? { advice: emptyText(outcome, form).toString() } : adviceOn(outcome)),
    ...(receipt ? { receipt } : {}),
  };
};

function adviceOn(outcome: RecallOutcome): { advice?: string } {
  const { passages, compressed, happened } = outcome;
  const said = [...(happened ? [ofTime(happened)] : []), ...doubtOf(outcome), ...(passages ? [wholeById] : []), ...(compressed ? [wholeByWish] : [])];
  return said.length > 0 ? { advice: said.join(". ") } : {};
}

function emptyText({ totalFound, needed, happened }: RecallOutcome, { mayWiden }: RecallForm): Framed {
  if (totalFound > 0) return say`${totalFound} found, but max_tokens is too small for any. ${needed === undefined ? "Raise it." : `${needed} shows the first.`}`;
  if (happened && daysOf(happened)) return say`No memory found of ${daysOf(happened)}.`;
  return mayWiden ? say`No memory found. Try synonyms, min_relevance 0, or filters without a query, such as occurred_after.` : say`No memory found.`;
}

function recallText(outcome: RecallOutcome, form: RecallForm): Framed {
  const { items, totalFound, more, needed, passages, compressed, degraded, receipt, happened } = outcome;
  const lines = [...degraded.map((line) => say`(${line})`), ...doubtOf(outcome).map((line) => say`(${line})`), ...items.map(itemText)];
  if (happened && items.length > 0) lines.unshift(say`(${ofTime(happened)})`);
  if (items.length === 0) lines.push(emptyText(outcome, form));
  else if (items.length + more.length < totalFound) lines.push(say`${items.length} of ${happened && totalFound >= leastCandidates ? say`at least ` : say``}${totalFound} found; ${needed === undefined ? "limit" : `max_tokens ${needed}`} shows more.`);
  if (passages) lines.push(say`(${wholeById})`);
  if (compressed) lines.push(say`(${wholeByWish})`);
  if (more.length > 0) lines.push(say`More, by id: ${more.join(" ")}`);
  return joined([...lines, ...(receipt ? receiptLines(receipt) : [])]);
}

/** An answer that the cache kept comes as the same object again, and reads the same. */
const rendered = new WeakMap<RecallOutcome, { structured: Structured; text: Framed }>();

export function renderRecall(outcome: RecallOutcome, form: RecallForm, ms: number): { structured: Structured; text: Framed } {
  const known = rendered.get(outcome) ?? { structured: structuredRecall(outcome, form, 0), text: recallText(outcome, form) };
  rendered.set(outcome, known);
  return { structured: { ...known.structured, query_time_ms: ms }, text: known.text };
}

/** Longer than any time that is measured. */
const longTime = 99_999.99;

/** A client may show a model either form that goes out. */
export const recallRendering = (form: RecallForm): Rendering => ({
  answer: (outcome) => [recallText(outcome, form).toString(), ...(form.structured ? [JSON.stringify(structuredRecall(outcome, form, longTime))] : [])],
  item: (item) => [itemText(item).toString(), ...(form.structured ? [JSON.stringify(structuredMemory(item))] : [])],
});

/** The same where either form is the JSON of the items. */
export const jsonRendering = (shown: (item: Recalled) => Record<string, unknown>): Rendering => ({
  answer: ({ items }) => [JSON.stringify(items.map(shown))],
  item: (item) => [JSON.stringify(shown(item))],
});

/** A receipt as lines that a model can read. */
function receiptLines(receipt: Receipt): Framed[] {
  const legs = Object.entries(receipt.legs).map(([leg, { status, ms, candidates }]) => `${leg} ${status === "ok" ? `${candidates} in ${ms} ms` : status}`);
  const hits = receipt.hits.map(({ id, score, parts, legs: brought, matched }) =>
    [
      `${id} ${score}`,
      Object.entries(brought).map(([leg, { rank, score: own }]) => `${leg} #${rank} ${own}`).join(", "),
      Object.entries(parts).map(([part, value]) => `${part} ${value}`).join(" + "),
      matched.length > 0 ? `matched ${matched.join(" ")}` : "",
    ].filter(Boolean).join("; "),
  );
  const dropped = Object.entries(receipt.dropped).map(([reason, { count, items }]) => {
    const named = items.map(({ id, of }) => (of === undefined ? id : `${id} = ${of}`)).join(" ");
    return `dropped, ${reason}: ${count}${named ? ` (${named})` : ""}`;
  });
  return [
    say`receipt: ${receipt.mode}, cache ${receipt.cache}, tokens ${receipt.tokens_returned}, prevented ${receipt.tokens_prevented}`,
    ...(legs.length > 0 ? [say`legs: ${legs.join("; ")}`] : []),
    ...[...hits, ...dropped].map((line) => say`${line}`),
  ];
}
