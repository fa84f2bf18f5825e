import { enrichByRules } from "../intelligence/rules/enrich.ts";
import { asSaid, initialState } from "./memory-fields.ts";
import { canonical, type MemoryState } from "./memory.ts";
import { type DerivedField, derivedFields } from "./memory-values.ts";

/** In characters: a content that is no longer is its own summary. */
export const shortContent = 400;

interface Written {
  /** What it was before, unless it is new. */
  before?: MemoryState | undefined;
  /** The fields that the caller names. */
  given: readonly string[];
}

/**
 * The state with the fields that nobody said derived from its content by rules, in the version that is written anyway. Derived fields
 * follow the content; a field that somebody says is theirs from then on. Secrets, what is in quarantine and structured values are never
 * looked at. The memory's own confidence is no derived field: it says how sure the writer is.
 */
export function enriched<T extends MemoryState>(next: T, { before, given }: Written): T {
  if (!isEnrichable(next)) return next.enrichment ? asSaid({ ...next, enrichment: { ...next.enrichment, fields: next.enrichment.fields.filter((field) => !given.includes(field)) } }) : next;
  const open = openFields(next, before).filter((field) => !given.includes(field));
  const mark = before?.enrichment ?? null;
  if (before && isEnrichable(before) && next.content === before.content) {
    const same = Object.fromEntries(open.map((field) => [field, before[field]]));
    return mark ? { ...next, ...same, enrichment: { ...mark, fields: open } } : { ...next, enrichment: null };
  }
  if (open.length === 0) return { ...next, enrichment: mark && { ...mark, fields: open } };
  const { confidence, summary, ...found } = enrichByRules({ content: next.content, key: next.key });
  const derived: Pick<MemoryState, DerivedField> = { ...found, summary: next.content.length > shortContent ? summary : null };
  return { ...next, ...Object.fromEntries(open.map((field) => [field, derived[field]])), enrichment: { by: "rules", confidence, fields: open } };
}

/** Secrets, what is in quarantine and structured values are never looked at. */
export const isEnrichable = ({ sensitivity, quarantine, value, trust }: MemoryState): boolean => sensitivity === "normal" && quarantine === null && value === null && !trust.quarantined;

/** Those that nobody has said. Of a memory that was never enriched these are the ones that say nothing. */
function openFields(next: MemoryState, before: MemoryState | undefined): readonly DerivedField[] {
  if (!before) return derivedFields;
  return before.enrichment?.fields ?? derivedFields.filter((field) => canonical(next[field]) === canonical(initialState[field]));
}

/** The fields of an input that say something. */
export const givenIn = (input: object): string[] => Object.entries(input).flatMap(([field, value]) => (value === undefined ? [] : [field]));
