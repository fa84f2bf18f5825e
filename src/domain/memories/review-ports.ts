import type { WriteContext } from "../ports.ts";
import type { Principal } from "../tenancy/principal.ts";
import type { Memory } from "./memory.ts";

export const proposalStates = ["pending", "accepted", "refused"] as const;
export type ProposalState = (typeof proposalStates)[number];

/** A member's wish that others may see a memory, in just this version. */
export interface Proposal {
  id: string;
  memoryId: string;
  version: number;
  visibility: "shared" | "public";
  proposedBy: string;
  proposedAt: number;
  tool: string;
  state: ProposalState;
  decidedBy: string | null;
  decidedAt: number | null;
}

export interface Wish {
  memoryId: string;
  version: number;
  visibility: "shared" | "public";
}

/** Who may look at a proposal's memory although it is private: its team's admins, and nobody else. */
export interface ProposalStore {
  reviewRequired(principal: Principal): Promise<boolean>;
  setReview(principal: Principal, write: WriteContext, required: boolean): Promise<void>;
  /**
   * Puts the wishes into the queue, in place of what waits of the same memories. What was proposed before in just this
   * version stands as it is, decided or not. Answers the proposals in the order of the wishes.
   */
  propose(principal: Principal, write: WriteContext, wishes: Wish[]): Promise<Proposal[]>;
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
