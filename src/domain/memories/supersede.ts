import { noteOf } from "../intelligence/note.ts";
import type { Note } from "../intelligence/intelligence.ts";
import { happenedAt, type Memory } from "./memory.ts";
import { followingVersion, type Writing } from "./versions.ts";

/** When what it says came to be so, as far as it is known, ms since the epoch. */
export const stateAt = (memory: Memory): number => memory.validFrom ?? happenedAt(memory);

/** Whether it may take the place of another memory unasked: it holds by now, and is there for as long as the other one would be. */
export const mayReplace = (memory: Memory, other: Memory, now: number): boolean => stateAt(memory) <= now && (memory.expiresAt ?? Infinity) >= (other.expiresAt ?? Infinity);

/** What a provider is told of a memory that it compares with an older or newer one. */
export const datedNoteOf = (memory: Memory): Note => ({ ...noteOf(memory), at: stateAt(memory) });

/** The version of a memory that says what took its place. It held until then; where both began to hold at once, the interval stays open: it would be empty. */
export function superseded(ctx: Writing, old: Memory, by: Memory, reason: string): Memory {
  const end = stateAt(by);
  return followingVersion(ctx, old, { supersededBy: by.id, supersededReason: reason, validTo: end > (old.validFrom ?? -Infinity) ? end : old.validTo });
}

/**
 * The memory that a merge has put this one into. What it says still holds, and is said there; of one that was replaced it holds no
 * longer. Of secrets, and of what is in quarantine, nobody is told.
 */
export const mergedInto = ({ archivedAt, validTo, sensitivity, quarantine, trust, supersededBy }: Memory): string | null =>
  archivedAt !== null && validTo === null && sensitivity === "normal" && quarantine === null && !trust.quarantined ? supersededBy : null;
