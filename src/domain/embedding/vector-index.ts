import type { Principal } from "../tenancy/principal.ts";
import type { TeamRef } from "../tenancy/team-ref.ts";

export const vectorKinds = ["memory", "entity", "relationship"] as const;

export type VectorKind = (typeof vectorKinds)[number];

export interface VectorName {
  kind: VectorKind;
  /** Id of the memory, entity or relationship within its team: UUID. */
  id: string;
}

export interface VectorEntry extends VectorName {
  /** Version of the embedded text: greater for each newer one of the same id. */
  version: number;
  visibility: "private" | "shared" | "public";
  /** The one person who may see a private entry. */
  ownerId: string;
  /** Unit vector. */
  values: Float32Array;
}

export interface VectorHit {
  kind: VectorKind;
  id: string;
  /** Cosine, −1 to 1. */
  similarity: number;
  /** Set when the hit is public and belongs to another team. */
  teamId?: string;
  shard?: string;
}

/** Shows what the index really holds, for a comparison with the truth. */
export interface VectorInspection {
  /** Those of the entries that are not there, or older, or for others than may see them. What the index was given of late counts as there. */
  missing(team: TeamRef, space: string, entries: VectorEntry[]): Promise<VectorName[]>;
  /** Up to a hundred of the team's vectors of these kinds, those nearest to the vector first, and of the copies for other teams. */
  shown(team: TeamRef, space: string, kinds: readonly VectorKind[], near?: Float32Array): Promise<ShownVectors>;
  /** Takes away the copies that other teams find, and nothing else. */
  withdrawCopies(team: TeamRef, space: string, entries: VectorName[]): Promise<void>;
}

export interface ShownVectors {
  own: VectorName[];
  copies: VectorName[];
}

/**
 * Nearest neighbours by meaning. Eventually consistent and never the truth: whoever uses a hit checks it against the
 * truth (team, visibility, deletion), so that a stale vector can neither resurrect a memory nor cross a border.
 */
export interface VectorIndex {
  /** Found from the next query on, also while the store behind does not show it yet. Replaces older versions. */
  upsert(team: TeamRef, space: string, entries: VectorEntry[]): Promise<void>;
  /** From one space, or from all. */
  remove(team: TeamRef, entries: VectorName[], space?: string): Promise<void>;
  /**
   * The nearest that the principal may see, best first, up to `limit` of each kind; public memories of other teams of the
   * organization included, unless the caller knows that there are none (`others: false`).
   */
  query(principal: Principal, space: string, values: Float32Array, options: { kinds: VectorKind[]; limit: number; others?: boolean | undefined }): Promise<VectorHit[]>;
}
