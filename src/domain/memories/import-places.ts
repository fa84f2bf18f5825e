import type { Context } from "../context.ts";
import { copyId, uuidv7 } from "../ids.ts";
import { decomposed } from "./fields.ts";
import { canonical, visibilityKeyOf, type Memory, type MemoryState, type Visibility } from "./memory.ts";
import type { PortableMemory } from "./portable.ts";

/** Where the records of an import belong: by their key or id, here or under the id that they had elsewhere. */

const placeOf = (ctx: Context, state: Partial<MemoryState>, visibility: Visibility = state.visibility ?? "private"): string | undefined =>
  state.key == null
    ? undefined
    : canonical([visibilityKeyOf(visibility, ctx.principal.userId), state.namespace ?? "global", state.key]);

/** The place that a record takes: none where it is archived or kept back, unless nothing but its key says which memory it is. */
export const placeTaken = (ctx: Context, { id, archived_at, quarantine }: PortableMemory, state: Partial<MemoryState>, visibility?: Visibility): string | undefined =>
  id !== undefined && (archived_at != null || quarantine != null) ? undefined : placeOf(ctx, state, visibility);

/** What is here of the records, as far as the importer sees it. */
export async function existing(ctx: Context, records: readonly Pick<PortableMemory, "id">[], states: readonly Partial<MemoryState>[]) {
  const { memories, principal } = ctx;
  const ids = records.flatMap(({ id }) => id ?? []);
  const named = states.flatMap((state) =>
    [...new Set(state.key == null ? [] : [state.key, decomposed(state.key)])].map((key) => ({ visibilityKey: visibilityKeyOf(state.visibility ?? "private", principal.userId), namespace: state.namespace ?? "global", key })),
  );
  const [found, present] = await Promise.all([memories.lookupMany(principal, { ids, named }), ids.length > 0 ? memories.presentIds(principal, ids) : new Map<string, string>()]);
  const byId = new Map(found.map((memory) => [memory.id, memory]));
  const byPlace = new Map<string, Memory>();
  for (const memory of found) {
    if (memory.key !== null && memory.archivedAt === null) {
      const place = canonical([visibilityKeyOf(memory.visibility, memory.ownerId), memory.namespace, memory.key.normalize("NFC")]);
      if (memory.key === memory.key.normalize("NFC") || !byPlace.has(place)) byPlace.set(place, memory);
    }
  }
  // Imported before, under ids of their own.
  const renamed = [...present].filter(([former]) => !byId.has(former));
  const copies = renamed.length > 0 ? await memories.lookupMany(principal, { ids: renamed.map(([, id]) => id), named: [] }) : [];
  for (const [former, id] of renamed) {
    const copy = copies.find((memory) => memory.id === id);
    if (copy) byId.set(former, copy);
  }
  return { byId, byPlace };
}

/**
 * By given id, the one to take in its place: an id belongs to the team that has it already, whichever of the server that is.
 * The same copy made twice at once would have the same id, so that one of the two finds the other's.
 */
export async function idsInsteadOfTaken(ctx: Context, wanted: { id: string; visibility: Visibility }[], records: PortableMemory[]): Promise<Map<string, string>> {
  const { memories, principal, now } = ctx;
  const taken = wanted.length > 0 ? await memories.takenIds(principal, wanted.map(({ id }) => id)) : new Set<string>();
  const copies = await Promise.all(wanted.filter(({ id }) => taken.has(id)).map(async ({ id, visibility }) => ({ id, copy: await copyId([principal.teamId, visibilityKeyOf(visibility, principal.userId), id]) })));
  if (copies.length === 0) return new Map();
  const unavailable = await memories.takenIds(principal, copies.map(({ copy }) => copy));
  for (const { id } of records) if (id !== undefined) unavailable.add(id);
  return new Map(copies.map(({ id, copy }) => [id, unavailable.has(copy) ? uuidv7(now) : copy]));
}
