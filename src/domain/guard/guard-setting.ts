import type { Context } from "../context.ts";
import { requireAction } from "../tenancy/roles.ts";
import type { GuardPolicy } from "./guard-policy.ts";

export async function guardPolicy(ctx: Context): Promise<GuardPolicy> {
  requireAction(ctx.principal, "see the team");
  return ctx.guard.policy(ctx.principal);
}

/** What is in quarantine stays there. */
export async function setGuardPolicy(ctx: Context, policy: GuardPolicy): Promise<void> {
  requireAction(ctx.principal, "set the write guard");
  await ctx.guard.setPolicy(ctx.principal, ctx, policy);
}
