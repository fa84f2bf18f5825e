import type { LinkType } from "../graph/graph.ts";
import type { WriteContext } from "./memory-store.ts";
import type { Principal } from "../tenancy/principal.ts";
import type { Memory, MemoryState, Redaction } from "./memory.ts";

export const proposalStates = ["pending", "accepted", "refused"] as const;
export type ProposalState = (typeof proposalStates)[number];

/** Links from a memory, to make and to take away. Without a type, those of any type. */
export interface LinkChanges {
  add: { to: string; type: LinkType; strength: number; reason: string }[];
  remove: { to: string; type?: LinkType | undefined }[];
}

/** A member's proposal for a memory that others see or are to see, based on just this version of it. */
export interface Wish {
  memory: Memory;
  visibility: "shared" | "public";
  /** The whole state that the memory is to have; null when only its visibility is to change. */
  proposed: MemoryState | null;
  links: LinkChanges | null;
}

/** A wish in the queue. An accepted one holds no text any more: the version that it became does. */
export interface Proposal extends Omit<Wish, "memory"> {
  id: string;
  memoryId: string;
  version: number;
  proposedBy: string;
  proposedAt: number;
  tool: string;
  state: ProposalState;
  decidedBy: string | null;
  decidedAt: number | null;
  /** Why the sealed fields of `proposed` are not here. */
  redaction?: Redaction;
}

/** Most proposals that wait at once, of one person and in one team. */
export const mostWaiting = { person: 200, team: 2_000 };

/** Most links of one proposal. */
export const mostLinks = 500;

/** Who may see what is proposed: its author, and admins of the team. Verbs see to that; the store keeps to the team. */
export interface ProposalStore {
  reviewRequired(principal: Principal): Promise<boolean>;
  setReview(principal: Principal, write: WriteContext, required: boolean): Promise<void>;
  /** How many proposals wait, of the principal and in the team, beside the principal's own of these memories. Expired memories are left out. */
  waiting(principal: Principal, now: number, besides: string[]): Promise<{ mine: number; team: number }>;
  /**
   * Puts the wishes into the queue, in place of what else of the same memories the principal has waiting there. The very
   * same wish of the same version stands as it is, decided or not. Answers the proposals in the order of the wishes, without
   * those whose memory has changed and those that the queue has no room for.
   */
  propose(principal: Principal, write: WriteContext, wishes: Wish[]): Promise<Proposal[]>;
  /** The principal's own of these memories, newest first. */
  own(principal: Principal, memoryIds: string[]): Promise<Proposal[]>;
  /** Newest first, with their memories as they are now. `proposedBy`: only that person's. Expired memories are left out. */
  list(
    principal: Principal,
    now: number,
    which: { proposedBy: string | undefined; state: ProposalState; below: string | undefined; limit: number },
  ): Promise<{ proposal: Proposal; memory: Memory }[]>;
  find(principal: Principal, now: number, id: string): Promise<{ proposal: Proposal; memory: Memory } | undefined>;
  /** `false` when it is not there, or decided already. */
  refuse(principal: Principal, write: WriteContext, id: string): Promise<boolean>;
}
