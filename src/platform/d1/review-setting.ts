import { eq } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import type { ProposalStore } from "../../domain/memories/proposal-store.ts";
import type { Principal } from "../../domain/tenancy/principal.ts";
import { teamPolicies } from "./review-schema.ts";
import type { ShardOf } from "./shard-of.ts";

/** Whether a team reviews what its members change of what others see; without what opens proposals. */
export class D1ReviewSetting implements Pick<ProposalStore, "reviewRequired"> {
  readonly #shardOf: ShardOf;

  constructor(shardOf: ShardOf) {
    this.#shardOf = shardOf;
  }

  async reviewRequired({ teamId, shard }: Principal): Promise<boolean> {
    const [row] = await drizzle(this.#shardOf(shard)).select({ required: teamPolicies.reviewRequired }).from(teamPolicies).where(eq(teamPolicies.teamId, teamId));
    return row?.required ?? false;
  }
}
