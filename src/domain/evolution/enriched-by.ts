import { isPlain } from "../guard/screen.ts";
import type { Enrichment } from "../intelligence/answers.ts";
import type { Answered } from "../intelligence/intelligence.ts";
import { aboutWhat } from "../intelligence/model-failure.ts";
import { shortContent } from "../memories/enriched.ts";
import type { Memory, MemoryState } from "../memories/memory.ts";
import { type DerivedField } from "../memories/memory-values.ts";

/**
 * The next version of a memory of which a model has been asked, or undefined where nothing comes of the answer: another one may do
 * better. Only what nobody said changes. Where there will be no answer to these words, the mark says so, and the rules' result stays.
 */
export function enrichedBy(memory: Memory, { answer, by, insteadOf }: Answered<Enrichment>): Memory | undefined {
  const { enrichment: mark } = memory;
  if (!mark) return undefined;
  const version = memory.version + 1;
  const words = [answer.summary, ...answer.keywords, ...answer.tags].join("\n");
  const isUnusable = insteadOf === undefined ? !isPlain(words) : aboutWhat(insteadOf.reason) === "texts";
  if (isUnusable) return { ...memory, enrichment: { ...mark, tried: insteadOf?.by ?? by }, version };
  if (insteadOf) return undefined;
  const derived = { ...labelsOf(answer, memory), importance: moved(memory, answer.importance) };
  const { base: _, tried: _tried, ...rest } = mark;
  return {
    ...memory,
    ...Object.fromEntries(mark.fields.map((field) => [field, derived[field]])),
    enrichment: { ...rest, by, confidence: answer.confidence, ...(mark.base === undefined ? {} : { base: answer.importance }) },
    version,
  };
}

function labelsOf({ summary, keywords, tags, type }: Enrichment, { content }: Memory): Pick<MemoryState, Exclude<DerivedField, "importance">> {
  return { type, keywords: oneLine(keywords), tags: oneLine(tags.map((tag) => tag.toLowerCase())), summary: content.length > shortContent ? summary : null };
}

const oneLine = (words: readonly string[]): string[] => [...new Set(words.map((word) => word.split(/\s/u).filter(Boolean).join(" ")))];

/** What age and use added to the importance before, or took from it, stays with it. */
const moved = ({ importance, enrichment }: Memory, derived: number): number =>
  Math.round(Math.min(1, Math.max(0, derived + importance - (enrichment?.base ?? importance))) * 100) / 100;
