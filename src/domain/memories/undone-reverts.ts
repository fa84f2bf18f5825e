import type { Memory, Version } from "./memory.ts";
import type { UndoneRevert } from "./reversion-store.ts";

/**
 * A memory and its versions as they are without the reverts that were undone: each is a pair of versions behind which the memory
 * says what it said before them. The versions behind a pair close up, as an import wants them.
 */
export function withoutUndone(memory: Memory, undone: readonly UndoneRevert[]): { memory: Memory; versions(chain: Version[]): Version[] } {
  if (undone.length === 0) return { memory, versions: (chain) => chain };
  const left = new Set(undone.flatMap(({ after, undo }) => [after, undo]));
  const numberOf = (version: number): number => version - [...left].filter((one) => one < version).length;
  let { version, updatedAt } = memory;
  for (const { before, undo, at } of undone.toReversed()) if (undo === version) [version, updatedAt] = [before, at];
  return {
    memory: { ...memory, version: numberOf(version), updatedAt },
    versions: (chain) => chain.filter((one) => !left.has(one.version) && one.version <= version).map((one) => ({ ...one, version: numberOf(one.version) })),
  };
}
