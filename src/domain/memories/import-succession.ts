import type { Context } from "../context.ts";
import { existing } from "./import-places.ts";
import { isExpired, type Memory, type MemoryState } from "./memory.ts";
import type { PortableMemory } from "./portable.ts";
import { refusedTexts } from "./quarantine.ts";

/**
 * What took the place of imported memories. A file may name any id, so only those count that its own records have or that lead
 * the importer to a memory: of every other id an import says and stores the same, whether somebody has it or not.
 */

type Said = Pick<PortableMemory, "superseded_by" | "superseded_reason">;
type Succession = Pick<MemoryState, "supersededBy" | "supersededReason">;
export type SuccessionOf = (said: Said) => Partial<Succession>;

/** By the id that a record has, the one that its memory has here. */
export type Arrived = Map<string, string>;

/** The records with every successor before what it replaced, so that its id is known there; otherwise in their order. */
export function inOrderOfSuccession<T>(items: readonly T[], recordOf: (item: T) => PortableMemory): T[] {
  const byId = new Map<string, T>();
  for (const item of items) {
    const { id } = recordOf(item);
    if (id !== undefined && !byId.has(id)) byId.set(id, item);
  }
  const ordered = new Set<T>();
  for (const item of items) {
    const chain = new Set<T>();
    for (let next: T | undefined = item; next && !chain.has(next) && !ordered.has(next); next = byId.get(recordOf(next).superseded_by ?? "")) chain.add(next);
    for (const one of [...chain].reverse()) ordered.add(one);
  }
  return [...ordered];
}

export interface ImportSuccession {
  /** Of a memory that arrives under this id. */
  of(id: string): SuccessionOf;
  /** Of one that is here: a record that does not say, or says what nobody can follow, leaves it as it is. */
  after(present: Memory, record: Said): Partial<Succession>;
  /** The record's id leads there from now on, unless that is kept back. */
  take(record: Pick<PortableMemory, "id">, memory: Pick<Memory, "id" | "quarantine">): void;
  readonly taken: Arrived;
}

/** Costs nothing where nothing was replaced. */
export async function readSuccession(ctx: Context, records: readonly PortableMemory[], present: readonly Memory[], before: Arrived): Promise<ImportSuccession> {
  const said = records.flatMap((record): Said[] => [record, ...(record.history ?? []).map(({ state }) => state)]);
  const named = [...said.map(({ superseded_by: id }) => id), ...present.map(({ supersededBy }) => supersededBy)].flatMap((id) => id ?? []);
  const wanted = [...new Set(named)].filter((id) => !before.has(id));
  const { byId } = wanted.length > 0 ? await existing(ctx, wanted.map((id) => ({ id })), []) : { byId: new Map<string, Memory>() };
  const refused = new Set(await refusedTexts(ctx, said.flatMap(({ superseded_by: id, superseded_reason: reason }) => (id && reason ? [reason] : []))));
  const taken: Arrived = new Map();
  const here = (id: string): string | undefined => {
    const memory = byId.get(id);
    return taken.get(id) ?? before.get(id) ?? (memory && !memory.quarantine && !isExpired(memory, ctx.now) ? memory.id : undefined);
  };
  const succession = (self: string, { superseded_by: id, superseded_reason: reason }: Said): Succession | undefined => {
    const supersededBy = id == null ? undefined : here(id);
    return supersededBy === undefined || supersededBy === self ? undefined : { supersededBy, supersededReason: reason == null || refused.has(reason) ? null : reason };
  };
  return {
    of: (self) => (record) => succession(self, record) ?? {},
    after(memory, record) {
      const seen = memory.supersededBy === null ? undefined : here(memory.supersededBy);
      // Whoever does not see what took its place says that nothing did.
      if (record.superseded_by === null) return seen === undefined ? {} : { supersededBy: null, supersededReason: null };
      return succession(memory.id, record) ?? {};
    },
    take({ id }, memory) {
      if (id !== undefined && !memory.quarantine) taken.set(id, memory.id);
    },
    taken,
  };
}
