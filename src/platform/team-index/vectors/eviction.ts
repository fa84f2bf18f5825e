import type { Slots } from "./slots.ts";

/**
 * int8 codes in memory of one object. 32 MiB are 174,000 vectors of 192 dimensions or 32,000 of 1,024; the isolate has 128 MB, which
 * several objects and the text index share.
 */
export const budgetBytes = 32 * 2 ** 20;
/** Vectors that are too young to be evicted may exceed the budget so many times; beyond it the object takes no more of them. */
export const mostBudgets = 2;
/** Each eviction makes room for this part of the budget, since choosing the oldest reads the ids of all. */
const spare = 1 / 32;
/** Vectorize shows what was written after 2 minutes at most; until it surely does, only the object finds it. */
export const youngMs = 10 * 60_000;

/** A vector is young up to this time of writing, s since the epoch. */
export const youngSince = (now: number): number => Math.floor((now - youngMs) / 1_000);

/** How many vectors must go so that the codes fit the budget again; 0 while they fit. */
export const excess = (bytes: number, budget: number, dimensions: number): number => (bytes <= budget ? 0 : Math.ceil((bytes - budget * (1 - spare)) / dimensions));

/**
 * The slots to evict, `count` at most and no young one: first names (entities and relationships), which are several to a memory and lead to
 * memories that words find too, the ones written longest ago; then the oldest memories by the time in their id (UUIDv7).
 */
export function oldestOf(slots: Slots, count: number, now: number, isMemory: (classNumber: number) => boolean): number[] {
  const since = youngSince(now);
  const eligible: { names: number[]; memories: number[] } = { names: [], memories: [] };
  for (let slot = 0; slot < slots.length; slot += 1) {
    const classNumber = slots.classes[slot] as number;
    if (classNumber === 0 || (slots.times[slot] as number) > since) continue;
    (isMemory(classNumber) ? eligible.memories : eligible.names).push(slot);
  }
  const names = smallest(eligible.names, count, (slot) => slots.times[slot] as number);
  const memories = smallest(eligible.memories, count - names.length, (slot) => (slots.ids[4 * slot] as number) * 65_536 + ((slots.ids[4 * slot + 1] as number) >>> 16));
  return [...names, ...memories];
}

function smallest(slots: number[], count: number, keyOf: (slot: number) => number): number[] {
  if (count <= 0) return [];
  if (slots.length <= count) return slots;
  const keys = Float64Array.from(slots, keyOf);
  const bar = keys.slice().sort()[count - 1] as number;
  const below = slots.filter((_, i) => (keys[i] as number) < bar);
  const equal = slots.filter((_, i) => keys[i] === bar);
  return [...below, ...equal.slice(0, count - below.length)];
}
