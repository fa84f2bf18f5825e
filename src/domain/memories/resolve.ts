import type { Context } from "../context.ts";
import { defined } from "../defined.ts";
import { DomainError, invalid, noMemory, noMemoryWithId } from "../errors.ts";
import { named } from "../frame.ts";
import type { MemoryFilter } from "./memory-store.ts";
import { matchesFilter } from "./memory-filters.ts";
import { assertReadable } from "../secrets/redaction.ts";
import { findNamed } from "../recall/lookup.ts";
import type { Memory, Visibility } from "./memory.ts";

/** How many archived memories of one key an error names. */
const mostArchived = 5;

/** How a caller points at one memory. */
export interface Reference {
  /** UUID, or integer alias. */
  id?: string | number | undefined;
  key?: string | undefined;
  namespace?: string | undefined;
  visibility?: Visibility | undefined;
  /** Where the caller works: of several memories of one key the only one there is meant. */
  near?: string | undefined;
  /** Of a memory that is named by its id: it exists only where this lets it through. */
  within?: MemoryFilter | undefined;
}

/** Finds the one memory meant, whole. A key may live in several places: unless one of them is where the caller works, the error names them, and nothing is guessed. */
export async function resolveOne(ctx: Context, ref: Reference): Promise<Memory> {
  if (ref.id !== undefined) {
    const [memory] = await findNamed(ctx, { id: ref.id });
    if (!memory || !matchesFilter(memory, ref.within ?? {})) throw noMemoryWithId(ref.id);
    return assertReadable([memory])[0] as Memory;
  }
  if (ref.key === undefined) throw invalid("Neither id nor key was given.", "Say which memory: give its id or its key.");
  const filter = defined({ namespaces: ref.namespace === undefined ? undefined : [ref.namespace], visibility: ref.visibility });
  const found = await findNamed(ctx, { key: ref.key, filter });
  if (found.length === 0) throw await absent(ctx, ref.key, filter);
  const there = found.filter(({ namespace }) => namespace === ref.near);
  if (found.length > 1 && there.length !== 1) {
    throw new DomainError("CONFLICT", `${found.length} memories have the key ${named(ref.key)}.`, {
      hint: "Call again with the id of the one you mean.",
      details: { candidates: found.map(placed) },
    });
  }
  return assertReadable(found.length > 1 ? there : found)[0] as Memory;
}

const placed = ({ id, namespace, visibility }: Memory) => ({ id, namespace, visibility });

/** An archived memory has given its key away, and is named by its id only. */
async function absent(ctx: Context, key: string, filter: MemoryFilter): Promise<DomainError> {
  const archived = await ctx.memories.byKeyPattern(ctx.principal, ctx.now, key, filter, mostArchived, true);
  if (archived.length === 0) return noMemory(`There is no memory with the key ${named(key)}.`, "Check the key's spelling and namespace, or search for it.");
  return new DomainError("MEMORY_NOT_FOUND", `There is no memory with the key ${named(key)} but what was archived.`, {
    hint: "Call again with the id instead of the key; an update with archived: false restores it.",
    details: { archived: archived.map(placed) },
  });
}

/** Each once: the same memory may be named twice, by its id and by its alias. @throws MEMORY_NOT_FOUND when one is not there */
export async function resolveAll({ memories, principal, now }: Context, ids: readonly (string | number)[]): Promise<Memory[]> {
  const found = await Promise.all(ids.map((id) => memories.get(principal, now, id)));
  const missing = ids.filter((_, i) => !found[i]);
  if (missing.length > 0) throw noMemoryWithId(missing.join(", "), "Search or list to find the ids.");
  return [...new Map((found as Memory[]).map((memory) => [memory.id, memory])).values()];
}
