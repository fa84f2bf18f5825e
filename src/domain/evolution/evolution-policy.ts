import { requireAction } from "../tenancy/roles.ts";
import type { WriteContext } from "../memories/memory-store.ts";
import type { Principal } from "../tenancy/principal.ts";
import type { TeamRef } from "../tenancy/team-ref.ts";
import { upkeepIn } from "../tenancy/upkeep.ts";

/** Whether a team's memories evolve: what that is, and that all of it can be undone, stands in `docs/evolution.md`. */
export const evolutionPolicies = ["on", "off"] as const;
export type EvolutionPolicy = (typeof evolutionPolicies)[number];
export const defaultEvolution: EvolutionPolicy = "on";

export interface EvolutionPolicyStore {
  policy(principal: Principal): Promise<EvolutionPolicy>;
  setPolicy(principal: Principal, write: WriteContext, policy: EvolutionPolicy): Promise<void>;
}

/** Asked by the curator itself, before it begins. */
export const isEvolving = async (store: Pick<EvolutionPolicyStore, "policy">, team: TeamRef): Promise<boolean> => (await store.policy(upkeepIn(team, ""))) === "on";

interface PolicyContext extends WriteContext {
  principal: Principal;
  evolution: EvolutionPolicyStore;
}

export async function evolutionPolicy({ principal, evolution }: PolicyContext): Promise<EvolutionPolicy> {
  requireAction(principal, "see the team");
  return evolution.policy(principal);
}

/** Turned off, it leaves what was done; a run is undone by itself. */
export async function setEvolutionPolicy(ctx: PolicyContext, policy: EvolutionPolicy): Promise<void> {
  requireAction(ctx.principal, "steer the curator");
  await ctx.evolution.setPolicy(ctx.principal, ctx, policy);
}
