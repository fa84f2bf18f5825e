import type { Context } from "../context.ts";
import { DomainError, invalid, notFound } from "../errors.ts";
import { legible } from "../secrets/withheld.ts";
import type { Memory, Visibility } from "./memory.ts";

/** How a caller points at one memory. */
export interface Reference {
  /** UUID, or integer alias. */
  id?: string | number;
  key?: string;
  namespace?: string;
  visibility?: Visibility;
}

/** The one memory meant, whole. A key may live in several places: then the caller is told which, and nothing is guessed. */
export async function resolveOne(ctx: Context, ref: Reference): Promise<Memory> {
  if (ref.id !== undefined) {
    const memory = await ctx.memories.get(ctx.principal, ctx.now, ref.id);
    if (!memory) throw notFound(`There is no memory with the id ${ref.id}.`, "List or search to find its id.");
    return legible([memory])[0] as Memory;
  }
  if (ref.key === undefined) throw invalid("Neither id nor key was given.", "Say which memory: give its id or its key.");
  const found = await ctx.memories.byKey(ctx.principal, ctx.now, ref.key, {
    ...(ref.namespace ? { namespaces: [ref.namespace] } : {}),
    ...(ref.visibility ? { visibility: ref.visibility } : {}),
  });
  if (found.length === 0) throw notFound(`There is no memory with the key ${ref.key}.`, "Check the key's spelling and namespace, or search for it.");
  if (found.length > 1) {
    throw new DomainError("CONFLICT", `${found.length} memories have the key ${ref.key}.`, {
      mend: "Call again with the id of the one you mean.",
      details: { candidates: found.map(({ id, namespace, visibility }) => ({ id, namespace, visibility })) },
    });
  }
  return legible(found)[0] as Memory;
}
