import type { WriteContext } from "../memories/memory-store.ts";
import type { Principal } from "../tenancy/principal.ts";

/** `mask`: the secret is taken out of what is stored, and the original quarantined beside it. `store`: as it is said. */
export const secretPolicies = ["mask", "quarantine", "store"] as const;
export const instructionPolicies = ["quarantine", "store"] as const;

/** What a team does with a write in which the guard finds something (users U8). */
export interface GuardPolicy {
  secrets: (typeof secretPolicies)[number];
  instructions: (typeof instructionPolicies)[number];
}

export const defaultGuard: GuardPolicy = { secrets: "mask", instructions: "quarantine" };

export interface GuardPolicyStore {
  policy(principal: Principal): Promise<GuardPolicy>;
  setPolicy(principal: Principal, write: WriteContext, policy: GuardPolicy): Promise<void>;
}
