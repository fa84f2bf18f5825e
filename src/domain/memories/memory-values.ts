/** The values that fields of a memory are chosen from. */

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** Who may see a memory: its owner, the owner's team, or the whole organization. From few to many. */
export const visibilities = ["private", "shared", "public"] as const;
export type Visibility = (typeof visibilities)[number];

/** Nine types of the Mnemosyne document and three of the memory-server document. */
export const memoryTypes = [
  "architecture_decision",
  "code_pattern",
  "bug_fix",
  "configuration",
  "constraint",
  "entity",
  "insight",
  "reference",
  "preference",
  "standard",
  "procedural",
  "graph",
] as const;
export type MemoryType = (typeof memoryTypes)[number];

export const sensitivities = ["normal", "secret"] as const;
export const tiers = ["episodic", "semantic"] as const;

/** Why a memory is kept back, and what it is to be once it is released. */
export interface Quarantine {
  /** Kinds of what the write guard found. */
  reasons: string[];
  visibility: Visibility;
  sensitivity: (typeof sensitivities)[number];
  /** The memory that it would change, and the fields that were said of it. */
  target?: string | undefined;
  fields?: string[] | undefined;
}
