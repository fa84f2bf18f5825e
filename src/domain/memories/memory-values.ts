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

/** A file, or a place in it, that a memory is about. */
export interface Citation {
  /** Relative to the root of the repository, in the form of `normalPath`. */
  path: string;
  /** Of the whole file when the memory was written, in lower case. */
  hash?: string | undefined;
  commit?: string | undefined;
  /** First and last. */
  lines?: [number, number] | undefined;
}

/** What is derived from the content where nobody says it. */
export const derivedFields = ["type", "importance", "tags", "keywords", "summary"] as const;
export type DerivedField = (typeof derivedFields)[number];

/** Which fields of a memory nobody said, and who derived them from its content. */
export interface EnrichmentMark {
  /** `rules`, or provider and model. */
  by: string;
  /** 0–1, of the derived type. */
  confidence: number;
  /** Derived anew when the content changes, until somebody says them; a field that nothing was found for has its initial value. */
  fields: DerivedField[];
  /** The derived importance, 0–1, before age and use moved it; absent while they have not. */
  base?: number | undefined;
  /** The model that has no answer to these words, so that it is not asked again. */
  tried?: string | undefined;
}

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
