import { citedTogether } from "./citations.ts";
import { enriched } from "./enriched.ts";
import { canonical, type Memory, type MemoryState } from "./memory.ts";
import { asSaid, type GivenField, givenFields, initialFields, stateFields } from "./memory-fields.ts";
import { type Citation, derivedFields } from "./memory-values.ts";
import { followingVersion, type Writing } from "./versions.ts";

export interface MergedPair {
  /** The memory that stays, and what it takes in. */
  kept: Memory;
  other: MemoryState;
  content: string;
  /** Whether the other one says something in this field. */
  says(field: GivenField): boolean;
  /** Whose value stands where both say something else and a memory has only one. */
  preferred: "kept" | "other";
}

/** Whether a field says nothing. */
export const isInitial = (state: MemoryState, field: GivenField): boolean => canonical(state[field]) === canonical(initialFields[field]);

/**
 * The version in which a memory takes in another one: the only list of how two become one. A new field follows its kind: lists and
 * objects are put together, of two numbers the greater one stands, of anything else the preferred value, or the only one. Undefined
 * where that is more than a memory may have.
 */
export function mergedVersion(ctx: Writing, { kept, other, content, says, preferred }: MergedPair): Memory | undefined {
  const both = [asSaid(kept), asSaid(other)] as [MemoryState, MemoryState];
  const [first, second] = preferred === "kept" ? both : both.toReversed() as typeof both;
  const merged = (field: GivenField): unknown => {
    switch (stateFields[field].kind) {
      case "texts":
        return [...new Set(both.flatMap((state) => state[field] as string[]))];
      case "object":
        return { ...(second[field] as object), ...(first[field] as object) };
      case "citations":
        return citedTogether(first[field] as Citation[], second[field] as Citation[]);
      case "number":
        if (!says(field)) return kept[field];
        return kept.enrichment?.fields.some((derived) => derived === field) ? other[field] : Math.max(kept[field] as number, other[field] as number);
      default:
        return (isInitial(first, field) ? second : first)[field];
    }
  };
  const state: Partial<MemoryState> = Object.fromEntries(givenFields.map((field) => [field, merged(field)]));
  const isList = (field: GivenField): boolean => ["texts", "object", "citations"].includes(stateFields[field].kind);
  if (!givenFields.filter(isList).every((field) => stateFields[field].given.safeParse(state[field]).success)) return undefined;
  const next = followingVersion(ctx, kept, {
    ...state,
    content,
    ...(content !== kept.content && content === other.content ? { compressed: other.compressed, compressionRatio: other.compressionRatio } : {}),
    // The later end, or none.
    expiresAt: kept.expiresAt === null || other.expiresAt === null ? null : Math.max(kept.expiresAt, other.expiresAt),
  });
  return enriched(next, { before: kept, given: derivedFields.filter(says) });
}
