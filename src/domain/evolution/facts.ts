import type { Step } from "../curation/work-kind.ts";
import type { Principal } from "../tenancy/principal.ts";
import type { Memory } from "../memories/memory.ts";

/** What evolution knows of a memory: numbers and marks, and no word of what it says. Instants are ms since the epoch. */
export interface MemoryFacts {
  id: string;
  version: number;
  /** Its visibility key. */
  audience: string;
  importance: number;
  tier: Memory["tier"];
  /** It has a key, by which somebody may ask for it. */
  isNamed: boolean;
  isLinked: boolean;
  /** It has an expiry, which decides on its end. */
  isExpiring: boolean;
  createdAt: number;
  /** When a person or tool wrote what it says. */
  updatedAt: number;
  /** When its present version was made, by whomever. */
  changedAt: number;
  accessCount: number;
  accessedAt: number | null;
  /** The importance that was derived from what it says, before age and use moved it; null where somebody has said how important it is. */
  baseImportance: number | null;
  /** It is to stay as it is: a person undid what the curator or a consolidation did to it, or proposed a change that waits for a review of just this version, or this run has changed it already. */
  isHeld: boolean;
}

/** What one rule asks for. A rule is pure, and asks for nothing of a memory that is as it wants it. */
export interface Wish {
  importance?: number;
  tier?: Memory["tier"];
  archive?: true;
}

export interface Rule {
  /** As it stands in the history of a memory, and in the counts of a run. */
  name: string;
  wish(facts: MemoryFacts, now: number): Wish | undefined;
}

export const dayMs = 86_400_000;

/** ms since somebody last wrote or read it; never negative, so that a clock that was put back makes nothing older. */
export const idleMs = ({ createdAt, updatedAt, accessedAt }: MemoryFacts, now: number): number => Math.max(0, now - Math.max(createdAt, updatedAt, accessedAt ?? 0));

/** A step of a run, as far as facts depend on it. */
export type FactsStep = Pick<Step, "team" | "run" | "now">;

/** Reads for evolution. */
export interface EvolutionStore {
  /**
   * Memories of a team above an id, in the order of ids: present, unexpired, neither secret nor quarantined. Not on behalf of a
   * person, as it holds no text.
   */
  factsAfter(step: FactsStep, after: string, limit: number): Promise<MemoryFacts[]>;
  /** The same of these ids. */
  factsOf(step: FactsStep, ids: readonly string[]): Promise<MemoryFacts[]>;
  /** Of one audience, whole, by id; without those that have become secret or archived meanwhile. */
  whole(principal: Principal, audience: string, ids: string[]): Promise<Memory[]>;
}
