import type { WriteContext } from "./memory-store.ts";
import type { Principal } from "../tenancy/principal.ts";

/**
 * Whose versions are meant; all that is given holds together. What an import brought counts as written by who imported it, with
 * the client that did and when it was done: names and dates in the file are claims of whoever wrote the file.
 */
export interface RevertSelection {
  /** User id. */
  author?: string | undefined;
  /** Name of the client, as kept in authorship. */
  tool?: string | undefined;
  /** `run_id` of the state, a session's namespace (`session:shop/s1`), or the last part of one. */
  session?: string | undefined;
  /** One call, such as an import. */
  request?: string | undefined;
  /** Included; ms since the epoch. */
  since?: number | undefined;
  /** Not included. */
  until?: number | undefined;
  /** The section of the report card that the run repairs, and the only ids of it that it was asked for; nothing of the above then. */
  fix?: string | undefined;
  ids?: string | undefined;
}

/** A version of a memory, as far as a revert must know it: who wrote it, and no word of what it says. */
export interface WrittenVersion {
  version: number;
  actorId: string;
  tool: string;
  /** Author, tool, request and instants are as selected. */
  isSelected: boolean;
  /** Its state belongs to the selected session; true where none is selected. */
  isInSession: boolean;
  /** No revert has taken it back, and it is not the work of one. */
  stands: boolean;
  /** The principal may see what it says. */
  isVisible: boolean;
}

/** What a run did to a memory. */
export interface RevertedMemory {
  memoryId: string;
  before: number;
  after: number;
  /** The version whose state it has again; null when it was archived. */
  restored: number | null;
  /** The version by which it was undone. */
  undo: number | null;
}

export interface Reversion {
  id: string;
  userId: string;
  tool: string;
  at: number;
  /** The others select nothing, and are undone like a revert. */
  kind: "revert" | "consolidation" | "evolution";
  selection: RevertSelection;
  /** How many memories were to change. */
  memories: number;
}

/** A revert and its undo, or a merge and the revert that took it back, between which nothing else happened to the memory. */
export interface UndoneRevert {
  before: number;
  after: number;
  undo: number;
  /** The memory's date in the version before. */
  at: number;
}

/** What bulk reverts did. What a run does to a memory is recorded by the commit that does it (`MemoryWrite.reversion`). */
export interface ReversionStore {
  /** Memories that the principal may see with a selected version that stands; the one written last first. */
  candidates(principal: Principal, now: number, selection: RevertSelection, limit: number): Promise<string[]>;
  /** All versions by memory id, oldest first. */
  written(principal: Principal, selection: RevertSelection, memoryIds: string[]): Promise<Map<string, WrittenVersion[]>>;
  /** Records that a run begins; one that is there stays as it is. */
  begin(principal: Principal, write: WriteContext, run: Pick<Reversion, "id" | "kind" | "selection" | "memories">): Promise<void>;
  find(principal: Principal, id: string): Promise<(Reversion & { items: RevertedMemory[] }) | undefined>;
  /** Newest first. `by`: only that person's. */
  list(principal: Principal, which: { by: string | undefined; limit: number }): Promise<Reversion[]>;
  /** By memory id, oldest first. */
  undone(principal: Principal, memoryIds: string[]): Promise<Map<string, UndoneRevert[]>>;
}
